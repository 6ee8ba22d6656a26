//! A channel that is off, muted or not armed: what is said there meanwhile, and what becomes of it.

use crate::bot::{Bot, later, text, tool};
use foldback_channels::platform;
use foldback_wire::{Actor, ChannelId, Kind, OutcomeCode, Terminal};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_channel_that_goes_off_mid_turn_holds_the_rest_and_sends_it_in_order() {
    let bot = Bot::start().await;
    bot.says([
        text("First."),
        later(2_000, ""),
        tool("t1"),
        later(2_000, "Second."),
        tool("t2"),
        later(2_000, "<actions><react emoji=\"eyes\"/></actions>Third."),
    ]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    bot.toggle(platform::TELEGRAM, false).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["First."]);
    let held = bot.left().await;
    assert_eq!(held.len(), 3, "second, reaction, third: {held:#?}");
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["First.", "Second.", "Third."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_held_too_long_waits_for_a_person() {
    let bot = Bot::start().await;
    let signal = ChannelId::new("signal");
    bot.says([later(1_000, "Old news.")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    bot.toggle(platform::SIGNAL, false).await;
    tokio::time::sleep(Duration::from_secs(700)).await;
    bot.toggle(platform::SIGNAL, true).await;
    tokio::time::sleep(Duration::from_secs(700)).await;
    assert!(bot.screen(platform::SIGNAL).is_empty());
    bot.engine.release_held(&signal, &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["Old news."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_gives_up_what_was_held_too_long_and_nothing_younger() {
    let bot = Bot::start().await;
    let signal = ChannelId::new("signal");
    bot.toggle(platform::SIGNAL, false).await;
    bot.says([text("Old news.")]);
    let old = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_secs(500)).await;
    bot.engine.give_up_held(&signal, &Actor::Console).unwrap();
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(bot.left().await.len(), 1, "not too old when it was said");
    bot.toggle(platform::SIGNAL, true).await;
    bot.toggle(platform::SIGNAL, false).await;
    bot.says([text("Fresh news.")]);
    let fresh = bot.user(platform::SIGNAL, "and now?").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.engine.give_up_held(&signal, &Actor::Console).unwrap();
    assert!(matches!(old.ended().await, Some(Terminal::Failed { .. })));
    bot.toggle(platform::SIGNAL, true).await;
    assert_eq!(fresh.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["Fresh news."]);
    let outcomes = bot.outcomes().await.into_iter();
    let given_up: Vec<_> = outcomes
        .filter(|(_, outcome)| outcome.code == OutcomeCode::Cancelled)
        .filter_map(|(_, outcome)| outcome.detail)
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
    let turn = bot.user(platform::SLACK, "hi").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bot.screen(platform::SLACK).is_empty());
    assert!(bot.engine.mute(false, Actor::Console));
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SLACK), ["Quiet."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_or_doubled_whatever_is_toggled_when() {
    for at in (0..12_000).step_by(400) {
        let bot = Bot::start().await;
        bot.says([
            text("One."),
            later(2_000, " Two."),
            tool("t"),
            later(2_000, "Three."),
            later(3_000, " Four."),
        ]);
        let turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_millis(at)).await;
        bot.toggle(platform::TELEGRAM, false).await;
        tokio::time::sleep(Duration::from_secs(20)).await;
        bot.toggle(platform::TELEGRAM, true).await;
        assert_eq!(turn.ended().await, Some(Terminal::Replied), "off at {at} ms");
        assert_eq!(
            bot.screen(platform::TELEGRAM),
            ["One. Two.", "Three. Four."],
            "off at {at} ms"
        );
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_does_everything_but_the_platform_call() {
    let bot = Bot::with("[channels.telegram]\narmed = false\n").await;
    bot.says([
        text("<actions><react emoji=\"eyes\"/></actions>One"),
        later(5_000, " two."),
    ]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert!(bot.screen(platform::TELEGRAM).is_empty());
    let kinds = bot.kinds().await;
    let attempted = |kind: &Kind| matches!(kind, Kind::Attempted { .. });
    assert!(!kinds.iter().any(attempted), "no platform was called");
    let outcomes = bot.outcomes().await;
    assert!(outcomes.len() >= 3);
    assert!(
        outcomes
            .iter()
            .all(|(_, outcome)| (outcome.code, outcome.attempts) == (OutcomeCode::DryRun, 0)),
        "{outcomes:?}"
    );
    bot.check().await;
}
