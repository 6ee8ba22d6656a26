//! What a turn does in other chats, and what its own chat and conversation do not wait for.

use crate::bot::{Bot, later, text};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_wire::{Actor, Kind, OpKind, Platform, Terminal};
use std::time::Duration;

const OPEN: &str = "[output]\nallow_targets = [\"slack:c1\"]\n";
const CROSS: &str = "<actions><send-message channel=\"slack\" chat=\"c1\">psst</send-message></actions>";

/// A platform that asks to wait four minutes before each of the next two calls.
fn limited() -> CallFault {
    CallFault {
        times: 2,
        retry_after_ms: Some(240_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    }
}

/// The turn's own text is there while the other chat may still keep it waiting, in all, for as long as a directive may.
async fn own_text_stands(bot: &Bot, platform: Platform, texts: &[&str]) {
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(bot.screen(platform), texts);
}

#[tokio::test(start_paused = true)]
async fn a_message_held_in_another_chat_stops_no_conversation() {
    for scope in ["per-sender", "global"] {
        let bot = Bot::with(&format!("[session]\nscope = \"{scope}\"\n{OPEN}")).await;
        let slack = bot.engine.channels().channel(&"slack".into()).unwrap();
        assert!(slack.switch_off(Actor::Console, "for a while").await);
        bot.says([text(&format!("{CROSS}Here."))]);
        let first = bot.user(platform::TELEGRAM, "hi").await;
        for platform in [platform::TELEGRAM, platform::SIGNAL] {
            bot.says([text("And here.")]);
            let next = bot.user(platform, "and now?").await;
            let ended = tokio::time::timeout(Duration::from_hours(1), next.ended()).await;
            assert_eq!(ended, Ok(Some(Terminal::Replied)), "{scope} {platform}");
        }
        assert_eq!(bot.screen(platform::TELEGRAM), ["Here.", "And here."], "{scope}");
        assert_eq!(bot.left().await.len(), 1, "{scope}: it is held");
        assert_eq!(bot.terminals().await.len(), 2, "{scope}: its turn is open");

        assert!(slack.switch_on(Actor::Console, "again").await);
        bot.engine.release_held(slack.id(), &Actor::Console).unwrap();
        assert_eq!(first.ended().await, Some(Terminal::Replied), "{scope}");
        assert_eq!(bot.screen(platform::SLACK), ["psst"], "{scope}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_held_in_its_own_chat_is_waited_for() {
    let bot = Bot::with(OPEN).await;
    bot.engine.mute(true, Actor::Console);
    bot.says([text(&format!("{CROSS}Here."))]);
    let first = bot.user(platform::TELEGRAM, "hi").await;
    bot.says([text("And here.")]);
    let next = bot.user(platform::TELEGRAM, "and now?").await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    let began = |kind: &Kind| matches!(kind, Kind::RunStarted { .. });
    assert_eq!(bot.kinds().await.iter().filter(|kind| began(kind)).count(), 1);
    bot.engine.mute(false, Actor::Console);
    for turn in [first, next] {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here.", "And here."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_process_leaves_a_turn_that_waits_elsewhere_to_the_next() {
    let bot = Bot::with(OPEN).await;
    let slack = bot.engine.channels().channel(&"slack".into()).unwrap();
    assert!(slack.switch_off(Actor::Console, "for a while").await);
    bot.says([text(&format!("{CROSS}Here."))]);
    let first = bot.user(platform::TELEGRAM, "hi").await;
    own_text_stands(&bot, platform::TELEGRAM, &["Here."]).await;
    bot.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    assert_eq!(first.ended().await, None, "it stays open");
    let bot = Bot::in_world(bot.world(), OPEN, foldback_pipeline::Rules::all()).await;
    let slack = bot.engine.channels().channel(&"slack".into()).unwrap();
    assert!(slack.switch_on(Actor::Console, "again").await);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::SLACK), ["psst"]);
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stalls_in_another_chat_does_not_keep_the_own_text() {
    for platform in [platform::TELEGRAM, platform::DISCORD] {
        let bot = Bot::with(OPEN).await;
        std::fs::write(bot.send_dir.join("a.txt"), "a").unwrap();
        let stalled = CallFault {
            fail: None,
            latency_ms: 900_000,
            ..CallFault::first(OpKind::SendFile, CallFailure::Gone)
        };
        bot.fault(platform::SLACK, stalled);
        bot.says([
            text("<actions><send-file path=\"a.txt\" channel=\"slack\" chat=\"c1\"/></actions>Here"),
            later(3_000, " and there."),
        ]);
        let turn = bot.user(platform, "hi").await;
        tokio::time::sleep(Duration::from_secs(8)).await;
        assert_eq!(bot.screen(platform), ["Here and there."]);
        assert!(bot.screen(platform::SLACK).is_empty(), "it is still on its way");
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert_eq!(bot.screen(platform::SLACK), ["File a.txt "]);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_in_trouble_is_waited_for_once_however_much_goes_there() {
    let long = "word ".repeat(8_000);
    let many = CROSS.repeat(5);
    let one = CROSS.replace("psst", &long);
    for (what, directives) in [("one in many pieces", one), ("many", many)] {
        let bot = Bot::with(OPEN).await;
        bot.fault(platform::SLACK, limited());
        bot.says([text(&format!("{directives}Here."))]);
        let turn = bot.user(platform::TELEGRAM, "hi").await;
        own_text_stands(&bot, platform::TELEGRAM, &["Here."]).await;
        assert!(bot.screen(platform::SLACK).is_empty(), "{what}");
        assert_eq!(turn.ended().await, Some(Terminal::Replied), "{what}");
        let arrived = bot.screen(platform::SLACK).len();
        assert!(arrived >= 5, "{what}: {arrived}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_chat_is_waited_for_once_in_a_directive() {
    let bot = Bot::with(OPEN).await;
    let slow = CallFault {
        times: 99,
        fail: None,
        latency_ms: 1_500,
        ..CallFault::first(OpKind::SendText, CallFailure::Gone)
    };
    bot.fault(platform::SLACK, slow);
    bot.says([text(&format!(
        "{}Here.",
        CROSS.replace("psst", &"word ".repeat(8_000))
    ))]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    own_text_stands(&bot, platform::SIGNAL, &["Here."]).await;
    assert!(bot.screen(platform::SLACK).len() < 4, "the rest is on its way");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_held_elsewhere_does_not_keep_the_placeholder() {
    let bot = Bot::with(&format!("{OPEN}placeholder = \"…\"\n")).await;
    let slack = bot.engine.channels().channel(&"slack".into()).unwrap();
    assert!(slack.switch_off(Actor::Console, "for a while").await);
    bot.says([
        later(100, &format!("[[reply_to_current]]{CROSS}Here")),
        later(3_000, "."),
    ]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!(screen.len(), 1, "{screen:?}");
    assert!(screen[0].ends_with("Here."), "{screen:?}");
    assert!(slack.switch_on(Actor::Console, "again").await);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    bot.check().await;
}
