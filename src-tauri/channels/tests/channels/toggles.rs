//! Toggling under traffic.

use crate::desk::Desk;
use crate::stage::{call, inbound, send};
use foldback_channels::{Arrival, Channel, Closed, Loopback, NotDelivered, platform};
use foldback_wire::{Actor, ChannelState, MessageId};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Sends as often as `budget` allows, until it is closed, and gives what was acknowledged.
fn sender(channel: Channel, held: Arc<AtomicUsize>, budget: Arc<Semaphore>) -> JoinHandle<Vec<MessageId>> {
    tokio::spawn(async move {
        let mut sent = Vec::new();
        while let Ok(permit) = budget.acquire().await {
            match channel.perform(call("k", send("hi")), None).await {
                Ok(delivered) => {
                    permit.forget();
                    sent.push(delivered.ack.message.unwrap());
                }
                Err(NotDelivered::Closed(Closed::Off | Closed::Down)) => {
                    held.fetch_add(1, Ordering::SeqCst);
                }
                Err(other) => panic!("{other}"),
            }
            tokio::task::yield_now().await;
        }
        sent
    })
}

/// Writes to the bot until it is enough, and gives how often.
fn writer(loopback: Arc<Loopback>, enough: CancellationToken) -> JoinHandle<usize> {
    tokio::spawn(async move {
        let mut written = 0;
        while !enough.is_cancelled() {
            if loopback.inject(inbound(&format!("in{written}"), "hi")).is_ok() {
                written += 1;
            }
            tokio::task::yield_now().await;
        }
        written
    })
}

/// Reads what comes in until nothing can come any more.
fn reader(mut inbound: mpsc::Receiver<Arrival>, read: Arc<AtomicUsize>) -> JoinHandle<Vec<MessageId>> {
    tokio::spawn(async move {
        let mut ids = Vec::new();
        while let Some(arrival) = inbound.recv().await {
            ids.push(arrival.message.message);
            read.fetch_add(1, Ordering::SeqCst);
        }
        ids
    })
}

fn answered(loopback: &Loopback) -> usize {
    loopback.platform().log().len()
}

async fn until(happened: impl Fn() -> bool) {
    while !happened() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_toggles_under_traffic_lose_nothing_double_nothing_and_leak_nothing() {
    let (desk, loopback) = Desk::loopback(platform::TELEGRAM, true);
    let Desk {
        board,
        channel,
        inbound,
        ..
    } = desk;
    let runtime = tokio::runtime::Handle::current().metrics();
    let idle = runtime.num_alive_tasks();
    let enough = CancellationToken::new();
    let budget = Arc::new(Semaphore::new(0));
    let (held, read) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let senders: Vec<_> = (0..4)
        .map(|_| sender(channel.clone(), held.clone(), budget.clone()))
        .collect();
    let writer = writer(loopback.clone(), enough.clone());
    let reader = reader(inbound, read.clone());

    let mut most = 0;
    for _ in 0..100 {
        assert!(channel.switch_on(Actor::Console, "on").await);
        channel
            .watch()
            .wait_for(|s| s.state == ChannelState::Up)
            .await
            .unwrap();
        let before = answered(&loopback);
        budget.add_permits(64);
        until(|| answered(&loopback) > before).await;
        most = most.max(runtime.num_alive_tasks());
        assert!(channel.switch_off(Actor::Console, "off").await);
        let (before, refused) = (answered(&loopback), held.load(Ordering::SeqCst));
        budget.add_permits(4);
        until(|| held.load(Ordering::SeqCst) > refused).await;
        assert_eq!(answered(&loopback), before, "off: nothing reaches the platform");
    }
    enough.cancel();
    budget.close();

    let mut sent = Vec::new();
    for sender in senders {
        sent.extend(sender.await.unwrap());
    }
    let mut acknowledged: Vec<_> = loopback
        .platform()
        .log()
        .map(|r| r.answer.clone().unwrap().message.unwrap())
        .collect();
    sent.sort();
    acknowledged.sort();
    assert_eq!(sent, acknowledged, "each exactly once");

    // On once more, for what still waits.
    let written = writer.await.unwrap();
    assert!(channel.switch_on(Actor::Console, "on").await);
    until(|| read.load(Ordering::SeqCst) == written).await;
    assert!(channel.switch_off(Actor::Console, "off").await);
    drop((board, channel));
    let expected: Vec<MessageId> = (0..written).map(|n| format!("in{n}").into()).collect();
    assert_eq!(reader.await.unwrap(), expected, "in order, each exactly once");

    // Six of the test, two of the channel, and two that have just ended: a leak would show as a hundred.
    assert!(most <= idle + 10, "{most} with {idle} idle");
    // A task that has ended is counted until its thread has tidied up.
    until(|| runtime.num_alive_tasks() == idle).await;
}
