//! Files of messages that their platform hands over only once a rate limit is over.

use crate::{
    attachments::{ALL, Curious, fates, with_file},
    bot::{Bot, World, parts, text},
};
use async_trait::async_trait;
use foldback_agents::ScriptAgent;
use foldback_channels::{Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Loopback, Refusal, platform};
use foldback_pipeline::{Engine, Rules};
use foldback_wire::{
    Attachment, Capabilities, ChannelId, ChatId, Clock as _, FileFate, RefusalCode, Terminal, Timestamp,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// A platform that refuses to hand files over so many times.
struct Limited {
    platform: Arc<Loopback>,
    clock: foldback_pipeline::TokioClock,
    refusals: usize,
    retry_after: Option<Duration>,
    asked: Mutex<Vec<Timestamp>>,
}

#[async_trait]
impl ChannelAdapter for Limited {
    fn capabilities(&self) -> &Capabilities {
        self.platform.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.platform.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        self.platform.perform(call).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(self.clock.now());
            asked.len()
        };
        if number > self.refusals {
            return self.platform.fetch(chat, file, limit).await;
        }
        Err(Refusal {
            retry_after: self.retry_after,
            ..Refusal::new(RefusalCode::RateLimited, "429")
        })
    }
}

/// The fate of a file that the platform refuses so, and the milliseconds between the calls for it.
async fn fetched(refusals: usize, retry_after: Option<Duration>) -> (FileFate, Vec<u128>) {
    let world = World::new();
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let limited = Arc::new(Limited {
        platform: Arc::clone(&world.loopbacks[&platform::SIGNAL]),
        clock: world.clock,
        refusals,
        retry_after,
        asked: Mutex::default(),
    });
    let mut parts = parts(&world, "", Rules::all(), Curious::before(&agent, ALL));
    let channel = ChannelId::new(platform::SIGNAL.code());
    for (_, adapter) in parts.channels.iter_mut().filter(|(id, _)| *id == channel) {
        *adapter = limited.clone();
    }
    let engine = Engine::start(parts).await.unwrap();
    // Channels connect while nothing else happens.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let bot = Bot::around(world, engine, agent);
    bot.says([text("seen")]);
    let message = with_file(&bot, "notes.txt", "text/plain", b"some notes".to_vec());
    let turn = bot.engine.submit(message).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let pauses = {
        let asked = limited.asked.lock().unwrap();
        let pauses = asked.windows(2).map(|pair| pair[1].since(pair[0]).as_millis());
        pauses.collect()
    };
    (fates(&bot).await.remove(0).0, pauses)
}

#[tokio::test(start_paused = true)]
async fn a_file_is_asked_for_again_once_its_rate_limit_is_over() {
    let wait = Some(Duration::from_secs(7));
    assert_eq!(fetched(2, wait).await, (FileFate::Given, vec![7_000, 7_000]));
    // A platform that names no pause gets growing ones.
    assert_eq!(fetched(3, None).await, (FileFate::Given, vec![500, 1_000, 2_000]));
}

#[tokio::test(start_paused = true)]
async fn a_turn_waits_for_no_file_whose_pause_is_longer_than_it_may_wait() {
    assert_eq!(
        fetched(1, Some(Duration::from_mins(1))).await,
        (FileFate::Unavailable, Vec::new())
    );
    let (fate, pauses) = fetched(99, None).await;
    assert_eq!((fate, pauses.len()), (FileFate::Unavailable, 5), "{pauses:?}");
}
