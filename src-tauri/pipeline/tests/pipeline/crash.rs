//! A process that ends without a word: whatever it was doing, the next one loses nothing, doubles nothing,
//! and says what it cannot know.

use crate::bot::{Bot, World, later, runtime, text, tool};
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Kind, OpKind, OutcomeCode, Platform, Terminal};
use std::{collections::BTreeMap, time::Duration};

/// A bot whose platform takes its time, so that most moments are in the middle of a call.
async fn slow_bot(platform: Platform) -> Bot {
    let bot = Bot::start().await;
    for op in [OpKind::SendText, OpKind::EditText, OpKind::React] {
        let slow = CallFault {
            op,
            nth: 1,
            times: 99,
            fail: None,
            retry_after_ms: None,
            latency_ms: 300,
        };
        bot.fault(platform, slow);
    }
    bot.says([
        text("<actions><react emoji=\"eyes\"/></actions>One."),
        later(2_000, " Two."),
        tool("t1"),
        later(1_000, "Three."),
    ]);
    bot
}

/// Runs the bot for so long, then takes everything from under it.
fn crash_at(platform: Platform, after: Duration) -> World {
    let first = runtime();
    first.block_on(async {
        let bot = slow_bot(platform).await;
        let _turn = bot.user(platform, "hi").await;
        tokio::time::sleep(after).await;
        bot.world()
    })
}

/// How often each key changed the platform.
fn applied(bot: &Bot, platform: Platform) -> BTreeMap<String, usize> {
    let platform = bot.loopbacks[&platform].platform();
    let mut applied = BTreeMap::new();
    for record in platform.log().filter(|r| r.applied && !r.repeated) {
        *applied.entry(record.call.key.clone()).or_insert(0) += 1;
    }
    applied
}

#[test]
fn at_most_one_operation_is_unknown_and_none_is_doubled() {
    for platform in [Platform::Telegram, Platform::Discord, Platform::Signal] {
        let mut unknown_seen = 0;
        for at in (0..6_000).step_by(110) {
            let world = crash_at(platform, Duration::from_millis(at));
            runtime().block_on(async {
                let bot = Bot::in_world(world, "", Rules::all()).await;
                tokio::time::sleep(Duration::from_mins(5)).await;
                bot.check().await;
                let keys = applied(&bot, platform);
                assert!(keys.values().all(|n| *n == 1), "{platform} at {at}: {keys:?}");
                let ends: Vec<_> = bot
                    .kinds()
                    .await
                    .into_iter()
                    .filter_map(|k| match k {
                        Kind::Ended { outcome, .. } => Some(outcome.code),
                        _ => None,
                    })
                    .collect();
                let unknown = ends.iter().filter(|c| **c == OutcomeCode::Unknown).count();
                assert!(unknown <= 1, "{platform} at {at}: {ends:?}");
                assert!(
                    platform != Platform::Discord || unknown == 0,
                    "it knows repetitions by their key"
                );
                unknown_seen += unknown;
                let screen = bot.screen(platform);
                let twice = |begin: &str| {
                    let shown = screen.iter().filter(|text| text.starts_with(begin)).count();
                    shown.saturating_sub(1)
                };
                let doubled = twice("One.") + twice("Three.");
                assert!(doubled <= unknown, "{platform} at {at}: {screen:?}");
                assert!(
                    screen.is_sorted_by_key(|text| text.starts_with("Three.")),
                    "{platform} at {at}: {screen:?}"
                );
            });
        }
        assert_eq!(
            unknown_seen > 0,
            platform != Platform::Discord,
            "{platform}: crashes hit calls in flight"
        );
    }
}

#[test]
fn a_conversation_that_speaks_in_two_chats_leaves_at_most_one_operation_unknown() {
    for scope in ["per-sender", "global"] {
        let settings = format!("[session]\nscope = \"{scope}\"\n[output]\nallow_targets = [\"slack:c1\"]\n");
        let first = runtime();
        let world = first.block_on(async {
            let bot = Bot::with(&settings).await;
            for platform in [Platform::Signal, Platform::Slack] {
                let slow = CallFault {
                    fail: None,
                    latency_ms: 300,
                    ..CallFault::first(OpKind::SendText, CallFailure::Gone)
                };
                bot.fault(platform, slow);
            }
            bot.engine.mute(true, Actor::Console);
            bot.says([text(
                "<actions><send-message channel=\"slack\" chat=\"c1\">psst</send-message></actions>One.",
            )]);
            let _turn = bot.user(Platform::Signal, "hi").await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            bot.engine.mute(false, Actor::Console);
            tokio::time::sleep(Duration::from_millis(150)).await;
            bot.world()
        });
        drop(first);
        runtime().block_on(async {
            let bot = Bot::in_world(world, &settings, Rules::all()).await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            let unknown = |kind: &Kind| {
                matches!(kind, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown)
            };
            assert_eq!(bot.kinds().await.iter().filter(|k| unknown(k)).count(), 1, "{scope}");
            bot.check().await;
        });
    }
}

#[test]
fn a_conversation_in_two_chats_of_a_platform_with_keys_leaves_at_most_one_for_a_late_start_to_doubt() {
    let settings = "[output]\nallow_targets = [\"discord:c2\"]\n";
    let first = runtime();
    let world = first.block_on(async {
        let bot = Bot::with(settings).await;
        let slow = CallFault {
            times: 2,
            fail: None,
            latency_ms: 300,
            ..CallFault::first(OpKind::SendText, CallFailure::Gone)
        };
        bot.fault(Platform::Discord, slow);
        bot.engine.mute(true, Actor::Console);
        bot.says([text(
            "<actions><send-message channel=\"discord\" chat=\"c2\">psst</send-message></actions>One.",
        )]);
        let _turn = bot.user(Platform::Discord, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_millis(150)).await;
        bot.world()
    });
    drop(first);
    runtime().block_on(async {
        tokio::time::sleep(Duration::from_mins(3)).await;
        let bot = Bot::in_world(world, settings, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let unknown =
            |k: &Kind| matches!(k, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown);
        assert_eq!(bot.kinds().await.iter().filter(|k| unknown(k)).count(), 1);
        bot.check().await;
    });
}

#[test]
fn a_dry_run_that_a_crash_cut_off_leaves_no_doubt() {
    let settings = "[channels.signal]\narmed = false\n";
    let first = runtime();
    let world = first.block_on(async {
        let bot = Bot::with(settings).await;
        let channel = bot.engine.channels().channel(&"signal".into()).unwrap();
        let slow = CallFault {
            fail: None,
            latency_ms: 300,
            ..CallFault::first(OpKind::SendText, CallFailure::Gone)
        };
        channel.plan(1, slow, Actor::Console);
        bot.says([text("One.")]);
        let _turn = bot.user(Platform::Signal, "hi").await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        bot.world()
    });
    drop(first);
    runtime().block_on(async {
        let bot = Bot::in_world(world, settings, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let ends: Vec<_> = bot
            .kinds()
            .await
            .into_iter()
            .filter_map(|kind| match kind {
                Kind::Ended { outcome, .. } => Some(outcome.code),
                _ => None,
            })
            .collect();
        assert!(ends.contains(&OutcomeCode::DryRun), "{ends:?}");
        assert!(!ends.contains(&OutcomeCode::Unknown), "{ends:?}");
        assert!(bot.operations(Platform::Signal).is_empty());
        bot.check().await;
    });
}

#[test]
fn a_turn_cut_off_by_a_crash_has_failed_and_says_so() {
    let world = crash_at(Platform::Signal, Duration::from_millis(500));
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let ends: Vec<_> = bot
            .kinds()
            .await
            .into_iter()
            .filter_map(|k| match k {
                Kind::TurnEnded { terminal } => Some(terminal),
                _ => None,
            })
            .collect();
        let detail = "the process ended during this turn".to_owned();
        assert_eq!(ends, [Terminal::Failed { detail }]);
        bot.check().await;
    });
}

#[test]
fn what_was_in_flight_long_ago_is_not_sent_again_even_under_its_key() {
    let world = crash_at(Platform::Discord, Duration::from_millis(150));
    runtime().block_on(async {
        tokio::time::sleep(Duration::from_mins(10)).await;
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let unknown =
            |k: &Kind| matches!(k, Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown);
        assert_eq!(bot.kinds().await.iter().filter(|k| unknown(k)).count(), 1);
        bot.check().await;
    });
}

#[test]
fn a_message_that_was_answered_before_the_crash_is_a_duplicate_after_it() {
    let first = runtime();
    let (world, message) = first.block_on(async {
        let bot = Bot::start().await;
        bot.says([text("Once.")]);
        let message = bot.message(Platform::Signal, "hi");
        assert_eq!(
            bot.engine.submit(message.clone()).await.unwrap().ended().await,
            Some(Terminal::Replied)
        );
        (bot.world(), message)
    });
    drop(first);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        let again = bot.engine.submit(message).await.unwrap();
        assert_eq!(again.ended().await, Some(Terminal::Duplicate));
        assert_eq!(bot.screen(Platform::Signal), ["Once."]);
        bot.check().await;
    });
}

#[test]
fn a_message_whose_whole_answer_was_in_the_outbox_is_a_duplicate_after_the_crash() {
    let first = runtime();
    let (world, message) = first.block_on(async {
        let bot = Bot::start().await;
        bot.engine.mute(true, Actor::Console);
        bot.says([text("Once.")]);
        let message = bot.message(Platform::Signal, "hi");
        let _turn = bot.engine.submit(message.clone()).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        (bot.world(), message)
    });
    drop(first);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        let again = bot.engine.submit(message).await.unwrap();
        assert_eq!(again.ended().await, Some(Terminal::Duplicate));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(bot.screen(Platform::Signal), ["Once."]);
        bot.check().await;
    });
}

#[test]
fn a_process_killed_before_it_had_closed_the_turns_of_another_leaves_them_to_the_next() {
    let world = crash_at(Platform::Signal, Duration::from_millis(500));
    let second = runtime();
    let world = second.block_on(async {
        // Killed right after its start: the tasks that close what was left have not run.
        Bot::barely_started(world).await
    });
    drop(second);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot.check().await;
    });
}
