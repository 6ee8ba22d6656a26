//! Requests, clocks and readers for the tests.

use foldback_agents::{Agent, AgentEvent, Step, TurnRequest};
use foldback_wire::{
    ChatType, Clock, Inbound, MessageId, RunId, RunLevels, Sender, SessionId, Sleep, Timestamp,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Tokio's time as a clock: with paused time a test is instant and every wait exact.
pub(crate) struct PausedClock(tokio::time::Instant);

impl PausedClock {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(tokio::time::Instant::now()))
    }
}

impl Clock for PausedClock {
    fn now(&self) -> Timestamp {
        Timestamp(0).plus(self.0.elapsed())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        let at = self.0 + until.since(Timestamp(0));
        Box::pin(tokio::time::sleep_until(at))
    }
}

/// A message from Alice on a channel.
pub(crate) fn message(id: &str, text: &str) -> Inbound {
    Inbound {
        channel: "telegram".into(),
        account: None,
        chat: "c1".into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: id.into(),
        reply_to: None,
        sender: Sender {
            id: "u1".into(),
            name: "alice".to_owned(),
            display_name: "Alice".to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: Timestamp(0),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}

/// Run `run` of session `s1`, asked `text`.
pub(crate) fn request(run: u64, text: &str) -> TurnRequest {
    TurnRequest {
        run: RunId(run),
        session: SessionId::from("s1"),
        prompt: text.to_owned(),
        remembered: Some(text.to_owned()),
        message: message("m1", text),
        levels: RunLevels::default(),
        resume: BTreeMap::new(),
        files: Vec::new(),
        actions: Vec::new(),
    }
}

/// The same, triggered by message `id`.
pub(crate) fn request_for(id: &str, text: &str) -> TurnRequest {
    let mut request = request(1, text);
    request.message.message = MessageId::from(id);
    request
}

/// The same, where backend `backend` has told its session `id` before.
pub(crate) fn resuming(run: u64, text: &str, backend: &str, id: &str) -> TurnRequest {
    let mut request = request(run, text);
    request.resume.insert(backend.to_owned(), id.to_owned());
    request
}

/// A running turn.
pub(crate) struct Running {
    pub(crate) steps: mpsc::Receiver<AgentEvent>,
    pub(crate) cancel: CancellationToken,
    pub(crate) task: tokio::task::JoinHandle<()>,
}

impl Running {
    pub(crate) async fn next(&mut self) -> Step {
        self.steps.recv().await.expect("another step").step
    }

    /// Everything up to the end of the run.
    pub(crate) async fn rest(mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some(event) = self.steps.recv().await {
            steps.push(event.step);
        }
        self.task.await.expect("the agent does not panic");
        steps
    }
}

/// Starts a turn whose sink holds `room` steps.
pub(crate) fn start_with(agent: &Arc<dyn Agent>, request: TurnRequest, room: usize) -> Running {
    let (sink, steps) = mpsc::channel(room);
    let cancel = CancellationToken::new();
    let (agent, token) = (Arc::clone(agent), cancel.clone());
    let task = tokio::spawn(async move { agent.run(request, sink, token).await });
    Running { steps, cancel, task }
}

/// Starts a turn.
pub(crate) fn start(agent: &Arc<dyn Agent>, request: TurnRequest) -> Running {
    start_with(agent, request, 16)
}

/// Answers a turn to its end.
pub(crate) async fn answer(agent: &Arc<dyn Agent>, request: TurnRequest) -> Vec<Step> {
    start(agent, request).rest().await
}

/// The text of an answer.
pub(crate) fn said(steps: &[Step]) -> String {
    let text = |step: &Step| match step {
        Step::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    steps.iter().filter_map(text).collect()
}

/// Milliseconds, as a duration.
pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}
