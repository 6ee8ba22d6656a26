//! The seam between the pipeline and whatever answers.

use async_trait::async_trait;
use foldback_wire::{
    AgentFault, Answerer, Inbound, PermissionId, PermissionOption, PermissionRequest, RunFault, RunId,
    SessionId, SessionStart, StopReason, ToolCall, Usage,
};
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What an agent is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRequest {
    /// The run this stream belongs to; every step carries it, so that late steps can be dropped.
    pub run: RunId,
    /// The conversation.
    pub session: SessionId,
    /// The whole prompt: envelope and the user's text.
    pub prompt: String,
    /// The message that triggered the turn, for agents that answer from a script.
    pub message: Inbound,
    /// The agents' own sessions of this conversation, by backend, as runs before told them; none where it begins.
    pub resume: BTreeMap<String, String>,
    /// Files that came with the message and that the agent takes, as far as they could be fetched.
    pub files: Vec<AgentFile>,
}

impl TurnRequest {
    /// A backend's own session of this conversation.
    pub fn session_of(&self, backend: &str) -> Option<&str> {
        self.resume.get(backend).map(String::as_str)
    }
}

/// A file for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFile {
    /// File name as the platform gives it.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// What is in it.
    pub bytes: Arc<[u8]>,
}

/// What an agent takes beside text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accepts {
    /// Pictures.
    pub images: bool,
    /// Any other file.
    pub files: bool,
    /// How many pictures it takes, and how large.
    pub pictures: PictureLimits,
}

/// Bounds of the pictures of one message, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureLimits {
    /// Bytes of each.
    pub bytes: u64,
    /// Pictures.
    pub number: usize,
}

impl PictureLimits {
    /// No bounds.
    pub const NONE: Self = Self {
        bytes: u64::MAX,
        number: usize::MAX,
    };

    /// The bounds that keep both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.min(other.bytes),
            number: self.number.min(other.number),
        }
    }
}

impl Default for PictureLimits {
    fn default() -> Self {
        Self::NONE
    }
}

/// One step of an agent's stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// More text. Valid UTF-8: what was split between two network reads is put together first.
    Text {
        /// The agent's own id of the assistant message, where it gives one; a new id begins a new message.
        message: Option<String>,
        /// The text.
        text: String,
    },
    /// More reasoning; never part of the text.
    Reasoning(String),
    /// A tool call began or changed. Ends the assistant message before it.
    Tool(ToolCall),
    /// The agent keeps the conversation as a session of its own: how this run came to it.
    Session {
        /// The agent's id of it, for [`TurnRequest::resume`].
        id: String,
        /// How.
        start: SessionStart,
        /// Why, in words, where there is something to say.
        detail: String,
    },
    /// The agent waits for a permission, until [`Agent::decide`] answers or the run is cancelled.
    Permission(PermissionRequest),
    /// Tokens used.
    Usage(Usage),
    /// A planned fault makes this run go wrong. First step of such a run.
    Faulted {
        /// Its number.
        number: u64,
        /// How.
        fault: RunFault,
    },
    /// The backend is tried again.
    Retry {
        /// Which attempt begins, from 2.
        attempt: u32,
        /// Milliseconds waited first.
        after_ms: u64,
        /// Why.
        detail: String,
        /// Who answers from here on, where it is another backend or model. A session that is told later is theirs.
        next: Option<Answerer>,
    },
    /// The run failed. Last step; what was said before stays said.
    Failed {
        /// How.
        fault: AgentFault,
        /// Why, in words, without secrets.
        detail: String,
    },
    /// The run ended. Last step.
    Done(StopReason),
}

/// A step with the run it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEvent {
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: Step,
}

/// Where an agent puts its steps. Bounded: the agent waits when the pipeline cannot keep up.
pub type StepSink = mpsc::Sender<AgentEvent>;

/// Something that answers. Every implementation passes the contract suite.
#[async_trait]
pub trait Agent: Send + Sync {
    /// The backend's name, such as `script` or `openai`.
    fn backend(&self) -> &str;

    /// The model, where there is one.
    fn model(&self) -> Option<&str>;

    /// The backend and the model that answer this turn. Asked before it runs; the same for all turns, except of
    /// an agent that stands in front of others.
    fn answering(&self, _request: &TurnRequest) -> (&str, Option<&str>) {
        (self.backend(), self.model())
    }

    /// Answers one turn. Every run ends with exactly one `Failed` or `Done`, also when `cancel` is
    /// cancelled (then `Done(Cancelled)`), and sends nothing after it. Returns early when the sink is closed.
    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken);

    /// What it takes beside text.
    fn accepts(&self) -> Accepts {
        Accepts::default()
    }

    /// True when it runs on this machine as this user, and can put files into folders: it is told where files are
    /// sent from. An agent that is asked over HTTP does not know this machine's folders, or may not.
    fn shares_machine(&self) -> bool {
        false
    }

    /// Answers a permission request of a run with one of its options, or refuses to choose. An answer that comes
    /// late, or to a request that is none, changes nothing.
    fn decide(&self, _run: RunId, _request: &PermissionId, _option: Option<&PermissionOption>) {}

    /// Forgets a conversation: its next turn begins a new one. Nothing to do for agents without a memory.
    fn forget(&self, _session: &SessionId) {}
}
