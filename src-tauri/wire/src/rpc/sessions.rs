//! Conversations, the agents' sessions behind them, and the permissions that wait for a person.

use crate::{
    Actor, ChannelId, ChatId, PermissionId, PermissionRequest, RunActivity, SessionId, Timestamp, TurnId,
};
use serde::{Deserialize, Serialize};

/// A request for permission that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PendingPermission {
    /// The turn whose agent asks.
    pub turn: TurnId,
    /// Its conversation.
    pub session: SessionId,
    /// The channel of the turn.
    pub channel: ChannelId,
    /// The chat of the turn.
    pub chat: ChatId,
    /// The author of the turn's message, by the name they give themselves.
    pub sender: String,
    /// Its number for people, such as `12-1`: the turn's, and which request of the turn.
    pub number: String,
    /// The request.
    pub request: PermissionRequest,
    /// The time since which it waits.
    pub since: Timestamp,
    /// The end of the wait; then it is refused.
    pub until: Timestamp,
    /// True where the sender was asked in the chat, too.
    pub in_chat: bool,
    /// True where something in it is masked as a secret; `permission_uncover` shows it.
    #[serde(default)]
    pub masked: bool,
    /// True where some of what is long in it is left out. It can be allowed once `permission_uncover` has shown it whole.
    #[serde(default)]
    pub cut: bool,
}

/// `permission_uncover`: the request that is shown whole and without masks to the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PermissionRef {
    /// The turn.
    pub turn: TurnId,
    /// The request.
    pub permission: PermissionId,
}

/// `permission_decide`: answer a request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PermissionDecide {
    /// The turn.
    pub turn: TurnId,
    /// The request.
    pub permission: PermissionId,
    /// The id of the option; `None` cancels the request.
    pub option: Option<String>,
}

/// `sessions`: the conversations, those at work first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionQuery {
    /// The number, at most 500.
    pub limit: u32,
}

/// `session_cancel`: what is to be stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionCancel {
    /// The conversation.
    pub session: SessionId,
    /// Only this turn of it, and none that runs in its place; `None` for whichever runs.
    #[ts(optional)]
    pub turn: Option<TurnId>,
}

/// `session_drop`: what is to be dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionDrop {
    /// The conversation.
    pub session: SessionId,
    /// Only these turns of it, and none that came since; `None` for all that wait. One that does not wait any more is
    /// passed over.
    #[serde(default)]
    #[ts(optional)]
    pub turns: Option<Vec<TurnId>>,
}

/// `session_reset`: which conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionRef {
    /// Its key.
    pub session: SessionId,
}

/// The agent's own session of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct AgentSession {
    /// The backend.
    pub backend: String,
    /// The agent's id of it.
    pub id: String,
    /// The time since which it is this one.
    pub since: Timestamp,
}

/// A turn that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RunningTurn {
    /// The turn.
    pub turn: TurnId,
    /// The time since which it is so.
    pub since: Timestamp,
    /// Its work at the moment.
    pub doing: RunActivity,
    /// The tool that was called, where what it does is `tool`. Whether it works is not known of every agent: some only
    /// announce a call.
    pub tool: Option<String>,
    /// The person who stopped it, where somebody did.
    pub cancelled_by: Option<Actor>,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionLine {
    /// Its key.
    pub session: SessionId,
    /// The channel it lives on.
    pub channel: ChannelId,
    /// The chat of its latest message; `None` in records of versions that did not keep it.
    pub chat: Option<ChatId>,
    /// The author of that, by the name they give themselves.
    pub sender: String,
    /// Turns so far.
    pub turns: u64,
    /// The time at which it began.
    pub created: Timestamp,
    /// The time at which its latest message came.
    pub used: Timestamp,
    /// The agents' own sessions, the latest first: several where others stepped in; none where none is kept, or none any
    /// more.
    pub agents: Vec<AgentSession>,
    /// The turn that runs.
    pub running: Option<RunningTurn>,
    /// The turns that wait, in order.
    pub waiting: Vec<TurnId>,
    /// Requests for permission that wait.
    pub permissions: u32,
}

/// The conversations; answer of `sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SessionList {
    /// Those where something runs, waits or is asked, then the others; each the one used last first.
    pub sessions: Vec<SessionLine>,
    /// The number of all of them.
    pub total: u64,
    /// Turns that run, in all conversations.
    pub running: u64,
    /// Messages that wait, in all conversations.
    pub waiting: u64,
}
