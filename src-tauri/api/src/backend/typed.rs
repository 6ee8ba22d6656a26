//! What a person types in the place of an agent.

use super::lock;
use async_trait::async_trait;
use foldback_agents::{Accepts, Agent, AgentEvent, ScriptAgent, ScriptStep, Step, StepSink, TurnRequest};
use foldback_wire::{ChannelId, Clock, MessageId, PermissionId, PermissionOption, RunId, SessionId};
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

/// Answers that a person typed, each for one message.
#[derive(Clone, Default)]
pub(super) struct Typed {
    answers: Arc<Mutex<HashMap<(ChannelId, MessageId), String>>>,
}

impl Typed {
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

    fn knows(&self, request: &TurnRequest) -> bool {
        let key = (request.message.channel.clone(), request.message.message.clone());
        lock(&self.answers).contains_key(&key)
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

#[async_trait]
impl Agent for TypedFirst {
    fn backend(&self) -> &str {
        self.agent.backend()
    }

    fn model(&self) -> Option<&str> {
        self.agent.model()
    }

    fn answering(&self, request: &TurnRequest) -> (&str, Option<&str>) {
        if self.typed.knows(request) {
            ("typed", None)
        } else {
            self.agent.answering(request)
        }
    }

    fn accepts(&self) -> Accepts {
        self.agent.accepts()
    }

    fn shares_machine(&self) -> bool {
        self.agent.shares_machine()
    }

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        self.agent.decide(run, request, option);
    }

    fn forget(&self, session: &SessionId) {
        self.agent.forget(session);
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let Some(output) = self.typed.take(&request) else {
            return self.agent.run(request, sink, cancel).await;
        };
        // The journal must not say that the backend wrote this.
        let note = "This answer was typed by a person; the agent was not asked.".to_owned();
        let script = ScriptAgent::new(Arc::clone(&self.clock));
        script.queue(None, pieces(&output).collect());
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
        let typed = Typed::default();
        let agent = typed.before(Arc::new(ScriptAgent::new(Arc::clone(&clock))), &clock);
        typed.answer(&"telegram".into(), &"m1".into(), "typed".to_owned());
        assert_eq!(agent.answering(&request("m1")), ("typed", None));
        assert_eq!(agent.answering(&request("m2")), ("script", None));
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
