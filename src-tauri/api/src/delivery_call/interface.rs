//! Messages that an interface took in: `message`, `interface`, `context` and `reason`.

use super::{
    Call, Content, UnreadableCall, given, outcome_of, plain_or_json, read_system_message, unreadable,
};
use foldback_wire::{DeliveryOutcome, ResultItem};
use serde_json::Value;

/// The name of an event whose reason is not told.
const EVENT: &str = "event";

/// The text that the call delivers. The ancestor lost the text of `message` on the way; here it is the first item.
pub(super) fn content(call: Call<'_>) -> Result<Content, UnreadableCall> {
    let context = call.given("context");
    let mut items = Vec::new();
    let message = call.given("message").and_then(Value::as_object);
    let text = message.and_then(|message| given(message, "text")?.as_str());
    items.extend(text.map(|text| ResultItem::new("message", text)));
    let within = context.and_then(|context| context.get("system_message"));
    let mut outcome = DeliveryOutcome::Output;
    if let Some(message) = call.given("system_message").or(within) {
        let (told, more) = read_system_message(message)?;
        outcome = told;
        items.extend(more);
    } else if let Some(context) = context {
        if let Some(told) = type_of_input(context)? {
            outcome = told;
        }
        let is_empty = context.as_object().is_some_and(serde_json::Map::is_empty);
        if !is_empty {
            items.push(ResultItem::new("context", plain_or_json(context)));
        }
    }
    let name = call.text("action_type").or(call.text("reason"));
    Ok(Content {
        outcome,
        name: name.unwrap_or(EVENT).to_owned(),
        command: call.text("command").map(str::to_owned),
        items,
    })
}

/// The outcome that `context.input.type` means, where there is one.
fn type_of_input(context: &Value) -> Result<Option<DeliveryOutcome>, UnreadableCall> {
    match context.get("input") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(input)) => {
            let word = given(input, "type").and_then(Value::as_str);
            Ok(word.map(outcome_of))
        }
        Some(_) => unreadable("context.input: must be an object"),
    }
}
