//! The heart of a connection: beats, answers to them, and what becomes of a connection without.

use crate::place::{Place, TOKEN, timed};
use crate::shared::run::{Run, until};
use crate::shared::time::Hasty;
use foldback_strict::discord::Order;
use foldback_wire::{ChannelState, Clock, Sleep, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::gateway::write;

/// Waits until so many heartbeats have come.
async fn beats(place: &Place, wanted: u32) {
    until(|| place.server.beats() >= wanted).await;
}

#[tokio::test]
async fn a_connection_that_does_not_answer_heartbeats_is_replaced() {
    let place = Place::open().await;
    place.server.beat_every(Duration::from_secs(20));
    place.server.deaf(true);
    let mut run = Run::up(&place.adapter).await;
    let why = run.until(ChannelState::Down).await;
    assert_eq!(why, "Discord did not answer the last heartbeat");
    place.server.deaf(false);
    run.until(ChannelState::Up).await;
    write(&place, "one");
    assert_eq!(run.message().await.text, "one");
    assert_eq!(place.server.sessions().0, 1);
}

/// Of what was said for a session, only heartbeats are answered.
#[tokio::test]
async fn a_connection_on_which_no_session_begins_is_replaced() {
    for resumes in [false, true] {
        let place = Place::open().await;
        // One comes at the beginning, the next one long after this test.
        place.server.beat_every(Duration::from_hours(100));
        if resumes {
            Run::up(&place.adapter).await.end().await;
        }
        place.server.rebuff(&[11]);
        let before = place.server.beats();
        let mut run = Run::of(&place.adapter);
        run.until(ChannelState::Connecting).await;
        beats(&place, before + 1).await;
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(31)).await;
        tokio::time::resume();
        let why = run.until(ChannelState::Down).await;
        assert_eq!(why, "Discord took up no session within 30 seconds");
        run.until(ChannelState::Up).await;
        write(&place, "one");
        assert_eq!(run.message().await.text, "one");
        assert_eq!(place.server.sessions(), (1, u32::from(resumes)));
        assert_eq!(place.server.broken(), []);
    }
}

#[tokio::test]
async fn a_heartbeat_that_is_asked_for_is_sent_at_once() {
    let place = Place::open().await;
    let run = Run::up(&place.adapter).await;
    // One comes at the beginning; the next one is 41 seconds away.
    beats(&place, 1).await;
    place.server.order(Order::AskHeartbeat);
    beats(&place, 2).await;
    run.end().await;
    assert_eq!(place.server.broken(), []);
}

/// A machine whose clock was set back by a year, once it is told so.
#[derive(Default)]
struct SetBack(AtomicBool);

impl Clock for SetBack {
    fn now(&self) -> Timestamp {
        let back = i64::from(self.0.load(Ordering::SeqCst)) * 365 * 24 * 3_600_000;
        Timestamp(Hasty.now().0 - back)
    }

    fn monotonic(&self) -> Duration {
        Hasty.now().since(Timestamp(0))
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Hasty.sleep_until(Hasty.now().plus(until.since(self.now())))
    }
}

#[tokio::test]
async fn the_heart_beats_on_when_the_clock_is_set_back() {
    let place = Place::open().await;
    place.server.beat_every(Duration::from_secs(400));
    let clock = Arc::new(SetBack::default());
    let adapter = Arc::new(timed(&place.server, TOKEN, place.dir.path(), clock.clone()));
    let mut run = Run::up(&adapter).await;
    beats(&place, 1).await;
    clock.0.store(true, Ordering::SeqCst);
    // It is asked anew when the next beat is due.
    write(&place, "hi");
    assert_eq!(run.message().await.text, "hi");
    beats(&place, place.server.beats() + 2).await;
    assert_eq!(place.server.sessions(), (1, 0), "the connection held");
    run.end().await;
}

#[tokio::test]
async fn the_heart_beats_while_nobody_takes_messages() {
    let place = Place::open().await;
    place.server.beat_every(Duration::from_secs(400));
    let mut run = Run::up(&place.adapter).await;
    for text in ["one", "two", "three", "four"] {
        write(&place, text);
    }
    beats(&place, place.server.beats() + 4).await;
    for text in ["one", "two", "three", "four"] {
        assert_eq!(run.message().await.text, text);
    }
    assert_eq!(place.server.sessions(), (1, 0), "the connection held");
}
