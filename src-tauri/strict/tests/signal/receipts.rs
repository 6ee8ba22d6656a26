//! How far a message of the account has come, as other people's devices tell.

use crate::place::{ANA, BEN, ME, Place, several};
use crate::shared::run::Run;
use foldback_channels::Signal;
use foldback_strict::signal::Start;
use foldback_wire::{Receipt, Timestamp};
use serde_json::{Value, json};

/// A receipt message of somebody's, about what was sent at these moments.
fn told(from: &str, account: &str, which: &str, about: &[i64]) -> Value {
    let receipt = json!({
        "when": 1_763_712_400_000_i64, "isDelivery": which == "delivery", "isRead": which == "read",
        "isViewed": which == "viewed", "timestamps": about,
    });
    let envelope = json!({
        "source": from, "sourceNumber": from, "sourceUuid": null, "sourceName": "", "sourceDevice": 1,
        "timestamp": 1_763_712_400_000_i64, "receiptMessage": receipt,
    });
    json!({"envelope": envelope, "account": account})
}

async fn next(run: &mut Run) -> (String, Receipt, Timestamp) {
    loop {
        match run.signals.recv().await.expect("it runs") {
            Signal::Receipt {
                message,
                receipt,
                when,
                kept,
            } => {
                assert!(kept.is_none(), "nobody waits");
                return (message.to_string(), receipt, when);
            }
            Signal::State { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_was_delivered_read_and_viewed_is_told_of_each_message() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    let sent = place.send("hi").await.unwrap().message.unwrap();
    let at: i64 = sent.as_str().parse().unwrap();
    for (which, receipt) in [
        ("delivery", Receipt::Delivered),
        ("read", Receipt::Read),
        ("viewed", Receipt::Played),
    ] {
        place.server.receive(told(ANA, ME, which, &[at, 0, 5]));
        for id in [sent.as_str(), "5"] {
            let when = Timestamp(1_763_712_400_000);
            assert_eq!(next(&mut run).await, (id.to_owned(), receipt, when));
        }
    }
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_says_nothing_or_is_of_another_account_or_of_ones_own_device_is_not_told() {
    let start = Start {
        accounts: vec![ME.into(), "+4915500000002".into()],
        automatic: true,
        ..several()
    };
    let place = Place::started(start, Some(ME)).await;
    let mut run = place.run();
    run.up().await;
    for quiet in [
        told(ANA, ME, "another", &[5]),
        told(ME, ME, "read", &[5]),
        told(ANA, "+4915500000002", "read", &[5]),
        told(ANA, ME, "read", &[]),
        told(ANA, ME, "read", &[-5]),
    ] {
        place.server.receive(quiet);
    }
    place.server.receive(told(BEN, ME, "read", &[7]));
    assert_eq!(next(&mut run).await.0, "7");
    run.end().await;
}
