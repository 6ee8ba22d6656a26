//! The run in which an agent may write its memory down before the beginning of its conversation becomes a summary.

use super::Conversation;
use crate::{deadline::Deadline, stages::tool::keepable};
use foldback_agents::{Agent, AgentEvent, CompactionOrder, Step, TurnRequest};
use foldback_store::{Selection, StoreError};
use foldback_wire::{Fault, Kind, MessageId, RunId, RunLevels, Seq, StopReason, ToolCall, Usage};
use std::collections::BTreeMap;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Steps that the agent may be ahead of what is read.
const AHEAD: usize = 16;
/// Most bytes of the answer that the journal keeps.
const ANSWER: usize = 16 * 1024;
/// Most tool calls that the journal keeps; what a later call does is not told.
const TOOLS: usize = 32;
/// The id of the message that the run answers: nobody wrote it.
const MESSAGE: &str = "memory_flush";

/// What the run said and did.
#[derive(Default)]
struct FlushRun {
    answer: String,
    tools: Vec<ToolCall>,
    usage: Option<Usage>,
    /// True once it ended well.
    is_done: bool,
    /// Why it did not end well, once it is over.
    failure: Option<String>,
}

impl Conversation<'_> {
    /// Asks the agent to write its memory down, where `agent.memory_flush` says so and something is to be summarised. Answers
    /// whether it did; `None` where it is not asked to. It is asked once for each compaction: where it wrote its memory down
    /// and the summary failed, the next attempt does not ask again.
    pub(super) async fn flush_memory(
        &self,
        order: &CompactionOrder,
        cancel: &CancellationToken,
    ) -> Result<Option<bool>, StoreError> {
        let Some(prompt) = self.context.ports.config.agent.memory_flush.prompt() else {
            return Ok(None);
        };
        if self.agent.compactable(self.session, order) == 0 {
            return Ok(None);
        }
        if self.is_flushed().await? {
            return Ok(Some(true));
        }
        let clock = self.recorder.clock.as_ref();
        let began = clock.steady();
        let run = self.context.ids.run();
        let mut done = self.ask_to_flush(run, prompt, cancel).await?;
        done.answer.truncate(done.answer.floor_char_boundary(ANSWER));
        for call in &mut done.tools {
            keepable(self.recorder, call);
        }
        let failure = (!done.is_done).then(|| {
            let why = done.failure.as_deref();
            let why = why.unwrap_or("the agent ended without saying how");
            self.recorder.words(why).into_owned()
        });
        if let Some(why) = &failure {
            tracing::warn!(text = %why, "the agent did not write its memory down");
        }
        let took = clock.steady().0.saturating_sub(began.0);
        self.recorder.note(Kind::MemoryFlushed {
            run,
            prompt: prompt.to_owned(),
            answer: done.answer,
            tools: done.tools,
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            usage: done.usage,
            failure,
        })?;
        Ok(Some(done.is_done))
    }

    /// True where the agent wrote its memory down since the conversation began or was compacted last.
    async fn is_flushed(&self) -> Result<bool, StoreError> {
        let wanted = Selection {
            sessions: Some([self.session.clone()].into()),
            ..Selection::kinds(["memory_flushed", "history_compacted", "session_reset"])
        };
        let journal = self.recorder.journal.as_ref();
        journal.flush().await?;
        let told = journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX >> 1)
            .await?;
        let is_flushed = |kind: &Kind| matches!(kind, Kind::MemoryFlushed { failure: None, .. });
        Ok(told.last().is_some_and(|event| is_flushed(&event.kind)))
    }

    /// One run that the conversation does not remember, as long as `agent.idle_timeout` at most.
    async fn ask_to_flush(
        &self,
        run: RunId,
        prompt: &str,
        cancel: &CancellationToken,
    ) -> Result<FlushRun, StoreError> {
        let mut message = self.message.clone();
        message.forget_handles();
        prompt.clone_into(&mut message.text);
        message.message = MessageId::from(MESSAGE);
        message.files.clear();
        message.context = None;
        let request = TurnRequest {
            run,
            session: self.session.clone(),
            prompt: prompt.to_owned(),
            remembered: None,
            message,
            levels: RunLevels::default(),
            resume: BTreeMap::new(),
            files: Vec::new(),
            actions: Vec::new(),
        };
        let halt = cancel.child_token();
        let (sink, mut steps) = mpsc::channel(AHEAD);
        let mut done = FlushRun::default();
        let limit = self.context.ports.config.agent.idle_timeout.0;
        let clock = self.recorder.clock.as_ref();
        let reading = async {
            while let Some(AgentEvent { run: of, step }) = steps.recv().await {
                if of != run {
                    continue;
                }
                if let Step::Faulted { number, fault } = step {
                    self.recorder.note(Kind::Faulted {
                        number,
                        op: None,
                        fault: Fault::Run(fault),
                    })?;
                } else {
                    done.take(step, self.agent, run);
                }
            }
            Ok::<_, StoreError>(())
        };
        let work = async { tokio::join!(self.agent.run(request, sink, halt.clone()), reading).1 };
        if let Some(read) = Deadline::after(clock, limit).within(clock, work).await {
            read?;
        } else {
            halt.cancel();
            done.is_done = false;
            done.failure = Some(format!("it took longer than {} ms", limit.as_millis()));
        }
        Ok(done)
    }
}

impl FlushRun {
    fn take(&mut self, step: Step, agent: &dyn Agent, run: RunId) {
        match step {
            Step::Text { text, .. } if self.answer.len() <= ANSWER => self.answer.push_str(&text),
            Step::Tool(call) => self.take_call(call),
            Step::Usage(usage) => self.usage = Some(usage),
            // Nobody waits for this run who could be asked.
            Step::Permission(request) => agent.decide(run, &request.id, None),
            Step::Failed { fault, detail } => self.failure = Some(format!("{fault}: {detail}")),
            Step::Done(reason) => {
                self.is_done = matches!(reason, StopReason::End | StopReason::Length);
                self.failure = Some(reason.about().to_owned());
            }
            _ => {}
        }
    }

    /// Takes a call in the place of what was known of it.
    fn take_call(&mut self, call: ToolCall) {
        if let Some(known) = self.tools.iter_mut().find(|known| known.id == call.id) {
            let before = std::mem::replace(known, call);
            known.arguments = known.arguments.take().or(before.arguments);
            known.result = known.result.take().or(before.result);
        } else if self.tools.len() < TOOLS {
            self.tools.push(call);
        }
    }
}
