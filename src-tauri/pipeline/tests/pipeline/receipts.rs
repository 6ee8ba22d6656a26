//! A platform acknowledges a message, and tells later how far it has come.

use crate::bot::World;
use crate::late::{Place, second};
use foldback_channels::{
    Refusal, Signal, platform,
    sim::{CallFailure, CallFault},
};
use foldback_pipeline::invariants::{self, Extent};
use foldback_store::Journal as _;
use foldback_wire::{Kind, MessageId, OpId, OpKind, Receipt, RefusalCode, Timestamp, TurnId};
use std::time::Duration;

/// When, as the platform says.
const WHEN: Timestamp = Timestamp(1_750_000_000_000);

impl Place {
    /// The platform tells how far a message has come; whether that was taken.
    async fn reach(&self, message: &MessageId, receipt: Receipt) -> bool {
        let message = message.clone();
        self.tell(|kept| Signal::Receipt {
            message,
            receipt,
            when: WHEN,
            kept: Some(kept),
        })
        .await
    }

    /// What the journal says of it.
    async fn receipts(&self) -> Vec<(Option<TurnId>, OpId, Receipt, Timestamp)> {
        let events = self.events().await.into_iter();
        let receipts = events.filter_map(|event| match event.kind {
            Kind::Receipt {
                op, receipt, when, ..
            } => Some((event.turn, op, receipt, when)),
            _ => None,
        });
        receipts.collect()
    }

    /// Ends it; everything it wrote down holds together.
    async fn end(self) {
        self.engine.shutdown(Duration::from_secs(5)).await.unwrap();
        let violations = invariants::check(&self.events().await, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_step_is_an_event_of_its_operation_once_and_never_back() {
    use Receipt::{Delivered, Played, Read, Sent};
    for (told, known) in [
        (
            &[Sent, Delivered, Read, Played][..],
            &[Sent, Delivered, Read, Played][..],
        ),
        (&[Sent, Sent, Read, Delivered, Read, Sent], &[Sent, Read]),
        (&[Read, Read, Delivered], &[Read]),
        (&[Delivered, Sent, Played, Read], &[Delivered, Played]),
    ] {
        let place = Place::open(World::new()).await;
        let (turn, made) = place.answer().await;
        let (op, message) = &made[0];
        for receipt in told {
            // Hours and days may lie between.
            tokio::time::sleep(Duration::from_hours(9)).await;
            assert!(place.reach(message, *receipt).await);
        }
        let known: Vec<_> = known
            .iter()
            .map(|receipt| (Some(turn), *op, *receipt, WHEN))
            .collect();
        assert_eq!(place.receipts().await, known, "{told:?}");
        let events = place.events().await;
        let event = events
            .iter()
            .find(|event| matches!(event.kind, Kind::Receipt { .. }))
            .unwrap();
        assert_eq!(event.channel.as_ref().unwrap().as_str(), "whatsapp");
        assert!(event.session.is_some());
        place.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn its_operation_is_found_after_a_restart_too_with_what_was_known() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = &made[0];
    assert!(place.reach(message, Receipt::Read).await);
    place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    let place = Place::open(place.world).await;
    assert!(place.reach(message, Receipt::Delivered).await);
    assert!(place.reach(message, Receipt::Played).await);
    let known = [Receipt::Read, Receipt::Played].map(|receipt| (Some(turn), *op, receipt, WHEN));
    assert_eq!(place.receipts().await, known);
}

/// Signal tells once, and hands over what was on its way when it is switched off.
#[tokio::test(start_paused = true)]
async fn what_a_channel_tells_while_the_process_ends_is_written_down() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = made[0].clone();
    *place.parting.lock().await = Some(Signal::Receipt {
        message,
        receipt: Receipt::Read,
        when: WHEN,
        kept: None,
    });
    place.engine.shutdown(Duration::from_secs(5)).await.unwrap();
    assert_eq!(place.receipts().await, [(Some(turn), op, Receipt::Read, WHEN)]);
    let violations = invariants::check(&place.events().await, Extent::Ended);
    assert!(violations.is_empty(), "{violations:#?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_told_before_the_acknowledgement_waits_for_it_and_keeps_its_order() {
    let place = Place::open_ahead(World::new()).await;
    let (turn, made) = place.answer().await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let [(op, _)] = &made[..] else {
        panic!("one message: {made:?}")
    };
    let known = [Receipt::Sent, Receipt::Delivered].map(|receipt| (Some(turn), *op, receipt, Timestamp(0)));
    assert_eq!(place.receipts().await, known);
    place.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_another_program_sent_leaves_no_trace_and_nobody_waits() {
    let place = Place::open(World::new()).await;
    place.answer().await;
    let before = place.events().await.len();
    let began = tokio::time::Instant::now();
    for receipt in Receipt::ALL {
        assert!(place.reach(&"wamid.another".into(), *receipt).await);
    }
    assert_eq!(
        place.events().await.len(),
        before,
        "neither an event nor a warning"
    );
    assert_eq!(began.elapsed(), Duration::ZERO, "nothing of ours is under way");
}

#[tokio::test(start_paused = true)]
async fn what_an_operation_made_beside_its_message_says_nothing_of_that() {
    let place = Place::open(World::new()).await;
    let (turn, made) = place.answer().await;
    let (op, message) = &made[0];
    assert!(place.reach(&second(message), Receipt::Read).await);
    assert!(place.receipts().await.is_empty(), "the caption is not the file");
    assert!(place.reach(message, Receipt::Delivered).await);
    assert_eq!(
        place.receipts().await,
        [(Some(turn), *op, Receipt::Delivered, WHEN)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_loss_and_a_receipt_are_both_kept_whichever_comes_first() {
    for is_lost_first in [true, false] {
        let place = Place::open(World::new()).await;
        let (_, made) = place.answer().await;
        let (_, message) = &made[0];
        for step in [is_lost_first, !is_lost_first] {
            if step {
                let (message, refusal) = (message.clone(), Refusal::new(RefusalCode::Gone, "gone"));
                let kept = place.tell(|kept| Signal::Undelivered {
                    message,
                    refusal,
                    kept: Some(kept),
                });
                assert!(kept.await);
            } else {
                assert!(place.reach(message, Receipt::Delivered).await);
            }
        }
        assert_eq!(place.receipts().await.len(), 1);
        let events = place.events().await;
        let lost = events
            .iter()
            .filter(|event| matches!(event.kind, Kind::Undelivered { .. }));
        assert_eq!(lost.count(), 1);
        place.end().await;
    }
}

/// Only what is at the platform can be told of before its acknowledgement.
#[tokio::test(start_paused = true)]
async fn while_ours_only_waits_nobody_waits_for_what_another_program_sent() {
    let place = Place::open(World::new()).await;
    let limited = CallFault {
        retry_after_ms: Some(60_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    place.world.loopbacks[&platform::WHATSAPP]
        .platform()
        .plan(limited);
    let turn = place.ask().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(place.world.journal.outbox().await.unwrap().len(), 1);
    let began = tokio::time::Instant::now();
    assert!(place.reach(&"wamid.another".into(), Receipt::Read).await);
    assert_eq!(began.elapsed(), Duration::ZERO);
    turn.ended().await.unwrap();
    place.end().await;
}
