//! Platforms that limit calls: nobody goes without an answer, whatever the platform says about it.

use crate::{
    bot::{Bot, EPOCH, World, from_alice, later, parts, text},
    limited::{Conduct, Crowd, crowd},
};
use async_trait::async_trait;
use foldback_agents::ScriptAgent;
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, LimitScope, Loopback, Rates, Refusal, platform,
    rates,
    sim::{CallFailure, CallFault},
};
use foldback_pipeline::{Engine, Rules};
use foldback_store::Journal as _;
use foldback_wire::{
    Actor, Attachment, Capabilities, ChannelId, ChatId, Clock, HoldReason, Kind, OpKind, RefusalCode, Seq,
    Terminal, Timestamp,
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

#[tokio::test(start_paused = true)]
async fn three_hundred_who_write_at_once_are_all_answered_once() {
    for platform in platform::ALL {
        let Crowd {
            met,
            answers,
            replied,
            ..
        } = crowd(*platform, 300, Conduct::Honest).await.unwrap();
        assert!(answers.iter().all(|times| *times == 1), "{platform}: {answers:?}");
        assert_eq!(replied, 300, "{platform}");
        assert!(met.refused * 100 <= met.calls, "{platform}: {met:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn on_a_platform_that_says_no_time_and_fails_all_are_answered_once() {
    for platform in platform::ALL {
        let Crowd {
            met,
            answers,
            unknown,
            replied,
            took,
        } = crowd(*platform, 100, Conduct::Dishonest).await.unwrap();
        assert!(answers.iter().all(|times| *times == 1), "{platform}: {answers:?}");
        assert!(replied + unknown >= 100, "{platform}: {replied} and {unknown}");
        assert!(met.refused * 100 <= met.calls, "{platform}: {met:?}");
        assert!(
            met.failed > 0 && met.unprovoked > 0 && took > Duration::from_mins(1),
            "{platform}: {met:?}"
        );
    }
}

fn limited_call(op: OpKind, retry_after: Duration, times: u32) -> CallFault {
    CallFault {
        retry_after_ms: Some(u64::try_from(retry_after.as_millis()).unwrap()),
        times,
        ..CallFault::first(op, CallFailure::RateLimited)
    }
}

#[tokio::test(start_paused = true)]
async fn more_limits_than_attempts_lose_no_answer() {
    let bot = Bot::start().await;
    bot.fault(
        platform::WHATSAPP,
        limited_call(OpKind::SendText, Duration::from_secs(5), 40),
    );
    bot.says([text("Here it is.")]);
    assert_eq!(bot.turn(platform::WHATSAPP, "hi").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::WHATSAPP), ["Here it is."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_outlasts_the_age_asks_a_person() {
    let bot = Bot::start().await;
    let channel = ChannelId::new("whatsapp");
    bot.fault(
        platform::WHATSAPP,
        limited_call(OpKind::SendText, Duration::from_mins(4), 4),
    );
    bot.says([text("Late news.")]);
    let turn = bot.user(platform::WHATSAPP, "hi").await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert!(bot.screen(platform::WHATSAPP).is_empty());
    assert_eq!(bot.engine.asking(&channel).len(), 1);
    assert_eq!(bot.calls(platform::WHATSAPP, OpKind::SendText).len(), 3);
    bot.engine.release_held(&channel, &Actor::Console).unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::WHATSAPP), ["Late news."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_any_pause_holds_the_answer_and_does_not_fail_it() {
    let hour = Duration::from_hours(1);
    // More refusals than attempts, where they are rate limits and where a server is down for maintenance.
    for (fail, times) in [
        (CallFailure::RateLimited, 1),
        (CallFailure::Transient, 1),
        (CallFailure::Transient, 30),
    ] {
        let bot = Bot::start().await;
        let channel = ChannelId::new("whatsapp");
        let fault = CallFault {
            fail: Some(fail),
            ..limited_call(OpKind::SendText, hour, times)
        };
        bot.fault(platform::WHATSAPP, fault);
        bot.says([text("Worth waiting for.")]);
        let turn = bot.user(platform::WHATSAPP, "hi").await;
        tokio::time::sleep(Duration::from_mins(50)).await;
        let waits = bot.kinds().await.into_iter().filter_map(|kind| match kind {
            Kind::Waiting { reason, until, .. } => Some((reason, until.is_some())),
            _ => None,
        });
        assert_eq!(waits.collect::<Vec<_>>(), [(HoldReason::RateLimited, true)]);
        assert_eq!(
            bot.engine.asking(&channel).len(),
            1,
            "it is older than ten minutes"
        );
        bot.engine.release_held(&channel, &Actor::Console).unwrap();
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert!(
            bot.now_ms() >= 3_600_000 * u64::from(times),
            "not before the platform wants it"
        );
        assert_eq!(bot.screen(platform::WHATSAPP), ["Worth waiting for."]);
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_left_the_machine_is_no_attempt() {
    let world = World::new();
    let until = EPOCH.plus(Duration::from_mins(5));
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    agent.queue(None, vec![text("Back again.")]);
    let mut parts = parts(&world, "", Rules::all(), agent);
    let unplugged = Unplugged {
        inner: Arc::clone(&world.loopbacks[&platform::WHATSAPP]),
        clock: Arc::new(world.clock),
        until,
    };
    let id = ChannelId::new("whatsapp");
    parts.channels.retain(|(other, _)| *other != id);
    parts.channels.push((id, Arc::new(unplugged)));
    let engine = Engine::start(parts).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let loopback = &world.loopbacks[&platform::WHATSAPP];
    let message = loopback.mint(&"c1".into());
    let inbound = from_alice(platform::WHATSAPP, message, "hi", world.clock.now());
    let inbound = loopback.platform().receive(inbound);
    let turn = engine.submit(inbound).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert!(world.clock.now() >= until);
    let events = world.journal.read(Seq(1), usize::MAX).await.unwrap();
    let waits = events
        .iter()
        .filter(|event| matches!(event.kind, Kind::Waiting { .. }));
    assert_eq!(waits.count(), 0, "nothing was limited");
}

/// A platform to which no route leads for a while.
struct Unplugged {
    inner: Arc<Loopback>,
    clock: Arc<dyn Clock>,
    until: Timestamp,
}

#[async_trait]
impl ChannelAdapter for Unplugged {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.inner.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        if self.clock.now() < self.until {
            return Err(Refusal {
                unsent: true,
                ..Refusal::new(RefusalCode::Transient, "no route to host")
            });
        }
        self.inner.perform(call).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.inner.fetch(chat, file, limit).await
    }
}

/// A platform that refuses the first message with this scope, and notes when each call comes.
struct Scoped {
    inner: Arc<Loopback>,
    clock: Arc<dyn Clock>,
    scope: LimitScope,
    rates: Rates,
    came: Mutex<Vec<(String, OpKind, Timestamp)>>,
}

#[async_trait]
impl ChannelAdapter for Scoped {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn rates(&self) -> Rates {
        self.rates
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.inner.connect(connection).await
    }

    async fn perform(&self, call: Call) -> Result<Ack, Refusal> {
        let kind = call.operation.kind();
        let is_first = {
            let mut came = self.came.lock().unwrap();
            let is_first = kind != OpKind::Typing && came.iter().all(|(_, kind, _)| *kind == OpKind::Typing);
            came.push((call.target.chat.to_string(), kind, self.clock.now()));
            is_first
        };
        if is_first && self.scope != LimitScope::Unstated {
            return Err(Refusal {
                retry_after: Some(Duration::from_mins(1)),
                scope: self.scope,
                ..Refusal::new(RefusalCode::RateLimited, "429")
            });
        }
        self.inner.perform(call).await
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.inner.fetch(chat, file, limit).await
    }
}

/// Two chats write one after the other, the first is refused with this scope: when the calls came, in seconds.
async fn calls_after(scope: LimitScope) -> Vec<(String, OpKind, u128)> {
    let world = World::new();
    let loopback = Arc::clone(&world.loopbacks[&platform::TELEGRAM]);
    let scoped = Arc::new(Scoped {
        inner: Arc::clone(&loopback),
        clock: Arc::new(world.clock),
        scope,
        rates: Rates::NONE,
        came: Mutex::default(),
    });
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let settings = "[output]\nnarration = \"hide\"\n[channels.telegram]\nallow_from = [\"*\"]\n";
    let mut parts = parts(&world, settings, Rules::all(), Arc::clone(&agent) as _);
    let id = ChannelId::new("telegram");
    parts.channels.retain(|(other, _)| *other != id);
    parts.channels.push((id, Arc::clone(&scoped) as _));
    let engine = Engine::start(parts).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let mut turns = Vec::new();
    for chat in ["c1", "c2"] {
        agent.queue(None, vec![later(100, "Hello.")]);
        let mut inbound = from_alice(
            platform::TELEGRAM,
            loopback.mint(&chat.into()),
            "hi",
            world.clock.now(),
        );
        inbound.chat = chat.into();
        inbound.sender.id = chat.into();
        let inbound = loopback.platform().receive(inbound);
        turns.push(engine.submit(inbound).await.unwrap());
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    for turn in turns {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    let came = scoped.came.lock().unwrap();
    came.iter()
        .map(|(chat, kind, at)| (chat.clone(), *kind, at.since(EPOCH).as_secs().into()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_the_calls_that_it_means_and_no_others() {
    for (scope, others_wait) in [
        (LimitScope::Channel, true),
        (LimitScope::Route, true),
        (LimitScope::Chat, false),
        (LimitScope::RouteInChat, false),
    ] {
        let came = calls_after(scope).await;
        let sent = |chat: &str| {
            let mut sent = came
                .iter()
                .filter(|(of, kind, _)| of == chat && *kind == OpKind::SendText);
            sent.next_back().expect("an answer").2
        };
        assert!((60..62).contains(&sent("c1")), "{scope:?}: {came:?}");
        assert_eq!(sent("c2") >= 60, others_wait, "{scope:?}: {came:?}");
        let typing = came
            .iter()
            .filter(|(of, kind, at)| of == "c1" && *kind == OpKind::Typing && (4..60).contains(at));
        assert_eq!(typing.count(), 0, "{scope:?}: {came:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn messages_to_one_chat_keep_its_pace() {
    let world = World::new();
    let loopback = Arc::clone(&world.loopbacks[&platform::TELEGRAM]);
    let scoped = Arc::new(Scoped {
        inner: Arc::clone(&loopback),
        clock: Arc::new(world.clock),
        scope: LimitScope::Unstated,
        rates: rates(platform::TELEGRAM),
        came: Mutex::default(),
    });
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    agent.queue(None, vec![text(&"word ".repeat(4_000))]);
    let mut parts = parts(&world, "", Rules::all(), agent);
    let id = ChannelId::new("telegram");
    parts.channels.retain(|(other, _)| *other != id);
    parts.channels.push((id, Arc::clone(&scoped) as _));
    let engine = Engine::start(parts).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let inbound = from_alice(
        platform::TELEGRAM,
        loopback.mint(&"c1".into()),
        "hi",
        world.clock.now(),
    );
    let inbound = loopback.platform().receive(inbound);
    let turn = engine.submit(inbound).await.unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    let came = scoped.came.lock().unwrap();
    let messages: Vec<_> = came
        .iter()
        .filter(|(_, kind, _)| *kind != OpKind::Typing)
        .collect();
    assert!(messages.len() >= 5, "{messages:?}");
    for pair in messages.windows(2) {
        let gap = pair[1].2.since(pair[0].2);
        assert!(gap >= Duration::from_secs(1), "{gap:?}: {messages:?}");
    }
}
