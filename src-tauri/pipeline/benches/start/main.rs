//! The start on a long journal, and the room that a message takes in it: `cargo bench -p foldback-pipeline --bench start
//! [EVENTS]`. The figures are explained in docs/performance.md.
//!
//! A bot with a streaming model answers people, as many at once as write; then its turns are copied until the journal has
//! 2.4 million events, all of them of the last minutes, and a bot starts on it. The bench fails when that takes 300 ms.

use async_trait::async_trait;
use foldback_agents::{Agent, AgentEvent, Step, StepSink, TurnRequest};
use foldback_channels::{ChannelAdapter, Loopback, platform, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock,
    config::{self, Config},
};
use foldback_store::{Journal, SqliteJournal};
use foldback_wire::{
    ChatId, ChatType, Clock, Draft, Event, Inbound, Kind, Sender, Seq, StopReason, Terminal, TurnId,
};
use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Builder, task::JoinSet};
use tokio_util::sync::CancellationToken;

type Fault = Box<dyn Error + Send + Sync>;

/// People who write at once.
const PEOPLE: usize = 40;

/// Events of the journal that a bot starts on.
const EVENTS: u64 = 2_400_000;

/// Longest start.
const MOST: Duration = Duration::from_millis(300);

/// Bytes of an answer, and of a delta of it, as models stream.
const ANSWER: usize = 1_200;
const DELTA: usize = 4;

/// Time between two deltas.
const PACE: Duration = Duration::from_millis(20);

fn main() -> Result<(), Fault> {
    let events = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(EVENTS);
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(measure(events))
}

async fn measure(most: u64) -> Result<(), Fault> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("journal.sqlite");
    let (engine, loopback, journal) = start(&path).await?;
    let mut turns = JoinSet::new();
    for person in 0..PEOPLE {
        turns.spawn(engine.submit(message(person, &loopback)).await?.ended());
    }
    while let Some(ended) = turns.join_next().await {
        if ended? != Some(Terminal::Replied) {
            return Err("a turn did not end well, so nothing is measured".into());
        }
    }
    engine.shutdown(Duration::from_secs(5)).await?;
    let own = journal.read(Seq(1), usize::MAX >> 1).await?;
    journal.close().await?;
    let bytes = path.metadata()?.len();
    println!(
        "a message with an answer of {ANSWER} bytes, streamed in deltas of {DELTA}: {} events, {} bytes on disk; {} bytes \
         an event",
        own.len() / PEOPLE,
        bytes / PEOPLE as u64,
        bytes / own.len() as u64
    );

    let begin = Instant::now();
    let (engine, _, journal) = start(&path).await?;
    let short = begin.elapsed();
    engine.shutdown(Duration::from_secs(5)).await?;
    journal.close().await?;
    grow(&path, &own, most).await?;
    let begin = Instant::now();
    let (engine, _, journal) = start(&path).await?;
    let took = begin.elapsed();
    println!(
        "a start on {} events: {:.1} ms; on {} events: {:.1} ms",
        own.len(),
        short.as_secs_f64() * 1_000.0,
        journal.head(),
        took.as_secs_f64() * 1_000.0
    );
    engine.shutdown(Duration::from_secs(5)).await?;
    journal.close().await?;
    if took > MOST {
        return Err(format!("at most {MOST:?} are wanted").into());
    }
    Ok(())
}

async fn start(path: &Path) -> Result<(Engine, Arc<Loopback>, Arc<dyn Journal>), Fault> {
    let journal: Arc<dyn Journal> = Arc::new(SqliteJournal::open(path).await?);
    let clock = TokioClock::system();
    let loopback = Arc::new(Loopback::new(profile(platform::TELEGRAM), Arc::new(clock), None));
    let config = configuration()?;
    let engine = Engine::start(Parts {
        redaction: config.redaction(Path::new("")),
        config: Arc::new(config),
        base: PathBuf::new(),
        send_dir: None,
        journal: Arc::clone(&journal),
        channels: vec![(
            "telegram".into(),
            Arc::clone(&loopback) as Arc<dyn ChannelAdapter>,
        )],
        agents: Agents::one(Arc::new(Model)),
        speech: Speech::default(),
        actions: Arc::default(),
        readers: Readers::default(),
        clock: Arc::new(clock),
        rng: Arc::new(SeededRng::new(1)),
        rules: Rules::all(),
        grammar_off: Vec::new(),
    })
    .await?;
    Ok((engine, loopback, journal))
}

/// Copies turns, as of now, until there are so many events.
async fn grow(path: &Path, own: &[Event], most: u64) -> Result<(), Fault> {
    let journal = SqliteJournal::open(path).await?;
    let now = TokioClock::system().now();
    let mut first = journal.reserve().await?.turn;
    while journal.head().0 < most {
        let draft = |event: &Event| {
            let turn = TurnId(event.turn?.0 + first);
            let mut kind = event.kind.clone();
            if let Kind::Received { message } = &mut kind {
                message.message = format!("{}-{turn}", message.message).into();
            }
            Some(Draft {
                at: now,
                turn: Some(turn),
                session: event.session.clone(),
                channel: event.channel.clone(),
                kind,
            })
        };
        journal.append(own.iter().filter_map(draft).collect())?;
        journal.flush().await?;
        first += PEOPLE as u64 + 1;
    }
    journal.close().await?;
    Ok(())
}

/// A model that streams prose.
struct Model;

#[async_trait]
impl Agent for Model {
    fn backend(&self) -> &'static str {
        "model"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let run = request.run;
        let prose = "The model writes a sentence, and then another one. ".repeat(ANSWER / 50 + 1);
        for delta in prose.as_bytes()[..ANSWER].chunks(DELTA) {
            tokio::time::sleep(PACE).await;
            let text = String::from_utf8_lossy(delta).into_owned();
            let step = Step::Text { message: None, text };
            if sink.send(AgentEvent { run, step }).await.is_err() {
                return;
            }
        }
        let step = Step::Done(StopReason::End);
        // A bot that ends does not want to know.
        let _ = sink.send(AgentEvent { run, step }).await;
    }
}

fn message(person: usize, loopback: &Loopback) -> Inbound {
    let chat = ChatId::new(format!("{}", 4_000 + person));
    let id = loopback.mint(&chat);
    loopback.platform().receive(Inbound {
        channel: "telegram".into(),
        account: None,
        chat_type: ChatType::Direct,
        thread: None,
        message: id,
        reply_to: None,
        sender: Sender {
            id: chat.as_str().into(),
            name: chat.as_str().to_owned(),
            display_name: format!("Person {person}"),
            is_bot: false,
        },
        text: "Tell me something, please, in some two hundred words.".to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: TokioClock::system().now(),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
        chat,
    })
}

fn configuration() -> Result<Config, Fault> {
    let text = "[channels.telegram]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n";
    Ok(config::parse(text, Path::new("bench.toml"))?)
}
