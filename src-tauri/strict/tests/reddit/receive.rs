//! Messages that come in.

use crate::place::{ANA, NAME, POST, Place};
use crate::shared::run::{Run, until};
use foldback_channels::Signal;
use foldback_wire::{ChannelState, ChatType};
use serde_json::json;

#[tokio::test]
async fn a_comment_comes_in_and_is_read_once_it_is_kept() {
    let place = Place::open().await;
    let name = place.server.comment(ANA, POST, "u/Foldback_Bot & <you>");
    let mut run = Run::of(&place.adapter);
    let arrival = run.arrival().await;
    let message = &arrival.message;
    assert_eq!(
        (
            message.message.as_str(),
            message.text.as_str(),
            message.chat.as_str(),
            message.thread.as_ref().map(foldback_wire::ThreadId::as_str),
            message.reply_to.as_ref().map(foldback_wire::MessageId::as_str),
            message.chat_type,
            message.at.to_string().as_str(),
        ),
        (
            &*name,
            "u/Foldback_Bot & <you>",
            POST,
            Some(&*name),
            Some(POST),
            ChatType::Group,
            "2023-11-14T22:13:20.000Z"
        )
    );
    assert_eq!((message.sender.id.as_str(), message.mentioned), (ANA, true));
    let group = message.context.as_ref().unwrap().group.as_ref().unwrap();
    assert_eq!(group.name.as_deref(), Some("Which laptop? (r/rust)"));
    assert_eq!(place.server.unread(), 1, "not before it is kept");
    arrival.kept.unwrap().send(()).unwrap();
    until(|| place.server.unread() == 0).await;
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn many_come_in_their_order_and_are_marked_25_at_a_time() {
    let place = Place::open().await;
    for number in 0..60 {
        place.server.message(ANA, &format!("{number}"));
    }
    let mut run = Run::of(&place.adapter);
    for number in 0..60 {
        let message = run.message().await;
        assert_eq!(
            (message.text, message.chat_type, message.thread),
            (format!("{number}"), ChatType::Direct, None)
        );
    }
    until(|| place.server.unread() == 0).await;
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_is_not_kept_comes_again_and_what_was_kept_beside_it_does_not() {
    let place = Place::open().await;
    place.server.message(ANA, "One");
    let mut run = Run::of(&place.adapter);
    drop(run.arrival().await);
    assert!(run.until(ChannelState::Down).await.contains("not kept"));
    assert_eq!(run.message().await.text, "One");
    until(|| place.server.unread() == 0).await;
    run.end().await;
}

#[tokio::test]
async fn what_the_bot_wrote_is_never_handed_over() {
    let place = Place::open().await;
    place.server.comment(NAME, POST, "u/Foldback_Bot talks to itself");
    place.server.comment(&NAME.to_lowercase(), POST, "and again");
    place.server.message(ANA, "Hi");
    let mut run = Run::of(&place.adapter);
    assert_eq!(run.message().await.text, "Hi");
    until(|| place.server.unread() == 0).await;
    run.end().await;
}

#[tokio::test]
async fn moderators_and_deleted_people_are_told_of_and_not_answered() {
    let place = Place::open().await;
    let item = |name: &str, author: serde_json::Value| {
        json!({"kind": "t4", "data": {
            "name": name, "author": author, "body": "You have been banned", "created_utc": 1.0,
            "subject": "you've been banned", "subreddit": "rust", "context": "",
        }})
    };
    place.server.put("t4_mod1", item("t4_mod1", json!(null)));
    place.server.put("t4_mod2", item("t4_mod2", json!("reddit")));
    let mut deleted = item("t4_mod3", json!(null));
    deleted["data"]["subreddit"] = json!(null);
    deleted["data"]["subject"] = json!("a \"word\"\nand more");
    place.server.put("t4_mod3", deleted);
    let mut run = Run::of(&place.adapter);
    let mut warned = Vec::new();
    while warned.len() < 3 {
        if let Signal::Warned(what) = run.next().await {
            warned.push(what);
        }
    }
    assert!(
        warned[0].starts_with("r/rust wrote to the bot about \"you've been banned\""),
        "{warned:?}"
    );
    assert!(warned[1].starts_with("reddit wrote"), "{warned:?}");
    let deleted = "a deleted account wrote to the bot about \"a \"word\"";
    assert!(warned[2].starts_with(deleted), "{warned:?}");
    until(|| place.server.unread() == 0).await;
    run.end().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_told_of_and_keeps_nothing_else_back() {
    let place = Place::open().await;
    place.server.put(
        "t1_odd",
        json!({"kind": "t1", "data": {"name": "t1_odd", "created_utc": "yesterday"}}),
    );
    place.server.put("?", json!({"kind": "t9"}));
    place.server.message(ANA, "Hi");
    let mut run = Run::of(&place.adapter);
    let (message, unread) = run.message_and_unread().await;
    assert_eq!((message.text.as_str(), unread.len()), ("Hi", 2));
    // The one without a name cannot be marked.
    until(|| place.server.unread() == 1).await;
    run.end().await;
}
