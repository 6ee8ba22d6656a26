//! What the adapter makes of refusals and of answers that do not come.

use crate::place::{ANA, GROUP, Place, group, several};
use crate::shared::calls::reply;
use foldback_channels::Refusal;
use foldback_strict::Mishap;
use foldback_strict::signal::Start;
use foldback_wire::{Operation, RefusalCode};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_call_that_is_not_answered_in_time_may_be_done() {
    let place = Place::open().await;
    place.clock.impatient.store(true, Ordering::SeqCst);
    place.server.plan("send", Mishap::Late(Duration::from_mins(10)));
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Transient, true));
    assert!(
        refusal.detail.contains("did not answer send within 60 s"),
        "{refusal}"
    );
}

#[tokio::test]
async fn calls_under_way_when_the_connection_breaks_may_be_done() {
    let place = Place::open().await;
    place.server.plan("send", Mishap::Late(Duration::from_mins(10)));
    place.server.plan("send", Mishap::Late(Duration::from_mins(10)));
    let (one, two, ()) = tokio::join!(place.send("one"), place.send("two"), async {
        while place.server.messages(ANA).len() < 2 {
            tokio::task::yield_now().await;
        }
        place.server.disconnect();
    });
    for refusal in [one.unwrap_err(), two.unwrap_err()] {
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Transient, true),
            "{refusal}"
        );
    }
}

/// What the adapter makes of a daemon that answers with these bytes, and closes.
async fn answered_with(place: &Place, bytes: &[u8]) -> Refusal {
    let daemon = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let root = format!("tcp://{}", daemon.local_addr().unwrap());
    let (call, ()) = tokio::join!(place.send_to(&root), async {
        let mut wire = BufReader::new(daemon.accept().await.unwrap().0);
        wire.read_line(&mut String::new()).await.unwrap();
        wire.write_all(bytes).await.unwrap();
    });
    call.unwrap_err()
}

#[tokio::test]
async fn answers_that_are_none_leave_it_open_whether_it_is_done() {
    let place = Place::open().await;
    for (bytes, code, maybe_done) in [
        (
            &b"{\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n"[..],
            RefusalCode::Rejected,
            false,
        ),
        (b"", RefusalCode::Transient, true),
        (b"garbage\n", RefusalCode::Transient, true),
        (
            b"{\"id\":7,\"result\":{\"timestamp\":5}}\n",
            RefusalCode::Transient,
            true,
        ),
        (
            b"{\"id\":\"1\",\"result\":{\"timestamp\":5}}\n",
            RefusalCode::Transient,
            true,
        ),
        (
            b"{\"id\":1,\"result\":{\"timestamp\":5}}",
            RefusalCode::Transient,
            true,
        ),
        (b"{\"id\":1,\"result\":{}}\n", RefusalCode::Rejected, true),
        (
            b"{\"id\":1,\"result\":{\"timestamp\":5.5}}\n",
            RefusalCode::Rejected,
            true,
        ),
        (
            b"{\"id\":1,\"result\":{\"timestamp\":\"5\"}}\n",
            RefusalCode::Rejected,
            true,
        ),
        (b"{\"id\":1}\n", RefusalCode::Rejected, true),
    ] {
        let refusal = answered_with(&place, bytes).await;
        let line = String::from_utf8_lossy(bytes);
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (code, maybe_done),
            "{line}: {refusal}"
        );
    }
}

#[tokio::test]
async fn a_rate_limit_says_how_it_is_lifted() {
    let place = Place::open().await;
    place
        .server
        .plan("send", Mishap::RateLimited(Duration::from_secs(90)));
    let refusal = place.send("hi").await.unwrap_err();
    for said in [
        "signalcaptchas.org",
        "submitRateLimitChallenge --challenge 12ab-challenge",
    ] {
        assert!(refusal.detail.contains(said), "{refusal}");
    }
}

#[tokio::test]
async fn a_new_safety_number_says_what_to_compare() {
    let place = Place::open().await;
    place.server.distrust(ANA);
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Forbidden, false)
    );
    assert!(
        refusal
            .detail
            .contains("trust --verified-safety-number NUMBER +33123456789"),
        "{refusal}"
    );
}

#[tokio::test]
async fn an_account_the_daemon_lacks_is_said() {
    for (start, account) in [
        (several(), Some("+4915500000009")),
        (several(), None),
        (
            Start {
                single: true,
                ..several()
            },
            Some("+4915500000009"),
        ),
    ] {
        let place = Place::started(start, account).await;
        let refusal = place.send("hi").await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.maybe_done),
            (RefusalCode::Unauthorized, false)
        );
        assert!(refusal.detail.contains("set the channel's account"), "{refusal}");
    }
}

#[tokio::test]
async fn the_authors_of_own_messages_must_be_known() {
    let start = Start {
        single: true,
        ..several()
    };
    let place = Place::started(start, None).await;
    let mine = place.send("hi").await.unwrap().message.unwrap();
    let reply = reply("x", mine.as_str());
    let refusal = place.perform(reply).await.unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Rejected, false));
    assert!(refusal.detail.contains("set the channel's account"), "{refusal}");
    assert_eq!(place.server.messages(ANA).len(), 1);
}

#[tokio::test]
async fn large_ids_arrive_to_the_last_digit() {
    let place = Place::open().await;
    for sent in [9_007_199_254_740_993, i64::MAX] {
        place.server.write(
            ANA,
            Some(GROUP),
            serde_json::json!({"timestamp": sent, "message": "hi"}),
        );
        let react = Operation::React {
            message: format!("{sent}:{ANA}").into(),
            emoji: "👍".into(),
            emoji_sent: "👍".into(),
        };
        place.perform_in(&group(), react).await.unwrap();
    }
    assert!(
        place
            .server
            .messages(GROUP)
            .iter()
            .all(|posted| posted.reaction.is_some())
    );
    assert_eq!(place.server.broken(), []);
}
