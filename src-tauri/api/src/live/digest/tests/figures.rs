//! Sums over turns, operations and events.

use super::feed::{Feed, sent};
use crate::live::{digest::Digest, unknown::UnknownOutcomes};
use foldback_wire::{ChannelId, Kind, OpId, OpKind, Outcome, OutcomeCode, Timestamp, rpc::Counters};

#[test]
fn turns_run_from_their_message_to_their_end_but_not_in_the_queue() {
    let mut feed = Feed::default();
    feed.received(0, 1).received(0, 2).at(
        1,
        2,
        Kind::Queued {
            position: 1,
            runs: None,
            needs_consent: false,
        },
    );
    assert_eq!(feed.digest.running(), 1);
    feed.turn_ended(5, 1).at(6, 2, Kind::Dequeued { waited_ms: 5 });
    assert_eq!(feed.digest.running(), 1);
    feed.turn_ended(9, 2);
    assert_eq!(feed.digest.running(), 0);
}

#[test]
fn operations_wait_until_their_outcome_and_are_counted_by_it() {
    let mut feed = Feed::default();
    feed.received(0, 1)
        .intended(1, 1, 1)
        .intended(1, 1, 2)
        .intended(1, 1, 3);
    assert_eq!((feed.digest.waiting(), feed.counters().held), (3, 3));
    feed.ended(2, 1, 1, sent())
        .ended(2, 1, 2, Outcome::new(OutcomeCode::DryRun));
    let counters = Counters {
        received: 1,
        sent: 1,
        dry_run: 1,
        held: 1,
        ..Counters::default()
    };
    assert_eq!((feed.digest.waiting(), feed.counters()), (1, counters));
}

#[test]
fn what_was_in_the_outbox_at_the_start_waits_too() {
    let mut feed = Feed {
        digest: Digest::resume([(OpId(7), ChannelId::from("slack"))], UnknownOutcomes::default()),
        ..Feed::default()
    };
    assert_eq!((feed.digest.waiting(), feed.counters().held), (1, 1));
    feed.ended(1, 1, 7, sent());
    assert_eq!((feed.digest.waiting(), feed.counters().held), (0, 0));
}

#[test]
fn the_percentile_goes_from_the_message_to_the_last_outcome_of_the_last_two_hundred() {
    let mut feed = Feed::default();
    assert_eq!(feed.digest.p95_turn_ms(), None);
    feed.received(0, 1).turn_ended(50, 1);
    assert_eq!(
        feed.digest.p95_turn_ms(),
        None,
        "a turn without an operation tells nothing about speed"
    );
    for turn in 2..=301 {
        let took = turn as i64;
        feed.received(0, turn)
            .intended(1, turn, turn)
            .ended(took, turn, turn, sent())
            .turn_ended(9_999, turn);
    }
    // Turns 102 to 301 remain; the 190th of them took 291 ms.
    assert_eq!(feed.digest.p95_turn_ms(), Some(291));
}

#[test]
fn events_are_counted_over_one_second() {
    let mut feed = Feed::default();
    for ms in [0, 400, 400, 900] {
        feed.at(ms, 0, Kind::Idle);
    }
    assert_eq!(feed.digest.events_per_second(Timestamp(999)), 4);
    assert_eq!(feed.digest.events_per_second(Timestamp(1_000)), 3);
    assert_eq!(feed.digest.events_per_second(Timestamp(5_000)), 0);
    feed.at(60_000, 0, Kind::Idle);
    assert_eq!(
        feed.digest.rate.len(),
        1,
        "what is older is forgotten without being asked for"
    );
}

#[test]
fn typing_counts_nowhere_and_alarms_nobody() {
    let mut feed = Feed::default();
    feed.wanted(1, 1, 1, OpKind::Typing);
    assert_eq!((feed.digest.waiting(), feed.counters()), (0, Counters::default()));
    feed.ended(2, 1, 1, Outcome::new(OutcomeCode::Failed));
    assert_eq!((feed.alarms.len(), feed.counters()), (0, Counters::default()));
}
