//! Answers that are sent in blocks while they grow.

use crate::bot::{Bot, World, killed, later, runtime, text, tool};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{HoldReason, Kind, OpId, OpKind, OutcomeCode, Platform, Terminal};
use std::time::Duration;

const PLATFORM: Platform = platform::SIGNAL;

/// With small blocks. The channel cannot edit, so that they need no switch.
fn settings(keys: &str) -> String {
    format!("[channels.signal.blocks]\nmin = 20\nmax = 60\n{keys}\n")
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
    let lines = (0..20)
        .map(|n| format!("let x{n} = {n};\n"))
        .collect::<Vec<_>>()
        .concat();
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
    let end = later(3_000, "End.");
    bot.says([text(same), later(3_000, same), later(3_000, same), end]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    let last = format!("{same}End.");
    assert_eq!(bot.screen(PLATFORM), [same.trim(), same.trim(), &last]);
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

/// The number of the block that each text is, `None` where it is the end of the answer, with the outcome.
async fn sent(bot: &Bot) -> Vec<(Option<u32>, OutcomeCode)> {
    let kinds = bot.kinds().await;
    let code = |wanted: OpId| {
        kinds.iter().find_map(|kind| match kind {
            Kind::Ended { op, outcome } if *op == wanted => Some(outcome.code),
            _ => None,
        })
    };
    let texts = kinds.iter().filter_map(|kind| match kind {
        Kind::Intended { op, intent } if intent.kind == OpKind::SendText => {
            Some((intent.block, code(*op).unwrap()))
        }
        _ => None,
    });
    texts.collect()
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
        ["The first paragraph is here.\n\nThe second one is, too.\n\nEnd."]
    );
    assert_eq!(
        sent(&bot).await,
        [(Some(0), OutcomeCode::Failed), (None, OutcomeCode::Sent)]
    );
    assert_eq!(bot.warnings("block 0 did not arrive").await, 1);
    bot.check().await;
}

#[test]
fn a_block_that_did_not_arrive_is_said_again_after_a_kill() {
    let world = killed(async {
        let bot = Bot::in_world(World::new(), &settings("coalesce = \"1s\""), Rules::all()).await;
        let second = CallFault {
            nth: 2,
            ..CallFault::first(OpKind::SendText, CallFailure::Rejected)
        };
        bot.fault(PLATFORM, second);
        bot.says([
            text("The first paragraph is here.\n\n"),
            later(3_000, "The second one is, too.\n\n"),
            later(3_000, "More"),
            later(60_000, "never"),
        ]);
        let _turn = bot.user(PLATFORM, "hi").await;
        tokio::time::sleep(Duration::from_secs(8)).await;
        assert_eq!(bot.screen(PLATFORM), ["The first paragraph is here."]);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, &settings("coalesce = \"1s\""), Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let screen = bot.screen(PLATFORM);
        let whole = ["The first paragraph is here.", "The second one is, too.\n\nMore…"];
        assert_eq!(screen[..2], whole);
        assert_eq!(
            sent(&bot).await[..3],
            [
                (Some(0), OutcomeCode::Sent),
                (Some(1), OutcomeCode::Failed),
                (None, OutcomeCode::Sent),
            ]
        );
        bot.check().await;
    });
}

#[test]
fn code_goes_on_as_code_after_blocks_and_a_kill() {
    let world = killed(async {
        let bot = Bot::in_world(World::new(), &settings("coalesce = \"1s\""), Rules::all()).await;
        let lines = (0..6)
            .map(|n| format!("    let x{n} = {n};\n"))
            .collect::<Vec<_>>()
            .concat();
        bot.says([
            text("The first paragraph is here.\n\n"),
            later(3_000, &format!("```rust\n{lines}")),
            later(60_000, "never"),
        ]);
        let _turn = bot.user(PLATFORM, "hi").await;
        tokio::time::sleep(Duration::from_secs(6)).await;
        let screen = bot.screen(PLATFORM);
        assert!(
            screen.len() >= 2 && screen[1].starts_with("```rust\n    let x0"),
            "{screen:?}"
        );
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, &settings("coalesce = \"1s\""), Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let screen = bot.screen(PLATFORM);
        let code = &screen[1..screen.len() - 1];
        assert!(code.len() >= 2, "{screen:?}");
        for message in code {
            assert!(message.starts_with("```rust\n    let x"), "{screen:?}");
            assert!(message.chars().count() <= 60, "{message}");
        }
        let all: Vec<_> = code.iter().flat_map(|m| m.lines()).collect();
        assert_eq!(
            all.iter().filter(|line| line.starts_with("    let x")).count(),
            6,
            "{screen:?}"
        );
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn a_block_of_which_nobody_knows_is_not_doubled() {
    let bot = Bot::with(&settings("coalesce = \"1s\"")).await;
    bot.fault(PLATFORM, CallFault::first(OpKind::SendText, CallFailure::LostAck));
    bot.says([
        text("The first paragraph is here.\n\n"),
        later(5_000, "The second one is, too."),
        later(5_000, "\n\nEnd."),
    ]);
    assert!(matches!(bot.turn(PLATFORM, "hi").await, Terminal::Unknown { .. }));
    assert_eq!(
        bot.screen(PLATFORM),
        ["The first paragraph is here.", "The second one is, too.\n\nEnd."]
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

#[tokio::test(start_paused = true)]
async fn a_channel_that_cannot_edit_needs_no_settings_for_blocks_and_one_that_can_needs_one() {
    let long = "A sentence of some length, once more. ".repeat(30);
    let begun = format!("{}\n\nMore", long.trim());
    for (platform, settings, early) in [
        (platform::SIGNAL, "", true),
        (platform::WHATSAPP, "", true),
        (
            platform::WHATSAPP,
            "[channels.whatsapp.blocks]\nenabled = false\n",
            false,
        ),
        (
            platform::SIGNAL,
            "[channels.signal]\nnarration = \"hide\"\n",
            false,
        ),
        (
            platform::TELEGRAM,
            "[channels.telegram.blocks]\nenabled = true\n",
            true,
        ),
    ] {
        let bot = Bot::with(settings).await;
        bot.says([text(&begun), later(10_000, " and the end.")]);
        let turn = bot.user(platform, "hi").await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let shown = if early {
            vec![long.trim().to_owned()]
        } else {
            Vec::new()
        };
        assert_eq!(bot.screen(platform), shown, "{platform} {settings}");
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        let messages = if early { 2 } else { 1 };
        assert_eq!(bot.screen(platform).len(), messages, "{platform} {settings}");
        assert!(bot.calls(platform, OpKind::EditText).is_empty());
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn narration_that_is_shorter_than_a_block_stays_hidden() {
    let bot = Bot::start().await;
    bot.says([
        text("Let me see.\n\n"),
        later(10_000, ""),
        tool("t1"),
        text("Here it is."),
    ]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(PLATFORM), ["Here it is."]);
    let bot = Bot::with(&settings("coalesce = \"1s\"")).await;
    let narration = "First I look into the files.\n\nThen I answer.";
    bot.says([
        text(narration),
        later(10_000, ""),
        tool("t1"),
        text("Here it is."),
    ]);
    assert_eq!(bot.turn(PLATFORM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(PLATFORM),
        ["First I look into the files.", "Then I answer.", "Here it is."]
    );
    bot.check().await;
}
