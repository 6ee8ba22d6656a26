//! Stopping leaves nothing behind and loses nothing.

use crate::place::{ANA, Place, Run};
use foldback_channels::Signal;
use foldback_channels::strict::Mishap;
use serde_json::json;
use std::time::Duration;

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
        task.await.unwrap().unwrap();
        // What had been handed over is taken after the end, as by the switchboard.
        while let Ok(signal) = signals.try_recv() {
            if let Signal::Message(arrival) = signal {
                seen.push(arrival.message.text);
            }
        }
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
    run.end().await;
    assert_eq!(place.server.waiting(), 0, "they were on their way");
    let mut run = place.run();
    for n in 0..5 {
        assert_eq!(run.message().await.text, n.to_string());
    }
    run.end().await;
    assert_eq!(place.server.broken(), []);
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
