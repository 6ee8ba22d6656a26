//! The agent that says what it is told to say.

use super::{Act, Rule, RuleError, ScriptStep, rule::Prepared};
use crate::{
    Agent, Step, StepSink, TurnRequest,
    emitter::{Emitter, Interrupt},
};
use async_trait::async_trait;
use foldback_wire::{AgentFault, Clock, MessageId, StopReason, ToolCall};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Silence after which a run fails, unless told otherwise; the same as that of the network agents.
const SILENCE: Duration = Duration::from_mins(2);

/// Longest answer in bytes, text and reasoning together, unless told otherwise; the same as that of the network
/// agents.
const MAX_BYTES: usize = 50_000_000;

/// Answers from a queue, then by rules. All time comes from the clock, so that a replay is instant.
pub struct ScriptAgent {
    clock: Arc<dyn Clock>,
    silence: Duration,
    max_bytes: usize,
    queue: Mutex<VecDeque<Queued>>,
    rules: Vec<Prepared>,
}

struct Queued {
    message: Option<MessageId>,
    steps: Vec<ScriptStep>,
}

impl ScriptAgent {
    /// An agent that knows only what is queued.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            silence: SILENCE,
            max_bytes: MAX_BYTES,
            queue: Mutex::default(),
            rules: Vec::new(),
        }
    }

    /// The same, with rules for messages without a queued answer; the first that holds answers.
    pub fn with_rules(mut self, rules: Vec<Rule>) -> Result<Self, RuleError> {
        self.rules = Prepared::all(rules)?;
        Ok(self)
    }

    /// The same, with another limit for `stall_ms` steps (2 minutes unless set).
    #[must_use]
    pub fn with_silence(mut self, limit: Duration) -> Self {
        self.silence = limit;
        self
    }

    /// The same, with another limit for the length of an answer (50 MB unless set).
    #[must_use]
    pub fn with_max_bytes(mut self, limit: usize) -> Self {
        self.max_bytes = limit;
        self
    }

    /// Queues an answer, used once: to `message`, or to the next message without an answer of its own.
    pub fn queue(&self, message: Option<MessageId>, steps: Vec<ScriptStep>) {
        self.lock().push_back(Queued { message, steps });
    }

    /// Answers queued and not yet given.
    pub fn queued(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Queued>> {
        // The queue holds plain data, whole after every push and remove: a panic elsewhere spoils nothing.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn steps_for(&self, request: &TurnRequest) -> Option<Vec<ScriptStep>> {
        let mut queue = self.lock();
        let own = queue
            .iter()
            .position(|answer| answer.message.as_ref() == Some(&request.message.message));
        let place = own.or_else(|| queue.iter().position(|answer| answer.message.is_none()));
        if let Some(answer) = place.and_then(|place| queue.remove(place)) {
            return Some(answer.steps);
        }
        drop(queue);
        let asked = (&request.message).into();
        let rule = self.rules.iter().find(|rule| rule.answers(&asked))?;
        Some(rule.answer(&asked))
    }

    async fn play(&self, request: &TurnRequest, out: &Emitter) -> Result<StopReason, Interrupt> {
        let steps = self.steps_for(request).ok_or_else(|| {
            let id = &request.message.message;
            Interrupt::failed(
                AgentFault::Internal,
                format!("the script has no answer to message {id}"),
            )
        })?;
        let mut message = None;
        let mut bytes = 0_usize;
        for ScriptStep { after_ms, act } in steps {
            self.wait(out, Duration::from_millis(after_ms)).await?;
            bytes = bytes.saturating_add(match &act {
                Act::Text(text) | Act::Reasoning(text) => text.len(),
                _ => 0,
            });
            if bytes > self.max_bytes {
                let detail = format!("the answer is longer than {} bytes", self.max_bytes);
                return Err(Interrupt::failed(AgentFault::TooLarge, detail));
            }
            let step = match act {
                Act::Text(text) => Step::Text {
                    message: message.clone(),
                    text,
                },
                Act::Message(id) => {
                    message = Some(id);
                    continue;
                }
                Act::Reasoning(text) => Step::Reasoning(text),
                Act::Tool(tool) => {
                    self.wait(out, Duration::from_millis(tool.after_ms)).await?;
                    Step::Tool(ToolCall {
                        id: tool.id,
                        name: tool.name,
                        status: tool.status,
                        arguments: tool.arguments,
                        result: tool.result,
                    })
                }
                Act::Usage(usage) => Step::Usage(usage),
                Act::Stop(reason) => return Ok(reason),
                Act::Error(error) => {
                    let (fault, detail) = Act::fault(&error);
                    return Err(Interrupt::failed(fault, detail));
                }
                Act::Stall(ms) => {
                    self.stall(out, Duration::from_millis(ms)).await?;
                    continue;
                }
                Act::Disconnect => {
                    let fault = AgentFault::Disconnected;
                    return Err(Interrupt::failed(fault, fault.about()));
                }
            };
            out.emit(step).await?;
        }
        Ok(StopReason::End)
    }

    async fn wait(&self, out: &Emitter, time: Duration) -> Result<(), Interrupt> {
        if time.is_zero() {
            return Ok(());
        }
        out.until(self.clock.sleep_until(self.clock.now().plus(time)))
            .await
    }

    async fn stall(&self, out: &Emitter, time: Duration) -> Result<(), Interrupt> {
        self.wait(out, time.min(self.silence)).await?;
        if time >= self.silence {
            let limit = self.silence.as_millis();
            return Err(Interrupt::failed(
                AgentFault::Timeout,
                format!("nothing came for {limit} ms"),
            ));
        }
        Ok(())
    }
}

#[async_trait]
impl Agent for ScriptAgent {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's signature")]
    fn backend(&self) -> &str {
        "script"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let out = Emitter::new(request.run, sink, cancel);
        let ended = self.play(&request, &out).await;
        out.conclude(ended).await;
    }
}
