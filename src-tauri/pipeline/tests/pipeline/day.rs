//! A day of virtual time in which the machine sleeps for eight hours, in the middle of everything: what people wrote
//! before and after is answered once, nothing waits for ever, and nothing grows.

use crate::bot::{Bot, EPOCH, JumpClock, World, from_alice, parts};
use async_trait::async_trait;
use foldback_agents::{Agent, AgentEvent, ScriptAgent, Step, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_channels::sim::{Author, CallFailure, CallFault, Content};
use foldback_pipeline::{Engine, Parts, Rules, Turn};
use foldback_store::Journal as _;
use foldback_wire::{ChatId, Clock as _, Kind, OpKind, Platform, Seq, StopReason, Terminal};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Conversations on each channel.
const CHATS: usize = 20;

/// Time between two messages on a channel.
const EVERY: Duration = Duration::from_mins(5);

/// Answers with the words of the message; slowly, where they say so.
struct Echo;

#[async_trait]
impl Agent for Echo {
    fn backend(&self) -> &'static str {
        "echo"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let run = request.run;
        let words = &request.message.text;
        let pause = Duration::from_secs(if words.starts_with("slowly") { 30 } else { 1 });
        for text in [format!("[{words}] "), "is ".to_owned(), "answered".to_owned()] {
            tokio::time::sleep(pause).await;
            let step = Step::Text { message: None, text };
            if sink.send(AgentEvent { run, step }).await.is_err() {
                return;
            }
        }
        let step = Step::Done(StopReason::End);
        let _ = sink.send(AgentEvent { run, step }).await;
    }
}

struct Day {
    bot: Bot,
    clock: Arc<JumpClock>,
    turns: Vec<Turn>,
    written: BTreeMap<(Platform, ChatId), Vec<String>>,
}

impl Day {
    async fn begin() -> Self {
        let (world, clock) = (World::new(), JumpClock::new());
        let own = Parts {
            clock: clock.clone(),
            ..parts(&world, "", Rules::all(), Arc::new(Echo))
        };
        let engine = Engine::start(own).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        let script = Arc::new(ScriptAgent::new(clock.clone()));
        Self {
            bot: Bot::around(world, engine, script),
            clock,
            turns: Vec::new(),
            written: BTreeMap::new(),
        }
    }

    /// A message, as its platform hands it over.
    async fn write(&mut self, platform: Platform, number: usize, text: String) {
        let chat: ChatId = format!("c{}", number % CHATS).into();
        let loopback = &self.bot.loopbacks[&platform];
        let mut message = from_alice(platform, loopback.mint(&chat), &text, self.clock.now());
        message.chat = chat.clone();
        message.sender.id = format!("u{}", number % CHATS).into();
        let message = loopback.platform().receive(message);
        self.written.entry((platform, chat)).or_default().push(text);
        self.turns.push(self.bot.engine.submit(message).await.unwrap());
    }

    /// Messages on every channel for so long.
    async fn go_on(&mut self, lasting: Duration, part: &str) {
        let messages = lasting.as_secs() / EVERY.as_secs();
        for number in 0..usize::try_from(messages).unwrap() {
            for platform in platform::ALL {
                self.write(*platform, number, format!("{part} {number}")).await;
            }
            tokio::time::sleep(EVERY).await;
            let idle = self.bot.engine.footprint();
            assert_eq!(
                (idle.conversations, idle.runs, idle.queues),
                (0, 0, 0),
                "{part} {number}: {idle:?}"
            );
            let lately = 5 * platform::ALL.len() + 10;
            assert!(idle.messages <= lately || number < 5, "{part} {number}: {idle:?}");
            assert!(idle.tasks <= 8, "{part} {number}: {idle:?}");
        }
    }

    /// The answers on the screen of a chat.
    fn answers(&self, platform: Platform, chat: &ChatId) -> Vec<String> {
        let platform = self.bot.loopbacks[&platform].platform();
        let chat = platform.chat(chat).unwrap();
        let mine = chat
            .messages()
            .filter(|m| m.author == Author::Bot && m.deleted.is_none());
        mine.filter_map(|message| match &message.content {
            Content::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_day_with_a_sleep_of_eight_hours_loses_and_doubles_nothing() {
    let mut day = Day::begin().await;
    day.go_on(Duration::from_hours(8), "before").await;

    // Caught in the middle: a call that is to be tried again, a slow answer, and who waits behind it.
    day.bot.fault(
        platform::SLACK,
        CallFault {
            retry_after_ms: Some(20_000),
            ..CallFault::first(OpKind::SendText, CallFailure::RateLimited)
        },
    );
    for platform in platform::ALL {
        day.write(*platform, 0, "slowly at dusk".to_owned()).await;
        day.write(*platform, 0, "behind it".to_owned()).await;
        day.write(*platform, 1, "just now".to_owned()).await;
    }
    tokio::time::sleep(Duration::from_secs(40)).await;
    let asleep = day.bot.engine.footprint();
    assert_eq!(asleep.conversations, platform::ALL.len(), "{asleep:?}");
    day.clock.suspend(Duration::from_hours(8));
    // Messages of the meantime come at once.
    for number in 0..96 {
        for platform in platform::ALL {
            day.write(*platform, number, format!("asleep {number}")).await;
        }
    }
    tokio::time::sleep(Duration::from_mins(10)).await;
    day.go_on(Duration::from_hours(8) - Duration::from_mins(10), "after")
        .await;

    let passed = day.clock.now().since(EPOCH);
    assert!(passed >= Duration::from_hours(24), "{passed:?}");
    for turn in std::mem::take(&mut day.turns) {
        assert_eq!(turn.ended().await, Some(Terminal::Replied));
    }
    for ((platform, chat), written) in &day.written {
        let expected: Vec<_> = written
            .iter()
            .map(|text| format!("[{text}] is answered"))
            .collect();
        assert_eq!(day.answers(*platform, chat), expected, "{platform} {chat}");
    }
    assert!(day.bot.left().await.is_empty(), "the outbox is empty");
    let events = day.bot.journal.read(Seq(1), usize::MAX).await.unwrap();
    let jumps = events
        .iter()
        .filter(|event| matches!(event.kind, Kind::ClockJumped { .. }));
    assert_eq!(jumps.count(), 1);
    assert!(
        events.is_sorted_by_key(|event| event.at),
        "the journal's times go on"
    );
    day.bot.check().await;
}
