//! One step of a scripted answer, in the words of a fixture's `agent:` list.

use foldback_wire::{
    AgentFault, CallPreview, PermissionId, PermissionKind, PermissionOption, PermissionRequest, SessionStart,
    StopReason, ToolId, ToolStatus, Usage,
};
use serde::{Deserialize, Serialize};

/// One step: a wait, then an act. In a fixture a plain string is a chunk of text; every other step is a map
/// with one act and, where wanted, `after_ms`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptStep {
    /// Milliseconds before the act.
    pub after_ms: u64,
    /// What happens.
    pub act: Act,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// `"text"` or `{text}`: a chunk of the answer.
    Text(String),
    /// `{given}`: a chunk of the answer in which names in braces stand for what the run was given.
    Given(String),
    /// `{steered}`: the script waits for a message that is steered into the run.
    Steered(SteeredStep),
    /// `{message}`: a new assistant message begins under this id.
    Message(String),
    /// `{reasoning}`: a chunk of reasoning.
    Reasoning(String),
    /// `{tool}`: a tool call begins or changes.
    Tool(ToolStep),
    /// `{permission}`: a request for permission; the script waits for the answer, then goes on as it says.
    Permission(Box<PermissionStep>),
    /// `{session}`: the agent keeps the conversation as a session of its own.
    Session(SessionStep),
    /// `{usage}`: tokens used.
    Usage(Usage),
    /// `{stop}`: the run ends here for this reason. Without it, it ends with `end` after the last step.
    Stop(StopReason),
    /// `{error}`: the run fails. The name of an agent fault, or the words of an internal error.
    Error(String),
    /// `{stall_ms}`: silence. The run fails with `timeout` when the agent's limit of silence is shorter.
    Stall(u64),
    /// `{disconnect: true}`: the stream is cut.
    Disconnect,
}

impl Act {
    /// How an `error` step fails, and its words.
    pub(crate) fn fault(error: &str) -> (AgentFault, String) {
        match AgentFault::from_code(error) {
            Some(fault) => (fault, fault.about().to_owned()),
            None => (AgentFault::Internal, error.to_owned()),
        }
    }
}

/// A tool call in a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolStep {
    /// Its id; a step with the same id changes the same call.
    pub id: ToolId,
    /// The tool's name.
    pub name: String,
    /// Where it stands from now on.
    #[serde(default = "completed")]
    pub status: ToolStatus,
    /// Milliseconds before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_ms: u64,
    /// Arguments, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A request for permission in a script, and how it goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionStep {
    /// Its id.
    pub id: PermissionId,
    /// The tool call it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolId>,
    /// What is to be done.
    pub title: String,
    /// What kind of thing that is, such as `execute` or `edit`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub does: String,
    /// Arguments, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The call as it is shown: files that it would write, and the like.
    #[serde(default, skip_serializing_if = "CallPreview::is_empty")]
    pub preview: CallPreview,
    /// The answers it takes: to allow it once and to reject it once, unless told otherwise.
    #[serde(default = "once")]
    pub options: Vec<PermissionOption>,
    /// What follows when it is allowed, once or for ever, before the rest of the script.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<ScriptStep>,
    /// What follows when it is rejected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<ScriptStep>,
    /// What follows when nobody chose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cancelled: Vec<ScriptStep>,
}

impl From<PermissionRequest> for PermissionStep {
    /// A request after which the script goes on in one way, whatever the answer.
    fn from(request: PermissionRequest) -> Self {
        let PermissionRequest {
            id,
            tool,
            title,
            does,
            arguments,
            preview,
            options,
        } = request;
        Self {
            id,
            tool,
            title,
            does,
            arguments,
            preview,
            options,
            allowed: Vec::new(),
            rejected: Vec::new(),
            cancelled: Vec::new(),
        }
    }
}

impl PermissionStep {
    /// What is asked.
    pub(super) fn request(&self) -> PermissionRequest {
        PermissionRequest {
            id: self.id.clone(),
            tool: self.tool.clone(),
            title: self.title.clone(),
            does: self.does.clone(),
            arguments: self.arguments.clone(),
            preview: self.preview.clone(),
            options: self.options.clone(),
        }
    }

    /// What follows the answers.
    pub fn branches(&mut self) -> [&mut Vec<ScriptStep>; 3] {
        [&mut self.allowed, &mut self.rejected, &mut self.cancelled]
    }

    /// What follows this answer.
    pub(super) fn then(self, answer: Option<PermissionKind>) -> Vec<ScriptStep> {
        match answer {
            Some(PermissionKind::AllowOnce | PermissionKind::AllowAlways) => self.allowed,
            Some(PermissionKind::RejectOnce | PermissionKind::RejectAlways) => self.rejected,
            None => self.cancelled,
        }
    }
}

/// A wait for a message that is steered into the run, and how the script goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SteeredStep {
    /// Milliseconds that it waits. Without it the run fails with `timeout` once the agent's limit of silence is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    /// What follows when a message came, before the rest of the script; `{steered}` is its text in a `given` step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<ScriptStep>,
    /// What follows when none came in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<ScriptStep>,
}

/// The agent's own session in a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionStep {
    /// Its id.
    pub id: String,
    /// How the run came to it. As an agent would find it unless told: resumed where it was asked for this
    /// session, lost where it was asked for another, else new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<SessionStart>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

fn once() -> Vec<PermissionOption> {
    let option = |id: &str, name: &str, kind| PermissionOption {
        id: id.to_owned(),
        name: name.to_owned(),
        kind,
    };
    vec![
        option("allow", "Allow", PermissionKind::AllowOnce),
        option("reject", "Reject", PermissionKind::RejectOnce),
    ]
}

fn completed() -> ToolStatus {
    ToolStatus::Completed
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
pub(super) fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

impl ScriptStep {
    /// A chunk of text, at once.
    pub fn text(text: impl Into<String>) -> Self {
        Act::Text(text.into()).into()
    }
}

impl From<Act> for ScriptStep {
    fn from(act: Act) -> Self {
        Self { after_ms: 0, act }
    }
}
