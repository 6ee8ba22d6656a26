//! A process that ends without a word: whatever it was doing, the next one loses nothing, doubles nothing,
//! and says what it cannot know.

use crate::bot::{Bot, EPOCH, World, killed, later, parts, runtime, slow, text, tool};
use foldback_agents::ScriptAgent;
use foldback_channels::{platform, sim::CallFault};
use foldback_pipeline::{Engine, Parts, Rules, TokioClock};
use foldback_wire::{Actor, OpKind, Outcome, OutcomeCode, Platform, Terminal};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

/// How long the platforms take for a call.
const CALL: Duration = Duration::from_millis(300);

/// A bot whose platform takes its time, so that most moments are in the middle of a call.
async fn slow_bot(platform: Platform) -> Bot {
    let bot = Bot::start().await;
    for op in [OpKind::SendText, OpKind::EditText, OpKind::React] {
        let always = CallFault {
            times: 99,
            ..slow(op, CALL)
        };
        bot.fault(platform, always);
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
    killed(async {
        let bot = slow_bot(platform).await;
        let _turn = bot.user(platform, "hi").await;
        tokio::time::sleep(after).await;
        bot
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
    for platform in [platform::TELEGRAM, platform::DISCORD, platform::SIGNAL] {
        let mut unknown_seen = 0;
        for at in (0..6_000).step_by(110) {
            let world = crash_at(platform, Duration::from_millis(at));
            runtime().block_on(async {
                let bot = Bot::in_world(world, "", Rules::all()).await;
                tokio::time::sleep(Duration::from_mins(5)).await;
                bot.check().await;
                let keys = applied(&bot, platform);
                assert!(keys.values().all(|n| *n == 1), "{platform} at {at}: {keys:?}");
                let unknown = bot.unknown().await;
                assert!(unknown <= 1, "{platform} at {at}: {:?}", bot.outcomes().await);
                assert!(
                    platform != platform::DISCORD || unknown == 0,
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
            platform != platform::DISCORD,
            "{platform}: crashes hit calls in flight"
        );
    }
}

/// A conversation that speaks in another chat too, killed in the middle of its calls: how many operations are unknown
/// once the next process, which starts so much later, has done what it can. Everything else has its end.
fn unknown_of_two_chats(settings: &str, own: Platform, other: (Platform, &str), later: Duration) -> usize {
    let (there, chat) = other;
    let world = killed(async {
        let bot = Bot::with(settings).await;
        for platform in BTreeSet::from([own, there]) {
            let both = CallFault {
                times: 2,
                ..slow(OpKind::SendText, CALL)
            };
            bot.fault(platform, both);
        }
        bot.engine.mute(true, Actor::Console);
        let message = format!("<send-message channel=\"{there}\" chat=\"{chat}\">psst</send-message>");
        bot.says([text(&format!("<actions>{message}</actions>One."))]);
        let _turn = bot.user(own, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(CALL / 2).await;
        bot
    });
    runtime().block_on(async {
        tokio::time::sleep(later).await;
        let bot = Bot::in_world(world, settings, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot.check().await;
        bot.unknown().await
    })
}

#[test]
fn a_conversation_that_speaks_in_two_chats_leaves_at_most_one_operation_unknown() {
    for scope in ["per-sender", "global"] {
        let settings = format!("[session]\nscope = \"{scope}\"\n[output]\nallow_targets = [\"slack:c1\"]\n");
        let other = (platform::SLACK, "c1");
        let unknown = unknown_of_two_chats(&settings, platform::SIGNAL, other, Duration::ZERO);
        assert_eq!(unknown, 1, "{scope}");
    }
}

#[test]
fn a_conversation_in_two_chats_of_a_platform_with_keys_leaves_at_most_one_for_a_late_start_to_doubt() {
    let settings = "[output]\nallow_targets = [\"discord:c2\"]\n";
    let other = (platform::DISCORD, "c2");
    let unknown = unknown_of_two_chats(settings, platform::DISCORD, other, Duration::from_mins(3));
    assert_eq!(unknown, 1);
}

#[test]
fn a_dry_run_that_a_crash_cut_off_leaves_no_doubt() {
    let settings = "[channels.signal]\narmed = false\n";
    let world = killed(async {
        let bot = Bot::with(settings).await;
        let channel = bot.engine.channels().channel(&"signal".into()).unwrap();
        channel.plan(1, slow(OpKind::SendText, CALL), Actor::Console);
        bot.says([text("One.")]);
        let _turn = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(CALL / 2).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, settings, Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let outcomes = bot.outcomes().await;
        let dry = |(_, outcome): &(_, Outcome)| outcome.code == OutcomeCode::DryRun;
        assert!(outcomes.iter().any(dry), "{outcomes:?}");
        assert_eq!(bot.unknown().await, 0, "{outcomes:?}");
        assert!(bot.operations(platform::SIGNAL).is_empty());
        bot.check().await;
    });
}

#[test]
fn a_turn_cut_off_by_a_crash_has_failed_and_says_so() {
    let world = crash_at(platform::SIGNAL, Duration::from_millis(500));
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        let detail = "the process ended during this turn".to_owned();
        assert_eq!(bot.terminals().await, [Terminal::Failed { detail }]);
        bot.check().await;
    });
}

#[test]
fn what_was_in_flight_long_ago_is_not_sent_again_even_under_its_key() {
    let world = crash_at(platform::DISCORD, Duration::from_millis(150));
    runtime().block_on(async {
        tokio::time::sleep(Duration::from_mins(10)).await;
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.unknown().await, 1);
        bot.check().await;
    });
}

#[test]
fn what_was_in_flight_at_a_time_to_come_is_not_sent_again_even_under_its_key() {
    let world = crash_at(platform::DISCORD, Duration::from_millis(150));
    runtime().block_on(async {
        let clock = Arc::new(TokioClock::at(EPOCH.minus(Duration::from_hours(8))));
        let agent = Arc::new(ScriptAgent::new(clock.clone()));
        let set_back = Parts {
            clock,
            ..parts(&world, "", Rules::all(), agent.clone())
        };
        let engine = Engine::start(set_back).await.unwrap();
        let bot = Bot::around(world, engine, agent);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.unknown().await, 1);
        bot.check().await;
    });
}

/// A message that comes again after a crash is a duplicate, and its answer is shown once: whether that had gone out by
/// then or, since the bot was mute, was only in the outbox.
fn comes_again(mute: bool) {
    let first = runtime();
    let (world, message) = first.block_on(async {
        let bot = Bot::start().await;
        assert_eq!(bot.engine.mute(mute, Actor::Console), mute);
        bot.says([text("Once.")]);
        let message = bot.message(platform::SIGNAL, "hi");
        let turn = bot.engine.submit(message.clone()).await.unwrap();
        if mute {
            tokio::time::sleep(Duration::from_secs(1)).await;
        } else {
            assert_eq!(turn.ended().await, Some(Terminal::Replied));
        }
        (bot.world(), message)
    });
    drop(first);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        assert_eq!(bot.engine.mute(false, Actor::Console), mute);
        let again = bot.engine.submit(message).await.unwrap();
        assert_eq!(again.ended().await, Some(Terminal::Duplicate));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(bot.screen(platform::SIGNAL), ["Once."]);
        bot.check().await;
    });
}

#[test]
fn a_message_that_was_answered_before_the_crash_is_a_duplicate_after_it() {
    comes_again(false);
}

#[test]
fn a_message_whose_whole_answer_was_in_the_outbox_is_a_duplicate_after_the_crash() {
    comes_again(true);
}

#[test]
fn a_process_killed_before_it_had_closed_the_turns_of_another_leaves_them_to_the_next() {
    let world = crash_at(platform::SIGNAL, Duration::from_millis(500));
    // Killed right after its start: the tasks that close what was left have not run.
    let world = runtime().block_on(Bot::barely_started(world));
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        bot.check().await;
    });
}
