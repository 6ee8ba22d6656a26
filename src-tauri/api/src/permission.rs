//! An operator's word about requests for permission from another process, over the socket of the bot that runs.

use crate::failure;
use foldback_wire::{
    PermissionKind,
    rpc::{Failure, PendingPermission},
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// An operator's order about requests for permission. A request is named by its number for people, such as `12-1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum PermissionOrder {
    /// To see all that wait, with masks.
    List,
    /// To see one without masks.
    Show {
        /// Its number.
        number: String,
    },
    /// To answer one.
    Decide {
        /// Its number.
        number: String,
        /// The meaning of the answer; `None` dismisses the request.
        answer: Option<PermissionKind>,
    },
}

/// Gives an order to the bot of this journal. Requests wait in its memory: where no bot runs, none waits, which is a failure,
/// as the order may have been meant for another bot.
///
/// # Errors
/// With what cannot be done and why; nothing was decided then.
pub async fn order_permission(
    journal: &Path,
    order: PermissionOrder,
) -> Result<Vec<PendingPermission>, Failure> {
    #[cfg(unix)]
    if let Some(came) = crate::backend::ask(journal, &order.into()).await {
        return came;
    }
    Err(failure::no_bot(journal))
}
