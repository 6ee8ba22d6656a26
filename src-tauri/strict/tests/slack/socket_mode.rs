//! What comes in through Socket Mode.

use crate::place::{DIRECT, Place, ROOM, ana};
use crate::shared::run::{Run, until};
use crate::unread::unread_while;
use foldback_strict::Mishap;
use foldback_strict::slack::SlackServer;
use foldback_wire::{ChannelState, ChatType};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_message_comes_in_and_is_confirmed_once_it_is_kept() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    assert_eq!(
        run.until(ChannelState::Up).await,
        "connected as @foldback in Foldback"
    );
    let id = place
        .server
        .write(DIRECT, ana("Fish &amp; <https://e.org|chips>"));
    let arrival = run.arrival().await;
    let message = &arrival.message;
    assert_eq!(
        (
            message.message.to_string(),
            message.text.as_str(),
            message.chat_type
        ),
        (id, "Fish & chips (https://e.org)", ChatType::Direct)
    );
    assert_eq!(
        (
            message.chat.as_str(),
            message.sender.id.as_str(),
            message.mentioned
        ),
        (DIRECT, "U0ANA0001", false)
    );
    assert_eq!(message.at.to_string(), "2023-11-14T22:13:20.002Z");
    assert_eq!(place.server.unconfirmed(), 1, "not before it is kept");
    arrival.kept.unwrap().send(()).unwrap();
    until(|| place.server.unconfirmed() == 0).await;
    assert_eq!(place.server.broken(), []);
    run.end().await;
}

#[tokio::test]
async fn what_is_not_kept_comes_again() {
    let place = Place::open().await;
    place.server.wait_for_confirmation(Duration::from_millis(50));
    let mut run = Run::of(&place.adapter);
    place.server.write(ROOM, ana("One"));
    drop(run.arrival().await);
    assert_eq!(run.message().await.text, "One");
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
}

#[tokio::test]
async fn what_is_kept_late_comes_in_once_and_is_confirmed_when_slack_repeats_it() {
    let place = Place::open().await;
    place.server.wait_for_confirmation(Duration::from_millis(20));
    let mut run = Run::of(&place.adapter);
    place.server.write(ROOM, ana("slow"));
    let slow = run.arrival().await;
    // By now it was repeated, which brought no second one.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(place.server.unconfirmed(), 1);
    place.server.write(ROOM, ana("quick"));
    assert_eq!(run.message().await.text, "quick");
    slow.kept.unwrap().send(()).unwrap();
    until(|| place.server.unconfirmed() == 0).await;
    assert!(run.signals.try_recv().is_err(), "nothing came twice");
    run.end().await;
}

#[tokio::test]
async fn a_confirmation_is_in_time_or_is_not_sent() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    place.server.write(ROOM, ana("slow"));
    let slow = run.arrival().await;
    tokio::time::pause();
    // Beyond the adapter's patience, and the server's.
    tokio::time::sleep(Duration::from_secs(4)).await;
    tokio::time::resume();
    slow.kept.unwrap().send(()).unwrap();
    until(|| place.server.unconfirmed() == 0).await;
    assert_eq!(place.server.broken(), [], "no envelope was confirmed too late");
    run.end().await;
}

#[tokio::test]
async fn a_mention_comes_as_two_events_and_in_once() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let text = format!("<@{}> hi", SlackServer::BOT);
    for first_kept in [true, false] {
        if !first_kept {
            place.server.wait_for_confirmation(Duration::from_millis(50));
        }
        let ts = place.server.write(ROOM, ana(&text));
        let mention = json!({"type": "app_mention", "user": "U0ANA0001", "text": text, "ts": ts, "channel": ROOM,
            "event_ts": ts});
        place.server.tell(&mention);
        let arrival = run.arrival().await;
        assert_eq!(
            (arrival.message.mentioned, arrival.message.chat_type),
            (true, ChatType::Group)
        );
        assert_eq!(arrival.message.text, text);
        if first_kept {
            arrival.kept.unwrap().send(()).unwrap();
        } else {
            // Neither is confirmed, and both are repeated.
            drop(arrival);
            assert_eq!(run.message().await.message.as_str(), ts);
        }
        until(|| place.server.unconfirmed() == 0).await;
        assert!(run.signals.try_recv().is_err(), "nothing came twice");
    }
    run.end().await;
}

#[tokio::test]
async fn threads_and_mentions() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let with = |mut event: Value, more: Value| {
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    };
    let bot = SlackServer::BOT;
    for (event, mentioned, thread) in [
        (ana(&format!("hi <@{bot}|foldback>")), true, None),
        (ana(&format!("hi &lt;@{bot}&gt; @foldback")), false, None),
        (ana(&format!("hi <@{bot}0>")), false, None),
        (
            with(ana("x"), json!({"thread_ts": "1600000000.000001"})),
            false,
            Some("1600000000.000001"),
        ),
        (
            with(
                ana("x"),
                json!({"thread_ts": "1600000000.000001", "parent_user_id": bot}),
            ),
            true,
            Some("1600000000.000001"),
        ),
        (
            with(
                ana("x"),
                json!({"subtype": "thread_broadcast", "thread_ts": "1600000000.000001"}),
            ),
            false,
            Some("1600000000.000001"),
        ),
        (with(ana("waves"), json!({"subtype": "me_message"})), false, None),
    ] {
        let said = event.to_string();
        place.server.write(ROOM, event);
        let inbound = run.message().await;
        assert_eq!(inbound.chat_type, ChatType::Group);
        assert_eq!(
            (inbound.mentioned, inbound.thread),
            (mentioned, thread.map(Into::into)),
            "{said}"
        );
    }
    run.end().await;
}

#[tokio::test]
async fn files_come_with_their_message_and_who_sent_them() {
    let place = Place::open().await;
    let mut run = Run::of(&place.adapter);
    let mut event = ana("");
    event["subtype"] = "file_share".into();
    event["files"] = json!([
        {"id": "F1", "name": "a.pdf", "mimetype": "application/pdf", "size": 7},
        {"id": "F2", "mode": "tombstone"},
    ]);
    event["user_profile"] = json!({"name": "ana", "display_name": "", "real_name": "Ana Lima"});
    place.server.write(DIRECT, event);
    let message = run.message().await;
    let files: Vec<_> = message
        .files
        .iter()
        .map(|f| {
            (
                f.name.as_str(),
                f.media_type.as_str(),
                f.size,
                f.source.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("a.pdf", "application/pdf", Some(7), Some("F1")),
            ("file", "application/octet-stream", None, Some("F2"))
        ]
    );
    let sender = &message.sender;
    assert_eq!(
        (sender.name.as_str(), sender.display_name.as_str()),
        ("ana", "Ana Lima")
    );
    run.end().await;
}

#[tokio::test]
async fn what_no_person_wrote_is_confirmed_and_not_heard() {
    let place = Place::open().await;
    let mut run = place.running().await;
    let message = |more: Value| {
        let mut event = json!({"type": "message", "channel": ROOM, "channel_type": "channel", "user": "U0ANA0001",
            "text": "x", "ts": "1700000500.000001"});
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    };
    for event in [
        message(json!({"subtype": "message_changed", "hidden": true, "message": {"text": "new"}})),
        message(json!({"subtype": "message_deleted", "deleted_ts": "1700000000.000001"})),
        message(json!({"subtype": "channel_join"})),
        message(json!({"subtype": "channel_topic"})),
        message(json!({"subtype": "bot_message", "bot_id": "B1"})),
        message(json!({"bot_id": "B1"})),
        message(json!({"user": SlackServer::BOT})),
        message(json!({"user": null})),
        message(json!({"text": ""})),
        message(json!({"text": 7})),
        message(json!({"ts": "x"})),
        message(json!({"ts": "99999999999999999999.000001"})),
        message(json!({"channel": {"id": ROOM}})),
        json!({"type": "reaction_added", "user": "U0ANA0001", "reaction": "eyes", "item": {"type": "message"}}),
        json!({"type": "channel_created", "channel": {"id": "C9"}}),
        json!({"type": "team_join", "user": {"id": "U9"}}),
        json!({}),
        json!(null),
    ] {
        place.server.tell(&event);
    }
    place
        .server
        .say(json!({"type": "slash_commands", "envelope_id": "", "payload": {}}));
    place.server.say(json!({"type": "somebody_knows", "x": [1]}));
    place.server.say(json!([]));
    for payload in [json!(null), json!([1]), json!("x"), json!({"event": []})] {
        place
            .server
            .say(json!({"type": "events_api", "envelope_id": "odd", "payload": payload}));
    }
    place.server.write(ROOM, ana("heard"));
    let (message, mut unread) = run.message_and_unread().await;
    assert_eq!(message.text, "heard");
    // The frame and the empty command may come before or after the events.
    unread.retain(|(part, _)| !["frame", "slash command"].contains(part));
    let parts: Vec<_> = unread.iter().map(|(part, _)| *part).collect();
    assert_eq!(
        parts,
        ["message", "time stamp", "time stamp", "message"],
        "{unread:?}"
    );
    unread_while(&mut run, until(|| place.server.unconfirmed() == 0)).await;
    run.end().await;
}

#[tokio::test]
async fn messages_keep_the_order_in_which_slack_tells_of_them() {
    let place = Place::open().await;
    // They wait for the app: told out of their order, as Slack may.
    let told = [7, 3, 9, 1, 8];
    for n in told {
        place.server.tell(
            &json!({"type": "message", "channel": ROOM, "channel_type": "channel", "user": "U0ANA0001",
            "text": n.to_string(), "ts": format!("1700000600.00000{n}")}),
        );
    }
    let mut run = Run::of(&place.adapter);
    let mut seen = Vec::new();
    for _ in told {
        seen.push(run.message().await.text.parse::<i32>().unwrap());
    }
    assert_eq!(seen, told);
    run.end().await;
}

#[tokio::test]
async fn a_connection_is_replaced_before_it_is_closed() {
    let place = Place::open().await;
    let mut run = place.running().await;
    for (round, reason) in ["warning", "refresh_requested"].into_iter().enumerate() {
        let opened = 2 + round as u64;
        place
            .server
            .say(json!({"type": "disconnect", "reason": reason, "debug_info": {"host": "h"}}));
        place.server.say(json!({"type": "disconnect", "reason": reason}));
        until(|| place.server.connections() == (2, opened)).await;
        place.server.write(ROOM, ana("between"));
        assert_eq!(run.message().await.text, "between");
        place.server.close_oldest();
        until(|| place.server.connections() == (1, opened)).await;
        place.server.write(ROOM, ana("after"));
        assert_eq!(run.message().await.text, "after");
    }
    assert!(run.signals.try_recv().is_err(), "it was up all the time");
    assert_eq!(place.server.broken(), []);
    run.end().await;
}

#[tokio::test]
async fn what_was_read_and_had_no_place_comes_with_the_next_run() {
    let place = Place::open().await;
    place.server.wait_for_confirmation(Duration::from_millis(50));
    let run = place.running().await;
    place.server.write(ROOM, ana("one"));
    place.server.write(ROOM, ana("two"));
    // The only place is taken, and the second message waits for it.
    until(|| run.signals.len() == 1).await;
    run.end().await;
    let mut run = Run::of(&place.adapter);
    assert_eq!(run.message().await.text, "one", "it was dropped unkept");
    assert_eq!(run.message().await.text, "two");
    until(|| place.server.unconfirmed() == 0).await;
    assert!(run.signals.try_recv().is_err(), "nothing came twice");
    run.end().await;
}

#[tokio::test]
async fn a_message_of_a_run_that_ended_goes_on_being_kept() {
    let place = Place::open().await;
    place.server.wait_for_confirmation(Duration::from_millis(50));
    let mut run = Run::of(&place.adapter);
    place.server.write(ROOM, ana("one"));
    let one = run.arrival().await;
    run.end().await;
    let kept = one.kept.unwrap();
    assert!(
        !kept.is_closed(),
        "the adapter waits for it, though its run is over"
    );
    let mut run = Run::of(&place.adapter);
    place.server.write(ROOM, ana("two"));
    assert_eq!(run.message().await.text, "two");
    kept.send(()).unwrap();
    // The repetition of the first one is recognised, and confirmed.
    until(|| place.server.unconfirmed() == 0).await;
    assert!(run.signals.try_recv().is_err(), "nothing came twice");
    run.end().await;
}

#[tokio::test]
async fn it_comes_back_after_every_mishap_and_loses_nothing() {
    let wait = Duration::from_secs(2);
    for (method, mishap, state) in [
        ("auth.test", Mishap::RateLimited(wait), ChannelState::RateLimited),
        (
            "apps.connections.open",
            Mishap::RateLimited(wait),
            ChannelState::RateLimited,
        ),
        ("apps.connections.open", Mishap::Failed, ChannelState::Down),
        ("apps.connections.open", Mishap::Lost, ChannelState::Down),
        ("link", Mishap::Broken, ChannelState::Down),
        ("link", Mishap::Failed, ChannelState::Down),
    ] {
        let place = Place::open().await;
        let mut run = place.running().await;
        place.server.write(ROOM, ana("one"));
        // It is cut off before the first message is confirmed.
        let unconfirmed = run.arrival().await;
        place.server.plan(method, mishap);
        place.server.close();
        run.until(ChannelState::Down).await;
        place.server.write(ROOM, ana("two"));
        run.until(state).await;
        unconfirmed.kept.unwrap().send(()).unwrap();
        assert_eq!(run.message().await.text, "two", "{method} {mishap:?}");
        until(|| place.server.unconfirmed() == 0).await;
        assert!(run.signals.try_recv().is_err(), "nothing came twice");
        run.end().await;
    }
}

#[tokio::test]
async fn a_connection_that_fell_silent_is_given_up() {
    let place = Place::open().await;
    let mut run = place.running().await;
    place.server.mute();
    // Until the server has heard.
    place.server.write(ROOM, ana("unheard"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    tokio::time::pause();
    let why = run.until(ChannelState::Down).await;
    tokio::time::resume();
    assert_eq!(why, "Slack has fallen silent");
    run.until(ChannelState::Up).await;
    place.server.write(ROOM, ana("heard"));
    while run.message().await.text != "heard" {}
    run.end().await;
}

#[tokio::test]
async fn socket_mode_switched_off_is_said_with_what_to_do() {
    let place = Place::open().await;
    let mut run = place.running().await;
    place
        .server
        .say(json!({"type": "disconnect", "reason": "link_disabled"}));
    let why = run.until(ChannelState::Down).await;
    assert!(why.contains("switch it on"), "{why}");
    run.until(ChannelState::Up).await;
    run.end().await;
}

#[tokio::test]
async fn nothing_is_read_while_the_pipeline_cannot_keep_up() {
    let place = Place::open().await;
    let mut run = place.running().await;
    let all: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    for n in &all {
        place.server.write(ROOM, ana(n));
    }
    let mut seen = Vec::new();
    while seen.len() < all.len() {
        seen.push(run.message().await.text);
    }
    assert_eq!(seen, all);
    until(|| place.server.unconfirmed() == 0).await;
    run.end().await;
}
