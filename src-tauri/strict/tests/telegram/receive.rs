//! What comes in.

use crate::place::{CHAT, FORUM, Place, TOKEN};
use crate::shared::run::{Run, until};
use foldback_channels::{Folder, Signal, Telegram, platform, profile};
use foldback_strict::Mishap;
use foldback_strict::telegram::TelegramServer;
use foldback_wire::{ChannelId, ChannelState, ChatType, Clock, Secret, Sleep, Timestamp};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::task::AbortOnDropHandle;

fn ana() -> Value {
    json!({"id": 42, "is_bot": false, "first_name": "Ana", "last_name": "Lima", "username": "ana"})
}

fn text(text: &str) -> Value {
    json!({"from": ana(), "date": 1_700_000_000, "text": text})
}

#[tokio::test]
async fn a_message_comes_in_and_is_confirmed_once_it_is_kept() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    assert_eq!(run.until(ChannelState::Up).await, "connected as @foldback_bot");
    let id = place.server.write(CHAT, text("Hello"));
    let arrival = run.arrival().await;
    let message = &arrival.message;
    assert_eq!(
        (
            message.message.to_string(),
            message.text.as_str(),
            message.chat_type,
            message.at.to_string().as_str()
        ),
        (
            id.to_string(),
            "Hello",
            ChatType::Direct,
            "2023-11-14T22:13:20.000Z"
        )
    );
    assert_eq!(
        (
            message.sender.id.as_str(),
            message.sender.name.as_str(),
            message.sender.display_name.as_str()
        ),
        ("42", "ana", "Ana Lima")
    );
    assert_eq!(
        (message.chat.to_string(), message.mentioned),
        (CHAT.to_string(), false)
    );
    assert_eq!(
        message.account,
        Some(TelegramServer::BOT.to_string()),
        "another bot has a chat and a message with the same ids"
    );
    assert_eq!(place.server.unconfirmed(), 1, "not before it is kept");
    arrival.kept.unwrap().send(()).unwrap();
    place.server.write(CHAT, text("Again"));
    assert_eq!(run.message().await.text, "Again");
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
}

#[tokio::test]
async fn what_is_not_kept_comes_again() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    place.server.write(CHAT, text("One"));
    drop(run.arrival().await);
    assert!(run.until(ChannelState::Down).await.contains("not kept"));
    assert_eq!(run.message().await.text, "One");
}

#[tokio::test]
async fn groups_topics_and_mentions() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let bot = json!({"id": TelegramServer::BOT, "is_bot": true, "first_name": "b"});
    let entity =
        |kind: &str, offset: u32, length: u32| json!([{"type": kind, "offset": offset, "length": length}]);
    let with = |mut message: Value, field: &str, value: Value| {
        message[field] = value;
        message
    };
    let named = with(text("🎉 @Foldback_Bot hi"), "entities", entity("mention", 3, 13));
    let other = with(text("@foldback_bots hi"), "entities", entity("mention", 0, 14));
    let command = with(
        text("/help@foldback_bot"),
        "entities",
        entity("bot_command", 0, 18),
    );
    let answer = with(
        text("yes"),
        "reply_to_message",
        json!({"message_id": 9, "from": bot}),
    );
    let out_of_range = with(text("x"), "entities", entity("mention", 5, 4_000_000));
    let topic = with(
        with(text("topic"), "message_thread_id", 7.into()),
        "is_topic_message",
        true.into(),
    );
    let reply_chain = with(text("chain"), "message_thread_id", 8.into());
    for (message, mentioned, thread) in [
        (named, true, None),
        (other, false, None),
        (command, true, None),
        (answer, true, None),
        (out_of_range, false, None),
        (topic, false, Some("7")),
        (reply_chain, false, None),
    ] {
        let said = message.to_string();
        place.server.write(FORUM, message);
        let inbound = run.message().await;
        assert_eq!(inbound.chat_type, ChatType::Group);
        assert_eq!(inbound.mentioned, mentioned, "{said}");
        assert_eq!(inbound.thread, thread.map(Into::into), "{said}");
    }
}

#[tokio::test]
async fn files_come_with_their_caption_and_news_of_the_chat_do_not_come() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    place
        .server
        .write(FORUM, json!({"from": ana(), "date": 1, "new_chat_title": "x"}));
    let photo = json!([{"file_id": "small", "file_size": 10}, {"file_id": "large", "file_size": 90}]);
    place.server.write(
        CHAT,
        json!({"from": ana(), "date": 1, "caption": "Look", "photo": photo}),
    );
    let document = json!({"file_name": "a.pdf", "mime_type": "application/pdf", "file_size": 7});
    place
        .server
        .write(CHAT, json!({"from": ana(), "date": 1, "document": document}));
    let first = run.message().await;
    assert_eq!(
        (
            first.text.as_str(),
            first.files[0].name.as_str(),
            first.files[0].size,
            first.files[0].source.as_deref()
        ),
        ("Look", "photo.jpg", Some(90), Some("large"))
    );
    let second = run.message().await;
    assert_eq!(
        (second.text.as_str(), second.files[0].media_type.as_str()),
        ("", "application/pdf")
    );
}

#[tokio::test]
async fn what_is_passed_on_is_marked_so() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let mut passed_on = text("yes");
    passed_on["forward_origin"] = json!({"type": "hidden_user", "sender_user_name": "Bob", "date": 1});
    let mut quoting = text("no");
    quoting["quote"] = json!({"text": "yes", "position": 0});
    for (message, forwarded) in [(passed_on, true), (quoting, false), (text("no"), false)] {
        place.server.write(CHAT, message);
        assert_eq!(run.message().await.forwarded, forwarded);
    }
}

#[tokio::test]
async fn what_is_told_beside_a_message_comes_with_it() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let mut answer = text("and this?");
    answer["reply_to_message"] = json!({"message_id": 9, "from": ana(), "text": "The whole", "date": 1});
    answer["quote"] = json!({"text": "whole", "position": 4});
    place.server.write(CHAT, answer);
    let context = run.message().await.context.unwrap();
    let quote = context.quote.unwrap();
    assert_eq!(
        (quote.id, quote.sender.as_deref(), quote.text.as_str()),
        (Some("9".into()), Some("Ana Lima"), "whole")
    );
    let mut in_topic = text("hi");
    in_topic["reply_to_message"] = json!({"message_id": 7, "forum_topic_created": {"name": "t"}});
    place.server.write(CHAT, in_topic);
    assert_eq!(run.message().await.context, None);
    let mut passed_on = text("news");
    passed_on["forward_origin"] = json!({"type": "channel", "chat": {"title": "Paper"}, "date": 1});
    place.server.write(CHAT, passed_on);
    let context = run.message().await.context.unwrap();
    assert_eq!(context.forwarded_from.as_deref(), Some("Paper"));
    let place_sent = json!({"from": ana(), "date": 1, "location": {"latitude": 38.71, "longitude": -9.14}});
    place.server.write(CHAT, place_sent);
    let inbound = run.message().await;
    assert_eq!(inbound.text, "");
    assert_eq!(inbound.readable_text(), "Location: 38.71, -9.14");
    let mut in_group = text("hi");
    in_group["chat"] = json!({"id": FORUM, "type": "supergroup", "title": "Team"});
    place.server.write(FORUM, in_group);
    let group = run.message().await.context.unwrap().group;
    assert_eq!(group.unwrap().name.as_deref(), Some("Team"));
}

#[tokio::test]
async fn what_cannot_be_read_is_confirmed_and_keeps_nothing_else_out() {
    let place = Place::open().await;
    let unreadable = [
        json!({"from": ana(), "date": "yesterday", "text": "x"}),
        json!({"from": ana(), "date": 1, "text": ["x"]}),
        json!({"from": {"name": "Ana"}, "date": 1, "text": "x"}),
        json!({"from": ana(), "date": 1, "text": "x", "chat": {"id": "x"}}),
    ];
    for message in unreadable {
        place.server.write(CHAT, message);
    }
    place.server.write(CHAT, text("Hello"));
    let mut run = Run::of(&place.adapter);
    let (message, unread) = run.message_and_unread().await;
    assert_eq!(message.text, "Hello");
    let parts: Vec<_> = unread.iter().map(|(part, _)| *part).collect();
    assert_eq!(parts, ["message"; 4], "each is told");
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
}

#[tokio::test]
async fn a_part_that_cannot_be_read_keeps_the_message_from_nobody() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let mut message = text("Hello");
    message["entities"] = json!([{"type": "new", "offset": -1, "length": "long"}]);
    message["reply_to_message"] = json!({"message_id": "x"});
    message["document"] = json!({"file_id": "f", "file_size": "large"});
    message["photo"] = json!([{"file_id": "p", "file_size": 5}]);
    place.server.write(CHAT, message);
    let (message, unread) = run.message_and_unread().await;
    assert_eq!((message.text.as_str(), message.files.len()), ("Hello", 1));
    let parts: Vec<_> = unread.iter().map(|(part, _)| *part).collect();
    assert_eq!(parts, ["entity", "answered message", "document"]);
    run.end().await;
}

/// Telegram says so in the group and in the supergroup.
#[tokio::test]
async fn a_group_that_becomes_a_supergroup_is_told_once() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    run.until(ChannelState::Up).await;
    let old = json!({"id": -42, "type": "group", "title": "Team"});
    let moves = json!({"from": ana(), "date": 1, "chat": old, "migrate_to_chat_id": FORUM});
    place.server.write(CHAT, moves);
    let new = json!({"id": FORUM, "type": "supergroup", "title": "Team"});
    let moved = json!({"from": ana(), "date": 1, "chat": new, "migrate_from_chat_id": -42});
    place.server.write(FORUM, moved);
    let Signal::Warned(told) = run.next().await else {
        panic!("it is a warning");
    };
    let expected = format!(
        "Group -42 became a supergroup with the id {FORUM}, and its conversation begins anew. Where \
         channels.telegram.groups has -42, add {FORUM}."
    );
    assert_eq!(told, expected);
    place.server.write(CHAT, text("Hello"));
    let Signal::Message(arrival) = run.next().await else {
        panic!("it is told once");
    };
    assert_eq!(arrival.message.text, "Hello");
    arrival.kept.unwrap().send(()).unwrap();
    run.end().await;
}

#[tokio::test]
async fn it_comes_back_after_every_mishap_and_loses_nothing() {
    for (mishap, state) in [
        (
            Mishap::RateLimited(Duration::from_secs(2)),
            ChannelState::RateLimited,
        ),
        (Mishap::Failed, ChannelState::Down),
        (Mishap::Broken, ChannelState::Down),
        (Mishap::Lost, ChannelState::Down),
        (Mishap::FailedAfter, ChannelState::Down),
    ] {
        let place = Place::open().await;
        let mut run = Run::of(&place.adapter);
        // The poll that is open is answered by the first message; the next one meets the mishap.
        place.server.plan("getUpdates", mishap);
        place.server.write(CHAT, text("one"));
        run.until(state).await;
        place.server.write(CHAT, text("two"));
        let mut seen = Vec::new();
        while seen.last().is_none_or(|text| text != "two") {
            seen.push(run.message().await.text);
        }
        seen.dedup();
        assert_eq!(seen, ["one", "two"], "{mishap:?}");
    }
}

/// Time that passes only while it is waited for, and then at once.
#[derive(Default)]
struct Leaping {
    now: AtomicI64,
    waits: Mutex<Vec<Duration>>,
}

impl Clock for Leaping {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let before = self.now.fetch_max(until.0, Ordering::SeqCst);
        self.waits.lock().unwrap().push(until.since(Timestamp(before)));
        Box::pin(tokio::task::yield_now())
    }
}

/// A Bot API that answers `getMe`, and each poll with what is given for its number, from 0.
async fn polled(
    answer: impl Fn(usize) -> Value + Clone + Send + Sync + 'static,
) -> (String, AbortOnDropHandle<()>) {
    let polls = Arc::new(AtomicUsize::new(0));
    let answer = move |uri: axum::http::Uri| {
        let said = if uri.path().ends_with("/getMe") {
            let bot = json!({"id": 1, "is_bot": true, "first_name": "bot", "username": "bot"});
            json!({"ok": true, "result": bot})
        } else {
            answer(polls.fetch_add(1, Ordering::SeqCst))
        };
        async move { axum::Json(said) }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    let server = axum::Router::new().fallback(answer);
    let serving = tokio::spawn(async move { axum::serve(listener, server).await.unwrap() });
    (root, AbortOnDropHandle::new(serving))
}

fn at(root: &str, clock: Arc<dyn Clock>) -> Arc<Telegram> {
    let telegram = Telegram::new(
        ChannelId::new("telegram"),
        profile(platform::TELEGRAM),
        Secret::new(TOKEN),
        root,
        Folder::new(std::path::Path::new("."), 1),
        clock,
    );
    Arc::new(telegram.unwrap())
}

#[tokio::test]
async fn another_program_that_receives_is_one_trouble_with_growing_waits_until_it_is_gone() {
    for said in [
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    ] {
        // Each poll ends the other program's, and is ended by its next one.
        let (root, _server) = polled(move |poll| match poll {
            0..20 if poll % 2 == 1 => json!({"ok": false, "error_code": 409, "description": said}),
            _ => json!({"ok": true, "result": []}),
        })
        .await;
        let clock = Arc::new(Leaping::default());
        let mut run = Run::of(&at(&root, clock.clone()));
        let mut states = Vec::new();
        while states.len() < 4 {
            if let Signal::State { state, why } = run.next().await {
                states.push((state, why));
            }
        }
        run.end().await;
        let told: Vec<_> = states.iter().map(|(state, _)| *state).collect();
        assert_eq!(
            told,
            [
                ChannelState::Connecting,
                ChannelState::Up,
                ChannelState::Degraded,
                ChannelState::Up
            ],
            "{states:?}"
        );
        assert!(states[2].1.contains(said), "{states:?}");
        assert_eq!(states[3].1, "no other program receives any more");
        let waits = clock.waits.lock().unwrap().clone();
        let conflicts: Vec<_> = waits
            .iter()
            .filter(|wait| **wait != Duration::from_secs(1))
            .collect();
        let total: Duration = conflicts.iter().copied().sum();
        assert!(total >= Duration::from_mins(2), "ten conflicts: {conflicts:?}");
    }
}

/// Waits for nothing, and counts how often it was to.
#[derive(Default)]
struct Impatient(AtomicUsize);

impl Clock for Impatient {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }

    fn sleep_until(&self, _: Timestamp) -> Sleep {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn a_server_that_holds_no_poll_open_is_not_rushed() {
    let polls = Arc::new(AtomicUsize::new(0));
    let (root, _server) = polled({
        let polls = Arc::clone(&polls);
        move |poll| {
            polls.store(poll + 1, Ordering::SeqCst);
            json!({"ok": true, "result": []})
        }
    })
    .await;
    let clock = Arc::new(Impatient::default());
    let telegram = at(&root, clock.clone());
    let mut run = Run::of(&telegram);
    while polls.load(Ordering::SeqCst) < 20 {
        while run.signals.try_recv().is_ok() {}
        tokio::task::yield_now().await;
    }
    let (asked, waited) = (polls.load(Ordering::SeqCst), clock.0.load(Ordering::SeqCst));
    assert!(
        waited + 1 >= asked,
        "{asked} polls, and a wait after {waited} of them"
    );
    run.end().await;
}
