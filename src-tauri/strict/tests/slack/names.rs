//! Names of the people who write, which a message does not bring along.

use crate::place::{Place, ROOM, ana, person, socket_mode};
use crate::shared::run::Run;
use foldback_strict::Mishap;
use foldback_wire::{Clock, Inbound, Sleep, Timestamp};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const ANA: &str = "U0ANA0001";

/// Longer than a call may take.
const NEVER: Duration = Duration::from_mins(1);

/// The message that Ana writes.
async fn written(place: &Place, run: &mut Run) -> Inbound {
    place.server.write(ROOM, ana("hi"));
    run.message().await
}

fn names(message: &Inbound) -> (&str, &str, &str) {
    let sender = &message.sender;
    (sender.id.as_str(), &sender.name, &sender.display_name)
}

/// Time that passes when it is told to.
#[derive(Default)]
struct HandClock(AtomicU64);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(0).plus(Duration::from_secs(self.0.load(Ordering::SeqCst)))
    }

    fn sleep_until(&self, _: Timestamp) -> Sleep {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn who_writes_has_a_name_that_is_asked_for_once() {
    let place = Place::open().await;
    place.server.know(ANA, person("ana", "Ana Lima", "Ana"));
    place.server.know("U0BOB0001", person("bob", "Bob Stone", ""));
    let mut run = place.running().await;
    let before = place.server.calls();
    for _ in 0..3 {
        assert_eq!(names(&written(&place, &mut run).await), (ANA, "ana", "Ana"));
    }
    assert_eq!(place.server.calls() - before, 1);
    place
        .server
        .write(ROOM, json!({"user": "U0BOB0001", "text": "hi"}));
    let bob = run.message().await;
    assert_eq!(names(&bob), ("U0BOB0001", "bob", "Bob Stone"));
    place
        .server
        .write(ROOM, json!({"user": "U0GUEST001", "text": "hi"}));
    let guest = run.message().await;
    assert_eq!(names(&guest), ("U0GUEST001", "U0GUEST001", "U0GUEST001"));
    assert_eq!(place.server.broken(), []);
    run.end().await;
}

#[tokio::test]
async fn a_name_is_asked_for_again_after_half_a_day() {
    let clock = Arc::new(HandClock::default());
    let place = Place::receiving_at(socket_mode(), clock.clone()).await;
    place.server.know(ANA, person("ana", "Ana Lima", "Ana"));
    let mut run = place.running().await;
    assert_eq!(written(&place, &mut run).await.sender.display_name, "Ana");
    place.server.know(ANA, person("ana", "Ana Lima", "Dr. Lima"));
    clock.0.fetch_add(3_600 * 11, Ordering::SeqCst);
    assert_eq!(written(&place, &mut run).await.sender.display_name, "Ana");
    clock.0.fetch_add(3_600, Ordering::SeqCst);
    assert_eq!(written(&place, &mut run).await.sender.display_name, "Dr. Lima");
    run.end().await;
}

#[tokio::test]
async fn without_the_scope_people_have_their_ids_and_slack_is_asked_no_more() {
    let place = Place::open().await;
    place.server.know(ANA, person("ana", "Ana Lima", "Ana"));
    place.server.take_scope("users:read");
    let mut run = place.running().await;
    let before = place.server.calls();
    for _ in 0..3 {
        assert_eq!(names(&written(&place, &mut run).await), (ANA, ANA, ANA));
    }
    assert_eq!(place.server.calls() - before, 1);
    run.end().await;
}

#[tokio::test]
async fn a_limit_has_nobody_asked_for_until_it_is_over() {
    let clock = Arc::new(HandClock::default());
    let place = Place::receiving_at(socket_mode(), clock.clone()).await;
    place.server.know(ANA, person("ana", "Ana Lima", "Ana"));
    place
        .server
        .plan("users.info", Mishap::RateLimited(Duration::from_secs(40)));
    let mut run = place.running().await;
    let before = place.server.calls();
    for _ in 0..2 {
        assert_eq!(written(&place, &mut run).await.sender.display_name, ANA);
    }
    assert_eq!(place.server.calls() - before, 1);
    clock.0.fetch_add(40, Ordering::SeqCst);
    assert_eq!(written(&place, &mut run).await.sender.display_name, "Ana");
    run.end().await;
}

#[tokio::test]
async fn a_message_comes_in_without_the_name_that_does_not_come() {
    let place = Place::open().await;
    place.server.know(ANA, person("ana", "Ana Lima", "Ana"));
    place.server.plan("users.info", Mishap::Late(NEVER));
    let mut run = place.running().await;
    let before = place.server.calls();
    for _ in 0..20 {
        assert_eq!(written(&place, &mut run).await.sender.display_name, ANA);
    }
    assert_eq!(place.server.calls() - before, 1, "one question at a time");
    run.end().await;
}

#[tokio::test]
async fn a_name_that_comes_late_is_that_of_a_later_message() {
    let place = Place::open().await;
    place.server.know(ANA, person("ana", "Ana Lima", "Ana"));
    place
        .server
        .plan("users.info", Mishap::Late(Duration::from_secs(1)));
    let mut run = place.running().await;
    assert_eq!(written(&place, &mut run).await.sender.display_name, ANA);
    while written(&place, &mut run).await.sender.display_name != "Ana" {}
    run.end().await;
}
