//! An agent for which others step in.

use crate::{
    Accepts, Agent, AgentEvent, AgentFile, Compaction, CompactionError, CompactionOrder, ConversationSize,
    Description, DescriptionError, DescriptionOrder, History, HistoryEntry, LevelSupports, PictureLimits,
    Steer, SteerInput, Step, StepSink, TurnRequest,
    emitter::{Emitter, Interrupt},
};
use async_trait::async_trait;
use foldback_wire::{
    AgentFault, Answerer, PermissionId, PermissionOption, RunId, RunLevels, SessionId, StopReason,
};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Steps an agent may be ahead of what is passed on.
const AHEAD: usize = 1;

/// Asks one agent, and where it cannot answer, the next one.
///
/// An agent is left only for a fault that says nothing about the question (see [`Fallback::steps_in`]) and only
/// before it said anything, used a tool or took a message on the way: afterwards its failure stands.
///
/// A model that names a backend of the chain is asked of that one first. Whoever steps in answers with its own model.
pub struct Fallback {
    first: Arc<dyn Agent>,
    others: Vec<Arc<dyn Agent>>,
    /// Runs whose agent was given a message on the way: the others do not know it.
    steered: Mutex<HashSet<RunId>>,
}

impl Fallback {
    /// `first`, and who steps in for it, in order.
    pub fn new(first: Arc<dyn Agent>, others: Vec<Arc<dyn Agent>>) -> Self {
        Self {
            first,
            others,
            steered: Mutex::default(),
        }
    }

    /// Whether another agent may do better. Not where the question or the credentials are refused: the next one
    /// would hide what is to be mended, or read what the first would not.
    pub const fn steps_in(fault: AgentFault) -> bool {
        match fault {
            AgentFault::Overloaded
            | AgentFault::RateLimited
            | AgentFault::Unreachable
            | AgentFault::Disconnected
            | AgentFault::Timeout
            | AgentFault::NoModel
            | AgentFault::Internal => true,
            AgentFault::Unauthorized
            | AgentFault::Malformed
            | AgentFault::TooLarge
            | AgentFault::Rejected => false,
        }
    }

    fn steered(&self) -> MutexGuard<'_, HashSet<RunId>> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.steered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn Agent>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Who is asked first: the first agent of the backend that the model names, else the first of all.
    fn chosen(&self, levels: &RunLevels) -> &Arc<dyn Agent> {
        let named = levels
            .model
            .as_ref()
            .and_then(|model| self.all().find(|agent| model.names_backend(agent.backend())));
        named.unwrap_or(&self.first)
    }

    async fn ask(
        &self,
        mut request: TurnRequest,
        out: &Emitter,
        cancel: &CancellationToken,
    ) -> Result<StopReason, Interrupt> {
        let mut passed = Passed::default();
        let mut agent = self.chosen(&request.levels);
        let mut others = {
            let asked = Arc::clone(agent);
            self.all().filter(move |other| !Arc::ptr_eq(other, &asked))
        };
        loop {
            let asked = answerer(agent.as_ref(), &request);
            let (fault, detail) = match passed.run(agent.as_ref(), request.clone(), out, cancel).await? {
                Ended::Done(reason) => return Ok(reason),
                Ended::Failed { fault, detail } => (fault, detail),
            };
            let next = others
                .next()
                .filter(|_| !passed.said && !self.steered().contains(&request.run) && Self::steps_in(fault));
            let Some(next) = next else {
                return Err(Interrupt::Failed { fault, detail });
            };
            agent = next;
            // The name of a model means nothing to another backend, and the same model would fail again.
            request.levels.model = None;
            passed.attempt += 1;
            out.emit(Step::Retry {
                attempt: passed.attempt,
                after_ms: 0,
                detail: format!("{asked}: {fault}: {detail}"),
                next: Some(answerer(agent.as_ref(), &request)),
            })
            .await?;
        }
    }
}

/// How an agent ended.
#[derive(PartialEq, Eq)]
enum Ended {
    Done(StopReason),
    Failed { fault: AgentFault, detail: String },
}

/// What was passed on in a run.
struct Passed {
    attempt: u32,
    said: bool,
}

impl Default for Passed {
    fn default() -> Self {
        Self {
            attempt: 1,
            said: false,
        }
    }
}

impl Passed {
    /// Runs an agent to its end and passes on what it says. An interrupted agent is waited for too: what it has
    /// to stop, it stops by itself.
    async fn run(
        &mut self,
        agent: &dyn Agent,
        request: TurnRequest,
        out: &Emitter,
        cancel: &CancellationToken,
    ) -> Result<Ended, Interrupt> {
        let (sink, mut steps) = mpsc::channel(AHEAD);
        let passing = async move {
            let mut ended = Ok(None);
            while let Ok(None) = ended {
                ended = match out.until(steps.recv()).await {
                    Ok(Some(AgentEvent { step, .. })) => self.pass(step, out).await,
                    Ok(None) => break,
                    Err(interrupt) => Err(interrupt),
                };
            }
            if ended == Err(Interrupt::Cancelled) {
                // It knows, and ends by itself; what it still says is not passed on.
                while steps.recv().await.is_some() {}
            }
            ended
        };
        let (ended, ()) = tokio::join!(passing, agent.run(request, sink, cancel.clone()));
        ended?.ok_or_else(|| Interrupt::failed(AgentFault::Internal, "the agent ended without saying how"))
    }

    async fn pass(&mut self, step: Step, out: &Emitter) -> Result<Option<Ended>, Interrupt> {
        match step {
            Step::Done(reason) => return Ok(Some(Ended::Done(reason))),
            Step::Failed { fault, detail } => return Ok(Some(Ended::Failed { fault, detail })),
            Step::Retry {
                after_ms,
                detail,
                next,
                ..
            } => {
                self.attempt += 1;
                let attempt = self.attempt;
                out.emit(Step::Retry {
                    attempt,
                    after_ms,
                    detail,
                    next,
                })
                .await?;
            }
            step => {
                self.said |= matches!(
                    step,
                    Step::Text { .. } | Step::Tool(_) | Step::Action(_) | Step::Permission(_)
                );
                out.emit(step).await?;
            }
        }
        Ok(None)
    }
}

fn answerer(agent: &dyn Agent, request: &TurnRequest) -> Answerer {
    let (backend, model) = agent.answering(request);
    Answerer {
        backend: backend.to_owned(),
        model: model.map(str::to_owned),
    }
}

#[async_trait]
impl Agent for Fallback {
    fn backend(&self) -> &str {
        self.first.backend()
    }

    fn model(&self) -> Option<&str> {
        self.first.model()
    }

    fn answering<'a>(&'a self, request: &'a TurnRequest) -> (&'a str, Option<&'a str>) {
        self.chosen(&request.levels).answering(request)
    }

    fn level_supports(&self, levels: &RunLevels) -> LevelSupports {
        self.chosen(levels).level_supports(levels)
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let out = Emitter::new(request.run, sink, cancel.clone());
        let run = request.run;
        let ended = self.ask(request, &out, &cancel).await;
        self.steered().remove(&run);
        out.conclude(ended).await;
    }

    /// What all of them take, so that nothing is lost where another one steps in.
    fn accepts(&self) -> Accepts {
        let both = |one: Accepts, other: Accepts| Accepts {
            images: one.images && other.images,
            files: one.files && other.files,
            pictures: one.pictures.and(other.pictures),
        };
        let first = self.first.accepts();
        self.others.iter().map(|agent| agent.accepts()).fold(first, both)
    }

    /// What those take that describe any.
    fn describes(&self) -> Option<PictureLimits> {
        let limits = self.all().filter_map(|agent| agent.describes());
        limits.reduce(PictureLimits::and)
    }

    /// The first of them that can; the next one where it fails, for the same faults as with a run.
    async fn describe(
        &self,
        picture: &AgentFile,
        order: &DescriptionOrder,
        cancel: CancellationToken,
    ) -> Result<Description, DescriptionError> {
        let mut refused = DescriptionError::unable(self.backend());
        let mut order = order.clone();
        for agent in self.all().filter(|agent| agent.describes().is_some()) {
            refused = match agent.describe(picture, &order, cancel.clone()).await {
                Err(error @ DescriptionError::Failed { fault, .. }) if Self::steps_in(fault) => error,
                done => return done,
            };
            // The name of a model means nothing to another backend.
            order.model = None;
        }
        Err(refused)
    }

    /// Any of them may answer; to the others the folder is a name that they cannot use.
    fn shares_machine(&self) -> bool {
        self.all().any(|agent| agent.shares_machine())
    }

    fn asks_for_consent(&self) -> bool {
        self.all().any(|agent| agent.asks_for_consent())
    }

    /// Only where all of them do: the prompt is written before it is known who answers.
    fn takes_actions(&self) -> bool {
        self.all().all(|agent| agent.takes_actions())
    }

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        self.all().for_each(|agent| agent.decide(run, request, option));
    }

    fn steers(&self) -> bool {
        self.all().any(|agent| agent.steers())
    }

    /// Whoever runs it takes it, or says why not; the others know nothing of the run.
    async fn steer(&self, run: RunId, input: SteerInput) -> Steer {
        let mut reasons: Vec<String> = Vec::new();
        for agent in self.all() {
            match agent.steer(run, input.clone()).await {
                Steer::Taken => {
                    self.steered().insert(run);
                    return Steer::Taken;
                }
                Steer::NotNow { why } if !reasons.contains(&why) => reasons.push(why),
                Steer::NotNow { .. } => {}
            }
        }
        Steer::not_now(reasons.join("; "))
    }

    /// The first of them that keeps conversations; they share one memory.
    fn conversation(&self, session: &SessionId) -> Option<ConversationSize> {
        self.all().find_map(|agent| agent.conversation(session))
    }

    fn restore(&self, session: &SessionId, history: &History) -> bool {
        let restored = self.all().map(|agent| agent.restore(session, history));
        restored.fold(false, |one, other| one | other)
    }

    /// Only the one that ran it remembers the run.
    fn retell(&self, session: &SessionId, run: RunId, turn: &[HistoryEntry]) {
        self.all().for_each(|agent| agent.retell(session, run, turn));
    }

    fn compactable(&self, session: &SessionId, order: &CompactionOrder) -> usize {
        let all = self.all().map(|agent| agent.compactable(session, order));
        all.max().unwrap_or_default()
    }

    /// The next one summarises where one cannot, for the same faults as with a run.
    async fn compact(
        &self,
        session: &SessionId,
        order: &CompactionOrder,
        cancel: CancellationToken,
    ) -> Result<Compaction, CompactionError> {
        let mut refused = CompactionError::not_ours(self.backend());
        for agent in self.all().filter(|agent| agent.conversation(session).is_some()) {
            refused = match agent.compact(session, order, cancel.clone()).await {
                Err(error @ CompactionError::Failed { fault, .. }) if Self::steps_in(fault) => error,
                done => return done,
            };
        }
        Err(refused)
    }

    fn forget(&self, session: &SessionId) {
        self.all().for_each(|agent| agent.forget(session));
    }
}
