//! Stopping leaves nothing behind.

use crate::place::{Place, ROOM, SIGNING_SECRET, TOKEN, adapter, ana, socket_mode, webhooks};
use crate::shared::run::{Run, until};
use foldback_channels::SlackEvents;
use foldback_strict::free_address;
use foldback_wire::{ChannelState, Secret};
use std::net::TcpListener;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};

/// How often it is started and stopped.
const ROUNDS: usize = 20;

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// Starts and stops an adapter whose tasks are the only ones of its runtime; `round` is what happens between. Once
/// before they are counted: the connection that calls are made through is kept.
fn start_and_stop(events: SlackEvents, round: &impl AsyncFn(&Place, &mut Run) -> Vec<TcpStream>) {
    let elsewhere = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let place = elsewhere.block_on(Place::open());
    let here = Builder::new_current_thread().enable_all().build().unwrap();
    here.block_on(async {
        let slack = adapter(&place.server.root(), TOKEN, events, place.dir.path()).unwrap();
        let mut before = usize::MAX;
        for n in 0..=ROUNDS {
            let mut run = Run::of(&slack);
            run.until(ChannelState::Up).await;
            let open = round(&place, &mut run).await;
            run.end().await;
            for mut connection in open {
                let left = connection.read(&mut [0]).await.unwrap_or_default();
                assert_eq!(left, 0, "it is closed");
            }
            until(|| place.server.connections().0 == 0).await;
            if n == 0 {
                // What ends with the run is given time to.
                tokio::time::sleep(Duration::from_millis(200)).await;
                before = tasks();
            }
            until(|| tasks() <= before).await;
        }
    });
}

#[test]
fn socket_mode_leaves_no_task_and_no_connection_behind() {
    start_and_stop(socket_mode(), &async |place, run| {
        place.server.write(ROOM, ana("x"));
        drop(run.arrival().await);
        Vec::new()
    });
}

#[test]
fn webhooks_leave_no_task_no_connection_and_no_port_behind() {
    let listen = free_address().unwrap();
    let events = SlackEvents::Webhooks {
        listen,
        signing_secret: Secret::new(SIGNING_SECRET),
    };
    start_and_stop(events, &async |place, run| {
        // It is stopped in the middle of a message, with somebody else at the door.
        place.server.write(ROOM, ana("x"));
        let delivery = place.server.deliver(listen, SIGNING_SECRET);
        tokio::select! {
            arrival = run.arrival() => drop(arrival),
            answers = delivery => panic!("{answers:?}"),
        }
        vec![TcpStream::connect(listen).await.unwrap()]
    });
    assert!(TcpListener::bind(listen).is_ok(), "the port is free again");
}

#[tokio::test]
async fn it_stops_in_every_state() {
    for events in [socket_mode(), webhooks()] {
        let place = Place::receiving(events).await;
        // Right away, while it connects, and while it is cut off.
        Run::of(&place.adapter).end().await;
        let mut run = Run::of(&place.adapter);
        run.until(ChannelState::Connecting).await;
        run.end().await;
        let Place { server, adapter, .. } = place;
        drop(server);
        let mut run = Run::of(&adapter);
        run.until(ChannelState::Down).await;
        run.end().await;
    }
}
