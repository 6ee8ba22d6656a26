//! One step of a scripted answer, in the words of a fixture's `agent:` list.

use foldback_wire::{
    AgentFault, CallPreview, PermissionId, PermissionKind, PermissionOption, PermissionRequest, SessionStart,
    StopReason, ToolId, ToolStatus, Usage,
};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::fmt;

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
fn is_zero(ms: &u64) -> bool {
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

/// A step as it is written when it is more than a string.
#[derive(Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct StepFields {
    /// Milliseconds before the step.
    #[serde(default, skip_serializing_if = "is_zero")]
    after_ms: u64,
    /// A chunk of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// A new assistant message begins under this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// A chunk of reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    /// A tool call begins or changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<ToolStep>,
    /// A request for permission; the script waits for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    permission: Option<Box<PermissionStep>>,
    /// The agent keeps the conversation as a session of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionStep>,
    /// Tokens used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// The run ends here for this reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop: Option<StopReason>,
    /// The run fails: the name of an agent fault, or the words of an internal error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Milliseconds of silence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stall_ms: Option<u64>,
    /// The stream is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disconnect: Option<bool>,
}

impl TryFrom<StepFields> for ScriptStep {
    type Error = &'static str;

    fn try_from(fields: StepFields) -> Result<Self, Self::Error> {
        if fields.disconnect == Some(false) {
            return Err("`disconnect` is either `true` or left out");
        }
        let acts = [
            fields.text.map(Act::Text),
            fields.message.map(Act::Message),
            fields.reasoning.map(Act::Reasoning),
            fields.tool.map(Act::Tool),
            fields.permission.map(Act::Permission),
            fields.session.map(Act::Session),
            fields.usage.map(Act::Usage),
            fields.stop.map(Act::Stop),
            fields.error.map(Act::Error),
            fields.stall_ms.map(Act::Stall),
            fields.disconnect.map(|_| Act::Disconnect),
        ];
        let mut given = acts.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(act), None) => Ok(Self {
                after_ms: fields.after_ms,
                act,
            }),
            (None, _) => Err(
                "a step needs one of text, message, reasoning, tool, permission, session, usage, stop, error, \
                 stall_ms, disconnect",
            ),
            (Some(_), Some(_)) => Err("a step does one thing only; write two steps"),
        }
    }
}

impl From<&ScriptStep> for StepFields {
    fn from(step: &ScriptStep) -> Self {
        let mut fields = Self {
            after_ms: step.after_ms,
            ..Self::default()
        };
        match step.act.clone() {
            Act::Text(text) => fields.text = Some(text),
            Act::Message(id) => fields.message = Some(id),
            Act::Reasoning(text) => fields.reasoning = Some(text),
            Act::Tool(tool) => fields.tool = Some(tool),
            Act::Permission(permission) => fields.permission = Some(permission),
            Act::Session(session) => fields.session = Some(session),
            Act::Usage(usage) => fields.usage = Some(usage),
            Act::Stop(reason) => fields.stop = Some(reason),
            Act::Error(error) => fields.error = Some(error),
            Act::Stall(ms) => fields.stall_ms = Some(ms),
            Act::Disconnect => fields.disconnect = Some(true),
        }
        fields
    }
}

impl<'de> Deserialize<'de> for ScriptStep {
    // By hand and not `untagged`: an error then names the unknown field instead of "no variant matched".
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Steps;

        impl<'de> de::Visitor<'de> for Steps {
            type Value = ScriptStep;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a step such as {text: …, after_ms: 40}")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<ScriptStep, E> {
                Ok(ScriptStep::text(text))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<ScriptStep, A::Error> {
                StepFields::deserialize(de::value::MapAccessDeserializer::new(map))?
                    .try_into()
                    .map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(Steps)
    }
}

impl Serialize for ScriptStep {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self {
                after_ms: 0,
                act: Act::Text(text),
            } => serializer.serialize_str(text),
            step => StepFields::from(step).serialize(serializer),
        }
    }
}

impl schemars::JsonSchema for ScriptStep {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ScriptStep".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let fields = generator.subschema_for::<StepFields>();
        schemars::json_schema!({
            "description": "A chunk of text, or a step with one act and, where wanted, `after_ms`.",
            "anyOf": [{"type": "string"}, fields]
        })
    }
}
