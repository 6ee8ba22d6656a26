//! An agent that is never asked: it says of itself what the real one says, and a run of it ends at once.

use async_trait::async_trait;
use foldback_agents::{Accepts, Agent, AgentEvent, LevelSupports, Step, StepSink, TurnRequest};
use foldback_wire::{RunLevels, StopReason};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// An agent in whose place nobody answers.
pub(super) struct UnaskedAgent(pub(super) Arc<dyn Agent>);

#[async_trait]
impl Agent for UnaskedAgent {
    fn backend(&self) -> &str {
        self.0.backend()
    }

    fn model(&self) -> Option<&str> {
        self.0.model()
    }

    fn level_supports(&self, levels: &RunLevels) -> LevelSupports {
        self.0.level_supports(levels)
    }

    fn accepts(&self) -> Accepts {
        self.0.accepts()
    }

    fn shares_machine(&self) -> bool {
        self.0.shares_machine()
    }

    fn asks_for_consent(&self) -> bool {
        self.0.asks_for_consent()
    }

    fn takes_actions(&self) -> bool {
        self.0.takes_actions()
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let step = Step::Done(StopReason::End);
        // Whoever does not listen any more needs no end.
        let _ = sink
            .send(AgentEvent {
                run: request.run,
                step,
            })
            .await;
    }
}
