//! Stopping leaves nothing behind.

use crate::place::{Place, ROOM, Run, SIGNING_SECRET, adapter, ana, socket_mode, until, webhooks};
use foldback_channels::SlackEvents;
use foldback_wire::{ChannelState, Secret};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Handle;

/// The server has a runtime of its own, so that the tasks of this one are the adapter's.
fn elsewhere() -> (tokio::runtime::Runtime, Place) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let place = runtime.block_on(Place::open());
    (runtime, place)
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// Open files of this process that are sockets.
fn sockets() -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    open.filter(|file| {
        let file = std::fs::read_link(file.as_ref().unwrap().path());
        file.is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
    })
    .count()
}

fn free_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// Starts and stops twenty times, each time in the middle of a message, and checks what is left after it.
fn start_and_stop(events: &dyn Fn(SocketAddr) -> SlackEvents, webhooks: bool) {
    let (server_runtime, place) = elsewhere();
    let listen = free_port();
    let root = place.server.root();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let slack = adapter(&root, crate::place::TOKEN, events(listen), place.dir.path()).unwrap();
        let mut before = None;
        for round in 0..21 {
            let mut run = Run::of(&slack);
            run.until(ChannelState::Up).await;
            place.server.write(ROOM, ana("x"));
            if webhooks {
                let server = &place.server;
                let delivery = server.deliver(listen, SIGNING_SECRET);
                let arrival = tokio::select! {
                    arrival = run.arrival() => arrival,
                    answers = delivery => panic!("{answers:?}"),
                };
                // Somebody holds a connection open, too.
                let _idle = TcpStream::connect(listen).await.unwrap();
                drop(arrival);
                run.end().await;
                assert!(TcpListener::bind(listen).is_ok(), "the port is free again");
            } else {
                drop(run.arrival().await);
                run.end().await;
                until(|| place.server.connections().0 == 0).await;
            }
            // The first round opens the connection that calls are made through, which is kept.
            let Some((tasks_before, sockets_before)) = before else {
                settle().await;
                before = Some((tasks(), sockets()));
                continue;
            };
            until(|| tasks() == tasks_before && sockets() <= sockets_before).await;
            assert!(round > 0);
        }
    });
    drop(server_runtime);
}

async fn settle() {
    tokio::time::sleep(Duration::from_millis(200)).await;
}

#[test]
fn socket_mode_leaves_nothing_behind() {
    start_and_stop(&|_| socket_mode(), false);
}

#[test]
fn webhooks_leave_nothing_behind() {
    let events = |listen| SlackEvents::Webhooks {
        listen,
        signing_secret: Secret::new(SIGNING_SECRET),
    };
    start_and_stop(&events, true);
}

#[tokio::test]
async fn it_stops_in_every_state() {
    for events in [socket_mode(), webhooks()] {
        let place = Place::receiving(events).await;
        // Right away, and while it is cut off.
        let run = Run::of(&place.adapter);
        run.end().await;
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
