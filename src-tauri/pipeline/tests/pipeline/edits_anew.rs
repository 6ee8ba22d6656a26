//! Final edits that are refused, or never have an answer, long after they were intended: the message in their place is as
//! old as they are, and waits for a person.

use crate::{
    bot::{Bot, EPOCH, World, killed, runtime},
    edits_again::{cut, edits, says},
};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::Rules;
use foldback_wire::{Actor, ChannelId, OpKind, Terminal};
use std::time::Duration;

/// How the edit of [`cut`] ends when the next start does it again, and what is on the screen before and after the text is
/// sent anew.
const REFUSALS: [(CallFailure, &[&str], &[&str]); 3] = [
    (CallFailure::Gone, &["one"], &["one", "one two"]),
    (CallFailure::Rejected, &["one"], &["one two"]),
    (CallFailure::LostAck, &["one two"], &["one two"]),
];

/// The bot that starts in the world of [`cut`] after a while, where no edit succeeds any more; five minutes later.
async fn refused(world: World, failure: CallFailure, away: Duration) -> Bot {
    tokio::time::sleep(away).await;
    let loopback = &world.loopbacks[&platform::TELEGRAM];
    loopback.platform().plan(edits(failure, 99));
    let bot = Bot::in_world(world, "", Rules::all()).await;
    tokio::time::sleep(Duration::from_mins(5)).await;
    bot
}

#[test]
fn a_text_sent_anew_for_an_old_edit_that_a_kill_hit_waits_for_a_person_also_over_another_kill() {
    let telegram = ChannelId::new("telegram");
    for (failure, before, after) in REFUSALS {
        let world = cut(platform::TELEGRAM, None);
        let world = killed(refused(world, failure, Duration::from_hours(1)));
        runtime().block_on(async {
            // The clock of every start begins anew: the new message was intended forty minutes later than now, and the
            // edit twenty minutes ago.
            tokio::time::sleep(Duration::from_mins(20)).await;
            let bot = Bot::in_world(world, "", Rules::all()).await;
            tokio::time::sleep(Duration::from_mins(1)).await;
            assert_eq!(bot.screen(platform::TELEGRAM), before, "{failure}");
            assert_eq!(bot.engine.asking(&telegram).len(), 1, "{failure}");
            let waits = bot.engine.awaiting_consent(&telegram);
            assert!(
                waits
                    .oldest
                    .is_some_and(|at| at.since(EPOCH) < Duration::from_mins(1))
            );
            assert_eq!(bot.terminals().await, [], "{failure}");
            bot.engine.release_held(&telegram, &Actor::Console).unwrap();
            tokio::time::sleep(Duration::from_mins(1)).await;
            assert_eq!(bot.screen(platform::TELEGRAM), after, "{failure}");
            let sent = bot.calls(platform::TELEGRAM, OpKind::SendText).len();
            assert_eq!(sent, 2, "{failure}: the preview, and the text once");
            assert_eq!(bot.terminals().await, [Terminal::Replied], "{failure}");
            bot.check().await;
        });
    }
}

#[test]
fn a_text_sent_anew_for_a_young_edit_that_a_kill_hit_goes_out_by_itself() {
    for (failure, _, after) in REFUSALS {
        let world = cut(platform::TELEGRAM, None);
        runtime().block_on(async {
            let bot = refused(world, failure, Duration::from_mins(1)).await;
            assert_eq!(bot.screen(platform::TELEGRAM), after, "{failure}");
            let sent = bot.calls(platform::TELEGRAM, OpKind::SendText).len();
            assert_eq!(sent, 2, "{failure}: the preview, and the text once");
            assert_eq!(bot.terminals().await, [Terminal::Replied], "{failure}");
            bot.check().await;
        });
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_sent_anew_for_an_edit_whose_channel_was_off_for_long_waits_for_a_person() {
    let bot = Bot::start().await;
    let telegram = ChannelId::new("telegram");
    bot.fault(platform::TELEGRAM, edits(CallFailure::LostAck, 1));
    let gone = CallFault {
        nth: 2,
        ..edits(CallFailure::Gone, 1)
    };
    bot.fault(platform::TELEGRAM, gone);
    bot.says(says());
    let turn = bot.user(platform::TELEGRAM, "hi").await;
    tokio::time::sleep(Duration::from_millis(1_600)).await;
    bot.toggle(platform::TELEGRAM, false).await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    bot.toggle(platform::TELEGRAM, true).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::SendText).len(), 1);
    assert_eq!(bot.engine.asking(&telegram).len(), 1);
    bot.engine.release_held(&telegram, &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.calls(platform::TELEGRAM, OpKind::SendText).len(), 2);
    bot.check().await;
}
