//! What is to be done stays in the outbox, in its order, until its outcome is known.

use crate::House;
use crate::words::{details, everything, said, sending, sent};
use foldback_store::{OutboxEntry, StoreError, Then};
use foldback_wire::OpId;

pub(crate) async fn an_intended_operation_stays_until_it_is_settled(mut house: impl House) {
    let journal = house.enter().await;
    journal
        .intend(sending(1, "Hey 🐢"), vec![said("intended")])
        .await
        .unwrap();
    assert_eq!(details(&everything(&journal).await), ["intended"]);
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), [sending(1, "Hey 🐢")]);
    journal.attempt(OpId(1), vec![said("attempted")]).await.unwrap();
    journal
        .settle(OpId(1), sent(), vec![said("ended")])
        .await
        .unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), []);
    assert_eq!(
        details(&everything(&journal).await),
        ["intended", "attempted", "ended"]
    );
}

pub(crate) async fn what_is_written_ahead_is_there_with_what_is_confirmed_after_it(mut house: impl House) {
    let journal = house.enter().await;
    journal
        .intend_ahead(vec![sending(1, "x")], vec![said("intended")])
        .unwrap();
    assert_eq!(journal.outbox().await.unwrap(), [sending(1, "x")], "at once");
    journal.attempt(OpId(1), vec![said("attempted")]).await.unwrap();
    let journal = house.enter().await;
    let tried = OutboxEntry {
        in_flight: true,
        ..sending(1, "x")
    };
    assert_eq!(journal.outbox().await.unwrap(), [tried]);
    journal
        .settle_ahead(OpId(1), sent(), vec![said("ended")])
        .unwrap();
    assert_eq!(journal.outbox().await.unwrap(), [], "at once");
    assert!(matches!(
        journal.settle_ahead(OpId(1), sent(), vec![]),
        Err(StoreError::NotInOutbox(OpId(1)))
    ));
    journal.intend(sending(2, "y"), vec![]).await.unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), [sending(2, "y")]);
    assert_eq!(
        details(&everything(&journal).await),
        ["intended", "attempted", "ended"]
    );
}

/// A journal that writes in batches has all of this in one.
pub(crate) async fn what_is_changed_together_comes_to_its_end(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(7, "there before"), vec![]).await.unwrap();
    let all = (1..=4).map(|op| sending(op, "x")).collect();
    journal.intend_ahead(all, vec![]).unwrap();
    for op in [1, 3, 7] {
        journal.settle_ahead(OpId(op), sent(), vec![]).unwrap();
    }
    journal.intend_ahead(vec![sending(1, "again")], vec![]).unwrap();
    journal.intend_ahead(vec![sending(7, "again")], vec![]).unwrap();
    journal.attempt(OpId(2), vec![]).await.unwrap();
    let journal = house.enter().await;
    let tried = OutboxEntry {
        in_flight: true,
        ..sending(2, "x")
    };
    assert_eq!(
        journal.outbox().await.unwrap(),
        [sending(1, "again"), tried, sending(4, "x"), sending(7, "again")]
    );
    // One that is tried, and another one that is not tried any more.
    journal.attempt(OpId(4), vec![]).await.unwrap();
    let (tried, not) = tokio::join!(journal.attempt(OpId(1), vec![]), journal.retry(OpId(4), vec![]));
    tried.unwrap();
    not.unwrap();
    let outbox = house.enter().await.outbox().await.unwrap();
    let in_flight: Vec<_> = outbox.iter().map(|entry| (entry.op.0, entry.in_flight)).collect();
    assert_eq!(in_flight, [(1, true), (2, true), (4, false), (7, false)]);
}

pub(crate) async fn what_follows_from_an_outcome_takes_its_place(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(1, "x"), vec![]).await.unwrap();
    journal.intend(sending(2, "y"), vec![]).await.unwrap();
    journal.attempt(OpId(1), vec![]).await.unwrap();
    let next = OutboxEntry {
        then: Then {
            leaves: Some("m1".into()),
            ..Then::default()
        },
        ..sending(3, "x")
    };
    // Refused as a whole: the number is taken, or the first is not there.
    let twice = journal.settle_and_intend(OpId(1), sent(), sending(2, "y"), vec![said("never")]);
    assert_eq!(twice.await, Err(StoreError::IntendedTwice(OpId(2))));
    let none = journal.settle_and_intend(OpId(9), sent(), next.clone(), vec![said("never")]);
    assert_eq!(none.await, Err(StoreError::NotInOutbox(OpId(9))));
    assert_eq!(journal.outbox().await.unwrap().len(), 2);
    journal
        .settle_and_intend(
            OpId(1),
            sent(),
            next.clone(),
            vec![said("ended"), said("intended")],
        )
        .await
        .unwrap();
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), [sending(2, "y"), next]);
    assert_eq!(details(&everything(&journal).await), ["ended", "intended"]);
    assert_eq!(journal.reserve().await.unwrap().op, 4);
}

pub(crate) async fn what_was_begun_is_told_from_what_was_not(mut house: impl House) {
    let journal = house.enter().await;
    for op in 1..=3 {
        journal.intend(sending(op, "x"), vec![]).await.unwrap();
    }
    journal.attempt(OpId(1), vec![]).await.unwrap();
    journal.attempt(OpId(2), vec![]).await.unwrap();
    journal.retry(OpId(2), vec![]).await.unwrap();
    // Where the platform recognises the key, what was in flight is attempted again.
    journal.attempt(OpId(1), vec![]).await.unwrap();
    for journal in [journal, house.enter().await] {
        let outbox = journal.outbox().await.unwrap();
        let in_flight: Vec<_> = outbox.iter().map(|entry| (entry.op.0, entry.in_flight)).collect();
        assert_eq!(in_flight, [(1, true), (2, false), (3, false)]);
    }
}

pub(crate) async fn the_outbox_keeps_the_order_of_intention(mut house: impl House) {
    let journal = house.enter().await;
    for op in [4, 9, 11, 20] {
        journal
            .intend(sending(op, &op.to_string()), vec![])
            .await
            .unwrap();
    }
    journal.settle(OpId(9), sent(), vec![]).await.unwrap();
    let journal = house.enter().await;
    let order: Vec<_> = journal
        .outbox()
        .await
        .unwrap()
        .iter()
        .map(|entry| entry.op.0)
        .collect();
    assert_eq!(order, [4, 11, 20]);
}

pub(crate) async fn an_operation_is_intended_once(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(1, "first"), vec![]).await.unwrap();
    let twice = journal.intend(sending(1, "second"), vec![]).await;
    assert!(
        matches!(twice, Err(StoreError::IntendedTwice(OpId(1)))),
        "{twice:?}"
    );
    assert_eq!(journal.outbox().await.unwrap(), [sending(1, "first")]);
}

pub(crate) async fn operations_that_are_intended_together_are_all_there_or_none_is(mut house: impl House) {
    let journal = house.enter().await;
    let both = vec![sending(1, "first"), sending(2, "second")];
    journal
        .intend_all(both.clone(), vec![said("both")])
        .await
        .unwrap();
    for refused in [
        vec![sending(3, "x"), sending(2, "again")],
        vec![sending(3, "x"), sending(3, "again")],
    ] {
        let refused = journal.intend_all(refused, vec![said("refused")]).await;
        assert!(
            matches!(refused, Err(StoreError::IntendedTwice(_))),
            "{refused:?}"
        );
    }
    let journal = house.enter().await;
    assert_eq!(journal.outbox().await.unwrap(), both);
    assert_eq!(journal.head().0, 1);
}

pub(crate) async fn an_operation_that_is_not_in_the_outbox_is_refused(mut house: impl House) {
    let journal = house.enter().await;
    journal.intend(sending(1, "x"), vec![]).await.unwrap();
    journal.settle(OpId(1), sent(), vec![]).await.unwrap();
    for op in [OpId(1), OpId(5)] {
        for refused in [
            journal.attempt(op, vec![]).await,
            journal.retry(op, vec![]).await,
            journal.settle(op, sent(), vec![]).await,
        ] {
            assert!(
                matches!(refused, Err(StoreError::NotInOutbox(o)) if o == op),
                "{refused:?}"
            );
        }
    }
}

pub(crate) async fn a_start_tells_what_is_safe_to_send(mut house: impl House) {
    let journal = house.enter().await;
    for op in 1..=4 {
        journal.intend(sending(op, "x"), vec![]).await.unwrap();
    }
    for op in 2..=4 {
        journal.attempt(OpId(op), vec![]).await.unwrap();
    }
    journal.retry(OpId(3), vec![]).await.unwrap();
    journal.settle(OpId(4), sent(), vec![]).await.unwrap();
    let resumed = house.enter().await.resume().await.unwrap();
    assert_eq!(resumed.unsent, [sending(1, "x"), sending(3, "x")]);
    assert_eq!(
        resumed.in_flight,
        [OutboxEntry {
            in_flight: true,
            ..sending(2, "x")
        }]
    );
}
