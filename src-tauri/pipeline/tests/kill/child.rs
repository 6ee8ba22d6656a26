//! One life of a bot: starts on the journal of its predecessors, answers two conversations, ends in order,
//! unless it is killed.

use foldback_agents::{Act, ScriptAgent, ScriptStep};
use foldback_channels::{ChannelAdapter, RemoteLoopback, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Rules, SeededRng, TokioClock,
    config::{self, Config},
};
use foldback_store::{Journal, SqliteJournal};
use foldback_wire::{Capabilities, ChannelId, ChatType, Clock, Inbound, Platform, Rng, Sender};
use std::{net::SocketAddr, path::PathBuf, process::Command, sync::Arc, time::Duration};

/// Conversations that each life holds at once.
pub(crate) const CONVERSATIONS: u64 = 2;

/// What a child is told.
pub(crate) struct Life {
    pub(crate) number: u64,
    pub(crate) platform: Platform,
    pub(crate) address: SocketAddr,
    pub(crate) dir: PathBuf,
    pub(crate) crash: Option<String>,
}

impl Life {
    pub(crate) fn from_env() -> Option<Self> {
        let get = |name: &str| std::env::var(name).ok();
        Some(Self {
            number: get("FB_LIFE")?.parse().ok()?,
            platform: Platform::from_code(&get("FB_PLATFORM")?)?,
            address: get("FB_ADDRESS")?.parse().ok()?,
            dir: get("FB_DIR")?.into(),
            crash: get("FOLDBACK_CRASH_AT"),
        })
    }

    pub(crate) fn to_env(&self, command: &mut Command) {
        command
            .env("FB_LIFE", self.number.to_string())
            .env("FB_PLATFORM", self.platform.code())
            .env("FB_ADDRESS", self.address.to_string())
            .env("FB_DIR", &self.dir);
        if let Some(crash) = &self.crash {
            command.env("FOLDBACK_CRASH_AT", crash);
        }
    }
}

/// The platform's capabilities, with a preview fast enough for a short life.
pub(crate) fn capabilities(platform: Platform) -> Capabilities {
    Capabilities {
        edit_interval_ms: Some(15),
        typing: false,
        ..profile(platform)
    }
}

pub(crate) fn live(life: &Life) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let clock: Arc<dyn Clock> = Arc::new(TokioClock::system());
        let journal = open(life).await;
        let agent = Arc::new(ScriptAgent::new(Arc::clone(&clock)));
        let engine = start(life, &clock, Arc::clone(&journal), Arc::clone(&agent)).await;
        let mut turns = Vec::new();
        for conversation in 0..CONVERSATIONS {
            agent.queue(None, answer());
            let turn = engine.submit(message(life, conversation, clock.as_ref())).await;
            turns.push(turn.expect("the journal takes it"));
        }
        for turn in turns {
            turn.ended().await;
        }
        engine
            .shutdown(Duration::from_secs(5))
            .await
            .expect("an end in order");
        journal.close().await.expect("the journal closes");
    });
}

/// The lock of a killed process is gone when the kernel has cleaned up after it.
async fn open(life: &Life) -> Arc<SqliteJournal> {
    let path = life.dir.join("journal.sqlite");
    for _ in 0..100 {
        match SqliteJournal::open(&path).await {
            Ok(journal) => return Arc::new(journal),
            Err(foldback_store::StoreError::Locked { .. }) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the journal stays locked");
}

async fn start(
    life: &Life,
    clock: &Arc<dyn Clock>,
    journal: Arc<SqliteJournal>,
    agent: Arc<ScriptAgent>,
) -> Engine {
    let rng: Arc<dyn Rng> = Arc::new(SeededRng::new(life.number));
    let can = capabilities(life.platform);
    let adapter = RemoteLoopback::new(can, life.address, Arc::clone(clock), Arc::clone(&rng), None);
    let name = ChannelId::new(life.platform.code());
    let parts = Parts {
        config: Arc::new(configuration()),
        base: life.dir.clone(),
        journal: journal as Arc<dyn Journal>,
        channels: vec![(name, Arc::new(adapter) as Arc<dyn ChannelAdapter>)],
        agents: Agents::one(agent),
        clock: Arc::clone(clock),
        rng,
        rules: Rules::all(),
        grammar_off: Vec::new(),
    };
    Engine::start(parts).await.expect("a start")
}

fn configuration() -> Config {
    config::embedded()
}

fn answer() -> Vec<ScriptStep> {
    let later = |text: &str| ScriptStep {
        after_ms: 20,
        act: Act::Text(text.to_owned()),
    };
    vec![
        ScriptStep::text("<actions><react emoji=\"eyes\"/></actions>One."),
        later(" Two."),
        later(" Three."),
        Act::Message("second".to_owned()).into(),
        ScriptStep::text("Four."),
    ]
}

fn message(life: &Life, conversation: u64, clock: &dyn Clock) -> Inbound {
    let chat = format!("chat{conversation}");
    Inbound {
        channel: life.platform.code().into(),
        account: None,
        chat: chat.into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: format!("{}", 1_000_000 + life.number * CONVERSATIONS + conversation).into(),
        reply_to: None,
        sender: Sender {
            id: "alice".into(),
            name: "alice".into(),
            display_name: "Alice".into(),
            is_bot: false,
        },
        text: "hi".into(),
        mentioned: true,
        files: Vec::new(),
        at: clock.now(),
    }
}
