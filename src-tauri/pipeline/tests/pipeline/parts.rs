//! Texts of several messages: what is behind a message that did not arrive is held with it.

use crate::bot::{Bot, killed, later, runtime, slow, text, tool};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, Kind, OpId, OpKind, OutcomeCode, Terminal};
use std::time::Duration;

/// A text of three messages on Signal.
fn long() -> String {
    let can = foldback_channels::profile(platform::SIGNAL);
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
    bot.fault(platform::SIGNAL, refused(2, CallFailure::Forbidden));
    bot.says([text(&long())]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    let calls = bot.calls(platform::SIGNAL, OpKind::SendText).len();
    assert_eq!(calls, 2, "the third is not sent");
    assert_eq!(bot.screen(platform::SIGNAL).len(), 1);
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
async fn nothing_behind_a_part_that_failed_is_shown_live() {
    for platform in [platform::TELEGRAM, platform::DISCORD, platform::SLACK] {
        let can = foldback_channels::profile(platform);
        // A message and a quarter, twice.
        let words = "word ".repeat(can.text_limit / 4);
        let settings = "[typing]\nenabled = false\n[output]\nnarration = \"show\"\n";
        let bot = Bot::with(settings).await;
        bot.fault(platform, refused(1, CallFailure::Forbidden));
        bot.says([text(&words), later(2_000, &words), later(2_000, "and the end.")]);
        let terminal = bot.turn(platform, "hi").await;
        assert!(
            matches!(terminal, Terminal::Failed { .. }),
            "{platform}: {terminal:?}"
        );
        assert_eq!(bot.ever_shown(platform), [""; 0], "{platform}");
        assert_eq!(codes(&bot).await, [OutcomeCode::Failed; 3], "{platform}");
        assert_eq!(bot.warnings("sent anew").await, 0, "{platform}");
        bot.check().await;
    }
}

/// The bot in which the first of three messages that a directive carries into its own chat hangs, half a second after the
/// text behind it may go.
async fn hangs(fault: CallFault) -> (Bot, foldback_pipeline::Turn) {
    let settings = "[typing]\nenabled = false\n[output]\nallow_targets = [\"signal:c1\"]\n";
    let bot = Bot::with(settings).await;
    bot.fault(platform::SIGNAL, fault);
    let carried = format!(
        "<send-message channel=\"signal\" chat=\"c1\">{}</send-message>",
        long()
    );
    bot.says([text(&format!("<actions>{carried}</actions>Here."))]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(bot.screen(platform::SIGNAL), ["Here."]);
    (bot, turn)
}

#[tokio::test(start_paused = true)]
async fn parts_that_a_directive_carries_do_not_overtake_one_another() {
    let (bot, turn) = hangs(slow(OpKind::SendText, Duration::from_secs(30))).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL)[1..].join(" "), long());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn parts_that_a_directive_carries_are_held_with_the_one_that_hung_and_failed() {
    let fault = CallFault {
        fail: Some(CallFailure::Forbidden),
        ..slow(OpKind::SendText, Duration::from_secs(30))
    };
    let (bot, turn) = hangs(fault).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["Here."]);
    let calls = bot.calls(platform::SIGNAL, OpKind::SendText).len();
    assert_eq!(calls, 2, "the first part, and the text");
    assert_eq!(codes(&bot).await[1..], [OutcomeCode::Failed; 3]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_end_of_the_process_does_not_wait_for_parts_that_a_directive_carries() {
    let (bot, turn) = hangs(slow(OpKind::SendText, Duration::from_secs(30))).await;
    bot.engine.shutdown(Duration::from_mins(1)).await.unwrap();
    assert_eq!(turn.ended().await, None);
    assert_eq!(bot.left().await.len(), 2);
    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::SIGNAL)[1..].join(" "), long());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_behind_a_part_nobody_knows_of_goes_on() {
    let bot = Bot::start().await;
    bot.fault(platform::SIGNAL, refused(2, CallFailure::LostAck));
    bot.says([text(&long())]);
    bot.turn(platform::SIGNAL, "hi").await;
    assert_eq!(bot.screen(platform::SIGNAL).join(" "), long());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_later_message_of_the_answer_is_held_with_the_one_that_failed() {
    for platform in [platform::SIGNAL, platform::TELEGRAM] {
        let bot = Bot::with("[typing]\nenabled = false\n[output]\nnarration = \"show\"\n").await;
        bot.fault(platform, refused(1, CallFailure::Forbidden));
        bot.says([
            text("First."),
            tool("t1"),
            text("Second."),
            later(5_000, " And more."),
        ]);
        bot.turn(platform, "hi").await;
        assert_eq!(bot.ever_shown(platform), [""; 0], "{platform}");
        assert_eq!(codes(&bot).await, [OutcomeCode::Failed; 2], "{platform}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_directive_goes_on_behind_a_message_that_failed() {
    let bot = Bot::with("[typing]\nenabled = false\n[output]\nnarration = \"show\"\n").await;
    bot.fault(platform::SIGNAL, refused(1, CallFailure::Forbidden));
    let reaction = "<actions><react emoji=\"eyes\"/></actions>Second.";
    bot.says([text("First."), tool("t1"), text(reaction)]);
    bot.turn(platform::SIGNAL, "hi").await;
    assert!(bot.screen(platform::SIGNAL).is_empty());
    assert_eq!(bot.calls(platform::SIGNAL, OpKind::React).len(), 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn the_file_with_the_rest_is_held_with_a_message_that_failed() {
    let bot = Bot::with("[typing]\nenabled = false\n[output]\nmax_messages = 2\n").await;
    bot.fault(platform::SIGNAL, refused(2, CallFailure::Forbidden));
    bot.says([text(&[long(), long()].join(" "))]);
    bot.turn(platform::SIGNAL, "hi").await;
    assert_eq!(bot.screen(platform::SIGNAL).len(), 1, "neither notice nor file");
    assert!(bot.calls(platform::SIGNAL, OpKind::SendFile).is_empty());
    let ends = [
        OutcomeCode::Sent,
        OutcomeCode::Failed,
        OutcomeCode::Failed,
        OutcomeCode::Failed,
    ];
    assert_eq!(codes(&bot).await, ends);
    bot.check().await;
}

#[test]
fn what_a_start_intends_is_held_with_a_message_that_failed_before() {
    for fails in [false, true] {
        let world = killed(async {
            let bot = Bot::with("[output]\nnarration = \"show\"\n").await;
            if fails {
                bot.fault(platform::SIGNAL, refused(1, CallFailure::Forbidden));
            }
            // The second message is not in the outbox before it has ended.
            let second = [later(1_000, "Second"), later(60_000, " thought.")];
            bot.says([text("First."), tool("t1")].into_iter().chain(second));
            let _turn = bot.user(platform::SIGNAL, "hi").await;
            tokio::time::sleep(Duration::from_secs(30)).await;
            bot
        });
        runtime().block_on(async {
            let bot = Bot::in_world(world, "[output]\nnarration = \"show\"\n", Rules::all()).await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            let screen = bot.screen(platform::SIGNAL);
            assert_eq!(
                screen.iter().any(|shown| shown.starts_with("Second")),
                !fails,
                "{screen:?}"
            );
            bot.check().await;
        });
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_in_the_place_of_a_part_that_was_refused_holds_nothing() {
    let bot = Bot::start().await;
    bot.fault(platform::SIGNAL, refused(1, CallFailure::Gone));
    bot.says([text(&format!("[[reply_to_current]]{}", long()))]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SIGNAL).join(" "), long());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_directive_says_is_held_with_its_first_part_too() {
    let bot = Bot::with("[output]\nallow_targets = [\"signal:c2\"]\n").await;
    bot.fault(platform::SIGNAL, refused(1, CallFailure::Forbidden));
    let to = format!(
        "<send-message channel=\"signal\" chat=\"c2\">{}</send-message>",
        long()
    );
    bot.says([text(&format!("<actions>{to}</actions>Done."))]);
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.calls(platform::SIGNAL, OpKind::SendText).len(), 1);
    assert_eq!(bot.screen(platform::TELEGRAM), ["Done."]);
    bot.check().await;
}

#[test]
fn parts_that_a_restart_sends_are_held_with_the_one_that_fails_then() {
    for kills in 1..3 {
        let mut world = killed(async {
            let bot = Bot::start().await;
            bot.engine.mute(true, Actor::Console);
            bot.says([text(&long())]);
            let _turn = bot.user(platform::SIGNAL, "hi").await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(bot.left().await.len(), 3);
            bot
        });
        for _ in 1..kills {
            world = killed(Bot::in_world(world, "", Rules::all()));
        }
        let forbidden = refused(1, CallFailure::Forbidden);
        world.loopbacks[&platform::SIGNAL].platform().plan(forbidden);
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            bot.engine.mute(false, Actor::Console);
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert!(bot.screen(platform::SIGNAL).is_empty());
            assert_eq!(codes(&bot).await, [OutcomeCode::Failed; 3]);
            bot.check().await;
        });
    }
}
