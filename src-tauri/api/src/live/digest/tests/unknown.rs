//! Unknown outcomes: they count until a person deals with them.

use super::feed::{Feed, sent};
use foldback_wire::{OpId, OpKind, Outcome, OutcomeCode, TurnId};

#[test]
fn an_unknown_outcome_counts_until_somebody_looks_at_its_turn() {
    let mut feed = Feed::default();
    feed.ended(1, 4, 1, Outcome::new(OutcomeCode::Unknown)).ended(
        1,
        5,
        2,
        Outcome::new(OutcomeCode::Unknown),
    );
    assert_eq!(feed.digest.unknown().operations(), 2);
    assert!(feed.digest.looked_at(TurnId(4)));
    assert!(!feed.digest.looked_at(TurnId(4)));
    assert_eq!(feed.digest.unknown().operations(), 1);
}

#[test]
fn an_unknown_outcome_with_another_operation_in_its_place_asks_nothing_of_anybody() {
    let mut feed = Feed::default();
    let replaced = Outcome {
        replaced_by: Some(OpId(2)),
        ..Outcome::new(OutcomeCode::Unknown)
    };
    feed.ended(1, 4, 1, replaced).ended(1, 4, 2, sent());
    assert_eq!(feed.digest.unknown().turns(), []);
    assert_eq!(feed.counters().unknown, 0);
    assert_eq!(feed.digest.errors(&"slack".into()), []);
    assert_eq!(feed.alarms, []);
}

#[test]
fn an_unknown_outcome_counts_until_a_person_sends_the_operation_again() {
    let mut feed = Feed::default();
    for op in [1, 2] {
        feed.ended(1, 4, op, Outcome::new(OutcomeCode::Unknown));
    }
    feed.received_as(2, 5, "again-1");
    assert_eq!(feed.digest.unknown().operations(), 2, "it waits");
    feed.intended(3, 5, 3);
    assert_eq!(feed.digest.unknown().operations(), 1);
    feed.received_as(4, 6, "again-2-2").intended(5, 6, 4);
    assert_eq!(feed.digest.unknown().turns(), []);
}

#[test]
fn an_unknown_outcome_still_counts_after_a_resend_that_sent_nothing() {
    let mut feed = Feed::default();
    feed.ended(1, 4, 1, Outcome::new(OutcomeCode::Unknown));
    feed.received_as(2, 5, "again-1").turn_ended(3, 5);
    feed.received_as(4, 6, "again-1-2")
        .wanted(5, 6, 2, OpKind::Typing)
        .own_words(6, 6, 3)
        .turn_ended(7, 6);
    assert_eq!(feed.digest.unknown().turns(), [TurnId(4)]);
}

#[test]
fn an_unknown_outcome_after_a_look_counts_without_those_before_it() {
    let mut feed = Feed::default();
    feed.ended(1, 4, 1, Outcome::new(OutcomeCode::Unknown));
    assert!(feed.digest.looked_at(TurnId(4)));
    feed.ended(2, 4, 2, Outcome::new(OutcomeCode::Unknown));
    assert_eq!(feed.digest.unknown().operations(), 1);
}
