//! A program that speaks the protocol, with one session: starting it, asking it, hearing it.

use super::{
    action_server::ActionEndpoint,
    action_tools::SessionActions,
    answer,
    config::AcpConfig,
    failure::Failure,
    folder::Folder,
    levels::OfferedLevels,
    line::{LineError, Lines},
    message::{self, Message, NoMessage},
    process::{Deaf, Ended, Process},
    tools::Late,
};
use agent_client_protocol::{
    schema::ProtocolVersion,
    v1::schema::{
        AgentCapabilities, AuthenticateRequest, CancelNotification, HttpHeader, Implementation,
        InitializeRequest, InitializeResponse, LoadSessionRequest, McpServer, McpServerHttp, Meta,
        NewSessionRequest, NewSessionResponse, PromptCapabilities, RequestId, SessionId, SessionUpdate,
        SetSessionConfigOptionRequest, SetSessionModeRequest,
    },
};
use foldback_wire::{AgentFault, Clock, SessionStart};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{io, sync::Arc, time::Duration};
use tokio::{io::BufReader, process::ChildStdout, sync::OwnedSemaphorePermit};

/// The time that an agent has to be silent before it is prompted: after a cancelled run, after a session's history, and
/// after a word behind the end of a run. The protocol has it say everything before it confirms the cancellation or the
/// session; some say a last word later, or all of the history, and a word without the id of its message cannot be told
/// from one of the next answer.
pub(super) const QUIET: Duration = Duration::from_millis(250);
/// The time that the beginning of a history is waited for that was not told before the session was confirmed, and each
/// further piece of one that is told afterwards.
const UNTOLD: Duration = Duration::from_secs(1);

/// The actions of a process.
pub(super) struct PeerActions {
    pub(super) session: Arc<SessionActions>,
    pub(super) endpoint: ActionEndpoint,
}

/// How a session came about.
pub(super) struct Began {
    pub(super) start: SessionStart,
    pub(super) detail: String,
}

/// A running agent with its session.
pub(super) struct Peer {
    pub(super) config: Arc<AcpConfig>,
    pub(super) clock: Arc<dyn Clock>,
    process: Process,
    lines: Lines<BufReader<ChildStdout>>,
    next_id: i64,
    /// The agent's id of the conversation.
    pub(super) session: SessionId,
    /// The levels that its session can be asked for.
    pub(super) offered: OfferedLevels,
    /// True for an agent that says that it takes a prompt while one runs.
    pub(super) queues_prompts: bool,
    /// What its prompts may hold.
    pub(super) takes: PromptCapabilities,
    /// Calls of runs that were cancelled: what is still said about them is too late.
    pub(super) late: Late,
    /// The actions of its session, and the endpoint to them, where it is given any.
    pub(super) actions: Option<PeerActions>,
    /// True for an agent that takes tools from servers over HTTP.
    pub(super) takes_tools: bool,
    /// Where files lie that it is given as links.
    pub(super) folder: Option<Folder>,
    /// True while it takes a session up: from the question until nothing more of the history comes.
    loading: bool,
    /// True until the first prompt of a session that was taken up has been answered.
    pub(super) resumed: bool,
    /// One of the processes that there may be.
    permit: OwnedSemaphorePermit,
}

impl Peer {
    /// Starts the program and its session: the one before, where there is one and the agent can, else a new one.
    pub(super) async fn start(
        config: &Arc<AcpConfig>,
        clock: &Arc<dyn Clock>,
        resume: Option<&str>,
        actions: Option<PeerActions>,
        permit: OwnedSemaphorePermit,
    ) -> Result<(Self, Began), Failure> {
        let mut peer = Self::launch(config, clock, actions, permit)?;
        let failure = match peer.in_time(resume).await {
            Ok(began) => return Ok((peer, began)),
            Err(failure) => failure,
        };
        if !peer.loading {
            return Err(failure);
        }
        // A session that an agent hangs or dies of would cost every further message, too.
        let (actions, permit) = peer.killed();
        let mut peer = Self::launch(config, clock, actions, permit)?;
        let mut began = peer.in_time(None).await?;
        began.start = SessionStart::Lost;
        began.detail = format!("session/load: {}", failure.detail);
        Ok((peer, began))
    }

    fn launch(
        config: &Arc<AcpConfig>,
        clock: &Arc<dyn Clock>,
        actions: Option<PeerActions>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Self, Failure> {
        let failed = |error| not_started(config, &error);
        // An agent that is confined does not see a folder that is made later.
        let confined = config.confinement.is_some();
        let folder = confined.then(Folder::new).transpose().map_err(failed)?;
        let files = folder.as_ref().map(Folder::path);
        let (process, output) = Process::start(config, clock, files).map_err(failed)?;
        Ok(Self {
            config: Arc::clone(config),
            clock: Arc::clone(clock),
            process,
            lines: Lines::new(output, config.limits.line_bytes),
            next_id: 1,
            session: SessionId::new(""),
            offered: OfferedLevels::default(),
            queues_prompts: false,
            takes: PromptCapabilities::default(),
            late: Late::default(),
            actions,
            takes_tools: false,
            folder,
            loading: false,
            resumed: false,
            permit,
        })
    }

    /// Ends the program at once, and gives its actions and its place.
    fn killed(self) -> (Option<PeerActions>, OwnedSemaphorePermit) {
        self.process.kill();
        (self.actions, self.permit)
    }

    async fn in_time(&mut self, resume: Option<&str>) -> Result<Began, Failure> {
        let config = Arc::clone(&self.config);
        let limit = config.limits.start;
        let late = self.clock.sleep_until(self.clock.now().plus(limit));
        tokio::select! {
            // Time first: to an agent that talks without an end, it counts for more than a moment's silence.
            biased;
            () = late => {
                let detail = format!("the agent was not ready within {} ms", limit.as_millis());
                Err(Failure::new(AgentFault::Timeout, self.with_last_words(detail)))
            }
            began = self.ready(&config, resume) => began,
        }
    }

    /// Everything up to the first prompt.
    async fn ready(&mut self, config: &AcpConfig, resume: Option<&str>) -> Result<Began, Failure> {
        let can = self.initialize(config).await?;
        let began = self.begin(config, &can, resume).await?;
        self.configure(config).await?;
        Ok(began)
    }

    async fn initialize(&mut self, config: &AcpConfig) -> Result<AgentCapabilities, Failure> {
        // Neither files nor terminals: an agent uses its own, in its own folder. Nothing is promised that is not kept.
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(Implementation::new("foldback", env!("CARGO_PKG_VERSION")));
        let agent: InitializeResponse = self.ask("initialize", &hello).await?;
        if agent.protocol_version != ProtocolVersion::V1 {
            let detail = format!(
                "the agent speaks version {:?} of the protocol, not 1",
                agent.protocol_version
            );
            return Err(Failure::new(AgentFault::Malformed, detail));
        }
        if let Some(method) = &config.sign_in {
            if !agent
                .auth_methods
                .iter()
                .any(|known| known.id().0.as_ref() == method)
            {
                let known: Vec<&str> = agent
                    .auth_methods
                    .iter()
                    .map(|known| known.id().0.as_ref())
                    .collect();
                let detail = format!(
                    "the agent has no way to sign in `{method}`, only {}",
                    known.join(", ")
                );
                return Err(Failure::new(AgentFault::Unauthorized, detail));
            }
            let sign_in = AuthenticateRequest::new(method.clone());
            let _: Value = self.ask("authenticate", &sign_in).await?;
        }
        self.queues_prompts =
            says_queueing(agent.meta.as_ref()) || says_queueing(agent.agent_capabilities.meta.as_ref());
        self.takes = agent.agent_capabilities.prompt_capabilities.clone();
        self.takes_tools = agent.agent_capabilities.mcp_capabilities.http;
        Ok(agent.agent_capabilities)
    }

    async fn begin(
        &mut self,
        config: &AcpConfig,
        can: &AgentCapabilities,
        resume: Option<&str>,
    ) -> Result<Began, Failure> {
        let lost = match resume {
            None => None,
            Some(_) if !can.load_session => Some("the agent cannot take a session up again".to_owned()),
            Some(id) => {
                self.loading = true;
                let loaded = self.load(config, id).await?;
                self.loading = false;
                match loaded {
                    Ok(answer) => {
                        self.offered = OfferedLevels::of_session(&answer);
                        self.session = SessionId::new(id);
                        self.resumed = true;
                        let (start, detail) = (SessionStart::Resumed, String::new());
                        return Ok(Began { start, detail });
                    }
                    Err(error) => Some(Failure::refused("session/load", &error).detail),
                }
            }
        };
        let new = NewSessionRequest::new(&config.directory).mcp_servers(self.servers());
        let answer: Value = self.ask("session/new", &new).await?;
        self.offered = OfferedLevels::of_session(&answer);
        let new: NewSessionResponse = serde_json::from_value(answer)
            .map_err(|error| Failure::new(AgentFault::Malformed, format!("session/new: {error}")))?;
        self.session = new.session_id;
        Ok(match lost {
            None => Began {
                start: SessionStart::New,
                detail: String::new(),
            },
            Some(detail) => Began {
                start: SessionStart::Lost,
                detail,
            },
        })
    }

    /// Takes a session up. Its history was said long ago and reaches nobody. The protocol has it told before the answer
    /// (<https://agentclientprotocol.com/protocol/session-setup#loading-sessions>); gemini-cli tells it afterwards.
    async fn load(
        &mut self,
        config: &AcpConfig,
        id: &str,
    ) -> Result<Result<Value, agent_client_protocol::v1::schema::Error>, Failure> {
        let load = LoadSessionRequest::new(id.to_owned(), &config.directory).mcp_servers(self.servers());
        let asked = self.request("session/load", &load).await?;
        let mut patience = UNTOLD;
        loop {
            match self.next().await? {
                Message::Response { id, result } if id == asked => {
                    if result.is_ok() {
                        // An agent that tells the history now pauses in it, too: for a tool, or to read it.
                        self.quiet(patience, UNTOLD).await?;
                    }
                    return Ok(result);
                }
                other => {
                    if tells(&other) {
                        patience = QUIET;
                    }
                    self.outside(other).await?;
                }
            }
        }
    }

    /// The servers that the session takes tools from: that of its actions, where the agent can.
    fn servers(&self) -> Vec<McpServer> {
        let endpoint = self.actions.as_ref().filter(|_| self.takes_tools);
        let server = endpoint.map(|PeerActions { endpoint, .. }| {
            let key = HttpHeader::new("Authorization", endpoint.authorization());
            McpServer::Http(McpServerHttp::new("foldback", &endpoint.url).headers(vec![key]))
        });
        server.into_iter().collect()
    }

    async fn configure(&mut self, config: &AcpConfig) -> Result<(), Failure> {
        if let Some(mode) = &config.mode {
            let set = SetSessionModeRequest::new(self.session.clone(), mode.clone());
            let _: Value = self.ask("session/set_mode", &set).await?;
            self.offered.set_mode(mode);
        }
        for (option, value) in &config.options {
            let set =
                SetSessionConfigOptionRequest::new(self.session.clone(), option.clone(), value.as_str());
            let answer: Value = self.ask("session/set_config_option", &set).await?;
            self.offered.take_options(&answer);
        }
        Ok(())
    }

    /// Asks, and gives the answer; a refusal is a failure.
    async fn ask<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, Failure> {
        let answer = self
            .call(method, params)
            .await?
            .map_err(|error| Failure::refused(method, &error))?;
        serde_json::from_value(answer)
            .map_err(|error| Failure::new(AgentFault::Malformed, format!("{method}: {error}")))
    }

    /// Asks outside of a prompt. Whatever else comes meanwhile belongs to no run.
    pub(super) async fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Result<Value, agent_client_protocol::v1::schema::Error>, Failure> {
        let asked = self.request(method, params).await?;
        loop {
            match self.next().await? {
                Message::Response { id, result } if id == asked => return Ok(result),
                other => self.outside(other).await?,
            }
        }
    }

    /// Sends a request, without waiting for its answer.
    pub(super) async fn request(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<RequestId, Failure> {
        let id = self.next_id;
        self.next_id += 1;
        let line = message::request(id, method, params);
        self.tell(line).await?;
        Ok(RequestId::Number(id))
    }

    /// Sends a line, once there is room for it.
    pub(super) async fn tell(&self, line: String) -> Result<(), Failure> {
        self.process.tell(line, &*self.clock).await.map_err(deaf)
    }

    /// Sends a line, if there is room for it.
    pub(super) fn tell_now(&self, line: String) -> Result<(), Failure> {
        self.process.tell_now(line).map_err(deaf)
    }

    /// Tells the agent that nobody wants the rest.
    pub(super) fn cancel(&self) -> Result<(), Failure> {
        let cancel = CancelNotification::new(self.session.clone());
        self.tell_now(message::notification("session/cancel", &cancel))
    }

    /// Waits until nothing more comes that belongs to no run: `patience` for the first of it, `gap` for what follows.
    pub(super) async fn quiet(&mut self, patience: Duration, gap: Duration) -> Result<(), Failure> {
        let mut until = self.clock.steady().plus(patience);
        loop {
            let quiet = self.clock.sleep_until_steady(until);
            let next = tokio::select! {
                // Messages that have come already count, however late they are read.
                biased;
                next = self.next() => next?,
                () = quiet => return Ok(()),
            };
            if tells(&next) {
                until = self.clock.steady().plus(gap);
            }
            self.outside(next).await?;
        }
    }

    /// Takes what belongs to no run: requests are refused, everything else is let go.
    pub(super) async fn outside(&self, message: Message) -> Result<(), Failure> {
        match message {
            Message::Request { id, method, .. } => self.tell(answer::outside(&id, &method)).await,
            Message::Response { .. } | Message::Notification { .. } => Ok(()),
        }
    }

    /// True where something of its output has come and was not read yet.
    pub(super) fn has_unread(&self) -> bool {
        self.lines.has_unread()
    }

    /// The next message. A wait that is dropped loses nothing.
    pub(super) async fn next(&mut self) -> Result<Message, Failure> {
        loop {
            let line = match self.lines.next().await {
                Ok(Some(line)) => line,
                Ok(None) | Err(LineError::Io(_)) => return Err(self.gone().await),
                Err(error @ LineError::TooLong(_)) => {
                    return Err(Failure::new(
                        AgentFault::TooLarge,
                        format!("the agent sent {error}"),
                    ));
                }
            };
            match message::read(&line) {
                Ok(message) => {
                    if let Message::Notification { params, .. } = &message
                        && params["update"]["sessionUpdate"] == "config_option_update"
                    {
                        self.offered.take_options(&params["update"]);
                    }
                    return Ok(message);
                }
                Err(NoMessage::Noise) => self.process.noise(&line),
                Err(NoMessage::Broken(error)) => {
                    let detail = format!("the agent sent a message that cannot be read: {error}");
                    return Err(Failure::new(AgentFault::Malformed, detail));
                }
            }
        }
    }

    /// Its output has ended: with what it ended itself, and what it said last.
    async fn gone(&self) -> Failure {
        let late = self
            .clock
            .sleep_until(self.clock.now().plus(self.config.limits.stop));
        let ended = tokio::select! {
            ended = self.process.ended() => match ended {
                Ended::NotStarted => {
                    let why = self.process.last_words().unwrap_or_default();
                    return Failure::new(AgentFault::Unreachable, why);
                }
                Ended::With(Some(status)) => format!("the agent ended ({status})"),
                Ended::With(None) => "the agent ended".to_owned(),
            },
            () = late => "the agent closed its output".to_owned(),
        };
        Failure::new(AgentFault::Disconnected, self.with_last_words(ended))
    }

    /// `detail` and what the program said last beside the protocol.
    pub(super) fn with_last_words(&self, detail: String) -> String {
        match self.process.last_words() {
            None => detail,
            Some(words) => format!("{detail}; it said: {words}"),
        }
    }

    /// Ends the program.
    pub(super) async fn stop(self) {
        // The folder and the place go when nobody can use them any more.
        let Self {
            clock,
            process,
            folder,
            permit,
            ..
        } = self;
        process.stop(&*clock).await;
        drop((folder, permit));
    }
}

/// True where an agent says, in a part of its own, that it takes a prompt while one runs. Version 1 of the protocol has
/// no word for it; agents have agreed on this one (`_meta.claudeCode.promptQueueing` of claude-agent-acp).
fn says_queueing(meta: Option<&Meta>) -> bool {
    meta.is_some_and(|meta| meta.values().any(|part| part["promptQueueing"] == true))
}

/// True for a piece of a conversation; commands, modes and the usage of a context are none.
pub(super) fn tells(message: &Message) -> bool {
    let Message::Notification { params, .. } = message else {
        return false;
    };
    matches!(
        params["update"]["sessionUpdate"].as_str(),
        Some(
            "user_message_chunk"
                | "agent_message_chunk"
                | "agent_thought_chunk"
                | "tool_call"
                | "tool_call_update"
                | "plan"
        )
    )
}

/// True for a piece of an answer, which ends the question before it.
pub(super) const fn tells_answer(update: &SessionUpdate) -> bool {
    matches!(
        update,
        SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
            | SessionUpdate::Plan(_)
    )
}

fn deaf(error: Deaf) -> Failure {
    Failure::new(AgentFault::Disconnected, error.to_string())
}

fn not_started(config: &AcpConfig, error: &io::Error) -> Failure {
    let program = config.program.display();
    let directory = config.directory.display();
    Failure::new(
        AgentFault::Unreachable,
        format!("{program} cannot be started in {directory}: {error}"),
    )
}
