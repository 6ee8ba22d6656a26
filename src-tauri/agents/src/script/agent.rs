//! The agent that says what it is told to say.

use super::{
    Act, Rule, RuleError, ScriptStep, SessionStep, SteeredStep,
    inbox::{Inbox, Inboxes},
    rule::{Asked, Prepared, fill},
};
use crate::{
    Accepts, Agent, AgentFile, Description, DescriptionError, DescriptionOrder, LevelSupport, LevelSupports,
    PictureLimits, Steer, SteerInput, Step, StepSink, TurnRequest,
    emitter::{Emitter, Interrupt},
};
use async_trait::async_trait;
use foldback_wire::{
    AgentFault, Answerer, Clock, Inbound, MessageId, PermissionId, PermissionKind, PermissionOption,
    PermissionRequest, RunId, RunLevel, RunLevels, SessionStart, StopReason, ThinkLevel, ToolCall,
};
use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Silence after which a run fails, unless told otherwise; the same as that of the network agents.
const SILENCE: Duration = Duration::from_mins(2);

/// Longest answer in bytes, text and reasoning together, unless told otherwise; the same as that of the network
/// agents.
const MAX_BYTES: usize = 50_000_000;

/// Answers from a queue, then by rules. All time comes from the clock, so that a replay is instant.
pub struct ScriptAgent {
    clock: Arc<dyn Clock>,
    model: Option<String>,
    silence: Duration,
    max_bytes: usize,
    queue: Mutex<VecDeque<Queued>>,
    rules: Vec<Prepared>,
    accepts: Accepts,
    /// Who waits for which answer.
    asking: Mutex<Asking>,
    /// Messages that were steered into runs.
    inboxes: Inboxes,
    /// The messages that are taken into runs; only where these are played as they were recorded.
    recorded_inputs: Option<HashSet<MessageId>>,
    /// The words for pictures, by the name of the file.
    descriptions: Mutex<BTreeMap<String, VecDeque<String>>>,
    describes: bool,
}

/// Who waits for the answer to which request.
type Asking = HashMap<(RunId, PermissionId), oneshot::Sender<Option<PermissionKind>>>;

struct Queued {
    message: Option<MessageId>,
    steps: Vec<ScriptStep>,
}

impl ScriptAgent {
    /// An agent that knows only what is queued.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            model: None,
            silence: SILENCE,
            max_bytes: MAX_BYTES,
            queue: Mutex::default(),
            rules: Vec::new(),
            accepts: Accepts {
                images: true,
                files: true,
                ..Accepts::default()
            },
            asking: Mutex::default(),
            inboxes: Inboxes::default(),
            recorded_inputs: None,
            descriptions: Mutex::default(),
            describes: false,
        }
    }

    /// The same, with rules for messages without a queued answer; the first that holds answers.
    pub fn with_rules(mut self, rules: Vec<Rule>) -> Result<Self, RuleError> {
        self.rules = Prepared::all(rules)?;
        Ok(self)
    }

    /// The same, under the name of a model; it has none unless set.
    #[must_use]
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
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

    /// The same, taking only this beside text; all files unless set.
    #[must_use]
    pub fn with_accepts(mut self, accepts: Accepts) -> Self {
        self.accepts = accepts;
        self
    }

    /// The same, taking only these messages into a run. It says nothing to them there: a run that was recorded holds what
    /// was said to them.
    #[must_use]
    pub fn with_recorded_inputs(mut self, messages: HashSet<MessageId>) -> Self {
        self.recorded_inputs = Some(messages);
        self
    }

    /// The same, describing pictures by these words, in the order in which pictures of one name come; one without words is
    /// not described.
    #[must_use]
    pub fn with_descriptions(mut self, words: impl IntoIterator<Item = (String, String)>) -> Self {
        let descriptions = self
            .descriptions
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for (name, text) in words {
            descriptions.entry(name).or_default().push_back(text);
        }
        self.describes = true;
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

    fn steps_for(&self, message: &Inbound) -> Option<Vec<ScriptStep>> {
        let mut queue = self.lock();
        let own = queue
            .iter()
            .position(|answer| answer.message.as_ref() == Some(&message.message));
        let place = own.or_else(|| queue.iter().position(|answer| answer.message.is_none()));
        if let Some(answer) = place.and_then(|place| queue.remove(place)) {
            return Some(answer.steps);
        }
        drop(queue);
        let asked = message.into();
        let rule = self.rules.iter().find(|rule| rule.answers(&asked))?;
        Some(rule.answer(&asked))
    }

    async fn play(&self, request: &TurnRequest, out: &Emitter) -> Result<StopReason, Interrupt> {
        let inbox = self.inboxes.open(request.run);
        let steps = self.steps_for(&request.message).ok_or_else(|| {
            let id = &request.message.message;
            Interrupt::failed(
                AgentFault::Internal,
                format!("the script has no answer to message {id}"),
            )
        })?;
        let mut message = None;
        let mut steered: Option<Inbound> = None;
        let mut bytes = 0_usize;
        let mut steps = VecDeque::from(steps);
        loop {
            let Some(ScriptStep { after_ms, act }) = steps.pop_front() else {
                // What nobody waited for is answered now; without an answer there is nothing to say to it.
                let Some(input) = inbox.next_or_close() else { break };
                steps.extend(self.steps_for(&input.message).unwrap_or_default());
                steered = Some(input.message);
                continue;
            };
            self.wait(out, Duration::from_millis(after_ms)).await?;
            let act = match act {
                Act::Given(template) => Act::Text(given(&template, request, steered.as_ref())),
                act => act,
            };
            bytes = bytes.saturating_add(match &act {
                Act::Text(text) | Act::Reasoning(text) => text.len(),
                _ => 0,
            });
            if bytes > self.max_bytes {
                let detail = format!("the answer is longer than {} bytes", self.max_bytes);
                return Err(Interrupt::failed(AgentFault::TooLarge, detail));
            }
            let step = match act {
                Act::Text(text) | Act::Given(text) => Step::Text {
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
                Act::Steered(SteeredStep {
                    within_ms,
                    then,
                    otherwise,
                }) => {
                    let came = self.wait_for_input(&inbox, within_ms, out).await?;
                    let follows = if came.is_some() { then } else { otherwise };
                    steered = came.or(steered);
                    for step in follows.into_iter().rev() {
                        steps.push_front(step);
                    }
                    continue;
                }
                Act::Permission(permission) => {
                    let answer = self.ask(request.run, permission.request(), out).await?;
                    for step in permission.then(answer).into_iter().rev() {
                        steps.push_front(step);
                    }
                    continue;
                }
                Act::Session(session) => session_told(session, request.session_of(self.backend())),
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

    /// Waits for a message that is steered into the run; `None` where none came within the time that the script gives.
    async fn wait_for_input(
        &self,
        inbox: &Inbox<'_>,
        within_ms: Option<u64>,
        out: &Emitter,
    ) -> Result<Option<Inbound>, Interrupt> {
        let limit = within_ms.map_or(self.silence, Duration::from_millis);
        let late = self.clock.sleep_until(self.clock.now().plus(limit));
        let came = out.until(async {
            tokio::select! {
                biased;
                input = inbox.next() => Some(input.message),
                () = late => None,
            }
        });
        let came = came.await?;
        if came.is_none() && within_ms.is_none() {
            let limit = limit.as_millis();
            let detail = format!("no message was steered in for {limit} ms");
            return Err(Interrupt::failed(AgentFault::Timeout, detail));
        }
        Ok(came)
    }

    /// Asks, and waits for the answer; a person's time is not the script's silence.
    async fn ask(
        &self,
        run: RunId,
        request: PermissionRequest,
        out: &Emitter,
    ) -> Result<Option<PermissionKind>, Interrupt> {
        let (answer, answered) = oneshot::channel();
        let key = (run, request.id.clone());
        self.asking().insert(key.clone(), answer);
        let answered = async {
            out.emit(Step::Permission(request)).await?;
            // Nobody drops the sender but a second request under the same id: then this one has no answer.
            out.until(answered).await.map(|answer| answer.ok().flatten())
        };
        let answered = answered.await;
        self.asking().remove(&key);
        answered
    }

    fn asking(&self) -> std::sync::MutexGuard<'_, Asking> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
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

/// A template with what the run was given.
fn given(template: &str, request: &TurnRequest, steered: Option<&Inbound>) -> String {
    let asked = |level| request.levels.asked(level).unwrap_or("default");
    let mut values = vec![
        ("{think}", asked(RunLevel::Think)),
        ("{model}", asked(RunLevel::Model)),
        ("{profile}", asked(RunLevel::Profile)),
        ("{host}", asked(RunLevel::Host)),
        ("{node}", asked(RunLevel::Node)),
        ("{steered}", steered.map_or("", |message| &message.text)),
    ];
    values.extend(Asked::from(&request.message).values());
    fill(template, &values)
}

/// The session of its own that a script tells, where the pipeline `asked` for one.
fn session_told(session: SessionStep, asked: Option<&str>) -> Step {
    let start = session.start.unwrap_or(match asked {
        Some(asked) if asked == session.id => SessionStart::Resumed,
        Some(_) => SessionStart::Lost,
        None => SessionStart::New,
    });
    Step::Session {
        start,
        id: session.id,
        detail: session.detail,
    }
}

#[async_trait]
impl Agent for ScriptAgent {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's signature")]
    fn backend(&self) -> &str {
        "script"
    }

    fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    fn answering<'a>(&'a self, request: &'a TurnRequest) -> (&'a str, Option<&'a str>) {
        let asked = request.levels.asked(RunLevel::Model);
        (self.backend(), asked.or(self.model()))
    }

    /// Everything is taken: a script can show it (`given`).
    fn level_supports(&self, levels: &RunLevels) -> LevelSupports {
        LevelSupports {
            answerer: Answerer {
                backend: self.backend().to_owned(),
                model: levels.asked(RunLevel::Model).or(self.model()).map(str::to_owned),
            },
            think: LevelSupport::Options(
                ThinkLevel::ALL
                    .iter()
                    .map(|level| level.code().to_owned())
                    .collect(),
            ),
            model: LevelSupport::Any,
            profile: LevelSupport::Any,
            host: LevelSupport::Any,
            node: LevelSupport::Any,
        }
    }

    fn asks_for_consent(&self) -> bool {
        true
    }

    fn steers(&self) -> bool {
        true
    }

    async fn steer(&self, run: RunId, input: SteerInput) -> Steer {
        match &self.recorded_inputs {
            Some(taken) if taken.contains(&input.message.message) => return Steer::Taken,
            Some(_) => return Steer::not_now("script: the message was not taken when the run was recorded"),
            None => {}
        }
        if self.inboxes.put(run, input) {
            Steer::Taken
        } else {
            Steer::not_now("script: the run has ended")
        }
    }

    fn describes(&self) -> Option<PictureLimits> {
        self.describes.then_some(PictureLimits::NONE)
    }

    async fn describe(
        &self,
        picture: &AgentFile,
        order: &DescriptionOrder,
        _cancel: CancellationToken,
    ) -> Result<Description, DescriptionError> {
        let mut descriptions = self.descriptions.lock().unwrap_or_else(PoisonError::into_inner);
        let words = descriptions.get_mut(&picture.name).and_then(VecDeque::pop_front);
        let by = self.backend().to_owned();
        let Some(mut text) = words else {
            return Err(DescriptionError::Failed {
                by,
                fault: AgentFault::Internal,
                detail: "the script has no words for this picture".to_owned(),
            });
        };
        let bytes = text.len();
        text.truncate(text.floor_char_boundary(order.most));
        Ok(Description { text, bytes, by })
    }

    fn accepts(&self) -> Accepts {
        self.accepts
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken) {
        let out = Emitter::new(request.run, sink, cancel);
        let ended = self.play(&request, &out).await;
        out.conclude(ended).await;
    }

    fn decide(&self, run: RunId, request: &PermissionId, option: Option<&PermissionOption>) {
        let waits = self.asking().remove(&(run, request.clone()));
        if let Some(waits) = waits {
            // The run may have ended meanwhile.
            let _ = waits.send(option.map(|option| option.kind));
        }
    }
}
