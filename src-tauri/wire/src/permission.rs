//! An agent asks before it uses a tool.

use crate::{PermissionId, ToolId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// What an option of a permission request means. Agents name and order their options as they like: a choice is
    /// made by this, never by name or place.
    pub enum PermissionKind {
        AllowOnce = "allow_once": "This call may be made.",
        AllowAlways = "allow_always": "This call and all like it may be made.",
        RejectOnce = "reject_once": "This call may not be made.",
        RejectAlways = "reject_always": "Neither this call nor any like it may be made.",
    }
}

/// One of the answers an agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PermissionOption {
    /// The agent's id for it.
    pub id: String,
    /// What it calls it.
    pub name: String,
    /// What it means.
    pub kind: PermissionKind,
}

/// What an agent asks before it uses a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PermissionRequest {
    /// Its id, unique within its run.
    pub id: PermissionId,
    /// The tool call it is about. It may not have been announced yet.
    pub tool: Option<ToolId>,
    /// What is to be done, in the agent's words.
    pub title: String,
    /// What kind of thing the tool does, such as `execute` or `edit`, as the agent says it; empty when it does not.
    pub does: String,
    /// The call's arguments, as JSON text, where the agent tells them.
    pub arguments: Option<String>,
    /// The answers it takes.
    pub options: Vec<PermissionOption>,
}
