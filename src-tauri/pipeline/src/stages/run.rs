//! Runs the agent: its steps go through the scanner into the journal, and on to the delivery.

use super::scan::{Cue, Decisions, Scan};
use crate::{
    deliver::typing::Typing,
    leaks::Watch,
    recorder::Recorder,
    rules::{Rule, Rules},
};
use foldback_agents::{Agent, AgentEvent, Step, TurnRequest};
use foldback_store::StoreError;
use foldback_wire::{Actor, AgentFault, Fault, Kind, PermissionRequest, RunId, StopReason, ToolId};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// Steps an agent may be ahead of the pipeline.
const AHEAD: usize = 64;
/// Decisions the scanner may be ahead of the delivery: a platform that keeps us waiting slows the agent down.
pub(crate) const CUES: usize = 256;
/// How long a cancelled agent may take to say that it stopped.
const STOP: Duration = Duration::from_secs(5);

/// A run to be made.
pub(crate) struct Run<'a> {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) recorder: &'a Recorder,
    pub(crate) rules: Rules,
    /// A run that says nothing for this long has failed.
    pub(crate) silence: Duration,
    pub(crate) cancel: CancellationToken,
    pub(crate) cues: mpsc::Sender<Cue>,
    pub(crate) leaks: &'a Watch,
    pub(crate) typing: &'a Typing,
}

/// What the pipeline waits for.
enum Next {
    Step(AgentEvent),
    /// The agent closed its stream.
    Closed,
    /// Nothing came for too long.
    Silent,
    /// It was cancelled and does not say that it stopped.
    Stuck,
}

/// How a run ended.
enum End {
    Done(StopReason),
    Failed(AgentFault, String),
}

impl Run<'_> {
    /// Runs the agent to its end. Everything it said is decided and journalled, also when it failed.
    #[tracing::instrument(name = "run", skip_all, fields(run = %request.run))]
    pub(crate) async fn run(self, request: TurnRequest, mut scan: Scan<'_>) -> Result<(), StoreError> {
        let run = request.run;
        let (backend, model) = self.agent.answering(&request);
        self.recorder.note(Kind::RunStarted {
            run,
            backend: backend.to_owned(),
            model: model.map(str::to_owned),
        })?;
        let end = self.read(request, &mut scan).await?;
        self.hand_on(scan.end_reasoning()).await?;
        self.hand_on(scan.end(false)).await?;
        let (reason, cue) = match end {
            End::Done(StopReason::Cancelled) => (StopReason::Cancelled, Cue::RunCancelled),
            End::Done(reason) => (reason, Cue::RunEnded),
            End::Failed(fault, detail) => {
                let detail = self.recorder.words(&detail).into_owned();
                tracing::warn!(%fault, "the run failed");
                self.recorder.note(Kind::RunFailed {
                    fault,
                    detail: detail.clone(),
                })?;
                (
                    StopReason::Error,
                    Cue::RunFailed {
                        fault,
                        detail: format!("{fault}: {detail}"),
                    },
                )
            }
        };
        self.recorder.note(Kind::RunEnded { run, reason })?;
        // The delivery may have ended early, on a store that failed.
        let _ = self.cues.send(cue).await;
        Ok(())
    }

    async fn read(&self, request: TurnRequest, scan: &mut Scan<'_>) -> Result<End, StoreError> {
        let run = request.run;
        let (sink, mut steps) = mpsc::channel(AHEAD);
        let agent = Arc::clone(&self.agent);
        let halt = self.cancel.child_token();
        // Dropped with the run, so that an agent that does not stop is not left behind.
        let task = tokio::spawn({
            let halt = halt.clone();
            async move { agent.run(request, sink, halt).await }
        });
        let _task = AbortOnDropHandle::new(task);
        let mut tools = HashSet::new();
        loop {
            let AgentEvent { run: of, step } = match self.next(&mut steps).await {
                Next::Step(event) => event,
                Next::Stuck => return Ok(End::Done(StopReason::Cancelled)),
                Next::Closed => {
                    let detail = "the agent ended without saying how".to_owned();
                    return Ok(End::Failed(AgentFault::Internal, detail));
                }
                Next::Silent => {
                    halt.cancel();
                    let detail = format!("nothing came for {} ms", self.silence.as_millis());
                    return Ok(End::Failed(AgentFault::Timeout, detail));
                }
            };
            if of != run && self.rules.holds(Rule::RunLate) {
                self.recorder
                    .warn(format!("a late step of run {of} was dropped"))?;
                continue;
            }
            self.typing.touch();
            match step {
                Step::Failed { fault, detail } => return Ok(End::Failed(fault, detail)),
                Step::Done(reason) => return Ok(End::Done(reason)),
                Step::Permission(request) => self.refuse(run, request)?,
                step => self.take(step, scan, &mut tools).await?,
            }
        }
    }

    async fn next(&self, steps: &mut mpsc::Receiver<AgentEvent>) -> Next {
        let clock = &self.recorder.clock;
        let silence = if self.rules.holds(Rule::RunSilence) {
            self.silence
        } else {
            Duration::MAX
        };
        let stuck = async {
            self.cancel.cancelled().await;
            clock.sleep_until(clock.now().plus(STOP)).await;
        };
        tokio::select! {
            biased;
            step = steps.recv() => step.map_or(Next::Closed, Next::Step),
            () = stuck => Next::Stuck,
            () = clock.sleep_until(clock.now().plus(silence)) => Next::Silent,
        }
    }

    async fn take(
        &self,
        step: Step,
        scan: &mut Scan<'_>,
        tools: &mut HashSet<ToolId>,
    ) -> Result<(), StoreError> {
        if !matches!(step, Step::Reasoning(_)) {
            self.hand_on(scan.end_reasoning()).await?;
        }
        match step {
            Step::Text { message, text } => self.hand_on(scan.push(message, &text)).await,
            Step::Tool(call) => {
                // Only a call that begins ends the message: one that runs in the background may report its
                // end in the middle of a sentence.
                if tools.insert(call.id.clone()) && self.rules.holds(Rule::ScanMessage) {
                    self.hand_on(scan.end(true)).await?;
                }
                self.recorder.note(Kind::Tool { call })
            }
            Step::Reasoning(text) => self.hand_on(scan.reason(text)).await,
            Step::Session { id, start, detail } => self.recorder.note(Kind::AgentSession {
                backend: self.agent.backend().to_owned(),
                id,
                start,
                detail,
            }),
            Step::Usage(usage) => self.recorder.note(Kind::Used { usage }),
            Step::Faulted { number, fault } => self.recorder.note(Kind::Faulted {
                number,
                op: None,
                fault: Fault::Run(fault),
            }),
            Step::Retry {
                attempt,
                after_ms,
                detail,
            } => self.recorder.note(Kind::Retrying {
                attempt,
                after_ms,
                detail,
            }),
            Step::Permission(_) | Step::Failed { .. } | Step::Done(_) => Ok(()),
        }
    }

    /// Nobody can be asked yet: what needs a permission is not done, and the journal says so.
    fn refuse(&self, run: RunId, request: PermissionRequest) -> Result<(), StoreError> {
        self.agent.decide(run, &request.id, None);
        let decided = Kind::PermissionDecided {
            id: request.id.clone(),
            option: None,
            by: Actor::Pipeline,
            why: "nobody can be asked".to_owned(),
        };
        self.recorder
            .note_all(vec![Kind::PermissionAsked { request, until: None }, decided])
    }

    async fn hand_on(&self, Decisions { events, cues }: Decisions) -> Result<(), StoreError> {
        for cue in &cues {
            if let Cue::Text { message, text } = cue {
                self.leaks.wrote(*message, text);
            }
        }
        let mut leaks: Vec<_> = events.iter().flat_map(|kind| self.leaks.decided(kind)).collect();
        leaks.sort_unstable();
        self.recorder.note_all(events)?;
        self.recorder.alarm(leaks)?;
        for cue in cues {
            let _ = self.cues.send(cue).await;
        }
        Ok(())
    }
}

/// What the user is told when a run failed. Never the backend's own words: they may hold paths and secrets.
pub(crate) const fn notice(fault: AgentFault) -> &'static str {
    match fault {
        AgentFault::Overloaded => "⚠️ The agent is overloaded. Please try again later.",
        AgentFault::RateLimited => "⚠️ The agent has to wait. Please try again later.",
        AgentFault::Unauthorized => "⚠️ The agent has no access to its model. Please tell the operator.",
        AgentFault::Unreachable => "⚠️ The agent cannot be reached. Please try again later.",
        AgentFault::Disconnected => "⚠️ The connection to the agent broke before it was done.",
        AgentFault::Timeout => "⚠️ The agent did not answer in time.",
        AgentFault::TooLarge => "⚠️ The answer was too long and was cut off.",
        AgentFault::Malformed | AgentFault::Rejected | AgentFault::Internal => {
            "⚠️ The agent failed before it was done."
        }
    }
}
