//! The openai agent against the strict server. Time is the test's own: nothing waits for a real clock, and
//! every limit is reached by moving the hand.

mod answers;
mod faults;
mod limits;
mod memory;
mod retries;

use crate::{
    contract::{self, Subject},
    support::request,
};
use foldback_agents::{
    Agent, Api, HttpAgent, HttpConfig, Step,
    strict_server::{Insists, Piece, Reply, StrictServer, event},
};
use foldback_wire::{AgentFault, Clock, Rng, Sleep, StopReason, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// A clock that stands until it is moved.
pub(crate) struct HandClock(watch::Sender<Timestamp>);

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        let start = Timestamp::parse("1994-11-06T08:49:07Z").expect("a time");
        Arc::new(Self(watch::Sender::new(start)))
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.0.send_modify(|now| *now = now.plus(time));
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let mut hand = self.0.subscribe();
        Box::pin(async move {
            if hand.wait_for(|now| *now >= until).await.is_err() {
                // The clock is gone: it never gets there.
                std::future::pending::<()>().await;
            }
        })
    }
}

/// Chance that always comes out the same.
pub(crate) struct Fixed(pub(crate) u64);

impl Rng for Fixed {
    fn next(&self) -> u64 {
        self.0
    }
}

/// A server, and an agent that talks to it.
pub(crate) struct Bench {
    pub(crate) server: StrictServer,
    pub(crate) clock: Arc<HandClock>,
    pub(crate) agent: Arc<dyn Agent>,
}

pub(crate) fn agent_of(api: Api, config: HttpConfig, clock: Arc<HandClock>) -> Arc<dyn Agent> {
    Arc::new(HttpAgent::new(api, config, clock, Arc::new(Fixed(0))).expect("a valid configuration"))
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut HttpConfig)) -> Self {
        Self::insisting(Insists::on_model("m"), change).await
    }

    pub(crate) async fn insisting(insists: Insists, change: impl FnOnce(&mut HttpConfig)) -> Self {
        let api = insists.api;
        let server = StrictServer::start(insists).await.expect("a free port");
        let mut config = HttpConfig::new(server.base_url(), "m");
        change(&mut config);
        let clock = HandClock::new();
        let agent = agent_of(api, config, clock.clone());
        Self { server, clock, agent }
    }

    /// The answer to one question, with this reply of the server.
    pub(crate) async fn answer(&self, reply: Reply) -> Vec<Step> {
        self.server.reply(reply);
        let steps = crate::support::answer(&self.agent, request(1, "hi")).await;
        assert_eq!(self.server.refusals(), [""; 0], "every request was right");
        steps
    }

    /// The answer to one question, from these data of events.
    pub(crate) async fn answer_to(&self, data: &[&str]) -> Vec<Step> {
        self.answer(Reply::events(data.iter().copied())).await
    }
}

/// The data of a chunk with this delta.
pub(crate) fn delta(delta: &str) -> String {
    format!(r#"{{"id":"c1","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

/// The data of a chunk with this text.
pub(crate) fn say(text: &str) -> String {
    delta(&serde_json::json!({"content": text}).to_string())
}

/// The data of a chunk that ends the answer for this reason.
pub(crate) fn finish(reason: &str) -> String {
    format!(r#"{{"id":"c1","choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#)
}

pub(crate) const DONE: &str = "[DONE]";

/// A text step of the message `c1`.
pub(crate) fn text(text: &str) -> Step {
    Step::Text {
        message: Some("c1".to_owned()),
        text: text.to_owned(),
    }
}

/// How a run failed.
pub(crate) fn fault(steps: &[Step]) -> Option<AgentFault> {
    match steps.last() {
        Some(Step::Failed { fault, .. }) => Some(*fault),
        _ => None,
    }
}

/// In which words a run failed.
pub(crate) fn detail(steps: &[Step]) -> &str {
    match steps.last() {
        Some(Step::Failed { detail, .. }) => detail,
        other => panic!("it did not fail: {other:?}"),
    }
}

pub(crate) const END: Step = Step::Done(StopReason::End);

/// The openai agent as the contract sees it.
pub(crate) struct OpenAi(Bench);

impl Subject for OpenAi {
    async fn new() -> Self {
        Self(Bench::new().await)
    }

    fn agent(&self, pieces: &[&str], endless: bool) -> Arc<dyn Agent> {
        let texts = pieces.iter().map(|piece| event(&say(piece)));
        let end = if endless {
            vec![Piece::Hang]
        } else {
            vec![event(&finish("stop")), event(DONE)]
        };
        self.0.server.reply(Reply::stream(texts.chain(end)));
        Arc::clone(&self.0.agent)
    }
}

contract::contract!(keeps, crate::openai::OpenAi, #[tokio::test]);
