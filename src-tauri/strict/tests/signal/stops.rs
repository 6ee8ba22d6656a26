//! Stopping leaves nothing behind and loses nothing.

use crate::place::{ANA, Place};
use crate::shared::calls::{call, said, target};
use crate::shared::chance::Even;
use crate::shared::run::{Run, until};
use foldback_channels::{Arrival, Signal, Switchboard};
use foldback_strict::Mishap;
use foldback_wire::{Actor, ChannelState, Clock, MessageId, Sleep, Timestamp};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Time as it is.
struct Real;

impl Clock for Real {
    fn now(&self) -> Timestamp {
        Timestamp(jiff::Timestamp::now().as_millisecond())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

/// Keeps what comes in until nothing can come any more.
async fn keep(mut inbound: mpsc::Receiver<Arrival>, count: Arc<AtomicUsize>) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(arrival) = inbound.recv().await {
        texts.push(arrival.message.text);
        arrival.kept.unwrap().send(()).unwrap();
        count.fetch_add(1, Ordering::SeqCst);
    }
    texts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_toggles_under_traffic_lose_nothing_double_nothing_and_leave_nothing() {
    let place = Place::open().await;
    let runtime = tokio::runtime::Handle::current().metrics();
    let idle = runtime.num_alive_tasks();
    let (sink, inbound) = mpsc::channel(1);
    let board = Switchboard::new(Arc::new(Real), Arc::new(Even), sink, mpsc::channel(1).0, |_| {});
    let channel = board.add("signal".into(), place.adapter.clone(), true).unwrap();
    let kept = Arc::new(AtomicUsize::new(0));
    let reader = tokio::spawn(keep(inbound, Arc::clone(&kept)));
    let (mut written, mut sent) = (0, Vec::new());
    for _ in 0..100 {
        assert!(channel.switch_on(Actor::Console, "on").await);
        let mut state = channel.watch();
        state
            .wait_for(|status| status.state == ChannelState::Up)
            .await
            .unwrap();
        for _ in 0..3 {
            place
                .server
                .write(ANA, None, json!({"message": written.to_string()}));
            written += 1;
        }
        let call = call(target(ANA, None), said("hi"));
        sent.extend(channel.perform(call, None).await.unwrap().ack.message);
        assert!(channel.switch_off(Actor::Console, "off").await);
        while place.server.open_connections() > 0 {
            tokio::task::yield_now().await;
        }
    }
    // On once more, for what still waits.
    assert!(channel.switch_on(Actor::Console, "on").await);
    while kept.load(Ordering::SeqCst) < written {
        tokio::task::yield_now().await;
    }
    assert!(channel.switch_off(Actor::Console, "off").await);
    drop((board, channel));
    let all: Vec<_> = (0..written).map(|n| n.to_string()).collect();
    assert_eq!(reader.await.unwrap(), all, "in order, each exactly once");
    let messages = place.server.messages(ANA).into_iter();
    let mine = messages.filter(|posted| posted.author.is_none());
    let mine: Vec<_> = mine
        .map(|posted| MessageId::from(posted.sent.to_string()))
        .collect();
    assert_eq!(sent, mine, "each exactly once");
    assert_eq!(place.server.broken(), []);
    // A task that has ended is counted until its thread has tidied up.
    while runtime.num_alive_tasks() > idle {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_starts_and_stops_under_traffic_lose_nothing_and_leave_nothing() {
    let place = Place::open().await;
    let runtime = tokio::runtime::Handle::current().metrics();
    let idle = runtime.num_alive_tasks();
    let (mut written, mut seen) = (0, Vec::new());
    for round in 0..20 {
        let mut run = place.run();
        run.up().await;
        for _ in 0..9 {
            place
                .server
                .write(ANA, None, json!({"message": written.to_string()}));
            written += 1;
        }
        // Some are taken; the others are on their way, or have not left yet.
        for _ in 0..round % 4 {
            seen.push(run.message().await.text);
        }
        let Run {
            mut signals,
            stop,
            task,
        } = run;
        stop.cancel();
        // What it hands over until its end is taken, as by the switchboard.
        while let Some(signal) = signals.recv().await {
            if let Signal::Message(arrival) = signal {
                seen.push(arrival.message.text);
            }
        }
        task.await.unwrap().unwrap();
        while place.server.open_connections() > 0 || runtime.num_alive_tasks() > idle {
            tokio::task::yield_now().await;
        }
    }
    let mut run = place.run();
    while seen.len() < written {
        seen.push(run.message().await.text);
    }
    run.end().await;
    let all: Vec<_> = (0..written).map(|n| n.to_string()).collect();
    assert_eq!(seen, all, "in order, each once");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn a_stop_amid_the_subscription_loses_nothing() {
    let place = Place::open().await;
    place
        .server
        .plan("subscribeReceive", Mishap::Late(Duration::from_millis(100)));
    let run = place.run();
    while place.server.open_subscriptions() == 0 {
        tokio::task::yield_now().await;
    }
    run.stop.cancel();
    for n in 0..5 {
        place.server.write(ANA, None, json!({"message": n.to_string()}));
    }
    let Run {
        mut signals, task, ..
    } = run;
    // There is no next run: the process may be ending.
    let mut texts = Vec::new();
    while let Some(signal) = signals.recv().await {
        if let Signal::Message(arrival) = signal {
            texts.push(arrival.message.text);
        }
    }
    task.await.unwrap().unwrap();
    assert_eq!(texts, ["0", "1", "2", "3", "4"]);
    assert_eq!(place.server.waiting(), 0, "they were on their way");
    assert_eq!(place.server.broken(), []);
}

#[tokio::test]
async fn what_nobody_takes_at_the_end_comes_in_with_the_next_run() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    for n in 0..5 {
        place.server.write(ANA, None, json!({"message": n.to_string()}));
    }
    until(|| place.server.waiting() == 0).await;
    run.stop.cancel();
    run.task.await.unwrap().unwrap();
    let Ok(Signal::Message(first)) = run.signals.try_recv() else {
        panic!("one found a place");
    };
    assert_eq!(first.message.text, "0");
    let mut run = place.run();
    for n in 1..5 {
        assert_eq!(run.message().await.text, n.to_string());
    }
    run.end().await;
}

#[tokio::test]
async fn the_switchboard_lets_in_what_a_run_hands_over_at_its_end() {
    let place = Place::open().await;
    let (sink, mut inbound) = mpsc::channel(16);
    let board = Switchboard::new(Arc::new(Real), Arc::new(Even), sink, mpsc::channel(1).0, |_| {});
    let channel = board.add("signal".into(), place.adapter.clone(), true).unwrap();
    place
        .server
        .plan("subscribeReceive", Mishap::Late(Duration::from_millis(100)));
    assert!(channel.switch_on(Actor::Console, "on").await);
    while place.server.open_subscriptions() == 0 {
        tokio::task::yield_now().await;
    }
    for n in 0..5 {
        place.server.write(ANA, None, json!({"message": n.to_string()}));
    }
    assert!(channel.switch_off(Actor::Pipeline, "the process is ending").await);
    board.let_in_rest().await;
    let mut texts = Vec::new();
    while let Ok(arrival) = inbound.try_recv() {
        texts.push(arrival.message.text);
    }
    assert_eq!(texts, ["0", "1", "2", "3", "4"]);
}

#[tokio::test]
async fn a_call_under_way_outlives_the_run() {
    let place = Place::open().await;
    let mut run = place.run();
    run.up().await;
    place
        .server
        .plan("send", Mishap::Late(Duration::from_millis(100)));
    let (sent, ()) = tokio::join!(place.send("hi"), async {
        while place.server.messages(ANA).is_empty() {
            tokio::task::yield_now().await;
        }
        run.end().await;
    });
    assert!(sent.unwrap().message.is_some());
}
