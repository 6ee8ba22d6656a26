//! Results of an action: `output` or `action_outputs`, with `original_context`.

use super::{Call, Content, UnreadableCall, given, plain_or_json, read_system_message, unreadable};
use foldback_wire::{DeliveryOutcome, ResultItem};
use serde_json::Value;

/// The name of an action that is not told.
const UNKNOWN: &str = "unknown";

/// The text that the call delivers. `action_outputs` come before `output`, as they do in the ancestor.
pub(super) fn content(call: Call<'_>, context: &Value) -> Result<Content, UnreadableCall> {
    let mut outcome = DeliveryOutcome::Output;
    let items = if let Some(outputs) = call.given("action_outputs") {
        items_of(outputs)?
    } else if let Some(output) = call.given("output") {
        vec![ResultItem::new("output", plain_or_json(output))]
    } else if let Some(message) = call.given("system_message") {
        let (told, items) = read_system_message(message)?;
        outcome = told;
        items
    } else {
        Vec::new()
    };
    if call.given("error").and_then(Value::as_bool) == Some(true) {
        outcome = DeliveryOutcome::Error;
    }
    let in_context = |key: &str| context.as_object().and_then(|fields| given(fields, key));
    let command = call
        .text("command")
        .or_else(|| in_context("original_command")?.as_str());
    let name = call
        .text("action_type")
        .or_else(|| in_context("action_type")?.as_str());
    let name = name.filter(|name| !name.is_empty()).unwrap_or(UNKNOWN);
    Ok(Content {
        outcome,
        name: name.to_owned(),
        command: command.map(str::to_owned),
        items,
    })
}

/// One item for each of the outputs; its `type` is the label.
pub(super) fn items_of(outputs: &Value) -> Result<Vec<ResultItem>, UnreadableCall> {
    let Value::Array(outputs) = outputs else {
        return unreadable("action_outputs: must be a list");
    };
    let items = outputs.iter().enumerate().map(|(index, output)| {
        let label = output.get("type").and_then(Value::as_str);
        let label = label.map_or_else(|| format!("result {}", index + 1), str::to_owned);
        let exit = ["exit", "exit_code", "returncode"]
            .into_iter()
            .find_map(|key| output.get(key)?.as_i64());
        let item = ResultItem::new(label, plain_or_json(output));
        match exit.and_then(|status| i32::try_from(status).ok()) {
            Some(status) => item.exited(status),
            None => item,
        }
    });
    Ok(items.collect())
}
