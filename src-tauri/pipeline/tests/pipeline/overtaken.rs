//! Directives in trouble: after two seconds their text goes, and they are sent after it.

use crate::bot::{Bot, later, slow, text};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Kind, OpKind, OutcomeCode, Platform, Terminal};
use std::time::Duration;

const REACT: &str = "<actions><react emoji=\"eyes\"/></actions>";
const FILE: &str = "<actions><send-file path=\"a.ogg\" kind=\"audio\"/></actions>";

/// The next call of this kind is to wait a minute.
fn limited(op: OpKind) -> CallFault {
    CallFault {
        retry_after_ms: Some(60_000),
        ..CallFault::first(op, CallFailure::RateLimited)
    }
}

/// The text stands there while it may still be kept waiting, and a little longer.
async fn text_stands(bot: &Bot, platform: Platform) {
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(bot.screen(platform), ["Here."], "{platform}");
}

/// The end of the operation of this kind, and after which other operations.
async fn ended(bot: &Bot, kind: OpKind) -> (OutcomeCode, Vec<OpKind>) {
    let mut kinds = std::collections::HashMap::new();
    let mut before = Vec::new();
    for event in bot.kinds().await {
        match event {
            Kind::Intended { op, intent } => {
                kinds.insert(op, intent.kind);
            }
            Kind::Ended { op, outcome } if kinds[&op] == kind => return (outcome.code, before),
            Kind::Ended { op, .. } if kinds[&op] != OpKind::Typing => before.push(kinds[&op]),
            _ => {}
        }
    }
    panic!("{kind} has no end");
}

#[tokio::test(start_paused = true)]
async fn a_directive_that_has_to_wait_is_sent_after_the_text() {
    for (op, answer) in [
        (OpKind::React, format!("{REACT}Here.")),
        (OpKind::SendFile, format!("{FILE}Here.")),
        (OpKind::SendVoice, format!("[[audio_as_voice]]{FILE}Here.")),
    ] {
        for platform in [platform::TELEGRAM, platform::DISCORD] {
            let bot = Bot::start().await;
            std::fs::write(bot.send_dir.join("a.ogg"), "OggS").unwrap();
            bot.fault(platform, limited(op));
            bot.says([text(&answer)]);
            let turn = bot.user(platform, "hi").await;
            text_stands(&bot, platform).await;
            assert_eq!(turn.ended().await, Some(Terminal::Replied), "{platform} {op}");
            let (code, before) = ended(&bot, op).await;
            assert_eq!(code, OutcomeCode::Sent, "{platform} {op}");
            assert_eq!(before, [OpKind::SendText], "{platform} {op}");
            assert!(bot.now_ms() > 60_000);
            bot.check().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_directive_whose_call_hangs_keeps_the_text_for_two_seconds() {
    for (op, answer) in [
        (OpKind::React, format!("{REACT}Here.")),
        (OpKind::SendFile, format!("{FILE}Here.")),
    ] {
        let bot = Bot::start().await;
        std::fs::write(bot.send_dir.join("a.ogg"), "OggS").unwrap();
        bot.fault(platform::TELEGRAM, slow(op, Duration::from_secs(30)));
        bot.says([text(&answer)]);
        let turn = bot.user(platform::TELEGRAM, "hi").await;
        text_stands(&bot, platform::TELEGRAM).await;
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert_eq!(ended(&bot, op).await.0, OutcomeCode::Sent);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn directives_before_a_text_share_the_two_seconds() {
    let bot = Bot::start().await;
    let hangs = CallFault {
        times: 3,
        ..slow(OpKind::React, Duration::from_secs(30))
    };
    bot.fault(platform::DISCORD, hangs);
    let emoji = |name| format!("<actions><react emoji=\"{name}\"/></actions>");
    let many = ["eyes", "fire", "heart"].map(emoji).concat();
    bot.says([text(&format!("{many}Here."))]);
    let turn = bot.user(platform::DISCORD, "hi").await;
    text_stands(&bot, platform::DISCORD).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let reactions = bot.outcomes().await.into_iter();
    let sent = reactions.filter(|(_, outcome)| outcome.code == OutcomeCode::Sent);
    assert!(sent.count() >= 4, "three reactions and the text");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_next_message_does_not_wait_for_what_its_text_has_overtaken() {
    let bot = Bot::start().await;
    bot.fault(platform::TELEGRAM, limited(OpKind::React));
    bot.says([text(&format!("{REACT}Here."))]);
    let first = bot.user(platform::TELEGRAM, "hi").await;
    text_stands(&bot, platform::TELEGRAM).await;
    bot.says([later(100, "And here.")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "and now?").await, Terminal::Replied);
    assert!(bot.now_ms() < 30_000, "{}", bot.now_ms());
    assert_eq!(first.ended().await, Some(Terminal::Replied));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_next_start_sends_what_the_text_has_overtaken() {
    let bot = Bot::start().await;
    std::fs::write(bot.send_dir.join("a.ogg"), "OggS").unwrap();
    bot.fault(platform::TELEGRAM, limited(OpKind::SendFile));
    bot.says([text(&format!("{FILE}Here."))]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    text_stands(&bot, platform::TELEGRAM).await;
    bot.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    assert_eq!(turn.ended().await, None);
    let left: Vec<_> = bot
        .left()
        .await
        .iter()
        .map(|entry| entry.operation.kind())
        .collect();
    assert_eq!(left, [OpKind::SendFile]);
    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here.", "Audio a.ogg "]);
    bot.check().await;
}
