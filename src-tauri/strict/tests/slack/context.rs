//! What Slack tells beside a message.

use crate::place::{DIRECT, Place, ROOM, ana, person, socket_mode};
use crate::shared::calls::said;
use crate::shared::run::Run;
use crate::thread::words;
use foldback_channels::{ChannelAdapter, Refusal, ThreadPart, ThreadQuery};
use foldback_strict::Mishap;
use foldback_wire::{InboundContext, RefusalCode};
use serde_json::{Value, json};
use std::time::Duration;

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
    let mut run = place.running().await;
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
    let mut run = place.running().await;
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
    let mut run = place.running().await;
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
    let mut run = place.running().await;
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

/// The thread as it was before a message.
async fn thread(place: &Place, thread: &str, before: &str, limit: u32) -> Result<ThreadPart, Refusal> {
    let query = ThreadQuery {
        chat: ROOM.into(),
        thread: thread.into(),
        before: before.into(),
        limit,
    };
    let part = place.adapter.read_thread(&query).await?;
    Ok(part.expect("Slack has a call for it"))
}

fn answers(place: &Place, first: &str, mut event: Value) -> String {
    event["thread_ts"] = first.into();
    place.server.write(ROOM, event)
}

/// A thread of Ana's, in which the bot and another app have written, and the message that is asked about.
async fn lunch(place: &Place) -> (String, String) {
    let named = [
        ("U0ANA0001", "ana", "Ana"),
        ("U0BOB0001", "bob", "Bob"),
        ("U0FOLDBACK", "foldback", "Foldback"),
    ];
    for (id, account, shown) in named {
        place.server.know(id, person(account, "", shown));
    }
    let first = place.server.write(ROOM, ana("Lunch &amp; a walk?"));
    answers(place, &first, json!({"user": "U0BOB0001", "text": "At noon?"}));
    place
        .perform_in(ROOM, Some(&first), said("I am in."))
        .await
        .unwrap();
    let app =
        json!({"bot_id": "B0WEATHER1", "subtype": "bot_message", "username": "Weather", "text": "Rain"});
    answers(place, &first, app);
    answers(
        place,
        &first,
        json!({"user": "U0BOB0001", "subtype": "channel_join", "text": "joined"}),
    );
    answers(
        place,
        &first,
        json!({"user": "U0BOB0001", "text": "", "files": [{"id": "F1", "name": "menu.pdf"}]}),
    );
    place.server.write(ROOM, ana("elsewhere"));
    let asked = answers(place, &first, ana("well?"));
    answers(place, &first, ana("too late"));
    (first, asked)
}

#[tokio::test]
async fn a_thread_is_told_up_to_a_message_with_its_starter_names_and_the_bots_own_words() {
    let place = Place::open().await;
    let (first, asked) = lunch(&place).await;
    let before = place.server.calls();
    let part = thread(&place, &first, &asked, 20).await.unwrap();
    let told = [
        "Ana: Lunch & a walk?",
        "Bob: At noon?",
        "*Foldback: I am in.",
        "Weather: Rain",
        "Bob: [menu.pdf]",
    ];
    assert_eq!(words(&part), told);
    assert_eq!(part.missing, None);
    let bots: Vec<_> = part.recent.iter().map(|message| message.is_bot).collect();
    assert_eq!(bots, [false, true, true, false]);
    assert_eq!(part.recent[2].sender, Some("B0WEATHER1".into()));
    assert_eq!(
        place.server.calls() - before,
        5,
        "who the bot is, the thread, and three names"
    );
    thread(&place, &first, &asked, 20).await.unwrap();
    assert_eq!(place.server.calls() - before, 6, "the thread alone");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn of_a_long_thread_the_last_messages_are_told_however_many_pages_it_has() {
    let place = Place::open().await;
    let first = place.server.write(ROOM, ana("Lunch?"));
    for number in 0..12 {
        answers(&place, &first, ana(&number.to_string()));
    }
    let asked = answers(&place, &first, ana("well?"));
    place.server.page_threads_by(6);
    thread(&place, &first, &asked, 3).await.unwrap();
    let before = place.server.calls();
    let part = thread(&place, &first, &asked, 3).await.unwrap();
    let told = ["Lunch?", "9", "10", "11"].map(|said| format!("U0ANA0001: {said}"));
    assert_eq!(words(&part), told);
    assert_eq!(place.server.calls() - before, 3, "five answers a page");
    assert_eq!(place.server.broken(), []);
}

/// Older messages in their place would look like the last ones.
#[tokio::test]
async fn where_the_last_messages_are_not_reached_only_the_starter_is_told() {
    let place = Place::open().await;
    let first = place.server.write(ROOM, ana("Lunch?"));
    for number in 0..12 {
        answers(&place, &first, ana(&number.to_string()));
    }
    let asked = answers(&place, &first, ana("well?"));
    place.server.page_threads_by(6);
    for mishap in [
        Mishap::Late(Duration::ZERO),
        Mishap::RateLimited(Duration::from_secs(1)),
    ] {
        place.server.plan("conversations.replies", mishap);
    }
    let limited = thread(&place, &first, &asked, 3).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    place.server.page_threads_by(2);
    let endless = thread(&place, &first, &asked, 3).await.unwrap();
    for (part, why) in [(limited, "ratelimited"), (endless, "it has more than")] {
        assert_eq!(words(&part), ["U0ANA0001: Lunch?"]);
        let missing = part.missing.unwrap();
        assert!(
            missing.contains("only the message that began it was read"),
            "{missing}"
        );
        assert!(missing.contains(why), "{missing}");
    }
}

#[tokio::test]
async fn while_a_limit_lasts_no_thread_is_asked_for() {
    let place = Place::open().await;
    let (first, asked) = lunch(&place).await;
    thread(&place, &first, &asked, 20).await.unwrap();
    place.server.plan(
        "conversations.replies",
        Mishap::RateLimited(Duration::from_mins(1)),
    );
    for calls in [1, 0] {
        let before = place.server.calls();
        let refusal = thread(&place, &first, &asked, 20).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::RateLimited);
        assert_eq!(place.server.calls() - before, calls);
    }
    assert!(place.send("hi").await.is_ok(), "it is a limit of threads");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_thread_that_is_gone_or_may_not_be_read_is_refused() {
    let place = Place::open().await;
    let (first, asked) = lunch(&place).await;
    place.server.plan("conversations.replies", Mishap::Failed);
    let failed = thread(&place, &first, &asked, 20).await.unwrap_err();
    assert_eq!((failed.code, failed.maybe_done), (RefusalCode::Transient, false));
    place.server.remove(ROOM, &first);
    let gone = thread(&place, &first, &asked, 20).await.unwrap_err();
    assert_eq!(gone.code, RefusalCode::Gone);
    place.server.take_scope("channels:history");
    let refusal = thread(&place, &first, &asked, 20).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Unauthorized);
    assert!(refusal.detail.contains("channels:history"), "{refusal:?}");
}
