//! What an agent may ask of us, and what it is answered.

use super::message;
use agent_client_protocol::v1::schema::{
    Error, RequestId, RequestPermissionOutcome, RequestPermissionResponse, SelectedPermissionOutcome,
};
use foldback_wire::PermissionOption;

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
