//! The seam between the pipeline and whatever answers.

use crate::{
    action::{ActionCall, OfferedAction},
    description::{Description, DescriptionError, DescriptionOrder},
    history::{Compaction, CompactionError, CompactionOrder, ConversationSize, History, HistoryEntry},
    levels::{LevelRefusal, LevelSupports},
};
use async_trait::async_trait;
use foldback_wire::{
    AgentFault, Answerer, Inbound, PermissionId, PermissionOption, PermissionRequest, RunFault, RunId,
    RunLevel, RunLevels, SessionId, SessionStart, StopReason, ToolCall, Usage,
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
    /// The prompt as an agent that keeps the conversation by itself tells it again with later turns: without what each
    /// prompt says anew. `None` where the run leaves nothing in the conversation.
    pub remembered: Option<String>,
    /// The message that triggered the turn, for agents that answer from a script.
    pub message: Inbound,
    /// The levels that it is asked for. One that it does not have is told as [`Step::LevelIgnored`].
    pub levels: RunLevels,
    /// The agents' own sessions of this conversation, by backend, as runs before told them; none where it begins.
    pub resume: BTreeMap<String, String>,
    /// Files that came with the message and that the agent takes, as far as they could be fetched.
    pub files: Vec<AgentFile>,
    /// Actions that the run may ask for with tool calls; none where the agent does not take them
    /// ([`Agent::takes_actions`]).
    pub actions: Vec<OfferedAction>,
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
    /// The agent asks for one of the actions that the run was offered, and waits for its answer. A [`Step::Tool`] with the
    /// same id comes before it, and another one behind its answer.
    Action(ActionCall),
    /// The agent waits for a permission, until [`Agent::decide`] answers or the run is cancelled.
    Permission(PermissionRequest),
    /// The run was asked for a level that the agent does not have, and goes on without it. Told once of each level,
    /// before anything that is said.
    LevelIgnored {
        /// Which level.
        level: RunLevel,
        /// The value that was asked for.
        asked: String,
        /// Why, in words, beginning with the backend's name.
        why: String,
    },
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

/// A message for a run that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteerInput {
    /// What the agent is given: envelope and the user's text.
    pub prompt: String,
    /// The message.
    pub message: Inbound,
    /// Files that came with it and that the agent takes.
    pub files: Vec<AgentFile>,
}

/// What became of a message for a run that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steer {
    /// It belongs to the run from now on: the run does not end before it was answered too.
    Taken,
    /// The run does not take it; nothing happened.
    NotNow {
        /// Why, in words, beginning with the backend's name.
        why: String,
    },
}

impl Steer {
    /// The run does not take it.
    pub fn not_now(why: impl Into<String>) -> Self {
        Self::NotNow { why: why.into() }
    }
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

impl From<LevelRefusal> for Step {
    fn from(LevelRefusal { level, asked, why }: LevelRefusal) -> Self {
        Self::LevelIgnored { level, asked, why }
    }
}

/// Something that answers. Every implementation passes the contract suite.
#[async_trait]
pub trait Agent: Send + Sync {
    /// The backend's name, such as `script` or `openai`.
    fn backend(&self) -> &str;

    /// The model, where there is one.
    fn model(&self) -> Option<&str>;

    /// The backend and the model that answer this turn. Asked before it runs; the same for all turns, except of
    /// an agent that stands in front of others.
    fn answering<'a>(&'a self, _request: &'a TurnRequest) -> (&'a str, Option<&'a str>) {
        (self.backend(), self.model())
    }

    /// What it would do with the levels of a run, for the model that they ask for. It answers at once, from what it
    /// knows: a directive is acknowledged or refused by it before anything runs.
    fn level_supports(&self, _levels: &RunLevels) -> LevelSupports {
        LevelSupports::none(Answerer {
            backend: self.backend().to_owned(),
            model: self.model().map(str::to_owned),
        })
    }

    /// Answers one turn. Every run ends with exactly one `Failed` or `Done`, also when `cancel` is
    /// cancelled (then `Done(Cancelled)`), and sends nothing after it. Returns early when the sink is closed.
    async fn run(&self, request: TurnRequest, sink: StepSink, cancel: CancellationToken);

    /// What it takes beside text.
    fn accepts(&self) -> Accepts {
        Accepts::default()
    }

    /// The bounds of the pictures that its model describes in a request of its own; `None` where it describes none.
    fn describes(&self) -> Option<PictureLimits> {
        None
    }

    /// Has its model describe a picture within [`Agent::describes`], outside of every conversation. Takes as long as the
    /// model does.
    async fn describe(
        &self,
        _picture: &AgentFile,
        _order: &DescriptionOrder,
        _cancel: CancellationToken,
    ) -> Result<Description, DescriptionError> {
        Err(DescriptionError::unable(self.backend()))
    }

    /// True when it runs on this machine as this user, and can put files into folders: it is told where files are
    /// sent from. An agent that is asked over HTTP does not know this machine's folders, or may not.
    fn shares_machine(&self) -> bool {
        false
    }

    /// True where its runs may ask before they use a tool ([`Step::Permission`]).
    fn asks_for_consent(&self) -> bool {
        false
    }

    /// True where its runs take actions as tools and ask for them with [`Step::Action`]. Every other agent writes them in its
    /// text.
    fn takes_actions(&self) -> bool {
        false
    }

    /// Answers a permission request of a run with one of its options, or refuses to choose. An answer that comes
    /// late, or to a request that is none, changes nothing.
    fn decide(&self, _run: RunId, _request: &PermissionId, _option: Option<&PermissionOption>) {}

    /// True where its runs may take messages while they go on; a run can refuse one all the same.
    fn steers(&self) -> bool {
        false
    }

    /// Gives a run that goes on another message. It answers as soon as it is known whether the run takes it; it never
    /// waits for an answer to the message.
    async fn steer(&self, _run: RunId, _input: SteerInput) -> Steer {
        Steer::not_now(format!("{} takes no input while it runs", self.backend()))
    }

    /// What it remembers of a conversation by itself. `None` where its backend keeps the conversation, or nobody does.
    fn conversation(&self, _session: &SessionId) -> Option<ConversationSize> {
        None
    }

    /// Takes a conversation as it was before a restart, within its own bounds: the oldest part that does not fit is left
    /// out. False where it keeps none by itself, or remembers something of this one already; then nothing changes.
    fn restore(&self, _session: &SessionId, _history: &History) -> bool {
        false
    }

    /// Puts a turn as it was delivered in the place of what its run left in a conversation that the agent remembers by
    /// itself, so that this is what a restart would rebuild. Called again where more of the turn was delivered since. Nothing
    /// changes where no such run is remembered.
    fn retell(&self, _session: &SessionId, _run: RunId, _turn: &[HistoryEntry]) {}

    /// Answers that a compaction would summarise now; 0 where there is nothing to summarise.
    fn compactable(&self, _session: &SessionId, _order: &CompactionOrder) -> usize {
        0
    }

    /// Has the model write a summary of a conversation that it remembers by itself, which takes the place of all but the
    /// last answers. A run of this conversation may go on meanwhile; what it adds stays word for word.
    async fn compact(
        &self,
        _session: &SessionId,
        _order: &CompactionOrder,
        _cancel: CancellationToken,
    ) -> Result<Compaction, CompactionError> {
        Err(CompactionError::not_ours(self.backend()))
    }

    /// Forgets a conversation: its next turn begins a new one. Nothing to do for agents without a memory.
    fn forget(&self, _session: &SessionId) {}
}
