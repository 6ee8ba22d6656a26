//! Texts of several messages: what is behind a message that did not arrive is held with it.

use crate::bot::{Bot, killed, runtime, text, tool};
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Kind, OpId, OpKind, OutcomeCode, Platform, Terminal};
use std::time::Duration;

/// A text of three messages on Signal.
fn long() -> String {
    let can = foldback_channels::profile(Platform::Signal);
    "word ".repeat(can.text_limit / 2).trim().to_owned()
}

fn refused(nth: u32, failure: CallFailure) -> CallFault {
    CallFault {
        nth,
        ..CallFault::first(OpKind::SendText, failure)
    }
}

async fn codes(bot: &Bot) -> Vec<OutcomeCode> {
    let outcomes = bot.outcomes().await;
    outcomes.into_iter().map(|(_, outcome)| outcome.code).collect()
}

#[tokio::test(start_paused = true)]
async fn what_is_behind_a_part_that_failed_is_held_with_it() {
    let bot = Bot::with("[typing]\nenabled = false\n").await;
    bot.fault(Platform::Signal, refused(2, CallFailure::Forbidden));
    bot.says([text(&long())]);
    assert_eq!(bot.turn(Platform::Signal, "hi").await, Terminal::Replied);
    let calls = bot.calls(Platform::Signal, OpKind::SendText).len();
    assert_eq!(calls, 2, "the third is not sent");
    assert_eq!(bot.screen(Platform::Signal).len(), 1);
    let ends = [OutcomeCode::Sent, OutcomeCode::Failed, OutcomeCode::Failed];
    assert_eq!(codes(&bot).await, ends);
    let outcomes = bot.outcomes().await;
    let why = outcomes[2].1.detail.clone().unwrap();
    assert!(
        why.starts_with(&format!("held with operation {}", outcomes[1].0)),
        "{why}"
    );
    let parts: Vec<Option<OpId>> = bot
        .kinds()
        .await
        .into_iter()
        .filter_map(|kind| match kind {
            Kind::Intended { intent, .. } if intent.kind == OpKind::SendText => Some(intent.part_of),
            _ => None,
        })
        .collect();
    let first = Some(outcomes[0].0);
    assert_eq!(parts, [None, first, first]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_behind_a_part_nobody_knows_of_goes_on() {
    let bot = Bot::start().await;
    bot.fault(Platform::Signal, refused(2, CallFailure::LostAck));
    bot.says([text(&long())]);
    bot.turn(Platform::Signal, "hi").await;
    assert_eq!(bot.screen(Platform::Signal).join(" "), long());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn another_message_of_the_answer_is_no_part_of_the_one_that_failed() {
    let bot = Bot::with("[output]\nnarration = \"show\"\n").await;
    bot.fault(Platform::Signal, refused(1, CallFailure::Forbidden));
    bot.says([text("First."), tool("t1"), text("Second.")]);
    bot.turn(Platform::Signal, "hi").await;
    assert_eq!(bot.screen(Platform::Signal), ["Second."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_in_the_place_of_a_part_that_was_refused_holds_nothing() {
    let bot = Bot::start().await;
    bot.fault(Platform::Signal, refused(1, CallFailure::Gone));
    bot.says([text(&format!("[[reply_to_current]]{}", long()))]);
    assert_eq!(bot.turn(Platform::Signal, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(Platform::Signal).join(" "), long());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_directive_says_is_held_with_its_first_part_too() {
    let bot = Bot::with("[output]\nallow_targets = [\"signal:c2\"]\n").await;
    bot.fault(Platform::Signal, refused(1, CallFailure::Forbidden));
    let to = format!(
        "<send-message channel=\"signal\" chat=\"c2\">{}</send-message>",
        long()
    );
    bot.says([text(&format!("<actions>{to}</actions>Done."))]);
    bot.turn(Platform::Telegram, "hi").await;
    assert_eq!(bot.calls(Platform::Signal, OpKind::SendText).len(), 1);
    assert_eq!(bot.screen(Platform::Telegram), ["Done."]);
    bot.check().await;
}

#[test]
fn parts_that_a_restart_sends_are_held_with_the_one_that_fails_then() {
    for kills in 1..3 {
        let mut world = killed(async {
            let bot = Bot::start().await;
            bot.engine.mute(true, Actor::Console);
            bot.says([text(&long())]);
            let _turn = bot.user(Platform::Signal, "hi").await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(bot.left().await.len(), 3);
            bot
        });
        for _ in 1..kills {
            world = killed(Bot::in_world(world, "", Rules::all()));
        }
        let forbidden = refused(1, CallFailure::Forbidden);
        world.loopbacks[&Platform::Signal].platform().plan(forbidden);
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            bot.engine.mute(false, Actor::Console);
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert!(bot.screen(Platform::Signal).is_empty());
            assert_eq!(codes(&bot).await, [OutcomeCode::Failed; 3]);
            bot.check().await;
        });
    }
}
