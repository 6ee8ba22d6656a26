//! The time of day jumps: the machine was suspended, or its clock was set.

use crate::bot::{Bot, JumpClock, World, later, parts, text};
use foldback_agents::ScriptAgent;
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::{Engine, Parts, Rules};
use foldback_store::Journal as _;
use foldback_wire::{Actor, ChannelId, ChannelState, Clock as _, Event, Kind, OpKind, Seq, Terminal};
use std::{sync::Arc, time::Duration};

/// A bot whose time of day can jump.
async fn start() -> (Arc<JumpClock>, Bot) {
    let (world, clock) = (World::new(), JumpClock::new());
    let agent = Arc::new(ScriptAgent::new(clock.clone()).with_silence(Duration::from_hours(24)));
    let own = Parts {
        clock: clock.clone(),
        ..parts(&world, "", Rules::all(), agent.clone())
    };
    let engine = Engine::start(own).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    (clock, Bot::around(world, engine, agent))
}

fn jumps(events: &[Event]) -> Vec<i64> {
    let jumps = events.iter().filter_map(|event| match event.kind {
        Kind::ClockJumped { by_ms } => Some(by_ms),
        _ => None,
    });
    jumps.collect()
}

#[tokio::test(start_paused = true)]
async fn a_jump_of_over_a_minute_is_told_once_before_what_bears_the_new_time() {
    let (clock, bot) = start().await;
    let before = bot.journal.head();
    clock.set(59_000);
    bot.says([text("Small.")]);
    assert_eq!(
        bot.user(platform::TELEGRAM, "hi").await.ended().await,
        Some(Terminal::Replied)
    );
    assert!(jumps(&bot.journal.read(before, usize::MAX).await.unwrap()).is_empty());
    let before = Seq(bot.journal.head().0 + 1);
    clock.suspend(Duration::from_hours(8));
    let woke = clock.now();
    bot.says([text("Ahead.")]);
    assert_eq!(
        bot.user(platform::TELEGRAM, "hi").await.ended().await,
        Some(Terminal::Replied)
    );
    let told = bot.journal.read(before, usize::MAX).await.unwrap();
    assert_eq!(jumps(&told), [8 * 3_600_000]);
    assert!(
        matches!(told[0].kind, Kind::ClockJumped { .. }),
        "first of all: {told:?}"
    );
    assert!(told.iter().all(|event| event.at >= woke), "{told:?}");
    let before = Seq(bot.journal.head().0 + 1);
    clock.set(-3_600_000);
    let channel = ChannelId::new("telegram");
    assert!(bot.engine.arm(&channel, false, Actor::Console).unwrap());
    let told = bot.journal.read(before, usize::MAX).await.unwrap();
    assert_eq!(
        jumps(&told),
        [-3_600_000],
        "also before what a channel tells: {told:?}"
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_suspended_machine_held_is_as_old_as_the_time_of_day_says() {
    let (clock, bot) = start().await;
    let signal = ChannelId::new("signal");
    bot.toggle(platform::SIGNAL, false).await;
    bot.says([text("Old news.")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    clock.suspend(Duration::from_hours(8));
    bot.toggle(platform::SIGNAL, true).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bot.screen(platform::SIGNAL).is_empty(), "it is eight hours old");
    assert_eq!(bot.engine.asking(&signal).len(), 1);
    bot.engine.release_held(&signal, &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["Old news."]);
    bot.check().await;
}

/// The virtual time that something takes.
async fn lasts<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let before = tokio::time::Instant::now();
    (work.await, before.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_while_a_preview_is_shown_makes_no_edit_late() {
    let (clock, bot) = start().await;
    bot.says([
        text("One"),
        later(100, " two"),
        later(4_000, " three"),
        later(100, " four"),
    ]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    let set = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        // Before the preview is due, and again before its final edit is.
        clock.set(-8 * 3_600_000);
        tokio::time::sleep(Duration::from_millis(4_200)).await;
        clock.set(-8 * 3_600_000);
    };
    let ((terminal, ()), took) = lasts(async { tokio::join!(turn.ended(), set) }).await;
    assert_eq!(terminal, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["One two three four"]);
    assert!(took < Duration::from_secs(30), "{took:?}");
    bot.check().await;
}

/// Discord knows a key for a few minutes, whatever this machine's clock says.
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_or_a_suspend_makes_no_key_remembered_longer() {
    let hours = 8 * 3_600_000;
    for (slept, set_ms) in [
        (Duration::from_mins(10), -hours),
        (Duration::from_mins(10), 0),
        (Duration::from_secs(10), hours),
    ] {
        let (clock, bot) = start().await;
        let lost = CallFault::first(OpKind::SendText, CallFailure::LostAck);
        bot.fault(platform::DISCORD, lost);
        bot.says([text("Once.")]);
        let turn = bot.user(platform::DISCORD, "hi").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        bot.toggle(platform::DISCORD, false).await;
        tokio::time::sleep(slept).await;
        clock.set(set_ms);
        bot.toggle(platform::DISCORD, true).await;
        let ended = turn.ended().await;
        assert!(
            matches!(ended, Some(Terminal::Unknown { .. })),
            "{slept:?}, {set_ms}: {ended:?}"
        );
        assert_eq!(bot.calls(platform::DISCORD, OpKind::SendText).len(), 1);
        assert_eq!(bot.unknown().await, 1);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_makes_no_pause_of_a_platform_longer() {
    let (clock, bot) = start().await;
    let limited = CallFault {
        retry_after_ms: Some(3_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    bot.fault(platform::TELEGRAM, limited);
    bot.says([text("Here.")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    let set = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        clock.set(-8 * 3_600_000);
    };
    let ((terminal, ()), took) = lasts(async { tokio::join!(turn.ended(), set) }).await;
    assert_eq!(terminal, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["Here."]);
    assert!(took < Duration::from_secs(30), "{took:?}");
    let telegram = bot
        .engine
        .channels()
        .channel(&ChannelId::new("telegram"))
        .unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(telegram.status().state, ChannelState::Up, "the wait is over");
    bot.check().await;
}
