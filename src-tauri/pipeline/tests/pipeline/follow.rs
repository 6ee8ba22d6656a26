//! What follows from an outcome: in its place in the chat, after a restart too, and known to the ledger.

use crate::bot::{Bot, killed, later, runtime, slow, text};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, OpKind, OutcomeCode, Terminal};
use std::time::Duration;

/// An answer of several messages whose words are numbered.
fn numbered(words: usize) -> String {
    let words: Vec<_> = (0..words).map(|word| format!("w{word}")).collect();
    words.join(" ")
}

/// The numbers of the words on a screen, in the order in which they are read.
fn read(screen: &[String]) -> Vec<usize> {
    let words = screen.iter().flat_map(|message| message.split_whitespace());
    words
        .filter_map(|word| word.strip_prefix('w')?.parse().ok())
        .collect()
}

fn always(op: OpKind, fail: CallFailure) -> CallFault {
    CallFault {
        times: 99,
        ..CallFault::first(op, fail)
    }
}

#[tokio::test(start_paused = true)]
async fn a_held_reply_that_is_refused_keeps_its_place() {
    let bot = Bot::start().await;
    bot.engine.mute(true, Actor::Console);
    bot.fault(
        platform::SIGNAL,
        CallFault::first(OpKind::SendText, CallFailure::Gone),
    );
    let long = numbered(1_200);
    bot.says([text(&format!("[[reply_to_current]]{long}"))]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.engine.mute(false, Actor::Console);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let screen = bot.screen(platform::SIGNAL);
    assert!(screen.len() >= 3, "{}", screen.len());
    assert_eq!(read(&screen), (0..1_200).collect::<Vec<_>>());
    assert_eq!(bot.warnings("sent without").await, 1);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_held_edit_that_is_refused_keeps_its_place() {
    let bot = Bot::start().await;
    let long = numbered(2_000);
    let (first, rest) = long.split_at(long.find(" w9").unwrap());
    bot.says([text(first), later(5_000, rest)]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(bot.screen(platform::TELEGRAM).len(), 1, "a live frame");
    bot.engine.mute(true, Actor::Console);
    bot.fault(
        platform::TELEGRAM,
        CallFault::first(OpKind::EditText, CallFailure::Forbidden),
    );
    tokio::time::sleep(Duration::from_mins(1)).await;
    bot.engine.mute(false, Actor::Console);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let screen = bot.screen(platform::TELEGRAM);
    assert!(screen.len() >= 3, "{}", screen.len());
    assert_eq!(read(&screen), (0..2_000).collect::<Vec<_>>());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_was_replaced_names_what_was_done_in_its_place() {
    let bot = Bot::start().await;
    bot.fault(
        platform::SIGNAL,
        CallFault::first(OpKind::SendText, CallFailure::Gone),
    );
    bot.says([text("[[reply_to_current]]Hello.")]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    let outcomes = bot.outcomes().await;
    let texts: Vec<_> = outcomes
        .iter()
        .filter(|(_, o)| o.code != OutcomeCode::Cancelled)
        .collect();
    let refused = texts.iter().find(|(_, o)| o.code == OutcomeCode::Failed).unwrap();
    let plain = refused.1.replaced_by.expect("another operation");
    assert!(!refused.1.is_dead());
    assert!(
        texts
            .iter()
            .any(|(op, o)| *op == plain && o.code == OutcomeCode::Sent)
    );
    bot.check().await;
}

#[test]
fn a_reply_whose_target_is_gone_after_a_restart_is_sent_plainly() {
    let world = killed(async {
        let bot = Bot::start().await;
        bot.engine.mute(true, Actor::Console);
        bot.says([text("[[reply_to_current]]Here.")]);
        let _turn = bot.user(platform::SIGNAL, "hi").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        bot
    });
    let gone = CallFault::first(OpKind::SendText, CallFailure::Gone);
    world.loopbacks[&platform::SIGNAL].platform().plan(gone);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::SIGNAL), ["Here."]);
        assert_eq!(bot.warnings("sent without").await, 1);
        assert_eq!(bot.terminals().await, [Terminal::Replied]);
        bot.check().await;
    });
}

/// A bot killed while a live message waits for its final text.
async fn edit_held() -> Bot {
    let bot = Bot::start().await;
    bot.says([text("one"), later(5_000, " two")]);
    let _turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    bot.engine.mute(true, Actor::Console);
    tokio::time::sleep(Duration::from_secs(10)).await;
    bot
}

#[test]
fn an_edit_that_is_refused_after_a_restart_leaves_no_second_message() {
    let world = killed(edit_held());
    let refused = CallFault::first(OpKind::EditText, CallFailure::Forbidden);
    world.loopbacks[&platform::TELEGRAM].platform().plan(refused);
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["one two"]);
        bot.check().await;
    });
}

#[test]
fn a_kill_between_a_text_sent_anew_and_the_removal_of_the_old_one_leaves_no_second_message() {
    for at in (0..2_500).step_by(50) {
        let world = killed(async {
            let bot = Bot::start().await;
            bot.says([text("one"), later(2_000, " two")]);
            bot.fault(
                platform::TELEGRAM,
                always(OpKind::EditText, CallFailure::Forbidden),
            );
            // The frame is at the platform at once; the text sent anew takes its time, and so does the removal.
            for (op, nth) in [(OpKind::SendText, 2), (OpKind::Delete, 1)] {
                let slow = CallFault {
                    nth,
                    ..slow(op, Duration::from_millis(100))
                };
                bot.fault(platform::TELEGRAM, slow);
            }
            let _turn = bot.user(platform::TELEGRAM, "hi").await;
            tokio::time::sleep(Duration::from_millis(1_500 + at)).await;
            bot
        });
        runtime().block_on(async {
            let bot = Bot::in_world(world, "", Rules::all()).await;
            tokio::time::sleep(Duration::from_secs(30)).await;
            let mut screen = bot.screen(platform::TELEGRAM);
            // A run that was cut off is told of.
            screen.retain(|text| !text.starts_with("⚠️"));
            let unknown = bot.unknown().await;
            assert!(screen.len() <= 1 + unknown, "killed at {at}: {screen:?}");
            bot.check().await;
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_frame_under_way_when_the_process_ends_is_edited_by_the_next() {
    let bot = Bot::start().await;
    bot.fault(
        platform::TELEGRAM,
        slow(OpKind::SendText, Duration::from_secs(12)),
    );
    bot.says([text("one"), later(100, " two"), later(100, " three")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    bot.engine.shutdown(Duration::from_secs(1)).await.unwrap();
    assert_eq!(turn.ended().await, None);
    let left = bot.left().await;
    let left: Vec<_> = left.iter().map(|entry| entry.operation.kind()).collect();
    assert_eq!(left, [OpKind::EditText], "for the next start");
    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_frame_that_never_ends_keeps_no_text_from_the_next_start() {
    let bot = Bot::start().await;
    bot.fault(
        platform::TELEGRAM,
        slow(OpKind::SendText, Duration::from_hours(100)),
    );
    bot.says([text("one"), later(100, " two")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let ended = bot.engine.shutdown(Duration::from_secs(1));
    tokio::time::timeout(Duration::from_mins(10), ended)
        .await
        .expect("it ends")
        .unwrap();
    assert_eq!(turn.ended().await, None);
    assert_eq!(bot.warnings("may stand on the screen twice").await, 1);
    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_first_frame_in_its_pause_when_the_process_ends_is_not_sent_by_the_next() {
    let bot = Bot::start().await;
    let lost = CallFault {
        retry_after_ms: Some(20_000),
        ..always(OpKind::SendText, CallFailure::LostAck)
    };
    bot.fault(platform::DISCORD, lost);
    bot.says([text("one"), later(100, " two")]);
    let turn = bot.user(platform::DISCORD, "hi").await;
    while bot.calls(platform::DISCORD, OpKind::SendText).is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bot.engine.shutdown(Duration::ZERO).await.unwrap();
    assert_eq!(turn.ended().await, None);
    let calls = bot.calls(platform::DISCORD, OpKind::SendText).len();
    let left = bot.left().await;
    assert!(left.iter().all(|entry| !entry.live), "{left:#?}");
    assert_eq!(bot.warnings("may stand on the screen twice").await, 1);
    let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
    tokio::time::sleep(Duration::from_mins(15)).await;
    let again = bot.calls(platform::DISCORD, OpKind::SendText).split_off(calls);
    let first = &bot.calls(platform::DISCORD, OpKind::SendText)[0].call.key;
    assert!(again.iter().all(|record| record.call.key != *first));
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_which_only_a_live_frame_arrived_has_failed() {
    let bot = Bot::start().await;
    bot.says([text("one"), later(5_000, " two")]);
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    for op in [OpKind::EditText, OpKind::SendText] {
        bot.fault(platform::TELEGRAM, always(op, CallFailure::Forbidden));
    }
    let Some(Terminal::Failed { detail }) = turn.ended().await else {
        panic!("nothing but a frame arrived");
    };
    assert!(
        detail.contains("nothing of the answer could be delivered"),
        "{detail}"
    );
    assert_eq!(bot.screen(platform::TELEGRAM), ["one"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_its_last_frame_shows_has_replied() {
    let bot = Bot::start().await;
    bot.says([text("one"), later(5_000, " two"), later(5_000, "")]);
    assert_eq!(bot.turn(platform::TELEGRAM, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two"]);
    bot.check().await;
}

async fn end(bot: &Bot) -> Terminal {
    bot.terminals().await.pop().expect("an end")
}

#[test]
fn a_frame_alone_is_no_answer_after_a_restart() {
    let world = killed(edit_held());
    for op in [OpKind::EditText, OpKind::SendText] {
        let refused = always(op, CallFailure::Forbidden);
        world.loopbacks[&platform::TELEGRAM].platform().plan(refused);
    }
    runtime().block_on(async {
        let bot = Bot::in_world(world, "", Rules::all()).await;
        bot.engine.mute(false, Actor::Console);
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(matches!(end(&bot).await, Terminal::Failed { .. }));
        bot.check().await;
    });
}

#[test]
fn a_last_frame_that_is_the_answer_counts_after_a_restart() {
    let settings = "[output]\nallow_targets = [\"slack:c1\"]\n";
    let world = killed(async {
        let bot = Bot::with(settings).await;
        bot.toggle(platform::SLACK, false).await;
        bot.says([text(
            "<actions><send-message channel=\"slack\" chat=\"c1\">There.</send-message></actions>Here.",
        )]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        bot
    });
    runtime().block_on(async {
        let bot = Bot::in_world(world, settings, Rules::all()).await;
        bot.toggle(platform::SLACK, true).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["Here."]);
        assert_eq!(bot.screen(platform::SLACK), ["There."]);
        assert_eq!(bot.calls(platform::TELEGRAM, OpKind::EditText).len(), 0);
        assert_eq!(end(&bot).await, Terminal::Replied);
        bot.check().await;
    });
}
