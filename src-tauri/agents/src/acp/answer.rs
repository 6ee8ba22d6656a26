//! What an agent may ask of us, and what it is answered.

use super::{
    failure::{one_line, without},
    message,
};
use crate::Secret;
use agent_client_protocol::v1::schema::{
    Error, PermissionOptionKind, RequestId, RequestPermissionOutcome, RequestPermissionResponse,
    SelectedPermissionOutcome, ToolCallUpdate,
};
use foldback_wire::{PermissionKind, PermissionOption};
use serde::Deserialize as _;
use serde_json::Value;

/// The one request that is answered.
pub(super) const PERMISSION: &str = "session/request_permission";

/// Outside of a run nobody can be asked for a permission.
pub(super) fn outside(id: &RequestId, method: &str) -> String {
    if method == PERMISSION {
        cancelled(id)
    } else {
        refused(id, method)
    }
}

/// A request that we have no answer to. Files and terminals were not offered; what else there is, we do not know.
pub(super) fn refused(id: &RequestId, method: &str) -> String {
    let mut error = Error::method_not_found();
    if method.starts_with("fs/") || method.starts_with("terminal/") {
        error.message = format!("{method}: this client offers neither files nor terminals; use your own");
    }
    message::refusal(id, &error)
}

/// The run ended before somebody decided, or somebody decided for none of the options.
pub(super) fn cancelled(id: &RequestId) -> String {
    message::response(
        id,
        &RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled),
    )
}

/// Somebody decided. Without an option nothing is chosen, and that is not a rejection: whoever means one names it.
pub(super) fn decided(id: &RequestId, option: Option<&PermissionOption>) -> String {
    let Some(option) = option else {
        return cancelled(id);
    };
    let outcome = SelectedPermissionOutcome::new(option.id.clone());
    let outcome = RequestPermissionOutcome::Selected(outcome);
    message::response(id, &RequestPermissionResponse::new(outcome))
}

/// The call that a permission is wanted for, where it can be read.
pub(super) fn call(params: &Value) -> Option<ToolCallUpdate> {
    ToolCallUpdate::deserialize(params.get("toolCall")?).ok()
}

/// The options as the pipeline knows them, their names without secrets, on one line and shortened. One that cannot be
/// read, or is of a kind that we do not know, is not offered; the others are.
pub(super) fn options(params: &Value, secrets: &[Secret]) -> Vec<PermissionOption> {
    let option = |option: &Value| {
        let id = option.get("optionId")?.as_str()?;
        let kind = match PermissionOptionKind::deserialize(option.get("kind")?).ok()? {
            PermissionOptionKind::AllowOnce => PermissionKind::AllowOnce,
            PermissionOptionKind::AllowAlways => PermissionKind::AllowAlways,
            PermissionOptionKind::RejectOnce => PermissionKind::RejectOnce,
            PermissionOptionKind::RejectAlways => PermissionKind::RejectAlways,
            _ => return None,
        };
        let name = option.get("name").and_then(Value::as_str).unwrap_or(id);
        Some(PermissionOption {
            id: id.to_owned(),
            name: one_line(&without(secrets, name)),
            kind,
        })
    };
    let options = params.get("options").and_then(Value::as_array);
    options.into_iter().flatten().filter_map(option).collect()
}
