//! A message stays with its platform until it is durable here: whoever is killed before that gets it again,
//! and answers it once.

use crate::bot::{from_alice, text};
use foldback_agents::{Act, ScriptAgent, ScriptStep};
use foldback_channels::{
    ChannelAdapter, RemoteLoopback, platform, profile, read_log, serve, sim::SimPlatform,
};
use foldback_pipeline::{Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock, config};
use foldback_store::{Journal, SqliteJournal, StoreError};
use foldback_wire::{Event, Kind, Operation, Seq, Terminal, Timestamp};
use std::{
    fs::OpenOptions,
    future::Future,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// A platform that outlives every bot.
struct World {
    folder: tempfile::TempDir,
    runtime: Runtime,
    platform: SocketAddr,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let log = OpenOptions::new()
            .append(true)
            .create(true)
            .open(folder.path().join("log"))
            .unwrap();
        let listener = runtime
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let platform = listener.local_addr().unwrap();
        let sim = SimPlatform::new(profile(platform::SIGNAL));
        let clock = Arc::new(TokioClock::system());
        runtime.spawn(serve(listener, sim, log, clock, CancellationToken::new()));
        Self {
            folder,
            runtime,
            platform,
        }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal.sqlite")
    }

    /// Alice writes.
    fn write(&self, id: &str) {
        let message = from_alice(platform::SIGNAL, id.into(), "hi", Timestamp(0));
        let door = adapter(self.platform);
        self.runtime
            .block_on(async move { door.inject(message).await })
            .unwrap();
    }

    /// The texts that the platform was sent, without the word that a kill cut an answer off.
    fn answers(&self) -> usize {
        let log = read_log(&self.folder.path().join("log")).unwrap();
        let is_answer = |operation: &Operation| matches!(operation, Operation::SendText { text, .. } if !text.starts_with("⚠️"));
        log.iter()
            .filter(|record| record.applied && is_answer(&record.call.operation))
            .count()
    }

    /// A bot that reaches its platform there and answers so.
    async fn bot(&self, platform: SocketAddr, answer: Vec<ScriptStep>) -> (Engine, Arc<SqliteJournal>) {
        let settings = "[typing]\nenabled = false\n[channels.signal]\nkind = \"loopback\"\narmed = true\n\
                        allow_from = [\"*\"]\n";
        let clock = Arc::new(TokioClock::system());
        let agent = Arc::new(ScriptAgent::new(clock.clone()));
        agent.queue(None, answer);
        let journal = Arc::new(opened(&self.journal()).await);
        let config = config::parse(settings, Path::new("test.toml")).unwrap();
        let parts = Parts {
            redaction: config.redaction(self.folder.path()),
            config: Arc::new(config),
            base: self.folder.path().to_owned(),
            send_dir: None,
            journal: journal.clone(),
            channels: vec![("signal".into(), adapter(platform) as Arc<dyn ChannelAdapter>)],
            agents: Agents::one(agent),
            speech: Speech::default(),
            actions: Arc::default(),
            readers: Readers::default(),
            clock,
            rng: Arc::new(SeededRng::new(1)),
            rules: Rules::all(),
            grammar_off: Vec::new(),
        };
        (Engine::start(parts).await.unwrap(), journal)
    }
}

fn adapter(platform: SocketAddr) -> Arc<RemoteLoopback> {
    let clock = Arc::new(TokioClock::system());
    let can = profile(platform::SIGNAL);
    Arc::new(RemoteLoopback::new(can, platform, clock, None))
}

/// The journal, once the writer of a bot that was killed has let go of it: its thread is not killed with the bot.
async fn opened(path: &Path) -> SqliteJournal {
    loop {
        match SqliteJournal::open(path).await {
            Ok(journal) => return journal,
            Err(error) => assert_eq!(error, StoreError::Locked(path.to_owned())),
        }
        tokio::task::yield_now().await;
    }
}

/// A line to the platform on which the first confirmation is stopped, and told of.
fn tapped(platform: SocketAddr) -> (SocketAddr, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        for from in listener.incoming().map_while(Result::ok) {
            let tell = tell.clone();
            let to = TcpStream::connect(platform).unwrap();
            let (mut back, answers) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut &answers, &mut back));
            thread::spawn(move || {
                let mut to = to;
                for line in BufReader::new(from).lines().map_while(Result::ok) {
                    if line.contains("\"got\"") {
                        // Nobody may listen any more.
                        let _ = tell.send(());
                    } else if writeln!(to, "{line}").is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(std::net::Shutdown::Both);
            });
        }
    });
    (address, told)
}

/// What is durable, as another process sees it.
async fn durable(journal: &Path) -> Vec<Event> {
    let journal = SqliteJournal::open_read_only(journal).await.unwrap();
    journal.read(Seq(1), 1_000_000).await.unwrap()
}

fn received(events: &[Event]) -> usize {
    let received = |event: &&Event| matches!(event.kind, Kind::Received { .. });
    events.iter().filter(received).count()
}

fn terminals(events: &[Event]) -> Vec<Terminal> {
    let terminal = |event: &Event| match &event.kind {
        Kind::TurnEnded { terminal } => Some(terminal.clone()),
        _ => None,
    };
    events.iter().filter_map(terminal).collect()
}

/// Waits for something in the journal.
async fn until(journal: &SqliteJournal, happened: impl Fn(&[Event]) -> bool) -> Vec<Event> {
    let mut head = journal.watch();
    loop {
        let events = journal.read(Seq(1), 1_000_000).await.unwrap();
        if happened(&events) {
            return events;
        }
        head.changed().await.unwrap();
    }
}

/// Runs a bot until it confirms the message and `then` is over; then takes everything from under it.
fn killed_at_the_confirmation<F: Future<Output = ()>>(
    world: &World,
    answer: Vec<ScriptStep>,
    then: impl FnOnce(Arc<SqliteJournal>) -> F,
) {
    let (platform, confirms) = tapped(world.platform);
    let bot = runtime();
    bot.block_on(async {
        let (_engine, journal) = world.bot(platform, answer).await;
        tokio::task::spawn_blocking(move || confirms.recv().unwrap())
            .await
            .unwrap();
        let safe = durable(&world.journal()).await;
        assert_eq!(received(&safe), 1, "what is confirmed is durable");
        then(journal).await;
    });
    bot.shutdown_timeout(Duration::from_secs(10));
}

#[test]
fn killed_before_it_answered_a_message_comes_again_and_is_answered_once() {
    let world = World::new();
    world.write("1");
    let silent = vec![ScriptStep::from(Act::Stall(60_000))];
    killed_at_the_confirmation(&world, silent, |_| async {});
    assert_eq!(world.answers(), 0);
    runtime().block_on(async {
        let (engine, journal) = world.bot(world.platform, vec![text("Here I am.")]).await;
        let events = until(&journal, |events| terminals(events).len() == 2).await;
        assert_eq!(received(&events), 2);
        assert!(terminals(&events).contains(&Terminal::Replied));
        engine.shutdown(Duration::from_secs(5)).await.unwrap();
        journal.close().await.unwrap();
    });
    assert_eq!(world.answers(), 1);
}

#[test]
fn killed_after_it_answered_a_message_comes_again_and_is_a_duplicate() {
    let world = World::new();
    world.write("1");
    killed_at_the_confirmation(&world, vec![text("Here I am.")], |journal| async move {
        until(&journal, |events| terminals(events).len() == 1).await;
    });
    assert_eq!(world.answers(), 1);
    world.write("2");
    runtime().block_on(async {
        let (engine, journal) = world.bot(world.platform, vec![text("And here.")]).await;
        let events = until(&journal, |events| terminals(events).len() == 3).await;
        let expected = [Terminal::Replied, Terminal::Duplicate, Terminal::Replied];
        assert_eq!(terminals(&events), expected, "the second message is another one");
        engine.shutdown(Duration::from_secs(5)).await.unwrap();
        journal.close().await.unwrap();
    });
    assert_eq!(world.answers(), 2);
}
