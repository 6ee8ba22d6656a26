//! Texts that are refused, late, or in doubt: what is said in their place, what is taken off the screen, and
//! what the journal is told of what is left there.

use crate::bot::{Bot, EPOCH, World, killed, later, runtime, slow, text, tool};
use async_trait::async_trait;
use foldback_agents::{Agent, ScriptAgent, StepSink, TurnRequest};
use foldback_channels::{
    Loopback, platform,
    sim::{CallFailure, CallFault},
};
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{Actor, HoldReason, Kind, OpKind, OutcomeCode, Platform, Terminal};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

const PLACEHOLDER: &str = "[output]\nplaceholder = \"…\"\n";

fn limited(op: OpKind, retry_after: Duration) -> CallFault {
    CallFault {
        retry_after_ms: Some(u64::try_from(retry_after.as_millis()).unwrap()),
        ..CallFault::first(op, CallFailure::RateLimited)
    }
}

/// A world in which a platform can do less.
fn without(platform: Platform, disable: impl FnOnce(&mut foldback_wire::Capabilities)) -> World {
    let mut world = World::new();
    let mut can = foldback_channels::profile(platform);
    disable(&mut can);
    let loopback = Loopback::new(can, Arc::new(world.clock), None);
    world.loopbacks.insert(platform, Arc::new(loopback));
    world
}

#[tokio::test(start_paused = true)]
async fn a_first_frame_nobody_knows_of_is_not_sent_again() {
    let bot = Bot::start().await;
    let lost = CallFault {
        times: 9,
        ..CallFault::first(OpKind::SendText, CallFailure::LostAck)
    };
    bot.fault(platform::TELEGRAM, lost);
    bot.says([text("one"), later(3_000, " two"), later(3_000, " three")]);
    let ended = bot.turn(platform::TELEGRAM, "hi").await;
    assert!(matches!(ended, Terminal::Unknown { .. }), "{ended}");
    // The frame, and the whole text once.
    assert_eq!(bot.screen(platform::TELEGRAM), ["one", "one two three"]);
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::SendText).len(), 2);
    assert!(bot.warnings("may stand on the screen twice").await > 0);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_first_frame_nobody_knows_of_is_found_again_by_its_key() {
    let bot = Bot::start().await;
    bot.fault(
        platform::DISCORD,
        CallFault::first(OpKind::SendText, CallFailure::LostAck),
    );
    bot.says([text("one"), later(3_000, " two")]);
    assert_eq!(bot.turn(platform::DISCORD, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::DISCORD), ["one two"]);
    let calls = bot.calls(platform::DISCORD, OpKind::SendText);
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].call.key, calls[1].call.key);
    assert_eq!(bot.warnings("").await, 0);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_edit_nobody_knows_of_is_not_taken_for_the_text_before_it() {
    let bot = Bot::start().await;
    let can = foldback_channels::profile(platform::TELEGRAM);
    let first = format!("{} ", "a".repeat(can.text_limit - 10));
    bot.fault(
        platform::TELEGRAM,
        CallFault::first(OpKind::EditText, CallFailure::LostAck),
    );
    // What was shown at first becomes the whole first message, after an edit showed more of it.
    bot.says([
        text(first.trim_end()),
        later(3_000, " bb"),
        later(100, &"b".repeat(20)),
    ]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(
        bot.screen(platform::TELEGRAM),
        [first.trim_end(), &"b".repeat(22)]
    );
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_wants_no_edit_for_an_hour_keeps_no_text_back() {
    let bot = Bot::start().await;
    bot.fault(
        platform::TELEGRAM,
        limited(OpKind::EditText, Duration::from_hours(1)),
    );
    bot.says([text("one"), later(2_000, " two"), later(2_000, " three")]);
    let before = bot.now_ms();
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() - before < 10_000, "{}", bot.now_ms() - before);
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    assert!(bot.warnings("the text is sent anew").await > 0);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_text_sent_anew_for_a_platform_that_wants_no_edit_is_not_confirmed() {
    let bot = Bot::start().await;
    let lost = CallFault::first(OpKind::EditText, CallFailure::LostAck);
    bot.fault(platform::TELEGRAM, lost);
    bot.fault(
        platform::TELEGRAM,
        CallFault {
            nth: 2,
            ..limited(OpKind::EditText, Duration::from_hours(1))
        },
    );
    let says = [" two", " three", " four"].map(|word| later(3_000, word));
    bot.says(std::iter::once(text("one")).chain(says));
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() < 20_000, "{}", bot.now_ms());
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three four"]);
    assert_eq!(bot.warnings("may still come").await, 0);
    let outcomes = bot.outcomes().await.into_iter();
    let failed = outcomes.filter(|(_, outcome)| outcome.code == OutcomeCode::Failed);
    assert_eq!(failed.count(), 1, "the live edit that was refused");
    bot.check().await;
}

/// A bot whose final edit, after a live edit without an answer, was held while its channel was off.
async fn held(answer: Option<CallFailure>) -> Bot {
    let bot = Bot::start().await;
    let lost = CallFault::first(OpKind::EditText, CallFailure::LostAck);
    bot.fault(platform::TELEGRAM, lost);
    if let Some(answer) = answer {
        let refused = CallFault {
            nth: 2,
            ..CallFault::first(OpKind::EditText, answer)
        };
        bot.fault(platform::TELEGRAM, refused);
    }
    bot.says([text("one"), later(3_000, " two"), later(100, " three")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(3_200)).await;
    bot.toggle(platform::TELEGRAM, false).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    bot.check().await;
    bot
}

#[tokio::test(start_paused = true)]
async fn a_final_edit_that_was_held_is_confirmed_once_it_arrived_and_never_where_it_was_sent_anew() {
    let bot = held(None).await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::EditText).len(), 3);
    assert_eq!(bot.warnings("may still come").await, 1);
    let bot = held(Some(CallFailure::Rejected)).await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::EditText).len(), 2);
    assert_eq!(bot.warnings("may still come").await, 0);
}

/// Why edits waited.
#[test]
fn a_final_edit_that_a_kill_kept_from_its_confirmation_is_confirmed_by_the_next_start() {
    let world = killed(async {
        let bot = Bot::start().await;
        let lost = CallFault::first(OpKind::EditText, CallFailure::LostAck);
        bot.fault(platform::TELEGRAM, lost);
        bot.says([text("one"), later(3_000, " two"), later(100, " three")]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_millis(3_200)).await;
        // The final edit is in the outbox; its channel takes nothing, and the process is killed.
        bot.toggle(platform::TELEGRAM, false).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(bot.warnings("may still come").await == 0);
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.toggle(platform::TELEGRAM, true).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
        assert_eq!(bot.terminals().await, [Terminal::Replied]);
        assert_eq!(bot.warnings("may still come").await, 1);
        assert_eq!(bot.calls(platform::TELEGRAM, OpKind::EditText).len(), 3);
        bot.check().await;
    });
}

#[tokio::test(start_paused = true)]
async fn the_journal_is_told_where_older_text_may_come_back_on_a_message_that_was_only_blanked() {
    let world = without(platform::TELEGRAM, |can| can.delete = false);
    let bot = Bot::in_world(world, "", Rules::all()).await;
    let lost = CallFault::first(OpKind::EditText, CallFailure::LostAck);
    bot.fault(platform::TELEGRAM, lost);
    let refused = CallFault {
        nth: 2,
        ..CallFault::first(OpKind::EditText, CallFailure::Rejected)
    };
    bot.fault(platform::TELEGRAM, refused);
    bot.says([text("one"), later(3_000, " two"), later(100, " three")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["\u{200b}", "one two three"]);
    assert_eq!(bot.warnings("older text would stand there again").await, 1);
    bot.check().await;
}

async fn waits(bot: &Bot) -> Vec<HoldReason> {
    let wait = |kind| match kind {
        Kind::Waiting { reason, .. } => Some(reason),
        _ => None,
    };
    bot.kinds().await.into_iter().filter_map(wait).collect()
}

#[tokio::test(start_paused = true)]
async fn a_final_edit_waits_for_a_rate_limit_and_says_so() {
    let bot = Bot::start().await;
    bot.fault(
        platform::TELEGRAM,
        limited(OpKind::EditText, Duration::from_mins(1)),
    );
    bot.says([text("one"), later(2_000, " two"), later(2_000, " three")]);
    let before = bot.now_ms();
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert!((62_000..70_000).contains(&(bot.now_ms() - before)));
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    assert_eq!(bot.operations(platform::TELEGRAM).len(), 3, "one message, edited");
    assert_eq!(waits(&bot).await, [HoldReason::RateLimited]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_end_of_the_process_does_not_wait_for_a_rate_limit() {
    let bot = Bot::start().await;
    bot.fault(
        platform::TELEGRAM,
        limited(OpKind::EditText, Duration::from_mins(4)),
    );
    bot.says([text("one"), later(2_000, " two"), later(2_000, " three")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let before = bot.now_ms();
    bot.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    assert!(bot.now_ms() - before <= 40_000, "{}", bot.now_ms() - before);
    assert_eq!(turn.ended().await, None);
    let left = bot.left().await;
    let left: Vec<_> = left.iter().map(|entry| entry.operation.kind()).collect();
    assert_eq!(left, [OpKind::EditText], "for the next start");
    let world = bot.into_world();
    tokio::time::sleep(Duration::from_mins(4)).await;
    let bot = Bot::in_world(world, "", Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_never_answers_keeps_no_process_from_ending() {
    let bot = Bot::start().await;
    let hangs = slow(OpKind::SendText, Duration::from_hours(100));
    bot.fault(platform::SIGNAL, hangs);
    let long = "word ".repeat(900);
    bot.says([text(&long)]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = bot.now_ms();
    let ended = bot.engine.shutdown(Duration::from_secs(5));
    tokio::time::timeout(Duration::from_mins(10), ended)
        .await
        .expect("it ends")
        .unwrap();
    assert!(bot.now_ms() - before <= 101_000, "{}", bot.now_ms() - before);
    assert_eq!(turn.ended().await, None, "it stays open");
    // All that is left to say is there for the next start; the call under way stays in flight.
    let left = bot.left().await;
    let in_flight: Vec<_> = left.iter().map(|entry| entry.in_flight).collect();
    assert_eq!(in_flight, [true, false, false]);

    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::SIGNAL).len(), 2);
    assert_eq!(bot.unknown().await, 1);
    bot.check().await;
}

/// An agent that does not stop when it is told to.
struct Stubborn(Arc<ScriptAgent>);

#[async_trait]
impl Agent for Stubborn {
    fn backend(&self) -> &str {
        self.0.backend()
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        self.0.run(request, sink, CancellationToken::new()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_speaks_on_while_the_process_ends_fills_no_outbox_with_frames() {
    let agent = Arc::new(ScriptAgent::new(Arc::new(TokioClock::at(EPOCH))));
    let stubborn = Arc::new(Stubborn(Arc::clone(&agent)));
    let bot = Bot::behind(World::new(), "", Rules::all(), agent, stubborn).await;
    bot.says((0..60).map(|_| later(100, "word ")));
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
    assert_eq!(turn.ended().await, None);
    let left = bot.left().await;
    assert!(left.iter().all(|entry| !entry.live), "{left:#?}");
    assert!(
        (1..=2).contains(&left.len()),
        "its text, and that it was stopped: {left:#?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_placeholder_stays_while_any_part_is_not_acknowledged() {
    for failure in [CallFailure::Forbidden, CallFailure::LostAck] {
        let bot = Bot::with(PLACEHOLDER).await;
        let fails = CallFault {
            nth: 2,
            times: 2,
            ..CallFault::first(OpKind::SendText, failure)
        };
        bot.fault(platform::TELEGRAM, fails);
        bot.says([
            later(2_000, "[[reply_to_current]]First."),
            tool("t"),
            later(2_000, "[[reply_to_current]]Second."),
        ]);
        bot.turn(platform::TELEGRAM, "hi").await;
        let screen = bot.screen(platform::TELEGRAM);
        assert_eq!(screen[0], "…", "{failure}: {screen:?}");
        assert!(bot.warnings("is left on the screen").await > 0, "{failure}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_sent_anew_is_no_reason_to_keep_the_placeholder() {
    let bot = Bot::with(PLACEHOLDER).await;
    bot.fault(
        platform::TELEGRAM,
        CallFault::first(OpKind::EditText, CallFailure::Forbidden),
    );
    bot.says([text("[[reply_to_current]]one"), later(100, " two")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    let screen = bot.screen(platform::TELEGRAM);
    assert_eq!(screen.len(), 1, "{screen:?}");
    assert!(screen[0].ends_with("one two"), "{screen:?}");
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_removed_is_blanked_or_left_with_a_warning() {
    let refused = |op| CallFault {
        times: 9,
        ..CallFault::first(op, CallFailure::Forbidden)
    };
    let answer = || [text("[[reply_to_current]]one")];

    let bot = Bot::with(PLACEHOLDER).await;
    bot.fault(platform::TELEGRAM, refused(OpKind::Delete));
    bot.says(answer());
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.screen(platform::TELEGRAM)[0], "\u{200b}", "blanked");
    assert!(bot.warnings("is left on the screen").await == 0);
    bot.check().await;

    let bot = Bot::with(PLACEHOLDER).await;
    bot.fault(platform::TELEGRAM, refused(OpKind::Delete));
    bot.fault(platform::TELEGRAM, refused(OpKind::EditText));
    bot.says(answer());
    bot.turn(platform::TELEGRAM, "hi").await;
    assert_eq!(bot.screen(platform::TELEGRAM)[0], "…");
    assert!(bot.warnings("is left on the screen").await > 0);
    bot.check().await;

    let world = without(platform::TELEGRAM, |can| can.delete = false);
    let bot = Bot::in_world(world, PLACEHOLDER, Rules::all()).await;
    bot.fault(platform::TELEGRAM, refused(OpKind::EditText));
    bot.says(answer());
    bot.turn(platform::TELEGRAM, "hi").await;
    assert!(bot.warnings("is left on the screen").await > 0);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_goes_into_a_placeholder_above_what_was_said() {
    for first in [
        "[[reply_to_current]]First.",
        "<actions><send-file path=\"a.txt\"/></actions>",
    ] {
        let bot = Bot::with(PLACEHOLDER).await;
        std::fs::write(bot.send_dir.join("a.txt"), "a").unwrap();
        // Acknowledgements are lost, so that the placeholder stays.
        bot.fault(
            platform::SLACK,
            CallFault {
                nth: 2,
                times: 2,
                ..CallFault::first(OpKind::SendText, CallFailure::LostAck)
            },
        );
        bot.says([text(first), tool("t"), later(5_000, "Second.")]);
        bot.turn(platform::SLACK, "hi").await;
        let screen = bot.screen(platform::SLACK);
        assert!(screen.last().unwrap().ends_with("Second."), "{screen:?}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_held_edit_of_a_message_that_is_gone_is_sent_anew() {
    let bot = Bot::start().await;
    bot.says([text("one"), later(5_000, " two")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    bot.toggle(platform::TELEGRAM, false).await;
    bot.fault(
        platform::TELEGRAM,
        CallFault::first(OpKind::EditText, CallFailure::Gone),
    );
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM).last().unwrap(), "one two");
    assert!(bot.warnings("the text is sent anew").await > 0);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_held_reply_whose_target_is_gone_is_sent_plainly() {
    let bot = Bot::start().await;
    bot.engine.mute(true, Actor::Console);
    bot.fault(
        platform::SIGNAL,
        CallFault::first(OpKind::SendText, CallFailure::Gone),
    );
    bot.says([text("[[reply_to_current]]Here.")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.engine.mute(false, Actor::Console);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["Here."]);
    assert!(bot.warnings("sent without").await > 0);
    bot.check().await;
}
