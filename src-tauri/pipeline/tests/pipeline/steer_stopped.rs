//! A message that is being given to an agent when a person stops everything.

use crate::bot::{Bot, EPOCH, World, later, text};
use async_trait::async_trait;
use foldback_agents::{Agent, ScriptAgent, Steer, SteerInput, StepSink, TurnRequest};
use foldback_channels::platform;
use foldback_pipeline::{Rules, TokioClock};
use foldback_wire::{RunId, Terminal};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// An agent that takes its time to say that it takes no message.
struct Hesitant(Arc<ScriptAgent>);

#[async_trait]
impl Agent for Hesitant {
    fn backend(&self) -> &str {
        self.0.backend()
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        self.0.run(request, sink, cancel).await;
    }

    fn steers(&self) -> bool {
        true
    }

    async fn steer(&self, _: RunId, _: SteerInput) -> Steer {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Steer::not_now("on second thought, no")
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_being_given_to_an_agent_is_dropped_by_a_stop_too() {
    let agent = Arc::new(ScriptAgent::new(Arc::new(TokioClock::at(EPOCH))));
    let hesitant = Arc::new(Hesitant(Arc::clone(&agent)));
    let bot = Bot::behind(
        World::new(),
        "[queue]\nmode = \"steer\"\n",
        Rules::all(),
        agent,
        hesitant,
    )
    .await;
    bot.says([text("One star."), later(60_000, " Two stars.")]);
    let first = bot.user(platform::SIGNAL, "Count").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let given = bot.user(platform::SIGNAL, "the moons, too").await;
    let behind = bot.user(platform::SIGNAL, "and the comets").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(
        bot.turn(platform::SIGNAL, "/stop").await,
        Terminal::Command { name: "stop".into() }
    );
    let dropped = Some(Terminal::Dropped);
    assert_eq!(given.ended().await, dropped);
    assert_eq!(behind.ended().await, dropped);
    assert!(matches!(first.ended().await, Some(Terminal::Failed { .. })));
    bot.check().await;
}
