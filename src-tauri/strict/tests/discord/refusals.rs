//! What the adapter makes of refusals and of answers that do not come.

use crate::front::a_wait_is_read_from_the_header;
use crate::place::{Place, ROOM, TOKEN, adapter};
use crate::shared::calls::{said, target};
use crate::shared::run::Run;
use foldback_channels::{Call, ChannelAdapter, LimitScope, Pause};
use foldback_strict::Mishap;
use foldback_wire::RefusalCode;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test]
async fn what_a_front_end_asks_for_stands_in_the_header() {
    a_wait_is_read_from_the_header::<Place>(LimitScope::Channel).await;
}

#[tokio::test]
async fn a_limit_for_all_calls_is_told_as_such() {
    let place = Place::open().await;
    place.server.limit_globally(Duration::from_hours(1));
    let refusal = place.send("hi").await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::RateLimited, false)
    );
    assert_eq!(refusal.scope, LimitScope::Channel);
    let wait = refusal.retry_after.unwrap();
    assert!(wait > Duration::from_mins(50), "{wait:?}");
    assert!(
        refusal.detail.contains("all calls of this bot"),
        "{}",
        refusal.detail
    );
}

#[tokio::test]
async fn the_last_call_of_a_bucket_tells_the_pause_after_it() {
    let place = Place::open().await;
    place
        .server
        .plan("create_message", Mishap::UsedUp(Duration::from_millis(1_250)));
    let pause = Pause {
        scope: LimitScope::RouteInChat,
        after: Duration::from_millis(1_250),
    };
    assert_eq!(place.send("hi").await.unwrap().pause, Some(pause));
    assert_eq!(place.send("hi").await.unwrap().pause, None);
}

#[tokio::test]
async fn a_call_that_may_have_arrived_is_sent_once() {
    let place = Place::open().await;
    let call = Call {
        target: target(ROOM, None),
        operation: said("hi"),
        key: "fb-19a2b3c4d5e-7f".into(),
    };
    place.server.plan("create_message", Mishap::Lost);
    assert!(place.adapter.perform(call.clone()).await.unwrap_err().maybe_done);
    let ack = place.adapter.perform(call.clone()).await.unwrap();
    let messages = place.server.messages(ROOM);
    assert_eq!(messages.len(), 1);
    assert_eq!(ack.message, Some(messages[0].0.to_string().into()));
    let long = Call {
        key: "a key that is longer than a nonce may be".into(),
        ..call
    };
    let first = place.adapter.perform(long.clone()).await.unwrap();
    assert_eq!(first, place.adapter.perform(long).await.unwrap());
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn no_refusal_holds_the_token() {
    let place = Place::open().await;
    let impostor = Arc::new(adapter(&place.server, &format!("{TOKEN}x"), place.dir.path()));
    let mut texts = vec![format!("{:?}", Run::of(&impostor).ended().await)];
    for mishap in [Mishap::Lost, Mishap::Broken, Mishap::Failed] {
        place.server.plan("create_message", mishap);
        texts.push(format!("{:?}", place.send("hi").await));
    }
    let odd = adapter(&place.server, "a-token\nof-two-lines", place.dir.path());
    let odd = Run::of(&Arc::new(odd));
    let (mut signals, stop) = (odd.signals, odd.stop);
    signals.recv().await;
    texts.push(format!("{:?}", signals.recv().await));
    stop.cancel();
    for text in texts {
        assert!(!text.contains("a-token"), "{text}");
    }
}
