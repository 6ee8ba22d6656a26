//! A platform in a process of its own: what it acknowledged stays provable, and what is in doubt is said to
//! be in doubt.

use crate::stage::{CHAT, Running, TestClock, call, edit, inbound, send};
use foldback_channels::sim::{CallFailure, CallFault, Record, SimPlatform};
use foldback_channels::{
    ChannelAdapter, RemoteLoopback, ServeError, Signal, platform, profile, read_log, serve,
};
use foldback_wire::{ChannelState, OpKind, Platform, RefusalCode};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A platform with its log, served in this process, and an adapter on it.
pub(crate) struct Site {
    pub(crate) adapter: Arc<RemoteLoopback>,
    clock: TestClock,
    address: SocketAddr,
    platform: Platform,
    dir: tempfile::TempDir,
    stop: CancellationToken,
    served: JoinHandle<Result<(), ServeError>>,
}

impl Site {
    pub(crate) async fn open(platform: Platform) -> Self {
        let clock = TestClock::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let stop = CancellationToken::new();
        let log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(dir.path().join("log"))
            .unwrap();
        let sim = SimPlatform::new(profile(platform));
        let served = tokio::spawn(serve(listener, sim, log, Arc::new(clock.clone()), stop.clone()));
        let adapter = adapter(platform, address, &clock);
        Self {
            adapter,
            clock,
            address,
            platform,
            dir,
            stop,
            served,
        }
    }

    fn log(&self) -> Vec<Record> {
        read_log(&self.dir.path().join("log")).unwrap()
    }

    pub(crate) async fn close(self) {
        self.stop.cancel();
        self.served.await.unwrap().unwrap();
    }
}

fn adapter(platform: Platform, address: SocketAddr, clock: &TestClock) -> Arc<RemoteLoopback> {
    let clock = Arc::new(clock.clone());
    Arc::new(RemoteLoopback::new(profile(platform), address, clock, None))
}

#[tokio::test]
async fn what_is_acknowledged_is_in_the_log() {
    let site = Site::open(platform::TELEGRAM).await;
    let id = site
        .adapter
        .perform(call("a", send("one")))
        .await
        .unwrap()
        .message
        .unwrap();
    assert_eq!(site.log()[0].answer.as_ref().unwrap().message.as_ref(), Some(&id));
    site.adapter.perform(call("b", edit(&id, "two"))).await.unwrap();
    let refused = site.adapter.perform(call("c", send(""))).await.unwrap_err();
    assert_eq!(refused.code, RefusalCode::Rejected);
    let applied: Vec<_> = site
        .log()
        .iter()
        .map(|r| (r.call.key.clone(), r.applied))
        .collect();
    assert_eq!(
        applied,
        [("a".into(), true), ("b".into(), true), ("c".into(), false)]
    );
    site.close().await;
}

#[tokio::test]
async fn a_lost_acknowledgement_is_in_doubt_and_a_key_settles_it() {
    let site = Site::open(platform::DISCORD).await;
    site.adapter
        .plan(CallFault::first(OpKind::SendText, CallFailure::LostAck))
        .await
        .unwrap();
    let first = site.adapter.perform(call("k", send("once"))).await.unwrap_err();
    assert_eq!((first.code, first.maybe_done), (RefusalCode::Transient, true));
    let message = site
        .adapter
        .perform(call("k", send("once")))
        .await
        .unwrap()
        .message;
    let log = site.log();
    let effects: Vec<_> = log.iter().map(|r| (r.applied, r.repeated)).collect();
    assert_eq!(
        effects,
        [(true, false), (false, true)],
        "one message, acknowledged at the second try"
    );
    assert_eq!(log[1].answer.as_ref().unwrap().message, message);
    site.close().await;
}

#[tokio::test]
async fn a_refusal_keeps_its_kind_and_its_wait_on_the_way() {
    let site = Site::open(platform::SLACK).await;
    let limited = CallFault {
        retry_after_ms: Some(1_500),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    site.adapter.plan(limited).await.unwrap();
    let refusal = site
        .adapter
        .perform(call("k", send("too fast")))
        .await
        .unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::RateLimited, false)
    );
    assert_eq!(refusal.retry_after, Some(Duration::from_millis(1_500)));
    site.close().await;
}

#[tokio::test]
async fn nobody_there_is_a_passing_fault_that_surely_did_nothing() {
    let nobody = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    let adapter = adapter(platform::TELEGRAM, nobody, &TestClock::new());
    let refusal = adapter.perform(call("k", send("hello?"))).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (RefusalCode::Transient, false)
    );
}

#[tokio::test]
async fn a_call_without_an_answer_is_in_doubt_after_half_a_minute() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let clock = TestClock::new();
    let adapter = adapter(platform::TELEGRAM, silent.local_addr().unwrap(), &clock);
    let asked = tokio::spawn(async move { adapter.perform(call("k", send("hello?"))).await });
    let (mut held, _) = silent.accept().await.unwrap();
    held.read_u8().await.unwrap(); // the call is on its way, and its time runs
    clock.advance(Duration::from_secs(30));
    let refusal = asked.await.unwrap().unwrap_err();
    assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Transient, true));
}

#[tokio::test]
async fn messages_come_in_in_order_and_a_cut_connection_comes_back() {
    let site = Site::open(platform::SIGNAL).await;
    let mut running = Running::start(site.adapter.clone(), &site.clock);
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    site.adapter.inject(inbound("m1", "one")).await.unwrap();
    site.adapter.inject(inbound("m2", "two")).await.unwrap();
    for expected in ["one", "two"] {
        assert_eq!(running.message().await.text, expected);
    }
    site.adapter
        .plan(CallFault::first(OpKind::Typing, CallFailure::Disconnect))
        .await
        .unwrap();
    let cut = site
        .adapter
        .perform(call("k", foldback_wire::Operation::Typing))
        .await
        .unwrap_err();
    assert!(cut.maybe_done);
    assert_eq!(running.states(1).await, [ChannelState::Down]);
    site.adapter.inject(inbound("m3", "three")).await.unwrap();
    let clock = site.clock.clone();
    let waiting = tokio::spawn(async move {
        loop {
            clock.advance(Duration::from_millis(100));
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(
        running.states(2).await,
        [ChannelState::Connecting, ChannelState::Up]
    );
    waiting.abort();
    loop {
        // A message that was handed over when the connection broke may come again, under its id.
        let message = running.message().await;
        if message.text == "three" {
            break;
        }
        assert_eq!(message.message.as_str(), "m2");
    }
    running.stop().await;
    site.close().await;
}

#[tokio::test]
async fn a_message_comes_again_until_it_is_kept() {
    let site = Site::open(platform::TELEGRAM).await;
    site.adapter.inject(inbound("m1", "one")).await.unwrap();
    site.adapter.inject(inbound("m2", "two")).await.unwrap();

    // The process is killed with the message in its hands: twice, for good measure.
    for _ in 0..2 {
        let mut killed = Running::start(site.adapter.clone(), &site.clock);
        killed.states(2).await;
        let Some(Signal::Message(arrival)) = killed.signals.recv().await else {
            panic!("no message")
        };
        assert_eq!(arrival.message.text, "one");
        assert!(killed.stop().await.is_empty(), "nothing more before it is kept");
    }

    // It cannot be kept: the adapter says so, and tries again later.
    let mut running = Running::start(site.adapter.clone(), &site.clock);
    running.states(2).await;
    let Some(Signal::Message(arrival)) = running.signals.recv().await else {
        panic!("no message")
    };
    drop(arrival);
    assert_eq!(running.states(1).await, [ChannelState::Down]);
    running.stop().await;

    let mut running = Running::start(site.adapter.clone(), &site.clock);
    running.states(2).await;
    for expected in ["one", "two"] {
        assert_eq!(running.message().await.text, expected);
    }
    running.stop().await;
    site.close().await;
}

#[tokio::test]
async fn nonsense_disturbs_nobody_else() {
    let site = Site::open(platform::TELEGRAM).await;
    for nonsense in [
        "hello\n",
        "{}\n",
        "{\"ask\":\"got\",\"message\":\"1\"}\n",
        "{\"ask\":",
    ] {
        let mut stream = std::net::TcpStream::connect(site.address).unwrap();
        stream.write_all(nonsense.as_bytes()).unwrap();
    }
    assert!(site.adapter.perform(call("k", send("still there"))).await.is_ok());
    assert_eq!(site.platform, platform::TELEGRAM);
    site.close().await;
}

#[tokio::test]
async fn a_torn_last_line_was_never_acknowledged() {
    let site = Site::open(platform::TELEGRAM).await;
    site.adapter.perform(call("a", send("one"))).await.unwrap();
    let mut log = OpenOptions::new()
        .append(true)
        .open(site.dir.path().join("log"))
        .unwrap();
    log.write_all(b"{\"at\":\"2026-").unwrap();
    assert_eq!(site.log().len(), 1);
    site.close().await;
}

/// The program itself, in its own process.
struct Process {
    child: std::process::Child,
    address: SocketAddr,
}

impl Process {
    fn start(log: &PathBuf) -> Result<Self, String> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_foldback-platform"))
            .arg("discord")
            .arg(log)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        match address.trim().parse() {
            Ok(address) => Ok(Self { child, address }),
            Err(_) => Err(String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()),
        }
    }
}

#[tokio::test]
async fn the_program_serves_keeps_its_log_and_ends_with_its_input() {
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    let mut process = Process::start(&log).unwrap();
    let adapter = adapter(platform::DISCORD, process.address, &TestClock::new());
    let id = adapter
        .perform(call("k", send("hi")))
        .await
        .unwrap()
        .message
        .unwrap();
    drop(process.child.stdin.take());
    assert!(process.child.wait().unwrap().success());
    let records = read_log(&log).unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].answer.as_ref().unwrap().message, Some(id));
    assert_eq!(records[0].call.target.chat.as_str(), CHAT);
    let again = Process::start(&log).err().expect("evidence is not overwritten");
    assert!(again.contains("log"), "{again}");
}
