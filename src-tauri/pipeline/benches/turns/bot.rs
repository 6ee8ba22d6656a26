//! A whole bot and the people who write to it. What it did is counted afterwards: a run in which something
//! failed is no measurement.

use foldback_agents::{ScriptAgent, ScriptStep};
use foldback_channels::{ChannelAdapter, Loopback, platform, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock,
    config::{self, Config},
    invariants::{self, Extent},
};
use foldback_store::{Journal, MemoryJournal, SqliteJournal};
use foldback_wire::{ChatId, ChatType, Clock, Event, Inbound, Kind, Sender, Seq, Terminal};
use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{runtime::Runtime, task::JoinSet};

pub(crate) type Fault = Box<dyn Error + Send + Sync>;

/// What the agent says, and how many deliveries come of it.
pub(crate) struct Reply {
    pub(crate) text: &'static str,
    pub(crate) operations: usize,
}

/// The agent's answers, one after the other.
pub(crate) const REPLIES: [Reply; 3] = [
    Reply {
        text: "<actions>\n  <react emoji=\"thumbsup\" />\n</actions>\nThe night train leaves at ten past nine and \
               gets in before breakfast, so you lose no day over it. I would book the seat by the window: after \
               the second tunnel the line follows the lake for almost an hour.\n\nIf you want to save money, \
               take the early one instead. It's slower, and you change in Zürich, but the café at the station \
               opens at six — and with the pass it costs 20 % less.",
        operations: 2,
    },
    Reply {
        text: "[[reply_to_current]] Write `<actions>` at the start; a `Vec<T>` will not do, and if a < b then \
               <br> is text.\n\n```rust\nfn read<T: FromStr>(line: &str) -> Option<T> {\n    \
               line.split('<').next()?.parse().ok() // \"<react emoji='x'/>\" in here is code\n}\n```\n\nThat is \
               all there is to it.",
        operations: 1,
    },
    Reply {
        text: "I will look into the second question, too.\n<actions><react emoji=\"eyes\" /></actions>\nThe \
               numbers are in: 12 % more than last week, most of it on Friday. Shall I send you the table?\n\
               <actions>\n  <react emoji=\"tada\" />\n</actions>",
        operations: 3,
    },
];

/// Bytes of a delta, about as many as models stream at a time.
const DELTA: usize = 4;

/// The reply as it is streamed.
pub(crate) fn cut(reply: &str) -> Vec<&str> {
    let (mut rest, mut deltas) = (reply, Vec::new());
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(DELTA));
        deltas.push(delta);
        rest = after;
    }
    deltas
}

/// Where the journal is.
#[derive(Clone, Copy)]
pub(crate) enum Store<'a> {
    Disk(&'a Path),
    Memory,
}

impl Store<'_> {
    async fn open(self) -> Result<Arc<dyn Journal>, Fault> {
        Ok(match self {
            Self::Disk(folder) => Arc::new(SqliteJournal::open(folder.join("journal.sqlite")).await?),
            Self::Memory => Arc::new(MemoryJournal::new()),
        })
    }
}

/// Conversations at once, each of which goes on when its turn has ended. Answers how long it took until the
/// last event was durable.
pub(crate) async fn converse(
    store: Store<'_>,
    conversations: usize,
    each: usize,
    once: &[u64],
) -> Result<Duration, Fault> {
    let bot = Bot::start(store.open().await?).await?;
    let begin = Instant::now();
    let mut people = JoinSet::new();
    for person in 0..conversations {
        let bot = bot.clone();
        people.spawn(async move {
            for turn in 0..each {
                bot.turn(person, turn).await?;
            }
            Ok::<_, Fault>(())
        });
    }
    while let Some(ended) = people.join_next().await {
        ended??;
    }
    bot.journal.flush().await?;
    let took = begin.elapsed();

    let replies = || (0..each).map(|turn| turn % REPLIES.len());
    let operations: usize = replies().map(|reply| REPLIES[reply].operations).sum();
    let events: u64 = replies().map(|reply| once[reply]).sum();
    bot.deliveries_are(operations * conversations);
    assert_eq!(
        bot.events().await?,
        events * conversations as u64,
        "events of the same replies, one turn at a time"
    );
    bot.end().await?;
    Ok(took)
}

/// What every reply leaves in a journal when nothing else happens.
pub(crate) fn events_of_each_reply(runtime: &Runtime) -> Result<Vec<u64>, Fault> {
    runtime.block_on(async {
        let mut counts = Vec::new();
        for (turn, reply) in REPLIES.iter().enumerate() {
            let bot = Bot::start(Store::Memory.open().await?).await?;
            bot.turn(0, turn).await?;
            bot.deliveries_are(reply.operations);
            counts.push(bot.events().await?);
            bot.end().await?;
        }
        Ok(counts)
    })
}

#[derive(Clone)]
struct Bot {
    engine: Engine,
    journal: Arc<dyn Journal>,
    agent: Arc<ScriptAgent>,
    loopback: Arc<Loopback>,
    clock: TokioClock,
}

impl Bot {
    async fn start(journal: Arc<dyn Journal>) -> Result<Self, Fault> {
        let clock = TokioClock::system();
        let can = profile(platform::WHATSAPP);
        let loopback = Arc::new(Loopback::new(can, Arc::new(clock), None));
        let agent = Arc::new(ScriptAgent::new(Arc::new(clock)));
        let config = configuration()?;
        let engine = Engine::start(Parts {
            redaction: config.redaction(Path::new("")),
            config: Arc::new(config),
            base: PathBuf::new(),
            send_dir: None,
            journal: Arc::clone(&journal),
            channels: vec![(
                "whatsapp".into(),
                Arc::clone(&loopback) as Arc<dyn ChannelAdapter>,
            )],
            agents: Agents::one(Arc::clone(&agent) as _),
            speech: Speech::default(),
            actions: Arc::default(),
            readers: Readers::default(),
            clock: Arc::new(clock),
            rng: Arc::new(SeededRng::new(1)),
            rules: Rules::all(),
            grammar_off: Vec::new(),
        })
        .await?;
        let whatsapp = engine
            .channels()
            .channel(&"whatsapp".into())
            .ok_or("no channel")?;
        whatsapp.watch().wait_for(|status| status.open().is_ok()).await?;
        Ok(Self {
            engine,
            journal,
            agent,
            loopback,
            clock,
        })
    }

    /// Somebody writes, and waits for the end of the answer.
    async fn turn(&self, person: usize, turn: usize) -> Result<(), Fault> {
        let chat = ChatId::new(format!("4915100000{person:03}"));
        let id = self.loopback.mint(&chat);
        let message = self.loopback.platform().receive(Inbound {
            channel: "whatsapp".into(),
            account: None,
            chat_type: ChatType::Direct,
            thread: None,
            message: id.clone(),
            reply_to: None,
            sender: Sender {
                id: chat.as_str().into(),
                name: chat.as_str().to_owned(),
                display_name: format!("Person {person}"),
                is_bot: false,
            },
            text: format!("Question {turn}: how do I get there, and what does it cost?"),
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: self.clock.now(),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
            chat,
        });
        let reply = cut(REPLIES[turn % REPLIES.len()].text);
        self.agent
            .queue(Some(id), reply.into_iter().map(ScriptStep::text).collect());
        let ended = self.engine.submit(message).await?.ended().await;
        if ended == Some(Terminal::Replied) {
            Ok(())
        } else {
            Err(format!("turn {turn} of person {person} ended as {ended:?}").into())
        }
    }

    /// Every delivery was acknowledged by the platform, exactly once.
    fn deliveries_are(&self, count: usize) {
        let platform = self.loopback.platform();
        let done = platform
            .log()
            .filter(|call| call.answer.is_ok() && call.applied && !call.repeated);
        assert_eq!(done.count(), count, "deliveries that the platform acknowledged");
        assert_eq!(platform.log().len(), count, "calls of the platform");
    }

    /// Events of turns in the journal, less those whose number depends on who is faster: a text that cannot
    /// be shown yet waits, unless its end has come already; a message waits in the queue when it is there
    /// before the conversation has noticed that its turn is over.
    async fn events(&self) -> Result<u64, Fault> {
        self.journal.flush().await?;
        let all = self.journal.read(Seq(1), usize::MAX >> 1).await?;
        assert_eq!(all.last().map_or(0, |event| event.seq.0), all.len() as u64);
        let raced = |kind: &Kind| {
            matches!(
                kind,
                Kind::Waiting { .. }
                    | Kind::Queued { .. }
                    | Kind::Dequeued { .. }
                    | Kind::NotSteered { .. }
                    | Kind::SettingsResolved { .. }
            )
        };
        let counts = |event: &&Event| event.turn.is_some() && !raced(&event.kind);
        Ok(all.iter().filter(counts).count() as u64)
    }

    async fn end(self) -> Result<(), Fault> {
        self.engine.shutdown(Duration::from_secs(5)).await?;
        let violations = invariants::check(&self.journal.read(Seq(1), usize::MAX >> 1).await?, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
        assert!(
            self.journal.outbox().await?.is_empty(),
            "something is left in the outbox"
        );
        self.journal.close().await?;
        Ok(())
    }
}

fn configuration() -> Result<Config, Fault> {
    let text = "[typing]\nenabled = false\n[channels.whatsapp]\nkind = \"loopback\"\narmed = true\nallow_from = [\"*\"]\n";
    Ok(config::parse(text, Path::new("bench.toml"))?)
}
