//! One part in trouble, and what it must not take with it: the text, the answer, the rest of the conversation.

use crate::bot::{Bot, EPOCH, World, later, text, tool};
use async_trait::async_trait;
use foldback_agents::{Agent, ScriptAgent, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_channels::sim::{CallFailure, CallFault};
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{Kind, OpKind, Outcome, Terminal};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

fn limited(op: OpKind) -> CallFault {
    CallFault {
        times: 2,
        retry_after_ms: Some(240_000),
        ..CallFault::first(op, CallFailure::RateLimited)
    }
}

/// How every operation of this kind ended.
async fn outcomes(bot: &Bot, kind: OpKind) -> Vec<Outcome> {
    let events = bot.events().await;
    let of_kind = |wanted| {
        events.iter().any(|event| {
            matches!(&event.kind, Kind::Intended { op, intent } if *op == wanted && intent.kind == kind)
        })
    };
    let ended = |event: &foldback_wire::Event| match &event.kind {
        Kind::Ended { op, outcome } if of_kind(*op) => Some(outcome.clone()),
        _ => None,
    };
    events.iter().filter_map(ended).collect()
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_chat_in_trouble_keeps_no_text_waiting_and_arrives_later() {
    let bot = Bot::with("[output]\nallow_targets = [\"slack:c1\"]\n").await;
    bot.fault(platform::SLACK, limited(OpKind::SendText));
    bot.says([text(
        "<actions><send-message channel=\"slack\" chat=\"c1\">psst</send-message></actions>Here.",
    )]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(bot.screen(platform::SIGNAL), ["Here."]);
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SLACK), ["psst"]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_happens_on_another_channel_is_told_of_that_channel() {
    let bot = Bot::with("[output]\nallow_targets = [\"slack:c1\", \"signal:c2\"]\n").await;
    bot.says([text(
        "<actions><send-message channel=\"slack\" chat=\"c1\">psst</send-message>\
         <send-message channel=\"signal\" chat=\"c2\">hey</send-message></actions>Here.",
    )]);
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    let (mut intended, mut ended) = (Vec::new(), Vec::new());
    for event in bot.events().await {
        let channel = event.channel.map(|channel| channel.to_string());
        match event.kind {
            Kind::Intended { intent, .. } if intent.kind == OpKind::SendText => {
                intended.push((channel, intent.channel.map(|channel| channel.to_string())));
            }
            Kind::Ended { outcome, .. } if outcome.message.is_some() => ended.push(channel),
            _ => {}
        }
    }
    let (signal, slack) = (Some("signal".to_owned()), Some("slack".to_owned()));
    let expected = [
        (slack.clone(), slack.clone()),
        (signal.clone(), None),
        (signal.clone(), None),
    ];
    assert_eq!(intended, expected);
    assert_eq!(ended, [slack, signal.clone(), signal]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn an_outage_uses_up_no_attempt_and_loses_no_answer() {
    for platform in [platform::TELEGRAM, platform::DISCORD, platform::SIGNAL] {
        let bot = Bot::start().await;
        bot.says([later(1_000, "Here.")]);
        let turn = bot.user(platform, "hi").await;
        bot.loopbacks[&platform].disconnect(Duration::from_mins(1));
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(bot.left().await.len(), 1, "{platform}: it is held");
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
        assert_eq!(bot.screen(platform), ["Here."], "{platform}");
        let sent = outcomes(&bot, OpKind::SendText).await;
        assert_eq!((sent.len(), sent[0].attempts), (1, 1), "{platform}: {sent:?}");
        let waits = bot.kinds().await.into_iter().filter(|kind| {
            matches!(kind, Kind::Waiting { reason, .. } if *reason == foldback_wire::HoldReason::ChannelOff)
        });
        assert_eq!(waits.count(), 1, "{platform}");
        bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_outage_that_lasted_too_long_waits_for_a_person() {
    let bot = Bot::start().await;
    bot.says([later(1_000, "Old news.")]);
    let turn = bot.user(platform::SIGNAL, "hi").await;
    bot.loopbacks[&platform::SIGNAL].disconnect(Duration::from_mins(11));
    tokio::time::sleep(Duration::from_mins(20)).await;
    assert!(bot.screen(platform::SIGNAL).is_empty());
    bot.engine
        .release_held(&"signal".into(), &foldback_wire::Actor::Console)
        .unwrap();
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(bot.screen(platform::SIGNAL), ["Old news."]);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_needs_no_connection() {
    let bot = Bot::with("[channels.signal]\narmed = false\n").await;
    bot.loopbacks[&platform::SIGNAL].disconnect(Duration::from_hours(9));
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.says([text("Here.")]);
    let before = bot.now_ms();
    assert_eq!(bot.turn(platform::SIGNAL, "hi").await, Terminal::Replied);
    assert!(bot.now_ms() - before < 1_000);
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_rehearsal_on_an_armed_channel_needs_no_connection_either() {
    let bot = Bot::start().await;
    bot.loopbacks[&platform::SIGNAL].disconnect(Duration::from_hours(9));
    tokio::time::sleep(Duration::from_secs(1)).await;
    bot.says([text("Here.")]);
    let rehearsal = foldback_wire::Inbound {
        dry_run: true,
        ..bot.message(platform::SIGNAL, "hi")
    };
    let turn = bot.engine.submit(rehearsal).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(bot.left().await.is_empty(), "nothing is held");
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert!(bot.screen(platform::SIGNAL).is_empty());
    bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_keeps_us_waiting_slows_the_agent_down() {
    let bot = Bot::with("[output]\nnarration = \"show\"\n").await;
    let wait = CallFault {
        retry_after_ms: Some(60_000),
        ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
    };
    bot.fault(platform::SIGNAL, wait);
    let words = std::iter::repeat_n(text("word "), 5_000);
    bot.says([text("One."), tool("t")].into_iter().chain(words));
    let turn = bot.user(platform::SIGNAL, "hi").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let chunks = bot
        .kinds()
        .await
        .into_iter()
        .filter(|kind| matches!(kind, Kind::Chunk { .. }));
    assert!(
        (100..1_000).contains(&chunks.count()),
        "a bounded part of it is read"
    );
    assert_eq!(turn.ended().await, Some(Terminal::Replied));
    assert_eq!(
        bot.screen(platform::SIGNAL)[1..].concat().matches("word").count(),
        5_000
    );
    bot.check().await;
}

/// An agent that panics once where the pipeline asks for its name.
struct Panicking {
    once: AtomicBool,
    agent: Arc<ScriptAgent>,
}

#[async_trait]
impl Agent for Panicking {
    fn backend(&self) -> &str {
        assert!(self.once.swap(true, Ordering::SeqCst), "on purpose");
        self.agent.backend()
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        self.agent.run(request, sink, cancel).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_panics_takes_neither_its_conversation_nor_its_message_with_it() {
    let agent = Arc::new(ScriptAgent::new(Arc::new(TokioClock::at(EPOCH))));
    let first = Arc::new(Panicking {
        once: AtomicBool::new(false),
        agent: Arc::clone(&agent),
    });
    let bot = Bot::behind(World::new(), "", Rules::all(), agent, first).await;
    let message = bot.message(platform::SIGNAL, "hi");
    let lost = bot.engine.submit(message.clone()).await.unwrap();
    assert_eq!(lost.ended().await, None);
    bot.says([text("Here.")]);
    let again = bot.engine.submit(message).await.unwrap();
    assert_eq!(
        again.ended().await,
        Some(Terminal::Replied),
        "its redelivery is answered"
    );
    bot.says([text("And here.")]);
    assert_eq!(bot.turn(platform::SIGNAL, "more").await, Terminal::Replied);
    assert_eq!(bot.screen(platform::SIGNAL), ["Here.", "And here."]);
}
