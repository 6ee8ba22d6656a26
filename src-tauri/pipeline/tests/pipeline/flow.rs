//! Faults, queues, toggling, endings.

use crate::bot::{Bot, configured, later, text, tool};
use foldback_agents::{Act, ScriptStep};
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_store::Journal as _;
use foldback_wire::{Actor, ChannelId, Gate, HoldReason, Kind, OpKind, OutcomeCode, Platform, Terminal};
use std::{sync::Arc, time::Duration};

fn stall(ms: u64) -> ScriptStep {
    Act::Stall(ms).into()
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_keeps_what_was_said_and_says_so() {
    let bot = Bot::start().await;
    bot.says([text("The answer is"), Act::Error("overloaded".into()).into()]);
    assert!(matches!(
        bot.turn(Platform::Whatsapp, "hi").await,
        Terminal::Failed { .. }
    ));
    let screen = bot.screen(Platform::Whatsapp);
    assert_eq!(screen.len(), 2);
    assert_eq!(screen[0], "The answer is");
    assert!(screen[1].starts_with("⚠️ The agent is overloaded"), "{screen:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_redelivery_is_a_duplicate_unless_the_turn_failed() {
    let bot = Bot::start().await;
    let message = bot.message(Platform::Telegram, "hi");
    let send = || async {
        bot.engine
            .submit(message.clone())
            .await
            .unwrap()
            .ended()
            .await
            .unwrap()
    };
    bot.says([Act::Error("overloaded".into()).into()]);
    assert!(matches!(send().await, Terminal::Failed { .. }));
    bot.says([text("Now.")]);
    assert_eq!(send().await, Terminal::Replied);
    assert_eq!(send().await, Terminal::Duplicate);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_waits_as_asked_and_a_passing_fault_is_retried() {
    let bot = Bot::start().await;
    let limited = CallFault {
        retry_after_ms: Some(7_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    bot.fault(Platform::Signal, limited);
    bot.says([text("Hello.")]);
    let before = bot.now_ms();
    assert_eq!(bot.turn(Platform::Signal, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() - before >= 7_000);
    let waits = bot.kinds().await.into_iter().filter(|k| {
        matches!(
            k,
            Kind::Waiting {
                reason: HoldReason::RateLimited,
                ..
            }
        )
    });
    assert_eq!(waits.count(), 1);
    bot.fault(
        Platform::Slack,
        CallFault {
            times: 2,
            ..CallFault::first(OpKind::SendFile, CallFailure::Transient)
        },
    );
    std::fs::write(bot.send_dir.join("a.txt"), "a").unwrap();
    bot.says([text("<actions><send-file path=\"a.txt\"/></actions>")]);
    bot.turn(Platform::Slack, "hi").await;
    assert_eq!(bot.calls(Platform::Slack, OpKind::SendFile).len(), 3);
    assert_eq!(bot.screen(Platform::Slack), ["File a.txt "]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_second_message_waits_and_the_cap_is_recorded() {
    let bot = Bot::with("[queue]\ncap = 2\n").await;
    bot.says([later(60_000, "first")]);
    let mut turns = vec![bot.user(Platform::Signal, "1").await];
    for n in 2..=4 {
        if n < 4 {
            bot.says([text(&format!("answer {n}"))]);
        }
        turns.push(bot.user(Platform::Signal, &n.to_string()).await);
    }
    let mut ends = Vec::new();
    for turn in turns {
        ends.push(turn.ended().await.unwrap());
    }
    let full = Terminal::Blocked {
        gate: Gate::QueueFull,
    };
    assert_eq!(
        ends,
        [Terminal::Replied, Terminal::Replied, Terminal::Replied, full]
    );
    assert_eq!(bot.screen(Platform::Signal), ["first", "answer 2", "answer 3"]);
    let dequeued = bot
        .kinds()
        .await
        .into_iter()
        .filter(|k| matches!(k, Kind::Dequeued { waited_ms } if *waited_ms >= 60_000));
    assert_eq!(dequeued.count(), 2);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_hung_agent_blocks_its_own_conversation_only_and_fails_in_the_end() {
    let bot = Bot::start().await;
    bot.says([text("I think"), stall(3_600_000)]);
    let hung = bot.user(Platform::Telegram, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.says([text("Quick.")]);
    assert_eq!(bot.turn(Platform::Discord, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() < 10_000);
    assert!(matches!(hung.ended().await, Some(Terminal::Failed { .. })));
    assert!((300_000..330_000).contains(&bot.now_ms()), "{}", bot.now_ms());
    assert_eq!(
        bot.screen(Platform::Telegram),
        ["I think", "⚠️ The agent did not answer in time."]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn typing_is_shown_until_the_turn_is_over_and_not_to_a_dead_agent() {
    let bot = Bot::start().await;
    bot.says([later(20_000, "done")]);
    bot.turn(Platform::Telegram, "hi").await;
    // At 0, 6, 12 and 18 seconds.
    assert_eq!(bot.calls(Platform::Telegram, OpKind::Typing).len(), 4);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.calls(Platform::Telegram, OpKind::Typing).len(), 4);
    bot.says([stall(290_000), text("late")]);
    bot.turn(Platform::Whatsapp, "hi").await;
    // At 0, 6, … 114 seconds, then nothing until the agent comes back after two silent minutes and more.
    assert_eq!(bot.calls(Platform::Whatsapp, OpKind::Typing).len(), 21);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_delivers_what_it_said() {
    let bot = Bot::start().await;
    bot.says([text("So far"), stall(100_000)]);
    let turn = bot.user(Platform::Telegram, "hi").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(bot.engine.cancel(turn.id));
    let id = turn.id;
    assert!(matches!(turn.ended().await, Some(Terminal::Failed { detail }) if detail.contains("cancelled")));
    assert_eq!(bot.screen(Platform::Telegram), ["So far", "⏹️ Stopped."]);
    assert!(!bot.engine.cancel(id));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_goes_off_mid_turn_holds_the_rest_and_sends_it_in_order() {
    let bot = Bot::start().await;
    let telegram = ChannelId::new("telegram");
    bot.says([
        text("First."),
        later(2_000, ""),
        tool("t1"),
        later(2_000, "Second."),
        tool("t2"),
        later(2_000, "<actions><react emoji=\"eyes\"/></actions>Third."),
    ]);
    let turn = bot.user(Platform::Telegram, "hi").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(
        bot.engine
            .toggle(&telegram, false, Actor::Console, "test")
            .await
            .unwrap()
    );
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.screen(Platform::Telegram), ["First."]);
    let held = bot.journal.outbox().await.unwrap();
    assert_eq!(held.len(), 3, "second, reaction, third: {held:#?}");
    assert!(
        bot.engine
            .toggle(&telegram, true, Actor::Console, "test")
            .await
            .unwrap()
    );
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(Platform::Telegram), ["First.", "Second.", "Third."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_held_too_long_waits_for_a_person() {
    let bot = Bot::start().await;
    let signal = ChannelId::new("signal");
    bot.says([later(1_000, "Old news.")]);
    let turn = bot.user(Platform::Signal, "hi").await;
    bot.engine
        .toggle(&signal, false, Actor::Console, "test")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(700)).await;
    bot.engine
        .toggle(&signal, true, Actor::Console, "test")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(700)).await;
    assert!(bot.screen(Platform::Signal).is_empty());
    bot.engine.release_held(&signal, &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(Platform::Signal), ["Old news."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_gives_up_what_was_held_too_long_and_nothing_younger() {
    let bot = Bot::start().await;
    let signal = ChannelId::new("signal");
    let toggle = |on| bot.engine.toggle(&signal, on, Actor::Console, "test");
    toggle(false).await.unwrap();
    bot.says([text("Old news.")]);
    let old = bot.user(Platform::Signal, "hi").await;
    tokio::time::sleep(Duration::from_secs(500)).await;
    bot.engine.give_up_held(&signal, &Actor::Console).unwrap();
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(
        bot.journal.outbox().await.unwrap().len(),
        1,
        "not too old when it was said"
    );
    toggle(true).await.unwrap();
    toggle(false).await.unwrap();
    bot.says([text("Fresh news.")]);
    let fresh = bot.user(Platform::Signal, "and now?").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.give_up_held(&signal, &Actor::Console).unwrap();
    assert!(matches!(old.ended().await, Some(Terminal::Failed { .. })));
    toggle(true).await.unwrap();
    assert_eq!(fresh.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(Platform::Signal), ["Fresh news."]);
    let given_up: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Cancelled => outcome.detail,
            _ => None,
        })
        .collect();
    assert_eq!(
        given_up,
        ["held too long, and a person at the console gave it up"]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn muting_holds_everything_and_unmuting_lets_it_go() {
    let bot = Bot::start().await;
    assert!(bot.engine.mute(true, Actor::Console));
    bot.says([text("Quiet.")]);
    let turn = bot.user(Platform::Slack, "hi").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bot.screen(Platform::Slack).is_empty());
    assert!(bot.engine.mute(false, Actor::Console));
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(Platform::Slack), ["Quiet."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_does_everything_but_the_platform_call() {
    let bot = Bot::with("[channels.telegram]\narmed = false\n").await;
    bot.says([
        text("<actions><react emoji=\"eyes\"/></actions>One"),
        later(5_000, " two."),
    ]);
    assert_eq!(bot.turn(Platform::Telegram, "hi").await, Terminal::Replied);
    assert!(bot.screen(Platform::Telegram).is_empty());
    let outcomes: Vec<_> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|k| match k {
            Kind::Ended { outcome, .. } => Some((outcome.code, outcome.attempts)),
            Kind::Attempted { .. } => panic!("no platform was called"),
            _ => None,
        })
        .collect();
    assert!(outcomes.len() >= 3);
    assert!(
        outcomes.iter().all(|o| *o == (OutcomeCode::DryRun, 0)),
        "{outcomes:?}"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_may_have_arrived_is_unknown_without_a_key_and_repeated_with_one() {
    for (platform, code, calls) in [
        (Platform::Signal, OutcomeCode::Unknown, 1),
        (Platform::Discord, OutcomeCode::Sent, 2),
    ] {
        let bot = Bot::with("[output]\ndisable = [\"preview\"]\n").await;
        bot.fault(platform, CallFault::first(OpKind::SendText, CallFailure::LostAck));
        bot.says([text("Once.")]);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
        assert_eq!(bot.screen(platform), ["Once."], "{platform}: never doubled");
        assert_eq!(bot.calls(platform, OpKind::SendText).len(), calls);
        let ended = bot.kinds().await.into_iter().filter_map(|k| match k {
            Kind::Ended { outcome, .. } if outcome.code != OutcomeCode::Sent || outcome.message.is_some() => {
                Some(outcome.code)
            }
            _ => None,
        });
        assert_eq!(ended.collect::<Vec<_>>().last(), Some(&code), "{platform}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_turns_in_order_and_leaves_what_is_held_to_the_next_start() {
    let bot = Bot::start().await;
    let telegram = ChannelId::new("telegram");
    bot.says([text("Held.")]);
    bot.engine
        .toggle(&telegram, false, Actor::Console, "test")
        .await
        .unwrap();
    let held = bot.user(Platform::Telegram, "hi").await;
    bot.says([text("Working on it"), stall(200_000)]);
    let running = bot.user(Platform::Discord, "hi").await;
    let waiting = bot.user(Platform::Discord, "and?").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.shutdown(Duration::from_secs(10)).await.unwrap();
    assert!(matches!(running.ended().await, Some(Terminal::Failed { .. })));
    assert_eq!(bot.screen(Platform::Discord), ["Working on it", "⏹️ Stopped."]);
    assert_eq!(waiting.ended().await, None, "it waits for the next start");
    assert_eq!(held.ended().await, None);
    let gate = Gate::ShuttingDown;
    let late = bot
        .engine
        .submit(bot.message(Platform::Slack, "late"))
        .await
        .unwrap();
    assert_eq!(late.ended().await, Some(Terminal::Blocked { gate }));

    let world = bot.world();
    drop(bot);
    let bot = Bot::answering(world, "", Rules::all(), [text("And here.")]).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bot.screen(Platform::Telegram), ["Held."]);
    assert_eq!(
        bot.screen(Platform::Discord),
        ["Working on it", "⏹️ Stopped.", "And here."]
    );
    bot.check().await;
}

/// Its platform delivers each of them once, and does not wait for an answer.
#[tokio::test(start_paused = true)]
async fn what_comes_in_while_the_process_ends_is_answered_by_the_next_one() {
    const MESSAGES: usize = 300;
    let cap = "[queue]\ncap = 1000\n";
    let bot = Bot::with(cap).await;
    bot.says([text("Working on it"), stall(200_000)]);
    let signal = Arc::clone(&bot.loopbacks[&Platform::Signal]);
    let write = async {
        for n in 0..MESSAGES {
            let message = bot.message(Platform::Signal, &format!("message {n}"));
            signal.inject(message).unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let end = async {
        tokio::time::sleep(Duration::from_millis(350)).await;
        bot.engine.shutdown(Duration::from_secs(10)).await.unwrap();
    };
    tokio::join!(write, end);
    let came = |kinds: &[Kind]| {
        let received = kinds.iter().filter(|kind| matches!(kind, Kind::Received { .. }));
        received.count()
    };
    let early = came(&bot.kinds().await);
    assert!((100..MESSAGES).contains(&early), "{early} came in before the end");

    let world = bot.world();
    drop(bot);
    let answers = std::array::from_fn::<_, MESSAGES, _>(|_| text("Yes?"));
    let bot = Box::pin(Bot::answering(world, cap, Rules::all(), answers)).await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    let kinds = bot.kinds().await;
    assert_eq!(came(&kinds), MESSAGES);
    let ended = kinds.iter().filter(|kind| matches!(kind, Kind::TurnEnded { .. }));
    assert_eq!(ended.count(), MESSAGES);
    let answers = bot.screen(Platform::Signal);
    assert_eq!(
        answers.iter().filter(|text| *text == "Yes?").count(),
        MESSAGES - 1
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_or_doubled_whatever_is_toggled_when() {
    for at in (0..12_000).step_by(400) {
        let bot = Bot::start().await;
        let telegram = ChannelId::new("telegram");
        bot.says([
            text("One."),
            later(2_000, " Two."),
            tool("t"),
            later(2_000, "Three."),
            later(3_000, " Four."),
        ]);
        let turn = bot.user(Platform::Telegram, "hi").await;
        tokio::time::sleep(Duration::from_millis(at)).await;
        bot.engine
            .toggle(&telegram, false, Actor::Console, "test")
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
        bot.engine
            .toggle(&telegram, true, Actor::Console, "test")
            .await
            .unwrap();
        assert_eq!(turn.ended().await, Some(Terminal::Replied), "off at {at} ms");
        assert_eq!(
            bot.screen(Platform::Telegram),
            ["One. Two.", "Three. Four."],
            "off at {at} ms"
        );
        bot.check().await;
    }
}

#[test]
fn the_embedded_configuration_opens_five_loopbacks() {
    assert_eq!(configured("").channels.len(), 5);
}
