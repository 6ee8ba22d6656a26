//! Runs the agent: its steps go through the scanner into the journal, and on to the delivery.

use super::{
    act::{Acting, ActingEnd, CallEnd, Calls},
    permit::{PermitContext, Permits},
    run_progress::RunProgress,
    scan::{Decisions, Scan},
    text_bound::TextBound,
    tool::keepable,
};
use crate::{
    config::Narration,
    context::RunState,
    crash::{self, CrashPoint},
    deadline::Deadline,
    deciding::failing_setting,
    leaks::LeakWatch,
    output::{OutputEvent, STOPPED_AT_MOST},
    permissions::PermissionAnswer,
    recorder::Recorder,
    rules::{Rule, Rules},
    user_text::{NoDecision, UserText},
};
use foldback_agents::{ActionCall, Agent, AgentEvent, Step, TurnRequest};
use foldback_store::StoreError;
use foldback_wire::{
    AgentFault, DecidingSetting, Draft, Fault, Kind, RunActivity, SessionId, SessionStart, Stage, StopReason,
    rpc::AgentSession,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// Steps an agent may be ahead of the pipeline.
const AHEAD: usize = 64;
/// Decisions the scanner may be ahead of the delivery: a platform that keeps us waiting slows the agent down.
pub(crate) const OUTPUT_EVENTS: usize = 256;
/// The time that a cancelled agent may take to say that it stopped.
const STOP: Duration = Duration::from_secs(5);

/// A run to be made.
pub(crate) struct Run<'a> {
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) recorder: &'a Recorder,
    pub(crate) rules: Rules,
    /// A run that says nothing for this long has failed.
    pub(crate) silence: Duration,
    /// A run that says more than this is stopped: nobody would read it in the chat.
    pub(crate) most: TextBound,
    /// Cancelled when the chat has as many messages of the turn as it may have, and one more was to come: the run is
    /// stopped.
    pub(crate) chat_full: CancellationToken,
    pub(crate) cancel: CancellationToken,
    pub(crate) session: &'a SessionId,
    /// The sessions of their own that the agents are asked to take up again, by backend.
    pub(crate) kept: BTreeMap<String, String>,
    /// True where the user is told that the agent lost the conversation.
    pub(crate) tell_lost: bool,
    pub(crate) state: Arc<RunState>,
    /// The messages of other turns that come into this run, as events of both; they are written as its agent starts.
    pub(crate) beside: Vec<Draft>,
    /// The treatment of what the agent says before a tool call.
    pub(crate) narration: Narration,
    /// True where the chat may see something of tool calls, and of reasoning.
    pub(crate) shows_tools: bool,
    pub(crate) shows_thoughts: bool,
    /// True where the chat sees the tokens that the run uses.
    pub(crate) shows_usage: bool,
    /// True where the chat is told that another backend or model answers.
    pub(crate) tells_answerer: bool,
    pub(crate) permit: PermitContext<'a>,
    /// Everything that the actions of the answer are carried out with.
    pub(crate) acting: Acting<'a>,
    pub(crate) output: mpsc::Sender<OutputEvent>,
    pub(crate) leaks: &'a LeakWatch,
    /// Called with each step: a sign of life of the agent.
    pub(crate) on_step: &'a (dyn Fn(&Step) + Sync),
}

/// The events that the pipeline waits for.
enum RunInput {
    Step(AgentEvent),
    /// A request for permission is decided.
    Answer(PermissionAnswer),
    /// Somebody cancelled it, and requests for permission wait.
    Cancelled,
    /// The agent closed its stream.
    Closed,
    /// Nothing came for too long.
    Silent,
    /// It was cancelled and does not say that it stopped.
    Stuck,
    /// The chat should get no more of it.
    ChatFull,
}

/// The end of a run.
enum End {
    Done(StopReason),
    /// It said more than its chat should get and was stopped.
    TooLong,
    Failed(AgentFault, String),
}

impl Run<'_> {
    /// Runs the agent to its end. Everything it said is decided and journalled, also when it failed.
    #[tracing::instrument(name = "run", skip_all, fields(run = %request.run))]
    pub(crate) async fn run(mut self, request: TurnRequest, mut scan: Scan<'_>) -> Result<(), StoreError> {
        let run = request.run;
        let (backend, model) = self.agent.answering(&request);
        let mut progress = RunProgress::of(backend);
        let started = Kind::RunStarted {
            run,
            backend: progress.backend.clone(),
            model: model.map(str::to_owned),
        };
        let beside = std::mem::take(&mut self.beside);
        crash::point(CrashPoint::BeforeRun);
        self.recorder.note_beside(vec![started], beside)?;
        self.state.begin(run);
        let agent = Arc::clone(&self.agent);
        let mut permits = Permits::new(self.permit, agent.as_ref(), self.recorder, self.rules, run);
        let mut calls = Calls::before_run(self.acting.delivery);
        let end = self
            .read(request, &mut progress, &mut scan, &mut permits, &mut calls)
            .await?;
        if self.state.is_reset() {
            // It may have taken the conversation up after it was told to forget it.
            self.agent.forget(self.session);
        }
        permits.cancel_open(NoDecision::RunEnded)?;
        self.send_output(permits.take_decisions()).await;
        self.state.does(RunActivity::Delivering);
        self.record_decisions(scan.end_reasoning()).await?;
        self.record_decisions(scan.end(false)).await?;
        self.end_calls(&mut progress)?;
        let asked = scan.take_actions();
        let (reason, mut event) = match end {
            End::Done(StopReason::Cancelled) => (StopReason::Cancelled, OutputEvent::RunCancelled),
            End::Done(reason) => (reason, OutputEvent::RunEnded(reason)),
            End::TooLong => {
                self.recorder.note(Kind::Passed {
                    stage: Stage::Run,
                    detail: STOPPED_AT_MOST.to_owned(),
                })?;
                (StopReason::Length, OutputEvent::RunTooLong)
            }
            End::Failed(fault, detail) => {
                let detail = self.recorder.words(&detail).into_owned();
                tracing::warn!(%fault, "the run failed");
                let setting = failing_setting(&progress.backend, fault, &detail);
                self.recorder.note(Kind::RunFailed {
                    fault,
                    detail: detail.clone(),
                    decided_by: setting.map(|setting| Box::new(self.recorder.deciding(&setting))),
                })?;
                (
                    StopReason::Error,
                    OutputEvent::RunFailed {
                        fault,
                        detail: format!("{fault}: {detail}"),
                    },
                )
            }
        };
        self.recorder.note(Kind::RunEnded { run, reason })?;
        crash::point(CrashPoint::AfterRun);
        let may_act = reason == StopReason::End || !self.rules.holds(Rule::ActionsEnd);
        if may_act && !asked.is_empty() {
            // It can be stopped again.
            self.state.calls("actions");
            self.state.until_offered().await;
            let acting = self
                .acting
                .carry_out(&calls, asked, self.recorder, &mut permits, &self.output);
            // Boxed, as an action may wait for much.
            if Box::pin(acting).await? == ActingEnd::Stopped {
                event = OutputEvent::RunCancelled;
            }
            self.state.does(RunActivity::Delivering);
        } else if !asked.is_empty() {
            self.recorder
                .warn("the run did not end in order: none of its actions is carried out")?;
        }
        // The delivery may have ended early, on a store that failed.
        let _ = self.output.send(event).await;
        Ok(())
    }

    async fn read(
        &self,
        request: TurnRequest,
        progress: &mut RunProgress,
        scan: &mut Scan<'_>,
        permits: &mut Permits<'_>,
        calls: &mut Calls,
    ) -> Result<End, StoreError> {
        let run = request.run;
        let (sink, mut steps) = mpsc::channel(AHEAD);
        let agent = Arc::clone(&self.agent);
        let halt = self.cancel.child_token();
        // Dropped with the run, so that an agent that does not stop is not left behind.
        let task = AbortOnDropHandle::new(tokio::spawn({
            let halt = halt.clone();
            async move { agent.run(request, sink, halt).await }
        }));
        loop {
            let AgentEvent { run: of, step } =
                match self.next_input(&mut steps, permits, progress.works()).await {
                    RunInput::Step(event) => event,
                    RunInput::Answer(answer) => {
                        permits.settle_answer(answer)?;
                        self.send_output(permits.take_decisions()).await;
                        self.state.does(if permits.is_open() {
                            RunActivity::Asking
                        } else {
                            RunActivity::Starting
                        });
                        continue;
                    }
                    RunInput::Cancelled => {
                        permits.cancel_open(NoDecision::RunCancelled)?;
                        self.send_output(permits.take_decisions()).await;
                        continue;
                    }
                    RunInput::Stuck => return Ok(End::Done(StopReason::Cancelled)),
                    RunInput::ChatFull => {
                        halt.cancel();
                        self.until_stopped(steps, task).await;
                        return Ok(End::TooLong);
                    }
                    RunInput::Closed => {
                        let detail = "the agent ended without saying how".to_owned();
                        return Ok(End::Failed(AgentFault::Internal, detail));
                    }
                    RunInput::Silent => {
                        halt.cancel();
                        self.until_stopped(steps, task).await;
                        let detail = format!(
                            "the agent gave no sign of life for {} ms",
                            self.silence.as_millis()
                        );
                        return Ok(End::Failed(AgentFault::Timeout, detail));
                    }
                };
            if of != run && self.rules.holds(Rule::RunLate) {
                self.recorder
                    .warn(format!("a late step of run {of} was dropped"))?;
                continue;
            }
            (self.on_step)(&step);
            match step {
                Step::Failed { fault, detail } => return Ok(End::Failed(fault, detail)),
                Step::Done(reason) => return Ok(End::Done(reason)),
                Step::Permission(request) => {
                    self.end_thought(scan).await?;
                    let question = permits.ask_request(request)?;
                    if permits.is_open() {
                        self.state.does(RunActivity::Asking);
                    }
                    self.send_output(question.map(OutputEvent::Asked)).await;
                }
                Step::Action(call) => {
                    if let Some(why) = self.answer_call(&call, calls, scan, permits).await? {
                        halt.cancel();
                        self.until_stopped(steps, task).await;
                        return Ok(End::Failed(AgentFault::Malformed, why));
                    }
                }
                step => {
                    self.handle_step(step, scan, progress).await?;
                    let is_full = self.most.is_passed_by(progress.said) || self.chat_full.is_cancelled();
                    if is_full && self.rules.holds(Rule::RunMost) {
                        halt.cancel();
                        self.until_stopped(steps, task).await;
                        return Ok(End::TooLong);
                    }
                }
            }
        }
    }

    /// Carries out the action of a tool call and gives its result back. The agent waits meanwhile; where a person stops the
    /// run, it hears of that instead. Answers why the run is to end, where it is.
    async fn answer_call(
        &self,
        call: &ActionCall,
        calls: &mut Calls,
        scan: &mut Scan<'_>,
        permits: &mut Permits<'_>,
    ) -> Result<Option<String>, StoreError> {
        self.end_thought(scan).await?;
        self.state.calls(&call.action.kind);
        self.state.until_offered().await;
        let called = self
            .acting
            .carry_out_call(calls, call, self.recorder, permits, &self.output);
        // Boxed, as an action may wait for much.
        match Box::pin(called).await? {
            CallEnd::Answered { answer, given } => {
                for text in &given {
                    scan.add_given(text);
                }
                call.answer(answer);
            }
            CallEnd::Stopped | CallEnd::GivenUp => {}
            CallEnd::TooMany(why) => return Ok(Some(why)),
        }
        self.state.does(RunActivity::Starting);
        Ok(None)
    }

    /// Waits until an agent that was told to stop has done so, and told its backend, but not for long. What it still
    /// says is not taken.
    async fn until_stopped<T>(&self, mut steps: mpsc::Receiver<AgentEvent>, task: AbortOnDropHandle<T>) {
        let clock = self.recorder.clock.as_ref();
        let stopped = async {
            while steps.recv().await.is_some() {}
            // It has ended, whichever way.
            drop(task.await);
        };
        Deadline::after(clock, STOP).within(clock, stopped).await;
    }

    async fn next_input(
        &self,
        steps: &mut mpsc::Receiver<AgentEvent>,
        permits: &mut Permits<'_>,
        works: bool,
    ) -> RunInput {
        let clock = self.recorder.clock.as_ref();
        // Whoever waits for a person or for a tool is not silent; the backend's own limits hold.
        let waits = permits.is_open();
        let excused =
            waits && self.rules.holds(Rule::PermitSilence) || works && self.rules.holds(Rule::RunTools);
        let silence = if self.rules.holds(Rule::RunSilence) && !excused {
            Deadline::after(clock, self.silence)
        } else {
            Deadline::NEVER
        };
        let stuck = async {
            self.cancel.cancelled().await;
            Deadline::after(clock, STOP).passed(clock).await;
        };
        tokio::select! {
            biased;
            step = steps.recv() => step.map_or(RunInput::Closed, RunInput::Step),
            () = self.chat_full.cancelled(), if self.rules.holds(Rule::RunMost) => RunInput::ChatFull,
            answer = permits.next_answer() => RunInput::Answer(answer),
            () = self.cancel.cancelled(), if waits && self.rules.holds(Rule::PermitCancel) => RunInput::Cancelled,
            () = stuck => RunInput::Stuck,
            () = silence.passed(clock) => RunInput::Silent,
        }
    }

    async fn handle_step(
        &self,
        mut step: Step,
        scan: &mut Scan<'_>,
        progress: &mut RunProgress,
    ) -> Result<(), StoreError> {
        if let Step::Tool(call) = &mut step {
            keepable(self.recorder, call);
        }
        if !matches!(step, Step::Reasoning(_)) {
            self.end_thought(scan).await?;
        }
        match &step {
            Step::Text { .. } => self.state.does(RunActivity::Writing),
            Step::Reasoning(_) => {
                self.state.does(RunActivity::Thinking);
                self.state.thinks();
            }
            Step::Tool(call) if call.status.is_over() => {
                self.state.does(RunActivity::Starting);
            }
            Step::Tool(call) => self.state.calls(&call.name),
            _ => {}
        }
        match step {
            Step::Text { message, text } => {
                let decisions = scan.push(message, &text);
                progress.said += self.most.measure(&decisions.output);
                self.record_decisions(decisions).await
            }
            Step::Tool(call) => {
                // Only a call that begins ends the message: one that runs in the background may report its
                // end in the middle of a sentence.
                if progress.take_call(&call) && self.rules.holds(Rule::ScanMessage) {
                    self.record_decisions(scan.end(true)).await?;
                }
                self.recorder.note(Kind::Tool { call: call.clone() })?;
                if self.shows_tools {
                    let _ = self.output.send(OutputEvent::Tool(call)).await;
                }
                Ok(())
            }
            Step::Reasoning(text) => self.record_decisions(scan.reason(text)).await,
            Step::LevelIgnored { level, asked, why } => {
                self.recorder.note(Kind::LevelIgnored { level, asked, why })
            }
            Step::Session { id, start, detail } => {
                self.keep_agent_session(&progress.backend, id, start, detail)
                    .await
            }
            Step::Usage(usage) => {
                if self.shows_usage {
                    self.send_output([OutputEvent::Used(usage)]).await;
                }
                self.recorder.note(Kind::Used { usage })
            }
            Step::Faulted { number, fault } => self.recorder.note(Kind::Faulted {
                number,
                op: None,
                fault: Fault::Run(fault),
            }),
            Step::Retry {
                attempt,
                after_ms,
                detail,
                next,
            } => {
                // Whoever is asked next knows nothing of the calls of the attempt that failed.
                self.end_calls(progress)?;
                if let Some(next) = &next {
                    progress.backend.clone_from(&next.backend);
                    if self.tells_answerer {
                        let told = UserText::AnsweredBy(next.clone());
                        self.send_output([OutputEvent::Aside(told)]).await;
                    }
                }
                self.recorder.note(Kind::Retrying {
                    attempt,
                    after_ms,
                    detail,
                    next,
                })
            }
            Step::Action(_) | Step::Permission(_) | Step::Failed { .. } | Step::Done(_) => Ok(()),
        }
    }

    /// Notes the end of the calls whose end the agent has not told. Some backends never tell one: chat completions leave
    /// a call to whoever asked.
    fn end_calls(&self, progress: &mut RunProgress) -> Result<(), StoreError> {
        let ends = progress.end_calls().into_iter().map(|call| Kind::Tool { call });
        self.recorder.note_all(ends.collect())
    }

    /// Sends what is said beside the answer.
    async fn send_output(&self, output: impl IntoIterator<Item = OutputEvent>) {
        for event in output {
            // The delivery may have ended early, on a store that failed.
            let _ = self.output.send(event).await;
        }
    }

    /// The agent told its session: the next turn gives it back, also after a restart.
    async fn keep_agent_session(
        &self,
        backend: &str,
        id: String,
        start: SessionStart,
        detail: String,
    ) -> Result<(), StoreError> {
        let kept = AgentSession {
            backend: backend.to_owned(),
            id: id.clone(),
            since: self.recorder.now(),
        };
        let told = Kind::AgentSession {
            backend: backend.to_owned(),
            id,
            start,
            detail,
        };
        if self.kept.get(backend) == Some(&kept.id) || self.state.is_reset() {
            self.recorder.note(told)?;
        } else {
            let events = vec![self.recorder.draft(told)];
            let journal = &self.recorder.journal;
            journal
                .put_agent_session(self.session, Some(kept), events)
                .await?;
        }
        if start == SessionStart::Lost && self.tell_lost && self.rules.holds(Rule::SessionLost) {
            self.send_output([OutputEvent::Aside(UserText::SessionLost)])
                .await;
        }
        Ok(())
    }

    /// Ends the reasoning, as what follows is none.
    async fn end_thought(&self, scan: &mut Scan<'_>) -> Result<(), StoreError> {
        self.record_decisions(scan.end_reasoning()).await?;
        if self.state.stops_thinking() && self.shows_thoughts {
            let _ = self.output.send(OutputEvent::ThoughtEnded).await;
        }
        Ok(())
    }

    /// The setting that keeps narration off the chat, where it does.
    fn hides_narration(&self) -> Option<Box<DecidingSetting>> {
        (self.narration == Narration::Hide).then(|| {
            Box::new(DecidingSetting {
                // Where nothing is set, the channel's abilities decide.
                value: "hide".to_owned(),
                ..self.recorder.deciding("output.narration")
            })
        })
    }

    async fn record_decisions(&self, decisions: Decisions) -> Result<(), StoreError> {
        let Decisions { mut events, output } = decisions;
        for event in &mut events {
            if let Kind::MessageEnded {
                narration: true,
                decided_by,
                ..
            } = event
            {
                *decided_by = self.hides_narration();
            }
        }
        for event in &output {
            if let OutputEvent::Text { message, text } = event {
                self.leaks.add_clean_text(*message, text);
            }
        }
        let mut leaks: Vec<_> = events
            .iter()
            .flat_map(|kind| self.leaks.check_decision(kind))
            .collect();
        leaks.sort_unstable();
        let thoughts: Vec<_> = events
            .iter()
            .filter_map(|kind| match kind {
                Kind::Reasoning { text } if self.shows_thoughts => Some(OutputEvent::Thought(text.clone())),
                _ => None,
            })
            .collect();
        self.recorder.note_all(events)?;
        self.recorder.alarm(leaks)?;
        for event in thoughts.into_iter().chain(output) {
            let _ = self.output.send(event).await;
        }
        Ok(())
    }
}
