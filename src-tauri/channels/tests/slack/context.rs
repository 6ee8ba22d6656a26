//! What Slack tells beside a message.

use crate::place::{DIRECT, Place, ROOM, ana, socket_mode};
use crate::shared::run::Run;
use foldback_wire::{ChannelState, InboundContext};
use serde_json::{Value, json};

async fn running(place: &Place) -> Run {
    let mut run = Run::of(&place.adapter);
    run.until(ChannelState::Up).await;
    run
}

/// The context of a message that is written so.
async fn context_of(place: &Place, run: &mut Run, event: Value) -> InboundContext {
    place.server.write(ROOM, event);
    run.message()
        .await
        .context
        .map(|context| *context)
        .unwrap_or_default()
}

/// Slack tells of it with an answer that is shown in the channel, too, and with no other.
#[tokio::test]
async fn the_message_that_began_a_thread_comes_with_an_answer_that_is_shown_in_the_channel() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    let mut answer = ana("I am in");
    answer["subtype"] = "thread_broadcast".into();
    answer["thread_ts"] = "1665615886.364019".into();
    answer["root"] = json!({
        "type": "message", "user": "U0BOB0001", "ts": "1665615886.364019", "thread_ts": "1665615886.364019",
        "text": "Who comes &amp; when?", "reply_count": 1,
    });
    let thread = context_of(&place, &mut run, answer).await.thread.unwrap();
    let starter = thread.starter.unwrap();
    assert_eq!(
        (starter.id, starter.sender.as_deref(), starter.text.as_str()),
        (
            Some("1665615886.364019".into()),
            Some("U0BOB0001"),
            "Who comes & when?"
        )
    );
    assert!(thread.recent.is_empty(), "no event tells of others");
    let mut plain = ana("me too");
    plain["thread_ts"] = "1665615886.364019".into();
    assert_eq!(context_of(&place, &mut run, plain).await.thread, None);
    run.end().await;
}

#[tokio::test]
async fn who_wrote_what_is_shared_is_named() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    for (author, expected) in [
        (
            json!({"author_id": "U0BOB0001", "author_name": "Bob Stone"}),
            Some("Bob Stone"),
        ),
        (json!({"author_id": "U0BOB0001"}), Some("U0BOB0001")),
        (json!({}), None),
    ] {
        let mut shared = json!({"is_share": true, "text": "The whole", "files": []});
        for (name, value) in author.as_object().into_iter().flatten() {
            shared[name] = value.clone();
        }
        let mut event = ana("look");
        event["attachments"] = json!([shared]);
        let context = context_of(&place, &mut run, event).await;
        assert_eq!(context.forwarded_from.as_deref(), expected);
    }
    // A preview of a link is shared by nobody.
    let mut event = ana("see");
    event["attachments"] = json!([{"text": "preview", "author_name": "A newspaper"}]);
    assert_eq!(context_of(&place, &mut run, event).await.forwarded_from, None);
    run.end().await;
}

#[tokio::test]
async fn a_person_who_is_called_otherwise_has_another_name_too() {
    let place = Place::open().await;
    let mut run = running(&place).await;
    for (shown, others) in [("Annie", &["Ana Lima"][..]), ("Ana Lima", &[]), ("", &[])] {
        let mut event = ana("hi");
        event["user_profile"] = json!({"name": "ana", "real_name": "Ana Lima", "display_name": shown});
        let sender = context_of(&place, &mut run, event).await.sender;
        assert_eq!(
            sender.map_or_else(Vec::new, |sender| sender.names),
            others,
            "{shown}"
        );
    }
    run.end().await;
}

/// No event of a message tells the name of its channel; a slash command does.
#[tokio::test]
async fn a_command_comes_with_the_name_of_its_channel() {
    let place = Place::receiving(socket_mode()).await;
    let mut run = running(&place).await;
    for (room, expected) in [(ROOM, Some("general")), (DIRECT, None)] {
        place.server.use_command(room, "/foldback", "status");
        let context = run
            .message()
            .await
            .context
            .map(|context| *context)
            .unwrap_or_default();
        assert_eq!(context.group.and_then(|group| group.name).as_deref(), expected);
    }
    assert_eq!(context_of(&place, &mut run, ana("hi")).await.group, None);
    run.end().await;
}
