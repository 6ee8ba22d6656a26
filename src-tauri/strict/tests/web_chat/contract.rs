//! The contract that every adapter keeps.

use crate::place::Place;
use crate::shared::calls::target;
use foldback_channels::contract::{Subject, check};
use reqwest::multipart::{Form, Part};

#[tokio::test]
async fn the_web_chat_keeps_the_contract() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    let file = Part::bytes(&b"hello"[..]).file_name("a.bin");
    let form = Form::new().text("key", "2").part("file", file);
    let (posted, message) = tokio::join!(visitor.browser.post_form(form), place.run.message());
    assert_eq!(posted.unwrap().status, 200);
    place.run.end().await;
    let (theirs, attached) = (message.message, message.files[0].clone());
    let subject = Subject::new(
        place.adapter,
        target(&visitor.chat, None),
        theirs,
        "w0000000000000000".into(),
        "a.txt",
    );
    let subject = subject.with_sent(attached, *b"hello", "0123456789abcdef");
    check(&subject).await.unwrap_or_else(|e| panic!("{e}"));
}
