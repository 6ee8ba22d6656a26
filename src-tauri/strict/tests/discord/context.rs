//! What Discord tells beside a message.

use crate::place::{DIRECT, Place, ROOM, THREAD};
use crate::shared::calls::said;
use crate::shared::run::Run;
use crate::thread::words;
use foldback_channels::{ChannelAdapter, Refusal, ThreadPart, ThreadQuery};
use foldback_strict::Mishap;
use foldback_wire::{InboundContext, RefusalCode};
use serde_json::{Value, json};
use std::time::Duration;

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

/// The thread as it was before a message.
async fn thread(place: &Place, thread: u64, before: u64, limit: u32) -> Result<ThreadPart, Refusal> {
    let query = ThreadQuery {
        chat: ROOM.to_string().into(),
        thread: thread.to_string().into(),
        before: before.to_string().into(),
        limit,
    };
    let part = place.adapter.read_thread(&query).await?;
    Ok(part.expect("Discord has a call for it"))
}

/// A thread made from a message of Ana's, in which the bot has answered Bob, and the message that is asked about.
async fn lunch(place: &Place) -> (u64, u64) {
    let first = place.server.write(ROOM, &json!({"content": "Lunch?"}));
    place.server.open_thread(first, ROOM);
    let begins = json!({
        "id": first.to_string(), "channel_id": ROOM.to_string(), "type": 0, "content": "Lunch?",
        "author": {"id": "42", "username": "ana", "global_name": "Ana Lima"},
    });
    let refers = json!({"type": 21, "content": "", "referenced_message": begins});
    place.server.write(first, &refers);
    let bob = json!({"id": "43", "username": "bob", "global_name": null});
    place
        .server
        .write(first, &json!({"content": "At noon?", "author": bob}));
    let answered = place.perform_in(ROOM, Some(first), said("I am in."));
    answered.await.unwrap();
    // Whom a thread's owner added is Discord's news; a file alone has a name.
    place.server.write(first, &json!({"content": "", "type": 1}));
    let menu = json!({"filename": "menu.pdf", "url": "https://cdn.discordapp.com/menu.pdf", "size": 9});
    place
        .server
        .write(first, &json!({"content": "", "attachments": [menu]}));
    let asked = place.server.write(first, &json!({"content": "well?"}));
    place.server.write(first, &json!({"content": "too late"}));
    (first, asked)
}

#[tokio::test]
async fn a_thread_is_told_up_to_a_message_with_its_starter_and_with_the_bots_own_words() {
    let place = Place::open().await;
    let (first, asked) = lunch(&place).await;
    let before = place.server.calls();
    let part = thread(&place, first, asked, 20).await.unwrap();
    let told = [
        "Ana Lima: Lunch?",
        "bob: At noon?",
        "*foldback: I am in.",
        "Ana Lima: [menu.pdf]",
    ];
    assert_eq!(words(&part), told);
    assert_eq!(part.missing, None);
    let starter = part.starter.unwrap();
    assert_eq!(starter.said.id, Some(first.to_string().into()));
    assert_eq!((starter.sender, starter.is_bot), (Some("42".into()), false));
    assert_eq!(place.server.calls() - before, 2, "who the bot is, and the page");
    thread(&place, first, asked, 20).await.unwrap();
    assert_eq!(place.server.calls() - before, 3, "a page alone");
    assert_eq!(place.server.broken(), []);
}

/// The first message stands far before the page that is asked for.
#[tokio::test]
async fn of_a_long_thread_the_last_messages_are_told_and_its_starter_is_looked_for() {
    let place = Place::open().await;
    let (lunch, _) = lunch(&place).await;
    let post = place.server.open_post(ROOM, &json!({"content": "A question"}));
    for (id, begins, calls) in [(lunch, "Lunch?", 2), (post, "A question", 3)] {
        for number in 0..30 {
            place.server.write(id, &json!({"content": number.to_string()}));
        }
        let asked = place.server.write(id, &json!({"content": "well?"}));
        thread(&place, id, asked, 1).await.unwrap();
        let before = place.server.calls();
        let part = thread(&place, id, asked, 3).await.unwrap();
        let told = [begins, "27", "28", "29"].map(|said| format!("Ana Lima: {said}"));
        assert_eq!(words(&part), told);
        assert_eq!(place.server.calls() - before, calls);
    }
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_post_has_its_starter_in_itself_and_another_thread_may_have_none() {
    let place = Place::open().await;
    let post = place.server.open_post(ROOM, &json!({"content": "A question"}));
    for (id, begins) in [(post, &["Ana Lima: A question"][..]), (THREAD, &[])] {
        let asked = place.server.write(id, &json!({"content": "well?"}));
        thread(&place, id, asked, 20).await.unwrap();
        let before = place.server.calls();
        let part = thread(&place, id, asked, 20).await.unwrap();
        assert_eq!(
            (words(&part), part.recent.len()),
            (begins.iter().map(ToString::to_string).collect(), 0)
        );
        assert_eq!(place.server.calls() - before, 1);
    }
    place.server.hide_history(post);
    let asked = place.server.write(post, &json!({"content": "well?"}));
    assert_eq!(
        thread(&place, post, asked, 20).await.unwrap(),
        ThreadPart::default()
    );
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn while_a_limit_lasts_no_thread_is_asked_for() {
    let place = Place::open().await;
    let (first, asked) = lunch(&place).await;
    thread(&place, first, asked, 20).await.unwrap();
    let wait = Duration::from_mins(1);
    place.server.plan("get_messages", Mishap::UsedUp(wait));
    assert!(
        thread(&place, first, asked, 20).await.is_ok(),
        "the last one that is taken"
    );
    let calls = place.server.calls();
    let refusal = thread(&place, first, asked, 20).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::RateLimited, false)
    );
    assert!(
        refusal.retry_after.is_some_and(|left| left <= wait),
        "{refusal:?}"
    );
    assert_eq!(place.server.calls(), calls);
    // The limit is one of this channel.
    let asked = place.server.write(THREAD, &json!({"content": "well?"}));
    place.server.plan("get_messages", Mishap::RateLimited(wait));
    for calls in [1, 0] {
        let before = place.server.calls();
        let refusal = thread(&place, THREAD, asked, 20).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::RateLimited);
        assert_eq!(place.server.calls() - before, calls);
    }
    assert_eq!(place.server.broken(), []);
}

/// Who was told to wait and calls again breaks a rule.
#[tokio::test]
async fn a_limit_of_all_calls_holds_for_threads_too() {
    let place = Place::open().await;
    let (first, asked) = lunch(&place).await;
    thread(&place, first, asked, 20).await.unwrap();
    place.server.limit_globally(Duration::from_mins(1));
    assert!(place.send("hi").await.is_err());
    let refusal = thread(&place, first, asked, 20).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::RateLimited);
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_cannot_be_read_of_a_thread_is_told() {
    let place = Place::open().await;
    let (first, _) = lunch(&place).await;
    for number in 0..3 {
        place.server.write(first, &json!({"content": number.to_string()}));
    }
    let asked = place.server.write(first, &json!({"content": "well?"}));
    place.server.plan("get_message", Mishap::Failed);
    let part = thread(&place, first, asked, 2).await.unwrap();
    assert_eq!(words(&part), ["Ana Lima: 1", "Ana Lima: 2"]);
    let missing = part.missing.unwrap();
    assert!(
        missing.contains("the message that began it was not read"),
        "{missing}"
    );
    place.server.plan("get_messages", Mishap::Failed);
    let refusal = thread(&place, first, asked, 2).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false)
    );
    // Somebody has removed it.
    let refusal = thread(&place, 5, asked, 2).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::ChatGone);
}
