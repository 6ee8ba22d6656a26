//! What is sent, and deleted, is the file that was checked, whatever its path means by then.

use crate::bot::{Bot, World, killed, runtime, text};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::{Rules, Turn};
use foldback_store::OutboxEntry;
use foldback_wire::{Actor, Kind, OpKind, Operation, OutcomeCode, Terminal};
use std::path::Path;
use std::time::Duration;

const CHANGED: &str = "report.pdf was changed after it was checked";
const ANSWER: &str = "<actions><send-file path=\"report.pdf\"/></actions>Here it is.";

fn write(bot: &Bot, text: &str) {
    std::fs::write(bot.send_dir.join("report.pdf"), text).unwrap();
}

/// Why files were not sent.
async fn failures(bot: &Bot) -> Vec<String> {
    let failed = |kind| match kind {
        Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Failed => outcome.detail,
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(failed).collect()
}

fn refused(failures: &[String]) -> bool {
    matches!(failures, [why] if why.contains(CHANGED))
}

/// A turn whose file waits because its channel is off.
async fn held(bot: &Bot) -> Turn {
    write(bot, "of Alice");
    bot.toggle(platform::TELEGRAM, false).await;
    bot.says([text(ANSWER)]);
    let turn = bot.user(platform::TELEGRAM, "my report?").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    turn
}

#[tokio::test(start_paused = true)]
async fn nobody_gets_the_file_of_another_after_a_hold() {
    let bot = Bot::start().await;
    let held = held(&bot).await;

    write(&bot, "of somebody else");
    bot.says([text(ANSWER)]);
    assert_eq!(bot.turn(platform::SLACK, "and mine?").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SLACK), ["File report.pdf ", "Here it is."]);

    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(held.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here it is."]);
    assert!(bot.calls(platform::TELEGRAM, OpKind::SendFile).is_empty());
    let failures = failures(&bot).await;
    assert!(refused(&failures), "{failures:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_waits_unchanged_is_sent() {
    let bot = Bot::start().await;
    let held = held(&bot).await;
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(held.ended().await, Some(Terminal::Replied));
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["File report.pdf ", "Here it is."]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn nobody_gets_the_file_of_another_at_the_second_try() {
    let bot = Bot::start().await;
    write(&bot, "of Alice");
    bot.fault(
        platform::SLACK,
        CallFault::first(OpKind::SendFile, CallFailure::Transient),
    );
    bot.says([text(ANSWER)]);
    let turn = bot.user(platform::SLACK, "my report?").await;
    while bot.calls(platform::SLACK, OpKind::SendFile).is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    write(&bot, "of somebody else");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.calls(platform::SLACK, OpKind::SendFile).len(), 1);
    assert_eq!(bot.screen(platform::SLACK), ["Here it is."]);
    let failures = failures(&bot).await;
    assert!(refused(&failures), "{failures:?}");
    bot.check().await;
}

/// The world after a bot was killed that held a file.
fn holding() -> World {
    killed(async {
        let bot = Bot::start().await;
        write(&bot, "of Alice");
        bot.engine.mute(true, Actor::Console);
        bot.says([text(ANSWER)]);
        let _turn = bot.user(platform::SIGNAL, "my report?").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        for entry in bot.left().await {
            let stored = serde_json::to_string(&entry).unwrap();
            assert_eq!(serde_json::from_str::<OutboxEntry>(&stored).unwrap(), entry);
            if let Operation::SendFile { checked, .. } = entry.operation {
                assert_eq!(checked.map(|file| file.size), Some(8));
            }
        }
        bot
    })
}

#[test]
fn nobody_gets_the_file_of_another_after_a_restart() {
    for (changed, screen) in [
        (false, vec!["File report.pdf ", "Here it is."]),
        (true, vec!["Here it is."]),
    ] {
        let world = holding();
        if changed {
            let path = world.dir.path().join("data/outbound/report.pdf");
            std::fs::write(path, "of somebody else").unwrap();
        }
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            bot.engine.mute(false, Actor::Console);
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert_eq!(bot.screen(platform::SIGNAL), screen);
            let failures = failures(&bot).await;
            assert_eq!(refused(&failures), changed, "{failures:?}");
            bot.check().await;
        });
    }
}

const CLEANUP: &str = "[files]\nallow_cleanup = true\n";
const PASSING: &str = "<actions><send-file path=\"report.pdf\" cleanup=\"true\"/></actions>Here it is.";

/// A turn that wants its file gone, whose channel is off.
async fn held_passing(bot: &Bot) -> Turn {
    write(bot, "of Alice");
    bot.toggle(platform::TELEGRAM, false).await;
    bot.says([text(PASSING)]);
    let turn = bot.user(platform::TELEGRAM, "my report?").await;
    while bot.left().await.is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    turn
}

#[tokio::test(start_paused = true)]
async fn a_file_that_was_held_is_cleaned_up_once_it_is_sent() {
    let bot = Bot::with(CLEANUP).await;
    let held = held_passing(&bot).await;
    let path = bot.send_dir.join("report.pdf");
    assert!(path.exists(), "nobody has it yet");
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(held.ended().await, Some(Terminal::Replied));
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        ["File report.pdf ", "Here it is."]
    );
    assert!(!path.exists(), "it was cleaned up");
    assert_eq!(bot.warnings("is kept").await, 0);
    bot.check().await;
}

#[test]
fn a_file_that_was_held_is_cleaned_up_also_after_a_restart() {
    let world = killed(async {
        let bot = Bot::with(CLEANUP).await;
        write(&bot, "of Alice");
        bot.engine.mute(true, Actor::Console);
        bot.says([text(PASSING)]);
        let _turn = bot.user(platform::SIGNAL, "my report?").await;
        while bot.left().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bot
    });
    let path = world.dir.path().join("data/outbound/report.pdf");
    assert!(path.exists());
    runtime().block_on(async {
        let bot = Bot::in_world(world, CLEANUP, Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        while bot.terminals().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(
            bot.screen(platform::SIGNAL)
                .contains(&"File report.pdf ".to_owned())
        );
        assert!(!path.exists(), "it was cleaned up");
        bot.check().await;
    });
}

/// The plain send in the place of a refused reply is the file's end, and not the refusal.
#[tokio::test(start_paused = true)]
async fn a_file_whose_reply_was_refused_is_cleaned_up_once_it_is_sent() {
    let bot = Bot::with(CLEANUP).await;
    write(&bot, "of Alice");
    bot.says([text(&format!("[[reply_to:99]]{PASSING}"))]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::SendFile).len(), 2);
    assert!(!bot.send_dir.join("report.pdf").exists());
    assert_eq!(bot.warnings("is kept").await, 0);
    bot.check().await;
}

/// A new file in the place of the one that is on its way: by its name, or by its content.
fn replacements() -> [fn(&Path); 2] {
    [
        |path| {
            let new = path.with_extension("new");
            std::fs::write(&new, "new text").unwrap();
            std::fs::rename(new, path).unwrap();
        },
        |path| std::fs::write(path, "new and longer").unwrap(),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_file_that_was_not_sent_is_not_cleaned_up() {
    for replace in replacements() {
        let bot = Bot::with("[files]\nallow_cleanup = true\n").await;
        let path = bot.send_dir.join("report.pdf");
        write(&bot, "old text");
        bot.fault(
            platform::SLACK,
            CallFault {
                fail: None,
                latency_ms: 1_000,
                ..CallFault::first(OpKind::SendFile, CallFailure::Transient)
            },
        );
        bot.says([text(
            "<actions><send-file path=\"report.pdf\" cleanup=\"true\"/></actions>Sent.",
        )]);
        let turn = bot.user(platform::SLACK, "my report?").await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        replace(&path);
        let new = std::fs::read(&path).unwrap();
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert_eq!(bot.screen(platform::SLACK), ["File report.pdf ", "Sent."]);
        assert_eq!(std::fs::read(&path).unwrap(), new);
        let told = |k: &Kind| matches!(k, Kind::Warned { detail } if detail.contains(CHANGED));
        assert!(bot.kinds().await.iter().any(told));
        bot.check().await;
    }
}
