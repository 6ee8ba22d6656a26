//! The time of day jumps: the machine was suspended, or its clock was set.

use crate::bot::{Bot, JumpClock, World, parts, text};
use foldback_agents::ScriptAgent;
use foldback_pipeline::{Engine, Parts, Rules};
use foldback_store::Journal as _;
use foldback_wire::{Actor, ChannelId, Clock as _, Event, Kind, Platform, Seq, Terminal};
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
        bot.user(Platform::Telegram, "hi").await.ended().await,
        Some(Terminal::Replied)
    );
    assert!(jumps(&bot.journal.read(before, usize::MAX).await.unwrap()).is_empty());
    let before = Seq(bot.journal.head().0 + 1);
    clock.suspend(Duration::from_hours(8));
    let woke = clock.now();
    bot.says([text("Ahead.")]);
    assert_eq!(
        bot.user(Platform::Telegram, "hi").await.ended().await,
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
    bot.toggle(Platform::Signal, false).await;
    bot.says([text("Old news.")]);
    let turn = bot.user(Platform::Signal, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    clock.suspend(Duration::from_hours(8));
    bot.toggle(Platform::Signal, true).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bot.screen(Platform::Signal).is_empty(), "it is eight hours old");
    assert_eq!(bot.engine.asking(&signal).len(), 1);
    bot.engine.release_held(&signal, &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(Platform::Signal), ["Old news."]);
    bot.check().await;
}
