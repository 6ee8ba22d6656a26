//! Errors on a channel's card.

use super::feed::{Feed, sent};
use foldback_wire::{Kind, OpId, Outcome, OutcomeCode, RefusalCode};

#[test]
fn a_card_shows_the_last_five_errors_with_what_to_do() {
    let mut feed = Feed::default();
    for n in 0..6 {
        let refusal = RefusalCode::Transient;
        feed.at(
            1,
            1,
            Kind::Refused {
                op: OpId(2),
                refusal,
                detail: format!("{n}"),
                retry_at: None,
            },
        );
    }
    let errors = feed.digest.errors(&"slack".into());
    let messages: Vec<_> = errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "transient: 5",
            "transient: 4",
            "transient: 3",
            "transient: 2",
            "transient: 1"
        ]
    );
    let mut feed = Feed::default();
    let forbidden = Outcome {
        refusal: Some(RefusalCode::Forbidden),
        ..Outcome::new(OutcomeCode::Failed)
    };
    feed.ended(0, 1, 1, forbidden.because("not a member"));
    let error = &feed.digest.errors(&"slack".into())[0];
    assert_eq!(error.message, "not a member");
    assert_eq!(
        error.hint.as_deref(),
        Some(
            "Do what the platform says, or give the bot the right in that chat; then send it again from the ledger."
        )
    );
}

#[test]
fn an_error_goes_with_the_last_operation_that_a_person_sends_again() {
    let mut feed = Feed::default();
    let failed = || Outcome::new(OutcomeCode::Failed).because("gone");
    feed.ended(0, 1, 7, failed()).ended(1, 2, 8, failed());
    let count = |feed: &Feed| {
        feed.digest
            .errors(&"slack".into())
            .first()
            .map(|error| error.count)
    };
    assert_eq!(count(&feed), Some(2));
    feed.received_as(2, 3, "again-9").intended(2, 3, 19);
    assert_eq!(count(&feed), Some(2), "another operation");
    feed.received_as(3, 4, "again-7").received_as(4, 5, "again-7");
    assert_eq!(count(&feed), Some(2), "both wait");
    feed.intended(4, 4, 20).intended(4, 5, 21);
    assert_eq!(count(&feed), Some(1), "the same once");
    feed.received_as(5, 6, "again-8").intended(5, 6, 22);
    assert_eq!(count(&feed), None);
}

#[test]
fn what_did_not_arrive_failed_though_it_was_acknowledged() {
    let mut feed = Feed::default();
    let lost = |op| Kind::Undelivered {
        op: OpId(op),
        message: "m".into(),
        refusal: RefusalCode::Forbidden,
        detail: "the window is closed".into(),
    };
    feed.received(0, 1).intended(1, 1, 1).intended(1, 1, 2);
    feed.ended(2, 1, 1, sent())
        .ended(2, 1, 2, sent())
        .turn_ended(3, 1);
    assert_eq!((feed.counters().sent, feed.counters().failed), (2, 0));
    feed.at(9_000, 1, lost(1));
    assert_eq!((feed.counters().sent, feed.counters().failed), (2, 1));
    // One that an earlier process sent.
    feed.at(9_001, 1, lost(77));
    assert_eq!((feed.counters().sent, feed.counters().failed), (2, 2));
    let errors = feed.digest.errors(&"slack".into());
    assert_eq!((errors.len(), errors[0].count), (1, 2), "the same twice");
    assert_eq!(
        errors[0].message,
        "acknowledged, but it did not arrive: the window is closed"
    );
    assert_eq!(
        errors[0].hint.as_deref(),
        Some(
            "Do what the platform says, or give the bot the right in that chat; then send it again from the ledger."
        )
    );
}
