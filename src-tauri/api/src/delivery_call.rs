//! Delivery requests as JSON: our own shape, and the two in which scripts of the ancestor call.
//!
//! | keys | shape |
//! |---|---|
//! | `origin` | a [`DeliveryRequest`] |
//! | `output` or `action_outputs`, and `original_context` | results of an action |
//! | `message` or `interface`, with `context` and `reason` | what an interface took in |
//!
//! A `system_message` in either of the ancestor's shapes is read for its type and its text. What it instructs, and the
//! actions it lists, are left out: nothing in a request acts.

mod address;
mod check;
mod interface;
mod results;

use address::Addressing;
use foldback_wire::{
    ChannelId, DeliveryLimits, DeliveryOutcome, DeliveryRequest, DeliveryRequestId, PerformedAction,
    ResultItem, TurnId,
};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU64, Ordering};

/// The keys of the ancestor's shapes, and those that may be added to them.
const KEYS: [&str; 15] = [
    "message",
    "interface",
    "context",
    "reason",
    "output",
    "original_context",
    "action_type",
    "command",
    "action_outputs",
    "system_message",
    "id",
    "requester",
    "depth",
    "cause",
    "error",
];

/// A JSON that is no delivery request, with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableCall(pub String);

fn unreadable<T>(why: impl Into<String>) -> Result<T, UnreadableCall> {
    Err(UnreadableCall(why.into()))
}

/// The part of a call that is delivered, beside its place.
struct Content {
    outcome: DeliveryOutcome,
    name: String,
    command: Option<String>,
    items: Vec<ResultItem>,
}

/// Reads a delivery request in any of its shapes. `channels` are the names of the configuration, which the ancestor's names
/// of interfaces are looked up in. A request without an id gets one.
///
/// # Errors
/// With what is missing, or cannot be.
pub fn read_delivery(call: &Value, channels: &[ChannelId]) -> Result<DeliveryRequest, UnreadableCall> {
    let Value::Object(fields) = call else {
        return unreadable("a delivery request is a JSON object");
    };
    if fields.contains_key("origin") {
        return own_request(fields);
    }
    if let Some(key) = fields.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let known = KEYS.join(", ");
        return unreadable(format!(
            "{key}: no delivery request has this key; it has origin, or some of {known}"
        ));
    }
    let call = Call(fields);
    let system_message = call.given("system_message");
    let is_result = call.given("output").or(call.given("action_outputs")).is_some();
    let (content, addressing) = if let Some(context) = call.given("original_context")
        && (is_result || system_message.is_some())
    {
        let content = results::content(call, context)?;
        (content, Addressing::of_context(context)?)
    } else if call.given("message").or(call.given("interface")).is_some() {
        (interface::content(call)?, Addressing::of_interface(call)?)
    } else {
        return unreadable(
            "too little is given: origin; or output or action_outputs, with original_context; or message or interface",
        );
    };
    let (origin, requester) = addressing.settle(call, channels)?;
    Ok(DeliveryRequest {
        id: call.id()?,
        origin,
        requester,
        action: PerformedAction {
            name: content.name,
            command: content.command,
        },
        outcome: content.outcome,
        items: content.items,
        items_omitted: 0,
        depth: call.number("depth")?.unwrap_or(1),
        limits: DeliveryLimits::default(),
        corrections: None,
        cause: call.number("cause")?.map(|turn| TurnId(u64::from(turn))),
    })
}

/// A request in our own shape. What has an obvious value may be left out: the id, the depth, the length of a text, and of
/// the requester the names, which are the id then, and that it is no bot.
fn own_request(fields: &Map<String, Value>) -> Result<DeliveryRequest, UnreadableCall> {
    let mut fields = fields.clone();
    fields.entry("id").or_insert_with(|| Value::from(new_id()));
    fields.entry("depth").or_insert_with(|| Value::from(1));
    if let Some(Value::Array(items)) = fields.get_mut("items") {
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            let bytes = item.get("text").and_then(Value::as_str).map(str::len);
            item.entry("bytes")
                .or_insert_with(|| Value::from(bytes.unwrap_or(0)));
        }
    }
    if let Some(Value::Object(requester)) = fields.get_mut("requester")
        && let Some(id) = requester.get("id").cloned()
    {
        let name = requester.entry("name").or_insert(id).clone();
        requester.entry("display_name").or_insert(name);
        requester.entry("is_bot").or_insert(Value::Bool(false));
    }
    let request = Value::Object(fields);
    check::check(&request)?;
    serde_json::from_value(request).map_err(|error| UnreadableCall(error.to_string()))
}

/// The fields of a call in one of the ancestor's shapes.
#[derive(Clone, Copy)]
struct Call<'a>(&'a Map<String, Value>);

impl<'a> Call<'a> {
    /// A field that is there and not null. An empty text and an empty list are given, too.
    fn given(self, key: &str) -> Option<&'a Value> {
        given(self.0, key)
    }

    fn text(self, key: &str) -> Option<&'a str> {
        self.given(key)?.as_str()
    }

    fn number(self, key: &str) -> Result<Option<u32>, UnreadableCall> {
        let Some(value) = self.given(key) else {
            return Ok(None);
        };
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.map_or_else(
            || unreadable(format!("{key}: must be a whole number")),
            |number| Ok(Some(number)),
        )
    }

    fn id(self) -> Result<DeliveryRequestId, UnreadableCall> {
        match self.given("id") {
            None => Ok(new_id().into()),
            Some(id) => Ok(id_text(id, "id")?.into()),
        }
    }
}

/// A field that is there and not null.
fn given<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    fields.get(key).filter(|value| !value.is_null())
}

/// An id, which the ancestor writes as a number where its platform does. One that a float went through is refused.
fn id_text(value: &Value, field: &str) -> Result<String, UnreadableCall> {
    match value {
        Value::String(id) => Ok(id.clone()),
        Value::Number(id) if id.is_i64() || id.is_u64() => Ok(id.to_string()),
        _ => unreadable(format!("{field}: must be a text or a whole number")),
    }
}

/// A text as it is, anything else as compact JSON.
fn plain_or_json(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The outcome that a type of the ancestor means.
fn outcome_of(word: &str) -> DeliveryOutcome {
    match word {
        "event" | "event_reminder" => DeliveryOutcome::Event,
        "error" => DeliveryOutcome::Error,
        _ => DeliveryOutcome::Output,
    }
}

/// The type and the text of a `system_message`. Its instructions and its catalogue of actions are left out.
fn read_system_message(value: &Value) -> Result<(DeliveryOutcome, Vec<ResultItem>), UnreadableCall> {
    let Value::Object(fields) = value else {
        return unreadable("system_message: must be an object");
    };
    let word = given(fields, "type").and_then(Value::as_str).unwrap_or("output");
    let message = given(fields, "message");
    let listed = message.and_then(|message| message.get("action_outputs"));
    let outputs = given(fields, "action_outputs").or(listed);
    let mut items = match outputs {
        Some(outputs) => results::items_of(outputs)?,
        None => message
            .map(|message| ResultItem::new("message", plain_or_json(message)))
            .into_iter()
            .collect(),
    };
    for key in ["errors", "your_reply"] {
        items.extend(given(fields, key).map(|told| ResultItem::new(key, plain_or_json(told))));
    }
    Ok((outcome_of(word), items))
}

/// An id for a request that has none: two calls are two deliveries.
fn new_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_micros());
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("call-{now:x}-{:x}-{number:x}", std::process::id())
}

#[cfg(test)]
mod tests;
