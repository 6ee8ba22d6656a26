//! What a person did while it was recorded is done again.

use foldback_agents::{Act, ScriptAgent, ScriptStep, speech::Transcriber};
use foldback_channels::{ChannelAdapter, Loopback, profile};
use foldback_pipeline::{
    Agents, Engine, Parts, Rules, SeededRng, Speech, TokioClock,
    config::{Config, TranscriptionBackend, embedded},
};
use foldback_replay::{
    Case, Options,
    recording::{Head, Recording, play},
};
use foldback_store::{Journal, MemoryJournal};
use foldback_wire::{
    Actor, Attachment, ChannelId, Clock, Event, Inbound, Kind, OutcomeCode, Platform, Seq, Timestamp,
    rpc::Verdict,
};
use serde_json::json;
use std::{path::Path, sync::Arc, time::Duration};
use tokio::{
    runtime::{self, Runtime},
    time::sleep,
};

fn slack() -> ChannelId {
    ChannelId::from("slack")
}

fn hello(at: Timestamp) -> Inbound {
    let message = json!({
        "channel": "slack", "account": null, "chat": "d1", "chat_type": "direct", "thread": null, "message": "m1",
        "reply_to": null, "sender": {"id": "alice", "name": "alice", "display_name": "Alice", "is_bot": false},
        "text": "hi", "mentioned": false, "files": [], "at": at,
    });
    serde_json::from_value(message).unwrap()
}

/// A bot on Slack, whose agent answers so.
async fn bot(config: Config, speech: Speech, answer: ScriptStep) -> Bot {
    let clock = Arc::new(TokioClock::at(Timestamp(1_767_225_600_000)));
    let loopback = Arc::new(Loopback::new(profile(Platform::Slack), clock.clone(), None));
    let agent = ScriptAgent::new(clock.clone());
    agent.queue(None, vec![answer]);
    let journal = Arc::new(MemoryJournal::new());
    let engine = Engine::start(Parts {
        config: Arc::new(config),
        base: Path::new("").to_owned(),
        send_dir: None,
        journal: journal.clone(),
        channels: vec![(slack(), loopback.clone() as Arc<dyn ChannelAdapter>)],
        agents: Agents::one(Arc::new(agent)),
        speech,
        clock: clock.clone(),
        rng: Arc::new(SeededRng::new(0)),
        rules: Rules::all(),
        grammar_off: Vec::new(),
    });
    Bot {
        engine: engine.await.unwrap(),
        loopback,
        journal,
        clock,
    }
}

struct Bot {
    engine: Engine,
    loopback: Arc<Loopback>,
    journal: Arc<MemoryJournal>,
    clock: Arc<TokioClock>,
}

impl Bot {
    /// What it wrote down, once it has ended.
    async fn recorded(self) -> Vec<Event> {
        self.engine.shutdown(Duration::from_secs(1)).await.unwrap();
        self.journal.read(Seq(1), usize::MAX).await.unwrap()
    }
}

/// With Slack alone.
fn config() -> Config {
    let mut config = embedded();
    config.channels.retain(|id, _| *id == slack());
    config
}

/// The journal of a channel that was off when the answer came, and on again when that was too old: a person
/// lets it go, or gives it up.
async fn held_too_long(send: bool) -> Vec<Event> {
    let answer = ScriptStep {
        after_ms: 5_000,
        act: Act::Text("Hello.".to_owned()),
    };
    let bot = bot(config(), Speech::default(), answer).await;
    let engine = &bot.engine;
    bot.loopback.inject(hello(bot.clock.now())).unwrap();
    sleep(Duration::from_secs(1)).await;
    engine.toggle(&slack(), false, Actor::Console, "").await.unwrap();
    sleep(Duration::from_mins(20)).await;
    engine.toggle(&slack(), true, Actor::Console, "").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    if send {
        engine.release_held(&slack(), &Actor::Console).unwrap();
    } else {
        engine.give_up_held(&slack(), &Actor::Console).unwrap();
    }
    sleep(Duration::from_mins(1)).await;
    bot.recorded().await
}

/// The journal of a bot that was sent a voice message.
async fn voice_message(config: Config) -> Vec<Event> {
    let speech = Speech {
        transcriber: Some(Arc::new(Transcriber::plain())),
        ..Speech::default()
    };
    let answer = ScriptStep {
        after_ms: 0,
        act: Act::Text("Hello.".to_owned()),
    };
    let bot = bot(config, speech, answer).await;
    let voice = Attachment {
        name: "voice.ogg".to_owned(),
        media_type: "audio/ogg".to_owned(),
        size: Some(4),
        source: Some(bot.loopback.platform().keep(b"Call me".to_vec())),
    };
    let message = Inbound {
        files: vec![voice],
        ..hello(bot.clock.now())
    };
    bot.loopback.inject(message).unwrap();
    sleep(Duration::from_mins(1)).await;
    bot.recorded().await
}

fn again(events: Vec<Event>) -> Case {
    again_with(&embedded(), events)
}

fn again_with(config: &Config, events: Vec<Event>) -> Case {
    let head = Head::of(config);
    let recording = Recording { head, events };
    play(Path::new("x.jsonl"), &recording, &slack(), &Options::default())
        .unwrap()
        .0
}

fn paused() -> Runtime {
    runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

#[test]
fn what_was_said_in_a_voice_message_is_heard_again() {
    let mut config = config();
    config.transcription.backend = TranscriptionBackend::Openai;
    let events = paused().block_on(voice_message(config.clone()));
    let heard: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            Kind::Gathered { heard, .. } => heard.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(heard, ["Call me"]);
    let case = again_with(&config, events);
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
}

#[test]
fn what_a_person_let_go_or_gave_up_is_let_go_or_given_up_again() {
    for (send, ended) in [(true, OutcomeCode::Sent), (false, OutcomeCode::Cancelled)] {
        let events = paused().block_on(held_too_long(send));
        let case = again(events.clone());
        assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
        let said: Vec<OutcomeCode> = case
            .deliveries
            .iter()
            .filter(|delivery| delivery.text.as_deref() == Some("Hello."))
            .map(|delivery| delivery.outcome)
            .collect();
        assert_eq!(said, [ended]);

        let settled = |event: &Event| matches!(event.kind, Kind::HeldSettled { .. });
        let without: Vec<Event> = events.into_iter().filter(|event| !settled(event)).collect();
        assert_eq!(again(without).verdict, Verdict::Changed);
    }
}
