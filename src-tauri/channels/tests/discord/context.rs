//! What Discord tells beside a message.

use crate::place::{DIRECT, Place, ROOM, THREAD};
use crate::shared::run::Run;
use foldback_wire::InboundContext;
use serde_json::{Value, json};

/// The context of a message that is written so.
async fn context_of(place: &Place, run: &mut Run, channel: u64, message: &Value) -> InboundContext {
    place.server.write(channel, message);
    run.message()
        .await
        .context
        .map(|context| *context)
        .unwrap_or_default()
}

fn answering(answered: &Value) -> Value {
    json!({
        "content": "and this?", "type": 19, "referenced_message": answered,
        "message_reference": {"message_id": "5", "channel_id": ROOM.to_string(), "guild_id": "900"},
    })
}

#[tokio::test]
async fn the_message_that_is_answered_is_quoted() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    for (author, expected) in [
        (
            json!({"id": "43", "username": "bob", "global_name": "Bob Stone"}),
            "Bob Stone",
        ),
        (json!({"id": "43", "username": "bob", "global_name": null}), "bob"),
    ] {
        let said = json!({"id": "5", "content": "The whole", "author": author});
        let context = context_of(&place, &mut run, ROOM, &answering(&said)).await;
        let quote = context.quote.unwrap();
        assert_eq!(
            (quote.id, quote.sender.as_deref(), quote.text.as_str()),
            (Some("5".into()), Some(expected), "The whole")
        );
    }
    // It is gone, and Discord says so.
    let context = context_of(&place, &mut run, ROOM, &answering(&Value::Null)).await;
    assert_eq!(context.quote, None);
    // What is passed on is no quote.
    let mut passed_on = answering(&Value::Null);
    passed_on["type"] = 0.into();
    passed_on["message_reference"]["type"] = 1.into();
    let context = context_of(&place, &mut run, ROOM, &passed_on).await;
    assert_eq!((context.quote, context.forwarded_from), (None, None));
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_channel_and_a_thread_have_names_and_a_direct_conversation_has_none() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let hi = json!({"content": "hi"});
    for (channel, expected) in [(ROOM, Some("general")), (THREAD, Some("lunch")), (DIRECT, None)] {
        for _ in 0..2 {
            let context = context_of(&place, &mut run, channel, &hi).await;
            assert_eq!(context.group.and_then(|group| group.name).as_deref(), expected);
        }
    }
    let renamed = json!({"id": ROOM.to_string(), "type": 0, "name": "all-hands"});
    place.server.dispatch("CHANNEL_UPDATE", renamed);
    let context = context_of(&place, &mut run, ROOM, &hi).await;
    assert_eq!(
        context.group.and_then(|group| group.name).as_deref(),
        Some("all-hands")
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn who_has_a_nickname_has_another_name_too() {
    let place = Place::open().await;
    let mut run = Run::up(&place.adapter).await;
    let nick = json!({"content": "x", "member": {"roles": [], "nick": "Ana from sales"}});
    let sender = context_of(&place, &mut run, ROOM, &nick).await.sender.unwrap();
    assert_eq!(sender.names, ["Ana Lima"]);
    assert_eq!((sender.ids.len(), sender.phone), (0, None));
    let plain = json!({"content": "x"});
    assert_eq!(context_of(&place, &mut run, ROOM, &plain).await.sender, None);
}
