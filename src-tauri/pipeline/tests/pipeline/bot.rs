//! A whole bot on loopback channels, a scripted agent and virtual time.

use foldback_agents::{Act, Agent, ScriptAgent, ScriptStep, ToolStep};
use foldback_channels::{
    ChannelAdapter, Loopback,
    sim::{Author, CallFailure, CallFault, Content, Record},
};
use foldback_pipeline::{
    Agents, Engine, Parts, Rules, SeededRng, TokioClock, Turn,
    config::{self, Config},
    invariants::{self, Extent},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    ChannelId, ChatType, Clock, Event, Inbound, Kind, MessageId, OpKind, Platform, Sender, Seq, Terminal,
    Timestamp, ToolStatus,
};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// 2026-01-01T00:00:00Z.
pub(crate) const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

/// A bot and everything around it.
pub(crate) struct Bot {
    pub(crate) engine: Engine,
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) agent: Arc<ScriptAgent>,
    pub(crate) loopbacks: BTreeMap<Platform, Arc<Loopback>>,
    pub(crate) clock: TokioClock,
    pub(crate) send_dir: PathBuf,
    pub(crate) dir: Arc<tempfile::TempDir>,
    messages: AtomicU64,
}

/// What outlives a process: the journal, the platforms, the files, time.
pub(crate) struct World {
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) loopbacks: BTreeMap<Platform, Arc<Loopback>>,
    pub(crate) clock: TokioClock,
    pub(crate) dir: Arc<tempfile::TempDir>,
}

impl World {
    pub(crate) fn new() -> Self {
        let clock = TokioClock::at(EPOCH);
        let dir = Arc::new(tempfile::tempdir().unwrap());
        let send_dir = dir.path().join("data/outbound");
        std::fs::create_dir_all(&send_dir).unwrap();
        let loopback = |platform: &Platform| {
            let can = foldback_channels::profile(*platform);
            (
                *platform,
                Arc::new(Loopback::new(can, Arc::new(clock), Some(send_dir.clone()))),
            )
        };
        let loopbacks = Platform::ALL.iter().map(loopback).collect();
        Self {
            journal: Arc::new(MemoryJournal::new()),
            loopbacks,
            clock,
            dir,
        }
    }
}

/// The embedded configuration with these tables on top.
pub(crate) fn configured(text: &str) -> Config {
    let mut tables: toml::Table = text.parse().unwrap();
    let channels = tables.get_mut("channels").and_then(toml::Value::as_table_mut);
    for (_, channel) in channels.into_iter().flatten() {
        // Simulated from the beginning: people there are called alice, which no platform calls anybody.
        channel
            .as_table_mut()
            .unwrap()
            .entry("kind")
            .or_insert("loopback".into());
    }
    let text_read = toml::to_string(&tables).unwrap();
    let mut config = config::parse(&text_read, std::path::Path::new("test.toml")).unwrap();
    let embedded = config::embedded().channels;
    for (id, channel) in embedded {
        let own = config.channels.entry(id).or_insert_with(|| channel.clone());
        own.kind = channel.kind;
        if own.allow_from.is_empty() && !text.contains("allow_from") {
            own.allow_from = channel.allow_from;
        }
        own.armed |= !text.contains("armed");
    }
    config
}

pub(crate) fn parts(world: &World, text: &str, rules: Rules, agent: Arc<dyn Agent>) -> Parts {
    let named = |(p, l): (&Platform, &Arc<Loopback>)| {
        (ChannelId::new(p.code()), Arc::clone(l) as Arc<dyn ChannelAdapter>)
    };
    Parts {
        config: Arc::new(configured(text)),
        base: world.dir.path().to_owned(),
        send_dir: None,
        journal: Arc::clone(&world.journal) as Arc<dyn Journal>,
        channels: world.loopbacks.iter().map(named).collect(),
        agents: Agents::one(agent),
        clock: Arc::new(world.clock),
        rng: Arc::new(SeededRng::new(1)),
        rules,
        grammar_off: Vec::new(),
    }
}

impl Bot {
    pub(crate) async fn start() -> Self {
        Self::with("").await
    }

    pub(crate) async fn with(text: &str) -> Self {
        Self::in_world(World::new(), text, Rules::all()).await
    }

    pub(crate) async fn in_world(world: World, text: &str, rules: Rules) -> Self {
        Self::answering(world, text, rules, []).await
    }

    /// A bot that has its answers before it takes up what an earlier one left.
    pub(crate) async fn answering<const N: usize>(
        world: World,
        text: &str,
        rules: Rules,
        answers: [ScriptStep; N],
    ) -> Self {
        let clock = world.clock;
        let agent = Arc::new(ScriptAgent::new(Arc::new(clock)).with_silence(Duration::from_hours(24)));
        for answer in answers {
            agent.queue(None, vec![answer]);
        }
        Self::behind(world, text, rules, Arc::clone(&agent), agent).await
    }

    /// A bot in which another agent stands before the scripted one.
    pub(crate) async fn behind(
        world: World,
        text: &str,
        rules: Rules,
        agent: Arc<ScriptAgent>,
        first: Arc<dyn Agent>,
    ) -> Self {
        let (clock, dir) = (world.clock, Arc::clone(&world.dir));
        let (journal, loopbacks) = (Arc::clone(&world.journal), world.loopbacks.clone());
        let engine = Engine::start(parts(&world, text, rules, first)).await.unwrap();
        let send_dir = dir.path().join("data/outbound");
        // Channels connect while nothing else happens.
        tokio::time::sleep(Duration::from_millis(1)).await;
        Self {
            engine,
            journal,
            agent,
            loopbacks,
            clock,
            send_dir,
            dir,
            messages: AtomicU64::new(0),
        }
    }

    /// A start after which nothing more happens.
    pub(crate) async fn barely_started(world: World) -> World {
        let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        Engine::start(parts(&world, "", Rules::all(), agent))
            .await
            .unwrap();
        world
    }

    /// What outlives it, after it was dropped without an end in order.
    pub(crate) fn world(&self) -> World {
        World {
            journal: self.journal.clone(),
            loopbacks: self.loopbacks.clone(),
            clock: self.clock,
            dir: Arc::clone(&self.dir),
        }
    }

    /// The agent's answer to the next message without one.
    pub(crate) fn says(&self, steps: impl IntoIterator<Item = ScriptStep>) {
        self.agent.queue(None, steps.into_iter().collect());
    }

    /// A message of Alice, in the platform's form.
    pub(crate) fn message(&self, platform: Platform, text: &str) -> Inbound {
        let chat = "c1".into();
        let loopback = &self.loopbacks[&platform];
        let id = loopback.mint(&chat);
        self.messages.fetch_add(1, Ordering::Relaxed);
        let inbound = Inbound {
            channel: platform.code().into(),
            account: None,
            chat,
            chat_type: ChatType::Direct,
            thread: None,
            message: id,
            reply_to: None,
            sender: Sender {
                id: "alice".into(),
                name: "alice".into(),
                display_name: "Alice".into(),
                is_bot: false,
            },
            text: text.to_owned(),
            mentioned: true,
            files: Vec::new(),
            at: self.clock.now(),
            dry_run: false,
        };
        loopback.platform().receive(inbound)
    }

    /// Alice writes; the turn runs on.
    pub(crate) async fn user(&self, platform: Platform, text: &str) -> Turn {
        self.engine.submit(self.message(platform, text)).await.unwrap()
    }

    /// Alice writes and the turn ends.
    pub(crate) async fn turn(&self, platform: Platform, text: &str) -> Terminal {
        self.user(platform, text)
            .await
            .ended()
            .await
            .expect("the turn stays open")
    }

    pub(crate) fn fault(&self, platform: Platform, fault: CallFault) {
        self.loopbacks[&platform].platform().plan(fault);
    }

    /// What the user has on the screen of a chat, without their own messages.
    pub(crate) fn screen(&self, platform: Platform) -> Vec<String> {
        let platform = self.loopbacks[&platform].platform();
        let Some(chat) = platform.chat(&"c1".into()) else {
            return Vec::new();
        };
        let mine = chat
            .messages()
            .filter(|m| m.author == Author::Bot && m.deleted.is_none());
        mine.map(|m| {
            let reply = m
                .reply_to
                .as_ref()
                .map(|id| format!("[to {id}] "))
                .unwrap_or_default();
            match &m.content {
                Content::Text(text) => format!("{reply}{text}"),
                Content::File { path, caption, kind } => {
                    format!("{reply}{kind:?} {path} {}", caption.clone().unwrap_or_default())
                }
                Content::Voice { text, .. } => format!("{reply}voice {text}"),
            }
        })
        .collect()
    }

    /// Every text that was ever on the screen, live frames included.
    pub(crate) fn ever_shown(&self, platform: Platform) -> Vec<String> {
        let platform = self.loopbacks[&platform].platform();
        let Some(chat) = platform.chat(&"c1".into()) else {
            return Vec::new();
        };
        let mine = chat.messages().filter(|m| m.author == Author::Bot);
        mine.flat_map(|m| {
            let now = match &m.content {
                Content::Text(text) => Some(text.clone()),
                _ => None,
            };
            m.history
                .iter()
                .map(|h| h.text.clone())
                .chain(now)
                .collect::<Vec<_>>()
        })
        .collect()
    }

    /// The reactions on a message.
    pub(crate) fn reactions(&self, platform: Platform, message: &MessageId) -> Vec<String> {
        let platform = self.loopbacks[&platform].platform();
        let chat = platform.chat(&"c1".into()).expect("a chat");
        let message = chat.messages().find(|m| m.id == *message);
        message.expect("the message").reactions.clone()
    }

    /// The platform's own log of calls of one kind.
    pub(crate) fn calls(&self, platform: Platform, op: OpKind) -> Vec<Record> {
        let platform = self.loopbacks[&platform].platform();
        platform
            .log()
            .filter(|r| r.call.operation.kind() == op)
            .cloned()
            .collect()
    }

    /// What the platform was called for, in order, without typing.
    pub(crate) fn operations(&self, platform: Platform) -> Vec<OpKind> {
        let platform = self.loopbacks[&platform].platform();
        let kinds = platform.log().map(|r| r.call.operation.kind());
        kinds.filter(|kind| *kind != OpKind::Typing).collect()
    }

    pub(crate) async fn events(&self) -> Vec<Event> {
        self.journal.read(Seq(1), 1_000_000).await.unwrap()
    }

    pub(crate) async fn kinds(&self) -> Vec<Kind> {
        self.events().await.into_iter().map(|e| e.kind).collect()
    }

    /// How many warnings say this.
    pub(crate) async fn warnings(&self, words: &str) -> usize {
        let told = |kind: &Kind| matches!(kind, Kind::Warned { detail } if detail.contains(words));
        self.kinds().await.iter().filter(|kind| told(kind)).count()
    }

    /// Everything has ended and every invariant holds.
    pub(crate) async fn check(&self) {
        let violations = invariants::check(&self.events().await, Extent::Ended);
        assert!(violations.is_empty(), "{violations:#?}");
        let outbox = self.journal.outbox().await.unwrap();
        assert!(outbox.is_empty(), "{outbox:#?}");
    }

    /// Milliseconds since the beginning.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.now().since(EPOCH).as_millis()).unwrap()
    }
}

/// A chunk of the answer.
pub(crate) fn text(text: &str) -> ScriptStep {
    ScriptStep::text(text)
}

/// A chunk that comes later.
pub(crate) fn later(after_ms: u64, text: &str) -> ScriptStep {
    ScriptStep {
        after_ms,
        act: Act::Text(text.to_owned()),
    }
}

/// A tool call that has run.
pub(crate) fn tool(id: &str) -> ScriptStep {
    Act::Tool(ToolStep {
        id: id.into(),
        name: "search".to_owned(),
        status: ToolStatus::Completed,
        after_ms: 0,
        arguments: None,
        result: None,
    })
    .into()
}

/// A call that takes so long.
pub(crate) fn slow(op: OpKind, latency: Duration) -> CallFault {
    CallFault {
        fail: None,
        latency_ms: u64::try_from(latency.as_millis()).unwrap(),
        ..CallFault::first(op, CallFailure::Transient)
    }
}

/// A runtime that can be taken from under a bot.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap()
}

/// The world after a bot did this and was killed.
pub(crate) fn killed<F: Future<Output = Bot>>(life: F) -> World {
    runtime().block_on(async { life.await.world() })
}
