//! Answers that are sent in blocks while they grow.

use crate::bot::{Bot, World, killed, later, runtime, text};
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{HoldReason, Kind, OpKind, Platform, Terminal};
use std::time::Duration;

const PLATFORM: Platform = Platform::Signal;

fn settings(keys: &str) -> String {
    format!("[channels.signal.blocks]\nenabled = true\nmin = 20\nmax = 60\n{keys}\n")
}

/// The times at which messages were sent, in milliseconds from the beginning.
fn sent_at(bot: &Bot) -> Vec<u64> {
    let start = crate::bot::EPOCH;
    let calls = bot.calls(PLATFORM, OpKind::SendText).into_iter();
    calls
        .map(|call| u64::try_from(call.at.since(start).as_millis()).unwrap())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_paragraph_goes_out_once_no_text_came_for_a_while() {
    let bot = Bot::with(&settings("coalesce = \"2s\"")).await;
    bot.says([
        text("The first paragraph is here."),
        later(1_000, "\n\nShort."),
        later(5_000, "\n\nAnd the last one."),
    ]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(PLATFORM),
        ["The first paragraph is here.", "Short.\n\nAnd the last one."]
    );
    let times = sent_at(&bot);
    assert!((3_000..3_100).contains(&times[0]), "{times:?}");
    assert!(times[1] >= 6_000, "{times:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_full_block_goes_out_at_once_and_never_exceeds_the_most_even_in_code() {
    let bot = Bot::with(&settings("")).await;
    let lines: String = (0..20).map(|n| format!("let x{n} = {n};\n")).collect();
    let whole = format!("Look:\n\n```rust\n{lines}```\n");
    let chunks: Vec<char> = whole.chars().collect();
    bot.says(chunks.chunks(7).map(|c| later(10, &c.iter().collect::<String>())));
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    let screen = bot.screen(PLATFORM);
    assert!(screen.len() > 5, "{screen:?}");
    for message in &screen {
        assert!(message.chars().count() <= 60, "{message}");
        assert_eq!(message.matches("```").count() % 2, 0, "{message}");
    }
    let code: Vec<_> = screen
        .iter()
        .flat_map(|m| m.lines())
        .filter(|l| l.starts_with("let "))
        .collect();
    assert_eq!(code.len(), 20, "{screen:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_same_words_twice_are_two_blocks() {
    let bot = Bot::with(&settings("coalesce = \"1s\"")).await;
    let same = "The very same paragraph.\n\n";
    bot.says([text(same), later(3_000, same), later(3_000, same)]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(PLATFORM), [same.trim(); 3]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_natural_pause_is_kept_and_the_same_for_every_play() {
    let mut plays = Vec::new();
    for _ in 0..2 {
        let bot = Bot::with(&settings("delay = \"natural\"")).await;
        bot.says([text(&"Word after word. ".repeat(12))]);
        assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
        let times = sent_at(&bot);
        assert!(times.len() >= 3, "{times:?}");
        assert!(
            times
                .windows(2)
                .all(|two| (800..=2_600).contains(&(two[1] - two[0]))),
            "{times:?}"
        );
        let waits = bot.kinds().await.into_iter().filter(|kind| {
            matches!(
                kind,
                Kind::Waiting {
                    reason: HoldReason::HumanDelay,
                    ..
                }
            )
        });
        assert!(waits.count() > 0);
        bot.check().await;
        plays.push(times);
    }
    assert_eq!(plays[0], plays[1]);
}

#[tokio::test(start_paused = true)]
async fn a_block_that_did_not_arrive_is_sent_again_with_the_rest() {
    let bot = Bot::with(&settings("coalesce = \"1s\"")).await;
    bot.fault(
        PLATFORM,
        CallFault::first(OpKind::SendText, CallFailure::Rejected),
    );
    bot.says([
        text("The first paragraph is here.\n\n"),
        later(5_000, "The second one is, too.\n\n"),
        later(5_000, "End."),
    ]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(PLATFORM),
        ["The first paragraph is here.\n\nThe second one is, too.", "End."]
    );
}

#[tokio::test(start_paused = true)]
async fn a_block_of_which_nobody_knows_is_not_doubled() {
    let bot = Bot::with(&settings("coalesce = \"1s\"")).await;
    bot.fault(PLATFORM, CallFault::first(OpKind::SendText, CallFailure::LostAck));
    bot.says([
        text("The first paragraph is here.\n\n"),
        later(5_000, "The second one is, too."),
    ]);
    assert!(matches!(bot.turn(PLATFORM, "hi").await, Terminal::Unknown { .. }));
    assert_eq!(
        bot.screen(PLATFORM),
        ["The first paragraph is here.", "The second one is, too."]
    );
}

#[test]
fn what_is_behind_the_blocks_is_said_after_a_kill_and_no_block_twice() {
    let world = killed(async {
        let bot = Bot::in_world(World::new(), &settings("coalesce = \"1s\""), Rules::all()).await;
        bot.says([
            text("The first paragraph is here.\n\n"),
            later(3_000, "The second one is not out"),
            later(60_000, "never"),
        ]);
        let _turn = bot.user(PLATFORM, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(PLATFORM), ["The first paragraph is here."]);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, &settings("coalesce = \"1s\""), Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let screen = bot.screen(PLATFORM);
        assert_eq!(
            screen[..2],
            ["The first paragraph is here.", "The second one is not out…"]
        );
        bot.check().await;
    });
}
