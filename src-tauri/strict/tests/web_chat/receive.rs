//! Messages of visitors.

use crate::place::{Place, here, watch};
use crate::shared::calls::said;
use foldback_channels::{ChannelAdapter as _, VisitorLimits, WebChatPlace};
use foldback_wire::{ChatType, Operation};
use reqwest::multipart::{Form, Part};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_message_comes_in_with_its_sender_and_what_it_answers() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let asked = place
        .perform(&visitor.chat, said("Which **one**?"))
        .await
        .unwrap()
        .message
        .unwrap();
    visitor.next().await;
    let body = json!({"key": "k", "text": "the ridge", "reply_to": asked});
    let (answer, message) = tokio::join!(visitor.browser.post("/messages", &body), place.run.message());
    assert_eq!(answer.unwrap().json()["id"], json!(message.message));
    assert_eq!(
        (message.text.as_str(), message.chat_type),
        ("the ridge", ChatType::Direct)
    );
    assert_eq!(
        (message.chat.as_str(), &message.chat),
        (message.sender.id.as_str(), &visitor.chat)
    );
    assert_eq!(
        message.sender.display_name,
        format!("Visitor {}", &visitor.chat.as_str()[..4])
    );
    assert_eq!((message.reply_to, message.mentioned), (Some(asked.clone()), true));
    let quote = message.context.unwrap().quote.unwrap();
    assert_eq!(
        (quote.id, quote.text.as_str(), quote.own),
        (Some(asked), "Which **one**?", true)
    );
    let shown = visitor.next().await.data["message"].clone();
    assert_eq!(
        (&shown["from"], &shown["text"]),
        (&json!("visitor"), &json!("the ridge"))
    );
    // The cookie is nowhere in it.
    let cookies = visitor.browser.cookies().unwrap();
    let (_, key) = cookies.split_once('=').unwrap();
    assert!(!visitor.chat.as_str().contains(key));
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn a_message_that_is_not_kept_leaves_and_comes_again_as_the_same() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let lost = async {
        let arrival = place.run.arrival().await;
        let id = arrival.message.message.clone();
        drop(arrival);
        id
    };
    let (answer, id) = tokio::join!(visitor.browser.say("again", "hello?"), lost);
    assert_eq!(answer.unwrap().status, 503);
    assert_eq!(visitor.next().await.kind(), "message");
    assert_eq!(visitor.next().await.data, json!({"type": "removed", "id": id}));
    let (_, message) = place.say(&visitor.browser, "again", "hello?").await;
    assert_eq!(message.message, id);
    // The answer was lost on its way: the page posts it once more, and has it once.
    let (_, message) = place.say(&visitor.browser, "again", "hello?").await;
    assert_eq!(message.message, id);
    let kept = watch(&visitor.browser, None).await.next().await.unwrap();
    assert_eq!(kept.data["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_page_that_leaves_before_its_message_is_kept_has_not_sent_it() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let gone = tokio::time::timeout(Duration::from_millis(300), visitor.browser.say("gone", "hello?")).await;
    assert!(gone.is_err(), "nobody keeps it");
    assert_eq!(visitor.next().await.kind(), "message");
    assert_eq!(visitor.next().await.kind(), "removed");
    // The pipeline is told so by a sender that is closed.
    let arrival = place.run.arrival().await;
    assert!(arrival.kept.unwrap().is_closed());
}

#[tokio::test]
async fn files_and_voice_come_in_and_can_be_fetched() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let form = Form::new()
        .text("key", "f")
        .text("text", "two files")
        .part(
            "file",
            Part::bytes(&b"%PDF"[..])
                .file_name("../../plan b.pdf")
                .mime_str("application/pdf")
                .unwrap(),
        )
        .part(
            "voice",
            Part::bytes(&b"OggS"[..])
                .file_name("voice.ogg")
                .mime_str("audio/ogg;codecs=opus")
                .unwrap(),
        );
    let (answer, message) = tokio::join!(visitor.browser.post_form(form), place.run.message());
    assert_eq!(answer.unwrap().status, 200);
    let told: Vec<_> = message
        .files
        .iter()
        .map(|f| (f.name.as_str(), f.media_type.as_str(), f.size))
        .collect();
    assert_eq!(
        told,
        [
            ("plan b.pdf", "application/pdf", Some(4)),
            ("voice.ogg", "audio/ogg", Some(4))
        ]
    );
    for (file, bytes) in message.files.iter().zip([b"%PDF", b"OggS"]) {
        assert_eq!(place.adapter.fetch(&visitor.chat, file, 4).await.unwrap(), bytes);
    }
    let shown = visitor.next().await.data["message"]["files"].clone();
    assert_eq!(
        (&shown[0]["name"], &shown[1]["voice"]),
        (&json!("plan b.pdf"), &json!(true))
    );
    assert_eq!(visitor.browser.broken(), []);
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_the_reason() {
    let mut place = Place::of(WebChatPlace {
        limits: VisitorLimits {
            messages_per_minute: 6_000,
            ..VisitorLimits::default()
        },
        ..here()
    })
    .await;
    let visitor = place.visitor().await;
    let browser = &visitor.browser;
    for (body, status, says) in [
        (json!({"key": "a", "text": ""}), 400, "empty"),
        (json!({"key": "a", "text": " \n"}), 400, "empty"),
        (json!({"key": "", "text": "x"}), 400, "key has 1 to 64"),
        (
            json!({"key": "k".repeat(65), "text": "x"}),
            400,
            "key has 1 to 64",
        ),
        (json!({"text": "x", "chat": "other"}), 400, "unknown field"),
        (json!({"key": "a", "text": 7}), 400, "cannot be read"),
        (json!("a"), 400, "cannot be read"),
        (
            json!({"key": "a", "text": "x".repeat(4_097)}),
            413,
            "at most 4096 characters",
        ),
        (json!({"key": "a", "text": "x".repeat(70_000)}), 413, "larger"),
    ] {
        let answer = browser.post("/messages", &body).await.unwrap();
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(answer.text().contains(says), "{}", answer.text());
    }
    let many = (0..11).fold(Form::new().text("key", "m"), |form, n| {
        form.part("file", Part::bytes(vec![n]).file_name("a"))
    });
    let strange = Form::new().text("key", "s").text("chat", "other");
    for (form, says) in [(many, "at most 10 files"), (strange, "no field \"chat\"")] {
        let answer = browser.post_form(form).await.unwrap();
        assert_eq!(answer.status, 400);
        assert!(answer.text().contains(says), "{}", answer.text());
    }
    let large = Form::new()
        .text("key", "l")
        .part("file", Part::bytes(vec![0; 25_300_000]).file_name("a"));
    // The answer may be lost to whoever goes on sending.
    if let Ok(answer) = browser.post_form(large).await {
        assert_eq!(answer.status, 413);
    }
    for body in [
        json!({"message": "w0000000000000000", "emoji": "👍", "on": true}),
        json!({"message": "x", "emoji": "👍", "on": true}),
    ] {
        assert_eq!(browser.post("/reactions", &body).await.unwrap().status, 404);
    }
    let word = json!({"message": "w0000000000000000", "emoji": "<b>", "on": true});
    assert_eq!(browser.post("/reactions", &word).await.unwrap().status, 400);
    // Nothing of it came in, and nothing of it is left.
    let (_, message) = place.say(browser, "last", "last").await;
    assert_eq!(message.text, "last");
    let folder = std::fs::read_dir(place.data.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let left: Vec<_> = std::fs::read_dir(folder.join(visitor.chat.as_str()))
        .unwrap()
        .map(|f| f.unwrap().file_name())
        .collect();
    assert_eq!(left, ["log.jsonl"]);
    assert_eq!(browser.broken(), []);
}

#[tokio::test]
async fn a_visitors_reaction_is_seen_in_all_tabs() {
    let mut place = Place::open().await;
    let mut visitor = place.visitor().await;
    let id = place
        .perform(&visitor.chat, said("good?"))
        .await
        .unwrap()
        .message
        .unwrap();
    visitor.next().await;
    let mut tab = watch(&visitor.browser, None).await;
    tab.next().await;
    for on in [true, false] {
        let body = json!({"message": id, "emoji": "👍", "on": on});
        assert_eq!(
            visitor.browser.post("/reactions", &body).await.unwrap().status,
            200
        );
        let expected = json!({"type": "reaction", "id": id, "emoji": "👍", "from": "visitor", "on": on});
        assert_eq!(visitor.next().await.data, expected);
        assert_eq!(tab.next().await.unwrap().data, expected);
    }
    place
        .perform(&visitor.chat, Operation::Delete { message: id.clone() })
        .await
        .unwrap();
    assert_eq!(
        tab.next().await.unwrap().data,
        json!({"type": "removed", "id": id})
    );
}

#[tokio::test]
async fn whoever_writes_too_much_waits_and_says_for_how_long() {
    let mut place = Place::open().await;
    let visitor = place.visitor().await;
    // Five at once of twenty a minute; the first came with the visitor.
    for n in 0..4 {
        place.say(&visitor.browser, &n.to_string(), "hello").await;
    }
    let answer = visitor.browser.say("5", "hello").await.unwrap();
    assert_eq!((answer.status, answer.header("retry-after")), (429, "3"));
    let other = place.visitor().await;
    place
        .say(&other.browser, "1", "another visitor is not held up")
        .await;
    assert_eq!(visitor.browser.broken(), []);
}
