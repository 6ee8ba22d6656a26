//! One prompt, from its first word to the agent's last.

use super::{
    answer,
    echo::Echo,
    failure::Failure,
    message::Message,
    open_runs::{RunInput, RunInputs},
    peer::{Peer, QUIET, tells_answer},
    permission, prompt,
    tools::Tools,
    words::Words,
};
use crate::{
    ActionCall, Steer, SteerInput, Step, TurnRequest,
    emitter::{Emitter, Interrupt},
};
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, PromptRequest, PromptResponse, RequestId, SessionNotification, SessionUpdate,
    StopReason as Stopped,
};
use foldback_wire::{AgentFault, PermissionId, PermissionOption, SteadyTime, StopReason, ToolCall, Usage};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};
use tokio::sync::oneshot;

/// Most permissions of a run that are waited for at a time. How many a person is asked at once is the pipeline's
/// business, which refuses far fewer than these and says so; an agent that wants more has lost itself.
pub(super) const OPEN: usize = 1024;

/// Why a prompt ends before the agent says so, and what that means for its process.
pub(super) enum Broken {
    /// Nobody wants the rest; the agent can be told.
    Interrupt(Interrupt),
    /// The agent refused, and is as ready as before.
    Refused(Failure),
    /// It took too long; the process is of no use any more.
    Late(Failure),
    /// The process or its protocol broke, with the conversation in the middle of an answer.
    Lost(Failure),
}

impl From<Interrupt> for Broken {
    fn from(interrupt: Interrupt) -> Self {
        Self::Interrupt(interrupt)
    }
}

/// A prompt under way.
pub(super) struct Turn<'a> {
    peer: &'a mut Peer,
    out: &'a Emitter,
    inputs: RunInputs,
    tools: Tools,
    /// The prompts, to know them again.
    echo: Echo,
    /// The requests of the prompts that are not answered yet: the run's own, and those that were steered in.
    asked: Vec<RequestId>,
    /// How a prompt was refused while another one went on.
    refused: Option<Failure>,
    /// Tokens of the prompts that were answered.
    usage: Usage,
    /// Permissions that are waited for, by what the agent asked with.
    waiting: BTreeMap<PermissionId, RequestId>,
    permissions: u32,
    /// Calls of actions whose answer is waited for.
    calls: Vec<ActionCall>,
    words: Words,
    began: SteadyTime,
    heard: Option<SteadyTime>,
    /// When the last piece of the history came that an agent tells in the place of an answer.
    replayed: Option<SteadyTime>,
    /// Of everything that was passed on.
    bytes: usize,
}

/// What comes next.
enum Next {
    Message(Result<Message, Failure>),
    Input(RunInput),
    Late,
}

impl<'a> Turn<'a> {
    pub(super) fn new(peer: &'a mut Peer, out: &'a Emitter, inputs: RunInputs) -> Self {
        Self {
            began: peer.clock.steady(),
            tools: Tools::new(peer.config.secrets.clone()),
            peer,
            out,
            inputs,
            echo: Echo::default(),
            asked: Vec::new(),
            refused: None,
            usage: Usage::default(),
            waiting: BTreeMap::new(),
            permissions: 0,
            calls: Vec::new(),
            words: Words::default(),
            heard: None,
            replayed: None,
            bytes: 0,
        }
    }

    /// Prompts and says what comes. When it is interrupted, the agent knows before this returns.
    pub(super) async fn run(&mut self, request: &TurnRequest) -> Result<StopReason, Broken> {
        let ended = self.converse(request).await;
        let unwanted = matches!(ended, Err(Broken::Interrupt(_) | Broken::Late(_)));
        // A process that cannot be told anything is stopped by whoever waits for it next.
        if unwanted {
            self.peer.late.add(self.tools.ids());
            if !self.asked.is_empty() {
                let _ = self.peer.cancel();
            }
        }
        for id in std::mem::take(&mut self.waiting).into_values() {
            let _ = self.peer.tell_now(answer::cancelled(&id));
        }
        if let Err(broken) = self.flush().await {
            return ended.and(Err(broken));
        }
        if !unwanted {
            for call in self.tools.untold() {
                if let Err(broken) = self.tool(Some(call)).await {
                    return ended.and(Err(broken));
                }
            }
        }
        ended
    }

    async fn converse(&mut self, request: &TurnRequest) -> Result<StopReason, Broken> {
        self.echo.add(&request.prompt);
        let blocks = prompt::blocks(self.peer, &request.prompt, &request.files)
            .await
            .map_err(Broken::Refused)?;
        self.ask(blocks).await?;
        self.inputs.prompted();
        loop {
            match self.next().await? {
                Next::Late => return Err(Broken::Late(self.too_late())),
                Next::Input(RunInput::Decision(id, option)) => self.decided(&id, option.as_ref()).await?,
                Next::Input(RunInput::Action(call)) => self.called(call).await?,
                Next::Input(RunInput::Steer(input, answer)) => self.steered(*input, answer).await?,
                Next::Message(Err(failure)) => return Err(Broken::Lost(failure)),
                Next::Message(Ok(message)) => match message {
                    Message::Response { id, result } if self.asked.contains(&id) => {
                        self.asked.retain(|other| *other != id);
                        self.peer.resumed = false;
                        let finished = self.finish(result).await;
                        if self.asked.is_empty() {
                            return self
                                .refused
                                .take()
                                .map_or(finished, |refused| Err(Broken::Refused(refused)));
                        }
                        self.go_on(finished)?;
                    }
                    Message::Request { id, method, params } => self.requested(id, &method, params).await?,
                    Message::Notification { method, params, cut } if method == "session/update" => {
                        self.updated(params, cut).await?;
                    }
                    // The answer to nothing that we asked, or news that we do not know.
                    Message::Response { .. } | Message::Notification { .. } => {}
                },
            }
        }
    }

    async fn next(&mut self) -> Result<Next, Broken> {
        let late = self.peer.clock.sleep_until_steady(self.limit());
        let Self {
            peer, out, inputs, ..
        } = self;
        let next = async {
            // Time first: an agent that chatters without saying anything is always ready.
            tokio::select! {
                biased;
                () = late => Next::Late,
                Some(input) = inputs.next_input() => Next::Input(input),
                message = peer.next() => Next::Message(message),
            }
        };
        Ok(out.until(next).await?)
    }

    /// Until when something has to come.
    fn limit(&self) -> SteadyTime {
        let limits = &self.peer.config.limits;
        let total = self.began.plus(limits.total);
        let acts = self.calls.iter().any(ActionCall::is_open);
        let patient = acts || !self.waiting.is_empty() || self.tools.any_runs();
        let next = match self.heard {
            _ if patient => return total,
            None => self.began.plus(limits.first_byte),
            Some(heard) => heard.plus(limits.silence),
        };
        next.min(total)
    }

    fn too_late(&self) -> Failure {
        let limits = &self.peer.config.limits;
        let ms = |time: Duration| time.as_millis();
        let detail = if self.limit() >= self.began.plus(limits.total) {
            format!("the run took longer than {} ms", ms(limits.total))
        } else if self.heard.is_none() {
            format!("no answer for {} ms", ms(limits.first_byte))
        } else {
            format!("nothing came for {} ms", ms(limits.silence))
        };
        Failure::new(AgentFault::Timeout, self.peer.with_last_words(detail))
    }

    /// Prompts.
    async fn ask(&mut self, blocks: Vec<ContentBlock>) -> Result<(), Broken> {
        let prompt = PromptRequest::new(self.peer.session.clone(), blocks);
        let asked = self.peer.request("session/prompt", &prompt).await;
        self.asked.push(asked.map_err(Broken::Lost)?);
        Ok(())
    }

    /// Prompts with a message that came while a prompt goes on, where the agent takes it. The run then ends with the
    /// answer to the last of its prompts: which prompt a word answers, the protocol does not tell.
    async fn steered(&mut self, input: SteerInput, answer: oneshot::Sender<Steer>) -> Result<(), Broken> {
        let refuse = |answer: oneshot::Sender<Steer>, why: String| {
            // Nobody may wait for it any more.
            let _ = answer.send(Steer::not_now(why));
            Ok(())
        };
        if !self.peer.queues_prompts {
            let why = "acp: this agent takes no prompt while it runs; it does not declare promptQueueing";
            return refuse(answer, why.to_owned());
        }
        let blocks = match prompt::blocks(self.peer, &input.prompt, &input.files).await {
            Ok(blocks) => blocks,
            Err(failure) => return refuse(answer, format!("acp: {}", failure.detail)),
        };
        // Before the agent has it: whoever gave up waiting has the message answered elsewhere, and the rights of this run stay
        // those of whoever wrote into it.
        if answer.send(Steer::Taken).is_err() {
            return Ok(());
        }
        self.ask(blocks).await?;
        self.echo.add(&input.prompt);
        self.hear();
        Ok(())
    }

    /// A prompt has ended while another one goes on.
    fn go_on(&mut self, finished: Result<StopReason, Broken>) -> Result<(), Broken> {
        match finished {
            Ok(_) => Ok(()),
            Err(Broken::Refused(failure)) => {
                self.refused.get_or_insert(failure);
                Ok(())
            }
            Err(broken) => Err(broken),
        }
    }

    /// What a cancelled agent still owes: the answers to these prompts.
    pub(super) fn owed(self) -> Vec<RequestId> {
        self.asked
    }

    /// A sign of life, noted when it has been passed on: the time that a slow reader takes is not the agent's.
    fn hear(&mut self) {
        self.heard = Some(self.peer.clock.steady());
    }

    async fn finish(
        &mut self,
        result: Result<Value, agent_client_protocol::v1::schema::Error>,
    ) -> Result<StopReason, Broken> {
        let result = result.map_err(|error| Broken::Refused(Failure::refused("session/prompt", &error)))?;
        if result.get("stopReason").and_then(Value::as_str).is_none() {
            let detail = "session/prompt: the agent's result has no stopReason, so it is not known whether the turn is done";
            return Err(Broken::Refused(Failure::new(AgentFault::Malformed, detail)));
        }
        // A reason that we do not know is an end all the same.
        let Ok(response) = serde_json::from_value::<PromptResponse>(result) else {
            return Ok(StopReason::End);
        };
        self.flush().await?;
        if let Some(usage) = &response.usage {
            self.usage.input = self.usage.input.saturating_add(usage.input_tokens);
            self.usage.output = self.usage.output.saturating_add(usage.output_tokens);
            self.out.emit(Step::Usage(self.usage)).await?;
        }
        Ok(match response.stop_reason {
            Stopped::MaxTokens | Stopped::MaxTurnRequests => StopReason::Length,
            Stopped::Refusal => StopReason::Refusal,
            // Some agents call it cancelled when a permission was rejected. Nobody cancelled: that is seen elsewhere.
            _ => StopReason::End,
        })
    }

    /// Passes an update on. `cut` is the text of a chunk as it came, where that holds half a character.
    async fn updated(&mut self, params: Value, cut: Option<Vec<u8>>) -> Result<(), Broken> {
        // An update that we do not know, or of another session, says nothing to us.
        let Ok(notification) = serde_json::from_value::<SessionNotification>(params) else {
            return Ok(());
        };
        if notification.session_id != self.peer.session {
            return Ok(());
        }
        if self.is_history(&notification.update) {
            return Ok(());
        }
        match notification.update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                let message = chunk.message_id.as_ref().map(|id| id.0.to_string());
                if let Some(piece) = self.piece(chunk, cut)? {
                    let steps = self.words.say(message, &piece);
                    self.emit(steps).await?;
                    self.hear();
                }
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                if let Some(piece) = self.piece(chunk, cut)? {
                    let steps = self.words.reason(&piece);
                    self.emit(steps).await?;
                    self.hear();
                }
            }
            SessionUpdate::ToolCall(call) => {
                // Some count their calls anew with every prompt: one that is announced begins now.
                self.peer.late.lift(&call.tool_call_id);
                let call = self.tools.announce(call);
                self.tool(call).await?;
                self.hear();
            }
            SessionUpdate::ToolCallUpdate(update) if !self.peer.late.contains(&update.tool_call_id) => {
                let call = self.tools.update(&update);
                self.tool(call).await?;
                self.hear();
            }
            SessionUpdate::Plan(_) => self.hear(),
            // Usage, commands, modes, titles: they say nothing of the answer, and no sign of it either. An agent
            // tells its commands while the model behind it has been silent for a minute.
            _ => {}
        }
        Ok(())
    }

    /// True for a piece of the history that an agent tells behind the first prompt of a session it took up. It begins with
    /// a question that is not ours, and ends when nothing of it has come for [`QUIET`]: nothing else tells its last
    /// word from the answer's first.
    fn is_history(&mut self, update: &SessionUpdate) -> bool {
        if !self.peer.resumed {
            return false;
        }
        let now = self.peer.clock.steady();
        let strange = match update {
            SessionUpdate::UserMessageChunk(ContentChunk {
                content: ContentBlock::Text(text),
                ..
            }) => !self.echo.take(&text.text),
            update => tells_answer(update) && !self.echo.end(),
        };
        let goes_on = self.replayed.is_some_and(|last| now < last.plus(QUIET));
        if strange || goes_on {
            self.replayed = Some(now);
        }
        strange || goes_on
    }

    /// The text of a chunk; none where there is nothing to say.
    fn piece(&mut self, chunk: ContentChunk, cut: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, Broken> {
        let ContentBlock::Text(text) = chunk.content else {
            return Ok(None);
        };
        let piece = cut.unwrap_or_else(|| text.text.into_bytes());
        if piece.is_empty() {
            return Ok(None);
        }
        self.count(piece.len())?;
        Ok(Some(piece))
    }

    /// Says what is still open before something else is told.
    async fn flush(&mut self) -> Result<(), Broken> {
        let steps = self.words.flush();
        self.emit(steps).await
    }

    async fn emit(&self, steps: Vec<Step>) -> Result<(), Broken> {
        for step in steps {
            self.out.emit(step).await?;
        }
        Ok(())
    }

    /// Counts what is passed on, and what is kept of the calls meanwhile. An agent that does not come to an end is
    /// ended.
    fn count(&mut self, bytes: usize) -> Result<(), Broken> {
        self.bytes += bytes;
        let most = self.peer.config.limits.answer_bytes;
        if self.bytes.max(self.tools.bytes()) <= most {
            return Ok(());
        }
        let detail = format!("the answer is longer than {most} bytes");
        Err(Broken::Late(Failure::new(AgentFault::TooLarge, detail)))
    }

    /// Tells how a call stands, where that is to be told now.
    async fn tool(&mut self, call: Option<ToolCall>) -> Result<(), Broken> {
        let Some(call) = call else {
            return self.count(0);
        };
        let texts = call.arguments.iter().chain(&call.result);
        self.count(call.name.len() + texts.map(String::len).sum::<usize>())?;
        self.flush().await?;
        Ok(self.out.emit(Step::Tool(call)).await?)
    }

    async fn requested(&mut self, id: RequestId, method: &str, params: Value) -> Result<(), Broken> {
        if method != answer::PERMISSION {
            return self.tell(answer::refused(&id, method)).await;
        }
        if self.waiting.len() == OPEN {
            let detail = format!("the agent wants more than {OPEN} permissions at once");
            self.waiting.insert(PermissionId::from(""), id);
            return Err(Broken::Late(Failure::new(AgentFault::TooLarge, detail)));
        }
        self.hear();
        self.permissions += 1;
        let id_of_ours = PermissionId::from(self.permissions.to_string());
        let mut asked = permission::read(id_of_ours, &params);
        if let Some(call) = permission::update(&params) {
            self.peer.late.lift(&call.tool_call_id);
            self.tools.requested(&call);
            if permission::is_undescribed(&asked)
                && let Some(announced) = self.tools.announced(&call.tool_call_id)
            {
                asked.preview = announced;
            }
        }
        self.count(permission::length(&mut asked))?;
        self.waiting.insert(asked.id.clone(), id);
        self.flush().await?;
        self.out.emit(Step::Permission(asked)).await?;
        Ok(())
    }

    /// Passes a call of an action on.
    async fn called(&mut self, call: ActionCall) -> Result<(), Broken> {
        self.hear();
        self.flush().await?;
        self.calls.retain(ActionCall::is_open);
        self.calls.push(call.clone());
        Ok(self.out.emit(Step::Action(call)).await?)
    }

    /// Passes a decision on. One that comes late, or about nothing, changes nothing.
    async fn decided(&mut self, id: &PermissionId, option: Option<&PermissionOption>) -> Result<(), Broken> {
        let Some(asked) = self.waiting.remove(id) else {
            return Ok(());
        };
        self.hear();
        self.tell(answer::decided(&asked, option)).await
    }

    /// Sends the agent a line; a run that nobody wants any more does not wait until it reads.
    async fn tell(&self, line: String) -> Result<(), Broken> {
        let told = self.out.until(self.peer.tell(line)).await?;
        told.map_err(Broken::Lost)
    }
}
