//! An agent whose runs go wrong when a person plans it.

use crate::{
    Accepts, Agent, AgentEvent, AgentFile, Compaction, CompactionError, CompactionOrder, ConversationSize,
    Description, DescriptionError, DescriptionOrder, History, HistoryEntry, LevelSupports, PictureLimits,
    Steer, SteerInput, Step, StepSink, TurnRequest,
    emitter::{Emitter, Interrupt},
    joiner::Joiner,
};
use async_trait::async_trait;
use foldback_wire::{
    ChunkCut, Clock, Deck, PermissionId, PermissionOption, RunFault, RunId, RunLevels, SessionId, StopReason,
};
use std::{
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Steps the agent may be ahead of what is passed on.
const AHEAD: usize = 1;

/// Stands in front of an agent. A run that no planned fault hits is the agent's own, untouched.
pub struct Faulty {
    agent: Arc<dyn Agent>,
    deck: Mutex<Deck>,
    clock: Arc<dyn Clock>,
}

impl Faulty {
    /// An agent for which nothing is planned yet.
    pub fn new(agent: Arc<dyn Agent>, clock: Arc<dyn Clock>) -> Self {
        Self {
            agent,
            deck: Mutex::default(),
            clock,
        }
    }

    /// What is planned. Hold the guard only briefly: runs that begin wait for it.
    pub fn deck(&self) -> MutexGuard<'_, Deck> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.deck.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn go_wrong(
        &self,
        number: u64,
        fault: RunFault,
        request: TurnRequest,
        out: &Emitter,
        cancel: &CancellationToken,
    ) -> Result<StopReason, Interrupt> {
        let step = Step::Faulted {
            number,
            fault: fault.clone(),
        };
        out.emit(step).await?;
        let mut spoiler = Spoiler {
            out,
            clock: self.clock.as_ref(),
            left: Some(fault.after_bytes),
            message: None,
            joiner: Joiner::default(),
            kept: Vec::new(),
            fault,
        };
        spoiler.wait(spoiler.fault.first_byte_ms).await?;
        if spoiler.fault.after_bytes == 0 && spoiler.fault.fail.is_some() {
            // The agent is not asked: what it would say is never heard.
            spoiler.point().await?;
        }
        let (sink, mut steps) = mpsc::channel(AHEAD);
        let mut run = pin!(self.agent.run(request, sink, cancel.clone()));
        let mut over = false;
        let mut next = async || {
            poll_fn(|cx| {
                if !over {
                    over = run.as_mut().poll(cx).is_ready();
                }
                steps.poll_recv(cx)
            })
            .await
        };
        while let Some(AgentEvent { step, .. }) = out.until(next()).await? {
            if let Some(ended) = spoiler.pass(step).await? {
                return ended;
            }
        }
        let detail = "the agent ended without saying how";
        Err(Interrupt::failed(foldback_wire::AgentFault::Internal, detail))
    }
}

#[async_trait]
impl Agent for Faulty {
    fn backend(&self) -> &str {
        self.agent.backend()
    }

    fn model(&self) -> Option<&str> {
        self.agent.model()
    }

    fn answering<'a>(&'a self, request: &'a TurnRequest) -> (&'a str, Option<&'a str>) {
        self.agent.answering(request)
    }

    fn level_supports(&self, levels: &RunLevels) -> LevelSupports {
        self.agent.level_supports(levels)
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let hit = self.deck().run();
        let Some((number, fault)) = hit else {
            return self.agent.run(request, sink, cancel).await;
        };
        let out = Emitter::new(request.run, sink, cancel.clone());
        let ended = self.go_wrong(number, fault, request, &out, &cancel).await;
        out.conclude(ended).await;
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
}

/// Passes the steps of one run on, and makes them go wrong.
struct Spoiler<'a> {
    out: &'a Emitter,
    clock: &'a dyn Clock,
    fault: RunFault,
    /// Bytes of text until it stalls and fails; `None` once it has.
    left: Option<u64>,
    message: Option<String>,
    joiner: Joiner,
    /// What a burst keeps back, until the end or until somebody is asked.
    kept: Vec<Step>,
}

impl Spoiler<'_> {
    /// Passes a step on; the end of the run, when it is the last.
    async fn pass(&mut self, step: Step) -> Result<Option<Result<StopReason, Interrupt>>, Interrupt> {
        match step {
            Step::Text { message, text } => {
                if message != self.message {
                    self.end_of_text().await?;
                    self.message = message;
                }
                self.text(text.as_bytes()).await?;
            }
            Step::Done(reason) => {
                self.point().await?;
                self.end_of_text().await?;
                self.burst().await?;
                return Ok(Some(Ok(reason)));
            }
            Step::Failed { fault, detail } => {
                self.end_of_text().await?;
                self.burst().await?;
                return Ok(Some(Err(Interrupt::Failed { fault, detail })));
            }
            // Whoever decides reads what came before, and the agent waits for them.
            step @ Step::Permission(_) => {
                self.end_of_text().await?;
                self.burst().await?;
                self.out.emit(step).await?;
            }
            step => self.emit(step).await?,
        }
        Ok(None)
    }

    async fn text(&mut self, bytes: &[u8]) -> Result<(), Interrupt> {
        let before = match self.left {
            Some(left) if left <= bytes.len() as u64 => usize::try_from(left).unwrap_or(bytes.len()),
            Some(left) => {
                self.left = Some(left - bytes.len() as u64);
                return self.say(bytes).await;
            }
            None => return self.say(bytes).await,
        };
        let (before, after) = bytes.split_at(before);
        self.say(before).await?;
        self.point().await?;
        self.say(after).await
    }

    /// Where it stalls, and fails.
    async fn point(&mut self) -> Result<(), Interrupt> {
        if self.left.take().is_none() {
            return Ok(());
        }
        self.wait(self.fault.stall_ms).await?;
        let Some(fault) = self.fault.fail else {
            return Ok(());
        };
        self.end_of_text().await?;
        self.burst().await?;
        Err(Interrupt::failed(
            fault,
            format!("{} A planned fault.", fault.about()),
        ))
    }

    /// Text arrives, as it would from a network.
    async fn say(&mut self, bytes: &[u8]) -> Result<(), Interrupt> {
        let size = match self.fault.cut {
            Some(ChunkCut::Bytes) => 1,
            Some(ChunkCut::Burst) | None => bytes.len().max(1),
        };
        for piece in bytes.chunks(size) {
            let text = self.joiner.push(piece);
            self.chunk(&text).await?;
        }
        Ok(())
    }

    /// What is left of a character whose end never came.
    async fn end_of_text(&mut self) -> Result<(), Interrupt> {
        let rest = self.joiner.finish();
        self.chunk(rest).await
    }

    async fn chunk(&mut self, text: &str) -> Result<(), Interrupt> {
        if text.is_empty() {
            return Ok(());
        }
        let message = self.message.clone();
        let text = text.to_owned();
        self.emit(Step::Text { message, text }).await
    }

    async fn emit(&mut self, step: Step) -> Result<(), Interrupt> {
        if self.fault.cut == Some(ChunkCut::Burst) {
            self.kept.push(step);
            return Ok(());
        }
        self.out.emit(step).await
    }

    async fn burst(&mut self) -> Result<(), Interrupt> {
        for step in std::mem::take(&mut self.kept) {
            self.out.emit(step).await?;
        }
        Ok(())
    }

    async fn wait(&self, ms: u64) -> Result<(), Interrupt> {
        let until = self.clock.now().plus(Duration::from_millis(ms));
        self.out.until(self.clock.sleep_until(until)).await
    }
}
