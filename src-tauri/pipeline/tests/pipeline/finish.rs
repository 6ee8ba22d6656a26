//! Turns that a kill left before all of their answer was in the outbox: the next start finishes them, or says that it
//! cannot.

use crate::bot::{Bot, EPOCH, World, killed, later, runtime, slow, text, tool};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::{platform, sim::CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{OpKind, Platform, Terminal};
use std::time::Duration;

/// The time that a call takes at the platforms of a bot that is to be killed in the middle of one.
const CALL: Duration = Duration::from_millis(300);
/// Told where a kill cut an answer off.
const INTERRUPTED: &str = "⚠️ A restart cut this answer off. Please ask again.";

/// The world after a bot whose platform takes its time was asked once, and killed so much later.
fn cut(platform: Platform, settings: &str, after: u64, says: Vec<ScriptStep>) -> World {
    killed(async {
        let bot = Bot::with(settings).await;
        for op in [OpKind::SendText, OpKind::EditText, OpKind::React] {
            let always = CallFault {
                times: 99,
                ..slow(op, CALL)
            };
            bot.fault(platform, always);
        }
        bot.says(says);
        let _turn = bot.user(platform, "hi").await;
        tokio::time::sleep(Duration::from_millis(after)).await;
        bot
    })
}

/// A bot that has taken up what was left.
async fn next(world: World, settings: &str) -> Bot {
    let bot = Bot::in_world(world, settings, Rules::all()).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.check().await;
    bot
}

#[test]
fn a_final_edit_is_in_the_outbox_before_its_pause_is_over_and_keeps_it_after_a_restart() {
    let world = killed(async {
        let bot = Bot::start().await;
        bot.says([text("one"), later(100, " two")]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let left = bot.left().await;
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(left[0].operation.kind(), OpKind::EditText);
        let now = EPOCH.plus(Duration::from_millis(bot.now_ms()));
        assert!(left[0].not_before > Some(now), "{left:?}");
        bot
    });
    runtime().block_on(async {
        let bot = next(world, "").await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["one two"]);
        let can = foldback_channels::profile(platform::TELEGRAM);
        let shown = bot.calls(platform::TELEGRAM, OpKind::SendText)[0].at;
        let edited = bot.calls(platform::TELEGRAM, OpKind::EditText)[0].at;
        let pause = u128::from(can.edit_interval_ms.unwrap());
        assert!(edited.since(shown).as_millis() >= pause, "{shown} {edited}");
        assert_eq!(bot.terminals().await, [Terminal::Replied]);
    });
}

#[test]
fn the_parts_of_an_answer_that_were_not_intended_yet_follow_after_a_restart() {
    for platform in platform::ALL {
        let can = foldback_channels::profile(*platform);
        let word = "Grüße und 😀 für alle. ";
        let whole = word.repeat(1 + 2 * can.text_limit / can.unit.measure(word));
        let says = || vec![text(whole.trim())];
        let calm = runtime().block_on(async {
            let bot = Bot::start().await;
            bot.says(says());
            bot.turn(*platform, "hi").await;
            bot.screen(*platform)
        });
        assert!(calm.len() >= 2, "{platform}");
        for after in [150, 450, 750] {
            let world = cut(*platform, "", after, says());
            runtime().block_on(async {
                let bot = next(world, "").await;
                let screen = bot.screen(*platform);
                let unknown = bot.unknown().await;
                let missing = calm.iter().filter(|part| !screen.contains(part)).count();
                assert!(
                    missing <= unknown,
                    "{platform} at {after}: {missing} parts are missing"
                );
                assert!(screen.len() <= calm.len() + unknown, "{platform} at {after}");
                assert_eq!(bot.terminals().await.len(), 1, "{platform} at {after}");
            });
        }
    }
}

#[test]
fn the_rest_of_a_text_with_a_fence_that_was_cut_follows_after_a_restart() {
    let can = foldback_channels::profile(platform::DISCORD);
    let lines = can.text_limit / 10 * 2;
    let code: Vec<_> = (0..lines).map(|n| format!("line {n:04}\n")).collect();
    let code = code.concat();
    let says = || vec![text(&format!("Look:\n```rust\n{code}```\nDone."))];
    let calm = runtime().block_on(async {
        let bot = Bot::start().await;
        bot.says(says());
        bot.turn(platform::DISCORD, "hi").await;
        bot.screen(platform::DISCORD)
    });
    assert!(calm.len() >= 3, "{}", calm.len());
    for after in [150, 450, 750, 1_050] {
        let world = cut(platform::DISCORD, "", after, says());
        runtime().block_on(async {
            let bot = next(world, "").await;
            assert_eq!(bot.screen(platform::DISCORD), calm, "killed at {after}");
            assert_eq!(bot.terminals().await, [Terminal::Replied]);
        });
    }
}

#[test]
fn directives_and_messages_behind_a_kill_are_carried_out_once() {
    let says = || {
        vec![
            text("<actions><react emoji=\"eyes\"/></actions>One."),
            tool("t1"),
            text("[[reply_to_current]]<actions><react emoji=\"heart\"/></actions>Two."),
        ]
    };
    for after in (50..1_500).step_by(100) {
        let world = cut(platform::DISCORD, "", after, says());
        runtime().block_on(async {
            let bot = next(world, "").await;
            let screen = bot.screen(platform::DISCORD);
            assert_eq!(screen.len(), 2, "killed at {after}: {screen:?}");
            assert_eq!(screen[0], "One.", "killed at {after}");
            assert!(
                screen[1].starts_with("[to ") && screen[1].ends_with("Two."),
                "killed at {after}: {screen:?}"
            );
            assert_eq!(bot.calls(platform::DISCORD, OpKind::SendText).len(), 2, "{after}");
            let reactions = bot.calls(platform::DISCORD, OpKind::React);
            let applied = reactions.iter().filter(|r| r.applied && !r.repeated).count();
            assert_eq!(applied, 2, "killed at {after}");
            assert_eq!(bot.terminals().await, [Terminal::Replied]);
        });
    }
}

#[test]
fn a_run_that_was_cut_off_is_told_of_and_its_half_message_says_that_it_is_one() {
    let says = || vec![text("one"), later(100, " two"), Act::Stall(3_600_000).into()];
    for platform in [platform::TELEGRAM, platform::SIGNAL] {
        let world = cut(platform, "", 5_000, says());
        runtime().block_on(async {
            let bot = next(world, "").await;
            assert_eq!(bot.screen(platform), ["one two…", INTERRUPTED], "{platform}");
            let detail = "the process ended during this turn".to_owned();
            assert_eq!(bot.terminals().await, [Terminal::Failed { detail }], "{platform}");
            // Nothing of it is said once more.
            let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
            tokio::time::sleep(Duration::from_mins(1)).await;
            assert_eq!(bot.screen(platform).len(), 2);
        });
    }
}

#[test]
fn a_run_that_said_nothing_is_told_of_in_the_place_of_its_placeholder() {
    let settings = "[output]\nplaceholder = \"…\"\n";
    let stall: ScriptStep = Act::Stall(3_600_000).into();
    let world = cut(platform::TELEGRAM, settings, 5_000, vec![stall]);
    runtime().block_on(async {
        let bot = next(world, settings).await;
        assert_eq!(bot.screen(platform::TELEGRAM), [INTERRUPTED]);
    });
}

#[test]
fn a_turn_is_finished_after_however_many_kills() {
    let can = foldback_channels::profile(platform::DISCORD);
    let whole = "word ".repeat(can.text_limit);
    let mut world = cut(platform::DISCORD, "", 150, vec![text(whole.trim())]);
    for _ in 0..9 {
        world = killed(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            tokio::time::sleep(Duration::from_millis(350)).await;
            bot
        });
    }
    runtime().block_on(async {
        let bot = next(world, "").await;
        assert_eq!(bot.screen(platform::DISCORD).join(" "), whole.trim());
        assert_eq!(bot.terminals().await, [Terminal::Replied]);
    });
}

#[test]
fn nothing_else_is_said_in_a_conversation_before_the_turn_that_a_kill_left_is_finished() {
    let can = foldback_channels::profile(platform::DISCORD);
    let whole = "word ".repeat(can.text_limit / 2);
    let world = killed(async {
        let bot = Bot::start().await;
        let slow = CallFault {
            times: 99,
            ..slow(OpKind::SendText, CALL)
        };
        bot.fault(platform::DISCORD, slow);
        bot.says([text(whole.trim())]);
        let _turn = bot.user(platform::DISCORD, "one").await;
        let _waits = bot.user(platform::DISCORD, "two").await;
        tokio::time::sleep(CALL * 3 / 2).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::answering(world, "", Rules::all(), [text("second")]).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        bot.check().await;
        let screen = bot.screen(platform::DISCORD);
        let (last, first) = screen.split_last().unwrap();
        assert_eq!(last, "second");
        assert_eq!(first.join(" "), whole.trim());
    });
}
