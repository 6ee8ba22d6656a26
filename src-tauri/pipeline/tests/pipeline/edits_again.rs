//! Final edits without an answer: to write the same text into the same message once more changes nothing, so they are
//! done again, also by the next start.

use crate::bot::{Bot, World, killed, later, runtime, slow, text};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault, Record};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, ChannelId, MessageId, OpKind, Operation, Platform, Terminal};
use std::{collections::BTreeMap, time::Duration};

/// The platforms that edit and do not know a repetition by its key.
const EDITING: [Platform; 3] = [platform::TELEGRAM, platform::SLACK, platform::SIGNAL];

/// An answer with one final edit, and no other one where the platform takes a live frame at all.
pub(crate) fn says() -> [foldback_agents::ScriptStep; 2] {
    [text("one"), later(100, " two")]
}

pub(crate) fn edits(failure: CallFailure, times: u32) -> CallFault {
    CallFault {
        times,
        ..CallFault::first(OpKind::EditText, failure)
    }
}

fn is_live(platform: Platform) -> bool {
    let can = foldback_channels::profile(platform);
    can.edit && can.edit_interval_ms.is_some()
}

#[tokio::test(start_paused = true)]
async fn a_final_edit_without_an_answer_is_done_again_until_it_has_one() {
    for platform in EDITING.into_iter().filter(|platform| is_live(*platform)) {
        for failure in [CallFailure::LostAck, CallFailure::Disconnect] {
            let bot = Bot::start().await;
            bot.fault(platform, edits(failure, 3));
            bot.says(says());
            let ended = bot.turn(platform, "hi").await;
            assert_eq!(ended, Terminal::Replied, "{platform} {failure}");
            assert_eq!(bot.screen(platform), ["one two"], "{platform} {failure}");
            assert_eq!(
                bot.calls(platform, OpKind::EditText).len(),
                4,
                "{platform} {failure}"
            );
            assert_eq!(
                bot.calls(platform, OpKind::SendText).len(),
                1,
                "{platform} {failure}"
            );
            assert_eq!(bot.unknown().await, 0, "{platform} {failure}");
            bot.check().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_whose_final_edit_never_has_an_answer_takes_the_place_of_its_half_message() {
    for failure in [CallFailure::LostAck, CallFailure::Disconnect] {
        let bot = Bot::start().await;
        bot.fault(platform::TELEGRAM, edits(failure, 99));
        bot.says(says());
        assert_eq!(
            bot.turn(platform::TELEGRAM, "hi").await,
            Terminal::Replied,
            "{failure}"
        );
        assert_eq!(bot.screen(platform::TELEGRAM), ["one two"], "{failure}");
        let attempts = bot.calls(platform::TELEGRAM, OpKind::EditText).len();
        let most = bot.engine.config().outbox.attempts;
        assert_eq!(attempts, most as usize, "{failure}");
        assert_eq!(bot.warnings("the text is sent anew").await, 1, "{failure}");
        bot.check().await;
    }
}

/// The world after a bot was killed while its platform takes its time with the final edit of an answer.
pub(crate) fn cut(platform: Platform, failure: Option<CallFailure>) -> World {
    killed(async {
        let bot = Bot::start().await;
        let call = CallFault {
            fail: failure,
            ..slow(OpKind::EditText, Duration::from_secs(30))
        };
        bot.fault(platform, call);
        bot.says(says());
        let _turn = bot.user(platform, "hi").await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        let left = bot.left().await;
        assert_eq!(left.len(), 1, "{platform}: {left:?}");
        assert!(left[0].in_flight && !left[0].live, "{platform}: {left:?}");
        bot
    })
}

#[test]
fn a_final_edit_that_a_kill_hit_is_done_again_by_the_next_start() {
    for platform in EDITING.into_iter().filter(|platform| is_live(*platform)) {
        // However long ago it was: no person is asked.
        for away in [Duration::ZERO, Duration::from_mins(10), Duration::from_hours(1)] {
            let world = cut(platform, None);
            runtime().block_on(async {
                tokio::time::sleep(away).await;
                let bot = Bot::in_world(world, "", Rules::all()).await;
                tokio::time::sleep(Duration::from_mins(1)).await;
                assert_eq!(bot.screen(platform), ["one two"], "{platform} after {away:?}");
                assert_eq!(bot.unknown().await, 0, "{platform} after {away:?}");
                assert_eq!(
                    bot.terminals().await,
                    [Terminal::Replied],
                    "{platform} after {away:?}"
                );
                bot.check().await;
            });
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_final_edit_without_an_answer_whose_channel_was_off_for_long_is_done_again_without_consent() {
    let bot = Bot::start().await;
    let telegram = ChannelId::new("telegram");
    bot.fault(platform::TELEGRAM, edits(CallFailure::LostAck, 1));
    bot.says(says());
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    let left = bot.left().await;
    assert!(left.len() == 1 && left[0].in_flight && !left[0].live, "{left:?}");
    bot.toggle(platform::TELEGRAM, false).await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(bot.engine.asking(&telegram).len(), 0);
    // There is nothing to give up.
    bot.engine.give_up_held(&telegram, &Actor::Console).unwrap();
    bot.toggle(platform::TELEGRAM, true).await;
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::TELEGRAM), ["one two"]);
    assert_eq!(bot.unknown().await, 0);
    bot.check().await;
}

#[test]
fn a_final_edit_that_a_live_one_may_still_undo_is_confirmed_by_the_next_start() {
    let world = killed(async {
        let bot = Bot::start().await;
        // The live edit has no answer, and the final one is under way when the process is killed.
        bot.fault(platform::TELEGRAM, edits(CallFailure::LostAck, 1));
        let under_way = CallFault {
            nth: 2,
            ..slow(OpKind::EditText, Duration::from_secs(30))
        };
        bot.fault(platform::TELEGRAM, under_way);
        bot.says([text("one"), later(3_000, " two"), later(100, " three")]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        let left = bot.left().await;
        assert!(left.len() == 1 && left[0].in_flight && !left[0].live, "{left:?}");
        bot
    });
    runtime().block_on(async {
        let before = world.count_calls(platform::TELEGRAM, OpKind::EditText);
        let bot = Bot::in_world(world, "", Rules::all()).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(bot.screen(platform::TELEGRAM), ["one two three"]);
        let written = bot.calls(platform::TELEGRAM, OpKind::EditText).len();
        assert_eq!(
            written - before,
            2,
            "the one that was under way, and the confirmation"
        );
        assert_eq!(bot.warnings("may still come").await, 1);
        assert_eq!(bot.terminals().await, [Terminal::Replied]);
        bot.check().await;
        // Once is enough.
        let bot = Bot::in_world(bot.into_world(), "", Rules::all()).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        assert_eq!(bot.calls(platform::TELEGRAM, OpKind::EditText).len(), written);
    });
}

/// How often each message was edited by the calls from one on, the least often first.
fn edited(bot: &Bot, from: usize) -> Vec<usize> {
    let calls = bot.calls(platform::TELEGRAM, OpKind::EditText);
    let mut times: BTreeMap<MessageId, usize> = BTreeMap::new();
    for Record { call, .. } in calls.into_iter().skip(from) {
        let Operation::EditText { message, .. } = call.operation else {
            unreachable!("an edit");
        };
        *times.entry(message).or_default() += 1;
    }
    let mut times: Vec<_> = times.into_values().collect();
    times.sort_unstable();
    times
}

/// The world after a bot was killed of whose two messages each has a live edit without an answer: while the final edit of
/// the second one is under way, or once it has an answer and nothing is confirmed.
fn cut_with_two(under_way: bool) -> World {
    let words = |count| "word ".repeat(count);
    killed(async {
        let bot = Bot::start().await;
        for nth in [1, 4] {
            let lost = CallFault {
                nth,
                ..edits(CallFailure::LostAck, 1)
            };
            bot.fault(platform::TELEGRAM, lost);
        }
        if under_way {
            let slow = CallFault {
                nth: 5,
                ..slow(OpKind::EditText, Duration::from_secs(30))
            };
            bot.fault(platform::TELEGRAM, slow);
        }
        bot.says([
            text(&words(300)),
            later(6_000, &words(300)),
            // More than one message holds.
            later(6_000, &words(600)),
            later(6_000, &words(100)),
            later(100, &words(100)),
        ]);
        let _turn = bot.user(platform::TELEGRAM, "hi").await;
        tokio::time::sleep(Duration::from_secs(25)).await;
        assert_eq!(bot.unknown().await, 2, "a live edit of each message");
        assert_eq!(bot.left().await[0].in_flight, under_way);
        assert_eq!(bot.terminals().await, []);
        bot
    })
}

#[test]
fn the_final_edit_of_every_message_that_a_live_one_may_still_undo_is_confirmed_by_the_next_start() {
    // Beside the confirmations there is the one that was under way.
    for (under_way, edits) in [(false, [1, 1]), (true, [1, 2])] {
        let world = cut_with_two(under_way);
        runtime().block_on(async {
            let before = world.count_calls(platform::TELEGRAM, OpKind::EditText);
            let bot = Bot::in_world(world, "", Rules::all()).await;
            tokio::time::sleep(Duration::from_mins(2)).await;
            assert_eq!(edited(&bot, before), edits, "{under_way}");
            assert_eq!(bot.warnings("may still come").await, 2, "{under_way}");
            let words = bot.screen(platform::TELEGRAM).concat();
            assert_eq!(words.matches("word").count(), 1_400, "{under_way}");
            assert_eq!(bot.terminals().await, [Terminal::Replied], "{under_way}");
            bot.check().await;
        });
    }
}
