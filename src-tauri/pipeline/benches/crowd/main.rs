//! Whether conversations starve one another: `cargo bench -p foldback-pipeline --bench crowd`. The figures are
//! explained in docs/performance.md.
//!
//! 1, 50 and 200 conversations stream at once, in one run, on two threads and with the journal in an SQLite file. In
//! each, a delta comes every 50 ms, as models write, and every thirtieth completes a message. Measured is the time from
//! that delta to the call of the adapter: scanning, the journal, the outbox (whose intent and attempt are on the disk
//! before the platform is called) and the lane. The channel has `WhatsApp`'s rules, on which a message goes out when
//! it is complete: where messages are edited, the edit interval alone would be measured.

mod streams;

use foldback_agents::Agent;
use foldback_channels::{ChannelAdapter, Loopback, platform, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock,
    config::{self, Config},
    invariants::{self, Extent},
};
use foldback_store::{Journal, SqliteJournal};
use foldback_wire::{ChatId, ChatType, Clock, Inbound, Sender, Seq, Terminal};
use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use streams::{Gate, MESSAGES, Streams};
use tokio::{runtime::Builder, task::JoinSet};

type Fault = Box<dyn Error + Send + Sync>;

/// Conversations at once, and how often that is measured. One conversation has so few messages that the slowest of one
/// time would be its 99th percentile.
const LOADS: [(usize, usize); 3] = [(1, 3), (50, 1), (200, 1)];

/// What 200 conversations may be slower than one, at the 99th percentile.
const MOST: f64 = 5.0;

fn main() -> Result<(), Fault> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    println!("| at once | messages | p50 ms | p99 ms | most ms | p99 ÷ p99 at 1 |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut alone = None;
    let mut ratio = 0.0;
    for (conversations, times) in LOADS {
        let mut took = Vec::new();
        for _ in 0..times {
            took.extend(runtime.block_on(measure(conversations))?);
        }
        took.sort_unstable();
        let at = |part: f64| took[((took.len() - 1) as f64 * part).round() as usize].as_secs_f64() * 1_000.0;
        let (p50, p99, most) = (at(0.50), at(0.99), at(1.0));
        ratio = p99 / *alone.get_or_insert(p99);
        println!(
            "| {conversations} | {} | {p50:.1} | {p99:.1} | {most:.1} | {ratio:.2} |",
            took.len()
        );
    }
    if ratio > MOST {
        return Err(format!("p99 at 200 is {ratio:.1} times p99 at 1; at most {MOST} is wanted").into());
    }
    Ok(())
}

/// Every time from a delta to the adapter.
async fn measure(conversations: usize) -> Result<Vec<Duration>, Fault> {
    let folder = tempfile::tempdir()?;
    let journal: Arc<dyn Journal> =
        Arc::new(SqliteJournal::open(folder.path().join("journal.sqlite")).await?);
    let clock = TokioClock::system();
    let loopback = Arc::new(Loopback::new(profile(platform::WHATSAPP), Arc::new(clock), None));
    let streams = Arc::new(Streams::new(conversations));
    let gate = Arc::new(Gate::new(Arc::clone(&loopback), Arc::clone(&streams)));
    let config = configuration()?;
    let engine = Engine::start(Parts {
        redaction: config.redaction(Path::new("")),
        config: Arc::new(config),
        base: PathBuf::new(),
        send_dir: None,
        journal: Arc::clone(&journal),
        channels: vec![("whatsapp".into(), gate as Arc<dyn ChannelAdapter>)],
        agents: Agents::one(Arc::clone(&streams) as Arc<dyn Agent>),
        speech: Speech::default(),
        actions: Arc::default(),
        readers: Readers::default(),
        clock: Arc::new(clock),
        rng: Arc::new(SeededRng::new(1)),
        rules: Rules::all(),
        grammar_off: Vec::new(),
    })
    .await?;
    let channel = engine
        .channels()
        .channel(&"whatsapp".into())
        .ok_or("no channel")?;
    channel.watch().wait_for(|status| status.open().is_ok()).await?;
    let mut turns = JoinSet::new();
    for person in 0..conversations {
        let turn = engine.submit(message(person, &loopback, &clock)).await?;
        turns.spawn(turn.ended());
    }
    while let Some(ended) = turns.join_next().await {
        if ended? != Some(Terminal::Replied) {
            return Err("a turn did not end well, so nothing is measured".into());
        }
    }
    engine.shutdown(Duration::from_secs(5)).await?;
    let events = journal.read(Seq(1), usize::MAX >> 1).await?;
    assert_eq!(invariants::check(&events, Extent::Ended), []);
    journal.close().await?;
    let took = streams.times();
    assert_eq!(took.len(), conversations * MESSAGES, "every message arrived once");
    Ok(took)
}

fn message(person: usize, loopback: &Loopback, clock: &TokioClock) -> Inbound {
    let chat = ChatId::new(format!("4915100000{person:03}"));
    let id = loopback.mint(&chat);
    loopback.platform().receive(Inbound {
        channel: "whatsapp".into(),
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
        text: person.to_string(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: clock.now(),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
        chat,
    })
}

fn configuration() -> Result<Config, Fault> {
    // One answer has more messages here than a chat should get.
    let text = format!(
        "[agent]\nmax_runs = 200\n[typing]\nenabled = false\n[output]\nnarration = \"show\"\n\
                max_messages = {MESSAGES}\n[channels.whatsapp]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n"
    );
    Ok(config::parse(&text, Path::new("bench.toml"))?)
}
