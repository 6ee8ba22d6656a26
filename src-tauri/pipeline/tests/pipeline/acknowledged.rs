//! The words of an acknowledgement about the platform's limits: the bucket of its route, a pause, more calls than one.

use crate::bot::{Bot, World, later, parts, text};
use async_trait::async_trait;
use foldback_agents::{ScriptAgent, ScriptStep};
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, LimitScope, Loopback, Pause, Rates, Refusal,
    platform, rates,
};
use foldback_pipeline::{Engine, Rules, TokioClock};
use foldback_wire::{
    Attachment, Capabilities, ChannelId, ChatId, Clock as _, OpKind, Platform, Terminal, Timestamp,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Adds words to the acknowledgement of a call of this kind, the so manieth of all.
type Words = fn(OpKind, usize, Ack) -> Ack;

/// A platform that tells of its limits, and notes when each call comes.
struct Telling {
    platform: Arc<Loopback>,
    clock: TokioClock,
    rates: Rates,
    words: Words,
    came: Mutex<Vec<(OpKind, Timestamp)>>,
}

#[async_trait]
impl ChannelAdapter for Telling {
    fn capabilities(&self) -> &Capabilities {
        self.platform.capabilities()
    }

    fn rates(&self) -> Rates {
        self.rates
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.platform.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let kind = call.operation.kind();
        let ack = self.platform.perform(call).await?;
        if kind == OpKind::Typing {
            return Ok(ack);
        }
        let mut came = self.came.lock().unwrap();
        came.push((kind, self.clock.now()));
        Ok((self.words)(kind, came.len(), ack))
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.platform.fetch(chat, file, limit).await
    }
}

/// The calls of these answers, each given to a message of its own, and the milliseconds from the one before.
async fn calls(
    platform: Platform,
    rates: Rates,
    words: Words,
    answers: Vec<Vec<ScriptStep>>,
) -> Vec<(OpKind, u128)> {
    let world = World::new();
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let telling = Arc::new(Telling {
        platform: Arc::clone(&world.loopbacks[&platform]),
        clock: world.clock,
        rates,
        words,
        came: Mutex::default(),
    });
    let mut parts = parts(&world, "", Rules::all(), agent.clone());
    let channel = ChannelId::new(platform.code());
    for (_, adapter) in parts.channels.iter_mut().filter(|(id, _)| *id == channel) {
        *adapter = telling.clone();
    }
    let engine = Engine::start(parts).await.unwrap();
    // Channels connect while nothing else happens.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let bot = Bot::around(world, engine, agent);
    for answer in answers {
        bot.says(answer);
        assert_eq!(bot.turn(platform, "hi").await, Terminal::Replied);
    }
    bot.check().await;
    let came = telling.came.lock().unwrap();
    let first = came.first().map(|(kind, _)| (*kind, 0));
    let gap = |pair: &[(OpKind, Timestamp)]| (pair[1].0, pair[1].1.since(pair[0].1).as_millis());
    first.into_iter().chain(came.windows(2).map(gap)).collect()
}

/// The third call, a new message, is the last that its bucket takes for half a minute.
fn used_up(kind: OpKind, number: usize, ack: Ack, bucket: &str) -> Ack {
    let pause = Pause {
        scope: LimitScope::RouteInChat,
        after: Duration::from_secs(30),
    };
    Ack {
        bucket: Some(bucket.to_owned()),
        pause: (number == 3 && kind == OpKind::SendText).then_some(pause),
        ..ack
    }
}

#[tokio::test(start_paused = true)]
async fn routes_of_one_bucket_share_what_is_left_of_it() {
    let answer = || vec![text("one"), later(100, " two")];
    let answers = || vec![answer(), answer()];
    let kinds = [
        OpKind::SendText,
        OpKind::EditText,
        OpKind::SendText,
        OpKind::EditText,
    ];
    let one: Words = |kind, number, ack| used_up(kind, number, ack, "one");
    let shared = calls(platform::DISCORD, Rates::NONE, one, answers()).await;
    assert!(shared.iter().map(|(kind, _)| *kind).eq(kinds), "{shared:?}");
    assert!(shared[3].1 >= 30_000, "{shared:?}");
    let apart: Words = |kind, number, ack| used_up(kind, number, ack, kind.code());
    let apart = calls(platform::DISCORD, Rates::NONE, apart, answers()).await;
    assert!(apart[3].1 < 30_000, "{apart:?}");
}

#[tokio::test(start_paused = true)]
async fn a_text_that_took_two_calls_counts_as_two() {
    let long = || vec![vec![text(&"word ".repeat(3_000))]];
    let gaps = async |words: Words| {
        let calls = calls(platform::TELEGRAM, rates(platform::TELEGRAM), words, long()).await;
        assert!(calls.len() >= 4, "{calls:?}");
        calls.into_iter().skip(1).map(|(_, gap)| gap).min().unwrap()
    };
    let once = gaps(|_, _, ack| ack).await;
    let twice = gaps(|_, _, ack| Ack { more_calls: 1, ..ack }).await;
    assert!((1_000..2_000).contains(&once), "{once}");
    assert!(twice >= 2_000, "{twice}");
}
