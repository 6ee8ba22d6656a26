//! Switching a real adapter off and on a hundred times while messages come in and answers go out.

use crate::{alone, fast::Fast, place::Place, runtime};
use foldback_api::{Backend, Setup, call};
use foldback_channels::{Call, Channel, NotDelivered, platform};
use foldback_store::MemoryJournal;
use foldback_wire::{Actor, ChannelId, ChannelState, Inbound, Kind, Operation, Platform, Seq, Target};
use serde_json::json;
use std::{fs, path::Path, sync::Arc, thread, time::Duration};
use tempfile::TempDir;
use tokio::{runtime::Runtime, task::JoinSet};

/// A reaction, then a text.
const SCRIPT: &str = "- agent: ['<actions><react emoji=\"eyes\"/></actions>Heard: {text}']\n";
/// Switches until everything is there that is kept: the connections that calls are made through, for example.
const WARM: usize = 10;
const ROUNDS: usize = 100;
/// Calls at once, to open the connections that are kept.
const CALLS: usize = 64;

/// What is open: tasks of the bot's runtime, and descriptors of the process, those of the platform's side included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    tasks: usize,
    descriptors: usize,
}

impl Open {
    fn now(bot: &Runtime) -> Self {
        Self {
            tasks: bot.metrics().num_alive_tasks(),
            descriptors: fs::read_dir("/proc/self/fd").unwrap().count(),
        }
    }

    /// The least that is open within a while: what was told to end, ends.
    fn settled(bot: &Runtime) -> Self {
        let mut least = Self::now(bot);
        let mut calm = 0;
        while calm < 100 {
            thread::sleep(Duration::from_millis(10));
            let now = Self::now(bot);
            calm = if now.tasks < least.tasks || now.descriptors < least.descriptors {
                0
            } else {
                calm + 1
            };
            least.tasks = least.tasks.min(now.tasks);
            least.descriptors = least.descriptors.min(now.descriptors);
        }
        least
    }
}

struct World {
    place: Place,
    backend: Backend,
    channel: ChannelId,
    written: usize,
    _folder: TempDir,
}

async fn is_up(channel: &Channel) {
    let mut status = channel.watch();
    status
        .wait_for(|status| status.state == ChannelState::Up)
        .await
        .unwrap();
}

impl World {
    async fn begin(there: &Runtime, platform: Platform) -> Self {
        let place = there.spawn(Place::open(platform)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foldback.toml");
        let table = place.config(folder.path());
        fs::write(
            &path,
            format!("[queue]\nmode = \"followup\"\nper_sender = 0\n[agent.script]\nfile = \"script.yaml\"\n{table}"),
        )
        .unwrap();
        fs::write(folder.path().join("script.yaml"), SCRIPT).unwrap();
        let fixtures = Path::new("fixtures").to_owned();
        let mut setup = Setup::from_file(&path, folder.path().to_owned(), fixtures, Actor::Cli).unwrap();
        // A file's connections come and go by themselves.
        setup.journal = Some(Arc::new(MemoryJournal::new()));
        setup.clock = Arc::new(Fast::at(setup.clock.now()));
        let backend = Backend::open(setup).await.unwrap();
        let world = Self {
            place,
            backend,
            channel: platform.code().into(),
            written: 0,
            _folder: folder,
        };
        world.up().await;
        world.place.introduce().await;
        world
    }

    async fn switch(&self, on: bool) {
        let args = json!({"channel": self.channel, "on": on});
        call(&self.backend, "channel_switch", args).await.unwrap();
    }

    async fn up(&self) {
        is_up(&self.backend.engine().channels().channel(&self.channel).unwrap()).await;
    }

    /// What the bot said, in its order.
    fn said(&self) -> Vec<String> {
        self.place.messages(0).into_iter().map(|said| said.text).collect()
    }

    /// Waits until every message has its answer.
    async fn answered(&self) {
        let wait = async {
            while self.said().len() < self.written || !self.waiting().await.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let patience = tokio::time::timeout(Duration::from_mins(2), wait).await;
        patience.unwrap_or_else(|_| panic!("{} of {}: {:?}", self.said().len(), self.written, self.said()));
    }

    /// Makes more calls at once than an adapter keeps connections for, so that it keeps as many as it ever will.
    async fn connect(&self) {
        let channel = self.backend.engine().channels().channel(&self.channel).unwrap();
        let events = self
            .backend
            .journal()
            .read(Seq(1), usize::MAX >> 1)
            .await
            .unwrap();
        let received = events.into_iter().find_map(|event| match event.kind {
            Kind::Received { message } => Some(message),
            _ => None,
        });
        let Inbound { chat, message, .. } = *received.unwrap();
        // Where a bot cannot show that it writes, it can look at a message.
        let operation = if channel.capabilities().typing {
            Operation::Typing
        } else {
            Operation::React {
                message,
                emoji: "👀".to_owned(),
                emoji_sent: "eyes".to_owned(),
            }
        };
        let mut calls = JoinSet::new();
        for _ in 0..CALLS {
            let call = Call {
                target: Target {
                    chat: chat.clone(),
                    thread: None,
                },
                operation: operation.clone(),
                key: String::new(),
            };
            let channel = channel.clone();
            calls.spawn(async move {
                // A connection may break at any time, as it does where a poll met the one before it.
                while let Err(why) = channel.perform(call.clone(), None).await {
                    assert!(matches!(why, NotDelivered::Closed(_)), "{why}");
                    is_up(&channel).await;
                }
            });
        }
        calls.join_all().await;
    }

    async fn waiting(&self) -> Vec<String> {
        let outbox = self.backend.journal().outbox().await.unwrap();
        outbox.iter().map(|entry| format!("{entry:?}")).collect()
    }

    /// A message comes in, and the channel goes off: before, while or after it is answered.
    async fn round(&mut self, number: usize) {
        self.place.write(0, &format!("message {}", self.written));
        self.written += 1;
        match number % 4 {
            0 => self.answered().await,
            1 => tokio::time::sleep(Duration::from_millis(10)).await,
            2 => tokio::task::yield_now().await,
            _ => {}
        }
        self.switch(false).await;
        self.switch(true).await;
        self.up().await;
    }
}

fn a_hundred_switches(platform: Platform) {
    let _alone = alone();
    // The platform's tasks are not the bot's.
    let (there, here) = (runtime(), runtime());
    let mut world = here.block_on(World::begin(&there, platform));
    here.block_on(async {
        for number in 0..WARM {
            world.round(number).await;
        }
        world.answered().await;
        world.connect().await;
    });
    let before = Open::settled(&here);
    here.block_on(async {
        for number in 0..ROUNDS {
            world.round(number).await;
        }
        world.answered().await;
        world.connect().await;
    });
    let after = Open::settled(&here);
    assert_eq!(before, after, "{platform}, before and after {ROUNDS} switches");
    let said = world.said();
    let numbers: Vec<_> = said
        .iter()
        .map(|text| text.rsplit(' ').next().unwrap().parse::<usize>().unwrap())
        .collect();
    let all: Vec<_> = (0..WARM + ROUNDS).collect();
    assert_eq!(numbers, all, "{platform}: each answered once, in order");
    assert_eq!(world.place.reactions(), all.len(), "{platform}: each reacted to");
    assert_eq!(world.place.broken(), "[]", "{platform}");
    here.block_on(async {
        assert_eq!(world.waiting().await, [""; 0]);
        world.backend.shutdown().await.unwrap();
    });
}

#[test]
fn telegram_leaves_nothing_behind() {
    a_hundred_switches(platform::TELEGRAM);
}

#[test]
fn discord_leaves_nothing_behind() {
    a_hundred_switches(platform::DISCORD);
}

#[test]
fn slack_leaves_nothing_behind() {
    a_hundred_switches(platform::SLACK);
}

#[test]
fn whatsapp_leaves_nothing_behind() {
    a_hundred_switches(platform::WHATSAPP);
}

#[test]
fn signal_leaves_nothing_behind() {
    a_hundred_switches(platform::SIGNAL);
}
