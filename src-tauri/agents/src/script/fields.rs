//! How a step is written: a text, or a map with one act.

use super::{Act, PermissionStep, ScriptStep, SessionStep, SteeredStep, ToolStep, step::is_zero};
use foldback_wire::{StopReason, Usage};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::fmt;

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
    /// A chunk of the answer, in which `{think}`, `{model}`, `{profile}`, `{text}`, `{sender}`, `{message_id}` and
    /// `{steered}` stand for what the run was given: its levels, its message, and the message that was steered in last.
    /// A level that was not asked for is `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given: Option<String>,
    /// The script waits for a message that is steered into the run. One that no step waits for is answered at the end, as
    /// a message of its own would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steered: Option<SteeredStep>,
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
            fields.given.map(Act::Given),
            fields.steered.map(Act::Steered),
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
                "a step needs one of text, given, steered, message, reasoning, tool, permission, session, usage, stop, \
                 error, stall_ms, disconnect",
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
            Act::Given(template) => fields.given = Some(template),
            Act::Steered(steered) => fields.steered = Some(steered),
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
