//! The payloads of the actions of reminders.

use foldback_wire::PayloadFinding;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The payload of `event`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventPayload {
    /// The text: everything that is needed to tell the person then.
    #[schemars(length(min = 1, max = 500), regex(pattern = r"\S"))]
    pub description: String,
    /// The day, such as 2026-12-01; where it repeats, the first one.
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    pub date: Option<String>,
    /// The time of that day, such as 09:00, which counts where there is none.
    #[schemars(regex(pattern = r"^[0-9]{1,2}:[0-9]{2}$"))]
    pub time: Option<String>,
    /// The repetition: none, daily, weekly, monthly, or a cron expression such as `0 9 * * MON-FRI`.
    #[schemars(length(max = 100))]
    pub repeat: Option<String>,
    /// The time zone of date and time, such as Europe/Berlin. The bot has one that counts where there is none.
    #[schemars(length(max = 64))]
    pub zone: Option<String>,
    /// In the place of a date: the time from now, such as `90 minutes` or `1 hour 30 minutes`.
    #[schemars(length(max = 64))]
    pub send_in: Option<String>,
    /// In the place of a date: a moment, such as `2026-12-01T09:00`, or the next `09:00`.
    #[schemars(length(max = 64))]
    pub send_at: Option<String>,
    /// Another chat in which to tell it, for owners only: its id, its title, or the name of its person.
    #[schemars(length(min = 1, max = 256), regex(pattern = r"\S"))]
    pub chat: Option<String>,
    /// The channel of that chat, where several have one of this id or name.
    #[schemars(length(min = 1, max = 64))]
    pub channel: Option<String>,
    /// Counts for nothing: the maker is the person whose message led to it.
    pub created_by: Option<Value>,
}

impl EventPayload {
    /// Reads a payload that fits the schema.
    ///
    /// # Errors
    /// The place that does not fit, which the schema cannot tell.
    pub fn read(payload: &Map<String, Value>) -> Result<Self, PayloadFinding> {
        serde_json::from_value(Value::Object(payload.clone())).map_err(|error| PayloadFinding {
            at: String::new(),
            problem: error.to_string(),
            change: "write the payload as the schema of the action has it".to_owned(),
        })
    }
}

/// The payload of `event_list`: nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPayload {}

/// The payload of `event_cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelPayload {
    /// Its number, as `event` and `event_list` tell it.
    #[schemars(range(min = 1))]
    pub id: u64,
}
