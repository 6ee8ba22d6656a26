//! What an agent may ask of us, and what it is answered.

use super::{
    failure::{one_line, without},
    message,
};
use crate::Secret;
use agent_client_protocol::v1::schema::{
    Error, PermissionOptionKind, RequestId, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome,
};
use foldback_wire::{PermissionKind, PermissionOption};

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

/// The options as the pipeline knows them, their names without secrets, on one line and shortened. One of a kind that we
/// do not know is not offered.
pub(super) fn options(request: &RequestPermissionRequest, secrets: &[Secret]) -> Vec<PermissionOption> {
    let known = |option: &agent_client_protocol::v1::schema::PermissionOption| {
        let kind = match option.kind {
            PermissionOptionKind::AllowOnce => PermissionKind::AllowOnce,
            PermissionOptionKind::AllowAlways => PermissionKind::AllowAlways,
            PermissionOptionKind::RejectOnce => PermissionKind::RejectOnce,
            PermissionOptionKind::RejectAlways => PermissionKind::RejectAlways,
            _ => return None,
        };
        Some(PermissionOption {
            id: option.option_id.0.to_string(),
            name: one_line(&without(secrets, &option.name)),
            kind,
        })
    };
    request.options.iter().filter_map(known).collect()
}
