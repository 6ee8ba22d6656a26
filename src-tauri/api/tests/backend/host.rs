//! A host for a test.

use foldback_api::{Backend, Setup, Subscription, call};
use foldback_pipeline::TokioClock;
use foldback_store::{Filter, MemoryJournal, Scene};
use foldback_wire::{
    Actor, Draft, Kind, OpId, OpKind, OutcomeCode, Receipt, RefusalCode, Seq, Timestamp, TurnId,
    rpc::{Failure, LedgerEntry, Push, Topic, TurnDetail},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tempfile::TempDir;

/// Longest the demonstration takes on its clock.
const DEMO: Duration = Duration::from_mins(2);

pub(crate) struct Host {
    pub(crate) backend: Backend,
    pub(crate) folder: TempDir,
}

impl Host {
    /// The embedded default, its journal in memory.
    pub(crate) async fn start() -> Self {
        Self::start_with(|setup| setup.demo = false).await
    }

    /// The same, after the demonstration.
    pub(crate) async fn after_demo() -> Self {
        let host = Self::start_with(|_| ()).await;
        tokio::time::sleep(DEMO).await;
        host
    }

    pub(crate) async fn start_with(change: impl FnOnce(&mut Setup)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = folder.path().join("fixtures");
        let mut setup = Setup::embedded(folder.path().to_owned(), fixtures, Actor::Console);
        setup.clock = Arc::new(TokioClock::at(Timestamp(1_800_000_000_000)));
        setup.journal = Some(Arc::new(MemoryJournal::new()));
        change(&mut setup);
        let host = Self {
            backend: Backend::open(setup).await.unwrap(),
            folder,
        };
        // The channels connect.
        tokio::time::sleep(Duration::from_millis(20)).await;
        host
    }

    pub(crate) async fn try_call(&self, name: &str, args: Value) -> Result<Value, Failure> {
        call(&self.backend, name, args).await
    }

    pub(crate) async fn call<R: DeserializeOwned>(&self, name: &str, args: Value) -> R {
        let answer = self.try_call(name, args).await.unwrap();
        serde_json::from_value(answer).unwrap()
    }

    pub(crate) async fn failure(&self, name: &str, args: Value) -> (String, String, Option<String>) {
        let Failure { code, message, hint } = self.try_call(name, args).await.unwrap_err();
        (code, message, hint)
    }

    pub(crate) fn subscribe(&self, topic: &Topic) -> Subscription {
        self.backend.subscribe(topic).unwrap()
    }

    /// How many rows a filter shows.
    pub(crate) async fn rows(&self, filter: &str) -> u64 {
        let events = self.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
        let mut matcher = Filter::parse(filter).unwrap().matcher(Timestamp(0));
        let scene = Scene::live();
        let places: Vec<_> = events.iter().map(|event| event.seq).collect();
        let durations = self.backend.journal().durations(&places).await.unwrap();
        let passing = events.iter().filter(|event| {
            let lasted = durations.iter().find(|lasted| lasted.seq == event.seq);
            matcher.matches(event, &scene, lasted)
        });
        passing.count() as u64
    }

    /// Sends a message with a typed answer through a channel and waits for the end of its turn.
    pub(crate) async fn say(&self, channel: &str, user_text: &str, agent_output: &str) -> u64 {
        let args = json!({"channel": channel, "user_text": user_text, "agent_output": agent_output});
        let sent: Value = self.call("compose_send", args).await;
        tokio::time::sleep(Duration::from_secs(30)).await;
        sent["turn"].as_u64().unwrap()
    }
}

impl Host {
    /// The platform says of a turn's text, which it had acknowledged, that it did not arrive after all.
    pub(crate) async fn lose(&self, turn: u64) {
        self.tell(turn, |op| Kind::Undelivered {
            op,
            message: "1".into(),
            refusal: RefusalCode::Forbidden,
            detail: "the window is closed".into(),
        })
        .await;
    }

    /// The platform tells how far a turn's text has come.
    pub(crate) async fn reach(&self, turn: u64, receipt: Receipt) {
        self.tell(turn, |op| Kind::Receipt {
            op,
            message: "1".into(),
            receipt,
            when: Timestamp(5),
        })
        .await;
    }

    /// Something becomes known of a turn's text after it was acknowledged.
    async fn tell(&self, turn: u64, late: impl FnOnce(OpId) -> Kind) {
        let detail: TurnDetail = self.call("turn", json!({ "turn": turn })).await;
        let sent = |entry: &&LedgerEntry| {
            let code = entry.outcome.as_ref().map(|outcome| outcome.code);
            entry.intent.kind == OpKind::SendText && code == Some(OutcomeCode::Sent)
        };
        let op = detail.ledger.iter().find(sent).unwrap().op;
        let events = self.backend.journal().read(Seq(1), usize::MAX).await.unwrap();
        let late = Draft {
            at: events.last().unwrap().at,
            turn: Some(TurnId(turn)),
            session: None,
            channel: detail.summary.channel,
            kind: late(op),
        };
        self.backend.journal().append(vec![late]).unwrap();
        // What counts events hears of it.
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// What is pushed within some time.
pub(crate) async fn pushed(subscription: &mut Subscription, within: Duration) -> Vec<Push> {
    let mut pushes = Vec::new();
    let end = tokio::time::Instant::now() + within;
    while let Ok(Some(push)) = tokio::time::timeout_at(end, subscription.next()).await {
        pushes.push(push);
    }
    pushes
}
