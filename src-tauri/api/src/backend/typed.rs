//! What a person types in the place of an agent, and the dead letters that a person sends again.

use super::{
    again,
    dead_letter::{ResendError, read_output},
    lock,
};
use async_trait::async_trait;
use foldback_agents::{
    Accepts, Agent, AgentEvent, AgentFile, Compaction, CompactionError, CompactionOrder, ConversationSize,
    Description, DescriptionError, DescriptionOrder, History, HistoryEntry, LevelSupports, PictureLimits,
    ScriptAgent, ScriptStep, Steer, SteerInput, Step, StepSink, TurnRequest,
};
use foldback_store::Journal;
use foldback_wire::{
    AgentFault, ChannelId, Clock, MessageId, OpId, PermissionId, PermissionOption, RunId, RunLevels,
    SessionId, StopReason,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Pieces a typed answer comes in at most, so that a long one does not take minutes.
const PIECES: usize = 120;
/// Least characters of a piece.
const PIECE: usize = 24;
/// Time between two pieces: an answer that is typed streams, as one of an agent does.
const PACE: Duration = Duration::from_millis(20);

/// Answers that a person typed, each for one message. They end with the process; a dead letter that is sent again is
/// read from the journal then.
#[derive(Clone)]
pub(super) struct Typed {
    answers: Arc<Mutex<HashMap<(ChannelId, MessageId), String>>>,
    journal: Arc<dyn Journal>,
}

impl Typed {
    /// No answers yet, and the journal that has the dead letters.
    pub(super) fn new(journal: Arc<dyn Journal>) -> Self {
        Self {
            answers: Arc::default(),
            journal,
        }
    }

    /// The message with this id is answered so, instead of by the agent.
    pub(super) fn answer(&self, channel: &ChannelId, message: &MessageId, output: String) {
        lock(&self.answers).insert((channel.clone(), message.clone()), output);
    }

    /// The message will not be answered any more.
    pub(super) fn forget(&self, channel: &ChannelId, message: &MessageId) {
        lock(&self.answers).remove(&(channel.clone(), message.clone()));
    }

    fn take(&self, request: &TurnRequest) -> Option<String> {
        let key = (request.message.channel.clone(), request.message.message.clone());
        lock(&self.answers).remove(&key)
    }

    /// True where the agent is not asked.
    fn answers(&self, channel: &ChannelId, message: &MessageId) -> bool {
        let key = (channel.clone(), message.clone());
        lock(&self.answers).contains_key(&key) || again(message).is_some()
    }

    /// The agent, behind what is typed.
    pub(super) fn before(&self, agent: Arc<dyn Agent>, clock: &Arc<dyn Clock>) -> TypedFirst {
        TypedFirst {
            typed: self.clone(),
            agent,
            clock: Arc::clone(clock),
        }
    }
}

/// An agent whose answer can be typed by a person.
pub(super) struct TypedFirst {
    typed: Typed,
    agent: Arc<dyn Agent>,
    clock: Arc<dyn Clock>,
}

impl TypedFirst {
    /// Reads the dead letter that an earlier process was asked for, or how the run ends without it. The agent cannot
    /// step in: it would answer that a person sends something again.
    async fn read_again(
        &self,
        request: &TurnRequest,
        op: OpId,
        cancel: &CancellationToken,
    ) -> Result<String, Step> {
        let reading = read_output(self.typed.journal.as_ref(), &request.message, op);
        let read: Option<Result<String, ResendError>> = cancel.run_until_cancelled(reading).await;
        let read = read.ok_or(Step::Done(StopReason::Cancelled))?;
        read.map_err(|error| Step::Failed {
            fault: AgentFault::Rejected,
            detail: error.to_string(),
        })
    }
}

#[async_trait]
impl Agent for TypedFirst {
    fn backend(&self) -> &str {
        self.agent.backend()
    }

    fn model(&self) -> Option<&str> {
        self.agent.model()
    }

    fn answering<'a>(&'a self, request: &'a TurnRequest) -> (&'a str, Option<&'a str>) {
        if self
            .typed
            .answers(&request.message.channel, &request.message.message)
        {
            ("typed", None)
        } else {
            self.agent.answering(request)
        }
    }

    fn level_supports(&self, levels: &RunLevels) -> LevelSupports {
        self.agent.level_supports(levels)
    }

    fn accepts(&self) -> Accepts {
        self.agent.accepts()
    }

    fn describes(&self) -> Option<PictureLimits> {
        self.agent.describes()
    }

    async fn describe(
        &self,
        picture: &AgentFile,
        order: &DescriptionOrder,
        cancel: CancellationToken,
    ) -> Result<Description, DescriptionError> {
        self.agent.describe(picture, order, cancel).await
    }

    fn shares_machine(&self) -> bool {
        self.agent.shares_machine()
    }

    fn asks_for_consent(&self) -> bool {
        self.agent.asks_for_consent()
    }

    fn takes_actions(&self) -> bool {
        self.agent.takes_actions()
    }

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        self.agent.decide(run, request, option);
    }

    fn steers(&self) -> bool {
        self.agent.steers()
    }

    async fn steer(&self, run: RunId, input: SteerInput) -> Steer {
        let message = &input.message;
        if self.typed.answers(&message.channel, &message.message) {
            return Steer::not_now("a person typed the answer, which goes out by itself");
        }
        self.agent.steer(run, input).await
    }

    fn conversation(&self, session: &SessionId) -> Option<ConversationSize> {
        self.agent.conversation(session)
    }

    fn restore(&self, session: &SessionId, history: &History) -> bool {
        self.agent.restore(session, history)
    }

    fn retell(&self, session: &SessionId, run: RunId, turn: &[HistoryEntry]) {
        self.agent.retell(session, run, turn);
    }

    fn compactable(&self, session: &SessionId, order: &CompactionOrder) -> usize {
        self.agent.compactable(session, order)
    }

    async fn compact(
        &self,
        session: &SessionId,
        order: &CompactionOrder,
        cancel: CancellationToken,
    ) -> Result<Compaction, CompactionError> {
        self.agent.compact(session, order, cancel).await
    }

    fn forget(&self, session: &SessionId) {
        self.agent.forget(session);
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let again = again(&request.message.message);
        let output = match (self.typed.take(&request), again) {
            (Some(output), _) => output,
            (None, Some(op)) => match self.read_again(&request, op, &cancel).await {
                Ok(output) => output,
                Err(end) => {
                    let event = AgentEvent {
                        run: request.run,
                        step: end,
                    };
                    // A closed sink means that the run is not waited for.
                    let _ = sink.send(event).await;
                    return;
                }
            },
            (None, None) => return self.agent.run(request, sink, cancel).await,
        };
        // The journal must not say that the backend wrote this.
        let note = "This answer was typed by a person; the agent was not asked.".to_owned();
        let script = ScriptAgent::new(Arc::clone(&self.clock));
        // A dead letter is whole: were it to stream, a restart could cut it off.
        let steps = match again {
            Some(_) => vec![ScriptStep::text(output)],
            None => pieces(&output).collect(),
        };
        script.queue(None, steps);
        let event = AgentEvent {
            run: request.run,
            step: Step::Reasoning(note),
        };
        if sink.send(event).await.is_ok() {
            script.run(request, sink, cancel).await;
        }
    }
}

/// A typed answer as a stream.
fn pieces(output: &str) -> impl Iterator<Item = ScriptStep> {
    let length = output.chars().count();
    let size = PIECE.max(length.div_ceil(PIECES));
    let mut rest = output;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        rest = after;
        let after_ms = u64::try_from(PACE.as_millis()).unwrap_or_default();
        (!piece.is_empty()).then(|| ScriptStep {
            after_ms,
            ..ScriptStep::text(piece)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{super::agents::tests::request, *};
    use foldback_agents::Act;
    use foldback_store::MemoryJournal;

    fn texts(output: &str) -> Vec<String> {
        let text = |step: ScriptStep| match step.act {
            Act::Text(text) => text,
            other => panic!("{other:?}"),
        };
        pieces(output).map(text).collect()
    }

    #[test]
    fn a_typed_answer_is_not_told_as_the_backends() {
        let clock: Arc<dyn Clock> = Arc::new(foldback_pipeline::TokioClock::system());
        let typed = Typed::new(Arc::new(MemoryJournal::new()));
        let agent = typed.before(Arc::new(ScriptAgent::new(Arc::clone(&clock))), &clock);
        typed.answer(&"telegram".into(), &"m1".into(), "typed".to_owned());
        assert_eq!(agent.answering(&request("m1")), ("typed", None));
        assert_eq!(agent.answering(&request("m2")), ("script", None));
        assert_eq!(agent.answering(&request("again-7")), ("typed", None));
    }

    #[test]
    fn a_typed_answer_comes_in_pieces_and_whole() {
        let long = "é👍 ".repeat(10_000);
        for output in ["", "short", long.as_str()] {
            let texts = texts(output);
            assert_eq!(texts.concat(), output);
            assert!(texts.len() <= PIECES, "{}", texts.len());
        }
        assert_eq!(texts("short").len(), 1);
        assert_eq!(texts(&"x".repeat(60)).len(), 3);
    }
}
