//! A whole bot on loopback channels, a scripted agent and virtual time.

mod jump;
mod seen;

pub(crate) use jump::JumpClock;

use foldback_actions::ActionTable;
use foldback_agents::{Act, Agent, ScriptAgent, ScriptStep, ToolStep};
use foldback_channels::{
    ChannelAdapter, Loopback, platform,
    sim::{CallFailure, CallFault, Record},
};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, TokioClock, Turn,
    config::{self, Config},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Actor, ChannelId, ChatType, Clock, Inbound, MessageId, OpKind, Platform, Sender, Terminal, Timestamp,
    ToolStatus,
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
    pub(crate) speech: Speech,
    pub(crate) actions: Arc<ActionTable>,
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
        let loopbacks = platform::ALL.iter().map(loopback).collect();
        Self {
            journal: Arc::new(MemoryJournal::new()),
            loopbacks,
            clock,
            dir,
            speech: Speech::default(),
            actions: Arc::default(),
        }
    }

    /// Calls of one kind in the platform's own log.
    pub(crate) fn count_calls(&self, platform: Platform, op: OpKind) -> usize {
        let platform = self.loopbacks[&platform].platform();
        let is_one = |record: &&Record| record.call.operation.kind() == op;
        platform.log().filter(is_one).count()
    }

    /// Lets the time go on from where the journal ends: that of another runtime begins anew.
    pub(crate) async fn go_on(&self) {
        let last = self.journal.read(self.journal.head(), 1).await.unwrap();
        let behind = last.first().map(|event| event.at.since(self.clock.now()));
        if let Some(behind) = behind.filter(|behind| !behind.is_zero()) {
            tokio::time::advance(behind).await;
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
    // A script takes messages while it runs. Where a test says nothing, they wait, as with agents that do not.
    let queue = tables.entry("queue").or_insert_with(|| toml::Table::new().into());
    let queue = queue.as_table_mut().unwrap();
    queue.entry("mode").or_insert("followup".into());
    queue.entry("drop").or_insert("new".into());
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
    let config = configured(text);
    Parts {
        redaction: config.redaction(world.dir.path()),
        config: Arc::new(config),
        base: world.dir.path().to_owned(),
        send_dir: None,
        journal: Arc::clone(&world.journal) as Arc<dyn Journal>,
        channels: world.loopbacks.iter().map(named).collect(),
        agents: Agents::one(agent),
        speech: world.speech.clone(),
        actions: Arc::clone(&world.actions),
        readers: Readers::default(),
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
        world.go_on().await;
        let engine = Engine::start(parts(&world, text, rules, first)).await.unwrap();
        // Channels connect while nothing else happens.
        tokio::time::sleep(Duration::from_millis(1)).await;
        Self::around(world, engine, agent)
    }

    /// A bot that reaches one of its platforms through another adapter.
    pub(crate) async fn through<A: ChannelAdapter + 'static>(
        platform: Platform,
        settings: &str,
        adapter: impl FnOnce(Arc<Loopback>) -> A,
    ) -> Self {
        let world = World::new();
        let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        let mut parts = parts(&world, settings, Rules::all(), agent.clone());
        let adapter: Arc<dyn ChannelAdapter> = Arc::new(adapter(Arc::clone(&world.loopbacks[&platform])));
        let channel = ChannelId::new(platform.code());
        for (_, own) in parts.channels.iter_mut().filter(|(id, _)| *id == channel) {
            *own = Arc::clone(&adapter);
        }
        let engine = Engine::start(parts).await.unwrap();
        // Channels connect while nothing else happens.
        tokio::time::sleep(Duration::from_millis(1)).await;
        Self::around(world, engine, agent)
    }

    /// A bot that was started with parts of its own.
    pub(crate) fn around(world: World, engine: Engine, agent: Arc<ScriptAgent>) -> Self {
        let World {
            journal,
            loopbacks,
            clock,
            dir,
            ..
        } = world;
        Self {
            engine,
            journal,
            agent,
            loopbacks,
            clock,
            send_dir: dir.path().join("data/outbound"),
            dir,
            messages: AtomicU64::new(0),
        }
    }

    /// A start after which nothing more happens.
    pub(crate) async fn barely_started(world: World) -> World {
        world.go_on().await;
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
            speech: Speech::default(),
            actions: Arc::default(),
        }
    }

    /// The same, once it is gone.
    pub(crate) fn into_world(self) -> World {
        self.world()
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
        let inbound = from_alice(platform, id, text, self.clock.now());
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

    /// Switches a channel on or off, which it was not.
    pub(crate) async fn toggle(&self, platform: Platform, on: bool) {
        let channel = ChannelId::new(platform.code());
        let toggled = self.engine.toggle(&channel, on, Actor::Console, "test").await;
        assert!(toggled.unwrap(), "{platform} was so already");
    }

    pub(crate) fn fault(&self, platform: Platform, fault: CallFault) {
        self.loopbacks[&platform].platform().plan(fault);
    }

    /// Milliseconds since the beginning.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.now().since(EPOCH).as_millis()).unwrap()
    }
}

/// A message of Alice to the bot alone.
pub(crate) fn from_alice(platform: Platform, message: MessageId, text: &str, at: Timestamp) -> Inbound {
    Inbound {
        channel: platform.code().into(),
        account: None,
        chat: "c1".into(),
        chat_type: ChatType::Direct,
        thread: None,
        message,
        reply_to: None,
        sender: Sender {
            id: "alice".into(),
            name: "alice".into(),
            display_name: "Alice".into(),
            is_bot: false,
        },
        text: text.to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at,
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
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
    called(id, ToolStatus::Completed)
}

/// A tool call that stands so.
pub(crate) fn called(id: &str, status: ToolStatus) -> ScriptStep {
    Act::Tool(ToolStep {
        id: id.into(),
        name: "search".to_owned(),
        status,
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

#[test]
fn the_embedded_configuration_opens_a_loopback_for_each_platform() {
    assert_eq!(configured("").channels.len(), platform::ALL.len());
}
