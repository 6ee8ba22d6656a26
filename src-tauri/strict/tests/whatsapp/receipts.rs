//! How far a message of ours has come, as its statuses tell.

use crate::place::{ANA, BEA, GROUP, Place};
use crate::shared::calls::said;
use crate::shared::run::{Run, until};
use foldback_channels::Signal;
use foldback_wire::{Receipt, Timestamp};
use serde_json::json;
use tokio::sync::oneshot;

/// The server's clock.
const THEN: Timestamp = Timestamp(1_750_000_000_000);

/// The next receipt, not written down yet.
async fn receipt(run: &mut Run) -> ((String, Receipt, Timestamp), oneshot::Sender<()>) {
    let next = run.signals.recv().await.expect("it runs");
    let Signal::Receipt {
        message,
        receipt,
        when,
        kept,
    } = next
    else {
        panic!("{next:?}");
    };
    ((message.to_string(), receipt, when), kept.unwrap())
}

/// The next receipt, written down.
async fn taken(run: &mut Run) -> (String, Receipt, Timestamp) {
    let (told, kept) = receipt(run).await;
    kept.send(()).unwrap();
    told
}

/// The id of a message that was sent.
async fn send(place: &Place, chat: &str) -> String {
    let ack = place.perform_in(chat, said("hi")).await.unwrap();
    ack.message.unwrap().to_string()
}

#[tokio::test]
async fn every_step_of_a_message_is_told_with_its_time() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let id = send(&place, ANA).await;
    for status in ["delivered", "read", "played"] {
        place.server.reach(ANA, ANA, &id, status);
    }
    for receipt in Receipt::ALL {
        assert_eq!(taken(&mut run).await, (id.clone(), *receipt, THEN));
    }
    until(|| place.server.unconfirmed() == 0).await;
    assert_eq!((place.server.posts(), place.server.broken()), (4, vec![]));
    run.end().await;
}

#[tokio::test]
async fn a_status_is_confirmed_once_it_is_written_down_and_comes_again_until_then() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let id = send(&place, ANA).await;
    let (first, kept) = receipt(&mut run).await;
    assert_eq!(first, (id, Receipt::Sent, THEN));
    assert_eq!(place.server.unconfirmed(), 1, "not before it is written down");
    drop(kept);
    assert_eq!(taken(&mut run).await, first);
    until(|| place.server.unconfirmed() == 0).await;
    assert_eq!(place.server.posts(), 2);
    run.end().await;
}

#[tokio::test]
async fn they_are_told_as_they_come_doubled_and_in_any_order() {
    let place = Place::open().await;
    place.server.repeat(1);
    place.server.batch(3);
    let id = send(&place, ANA).await;
    place.server.reach(ANA, ANA, &id, "read");
    place.server.reach(ANA, ANA, &id, "delivered");
    let mut run = Run::registered(&place).await;
    let mut told = Vec::new();
    for _ in 0..6 {
        told.push(taken(&mut run).await.1);
    }
    let once = [Receipt::Sent, Receipt::Read, Receipt::Delivered];
    assert_eq!(told, [once, once].concat());
    run.end().await;
}

#[tokio::test]
async fn a_group_has_one_of_everybody_in_it_and_a_hidden_number_stays_hidden() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let id = send(&place, GROUP).await;
    for (who, status) in [(ANA, "delivered"), (BEA, "delivered"), (BEA, "read")] {
        place.server.reach(GROUP, who, &id, status);
    }
    for receipt in [
        Receipt::Sent,
        Receipt::Delivered,
        Receipt::Delivered,
        Receipt::Read,
    ] {
        let told = taken(&mut run).await;
        assert_eq!(told, (id.clone(), receipt, THEN));
        assert!(
            !format!("{told:?}").contains(ANA),
            "whose device it is is nobody's business"
        );
    }
    run.end().await;
}

#[tokio::test]
async fn other_numbers_are_left_out_and_a_time_that_is_none_is_now() {
    let place = Place::open().await;
    let mut run = Run::registered(&place).await;
    let elsewhere = json!({"display_phone_number": "1", "phone_number_id": "999"});
    let status = json!({"id": "wamid.theirs", "status": "read", "timestamp": "1", "recipient_id": ANA});
    place
        .server
        .tell(json!({"metadata": elsewhere, "statuses": [status]}));
    let before = jiff::Timestamp::now().as_millisecond();
    let status = json!({"id": "wamid.ours", "status": "read", "timestamp": "soon", "recipient_id": ANA});
    place.server.tell(json!({"statuses": [status]}));
    let (id, receipt, when) = taken(&mut run).await;
    assert_eq!((id.as_str(), receipt), ("wamid.ours", Receipt::Read));
    assert!(when.0 >= before, "{when}");
    run.end().await;
}
