//! An agent asks before it uses a tool.

use crate::{PermissionId, ToolId, TurnId, closed::closed_set, visible};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

closed_set! {
    /// The meaning of an option of a permission request. Agents name and order their options as they like: a choice is
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
    /// The agent's name for it.
    pub name: String,
    /// Its meaning.
    pub kind: PermissionKind,
}

/// The request that an agent makes before it uses a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PermissionRequest {
    /// Its id, unique within its run.
    pub id: PermissionId,
    /// The tool call it is about. It may not have been announced yet.
    pub tool: Option<ToolId>,
    /// The work to be done, in the agent's words.
    pub title: String,
    /// The kind of work that the tool does, such as `execute` or `edit`, as the agent says it; empty when it does not.
    pub does: String,
    /// The call's arguments, as JSON text, where the agent tells them.
    pub arguments: Option<String>,
    /// The call as the agent shows it before it is made.
    #[serde(default, skip_serializing_if = "CallPreview::is_empty")]
    #[ts(optional, as = "Option<CallPreview>")]
    pub preview: CallPreview,
    /// The answers it takes.
    pub options: Vec<PermissionOption>,
}

impl PermissionRequest {
    /// The number for people of a turn's nth request that waits for a person, counted from 1: `12-1`.
    pub fn number(turn: TurnId, nth: u32) -> String {
        format!("{turn}-{nth}")
    }

    /// The id of the request that asks for a confirmation of a turn's nth action, counted from 0.
    pub fn id_of_action(index: u32) -> PermissionId {
        format!("foldback-action-{index}").into()
    }

    /// Writes out, in everything that people read of it, what nobody would see.
    pub fn make_visible(&mut self) {
        let plain = |text: &mut String| {
            if let Cow::Owned(written) = visible(text) {
                *text = written;
            }
        };
        plain(&mut self.title);
        plain(&mut self.does);
        self.arguments.iter_mut().for_each(plain);
        self.preview.each_text(plain);
        self.options.iter_mut().for_each(|option| plain(&mut option.name));
    }
}

/// A call as its agent shows it before it is made: above all what it would write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CallPreview {
    /// Files that the call would write. The journal keeps the first 64.
    #[serde(default)]
    pub changes: Vec<FileChange>,
    /// The number of those beyond that.
    #[serde(default)]
    pub more_changes: u32,
    /// Files that it is about, with `:LINE` where the agent tells one. The journal keeps the first 64.
    #[serde(default)]
    pub locations: Vec<String>,
    /// The number of those beyond that.
    #[serde(default)]
    pub more_locations: u32,
    /// The agent's own words about it.
    #[serde(default)]
    pub text: Option<String>,
    /// The kinds of its parts that cannot be shown, such as `terminal` or `image`: at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub unshown: Vec<String>,
}

impl CallPreview {
    /// True where the agent shows nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// All its texts, for whoever masks, shortens or counts them.
    pub fn each_text(&mut self, mut text: impl FnMut(&mut String)) {
        for FileChange { path, diff, .. } in &mut self.changes {
            text(path);
            text(diff);
        }
        let rest = self.locations.iter_mut().chain(&mut self.text);
        rest.chain(&mut self.unshown).for_each(text);
    }
}

/// A file as a call would change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FileChange {
    /// Its path, as the agent writes it.
    pub path: String,
    /// Lines it would gain.
    pub added: u32,
    /// Lines it would lose.
    pub removed: u32,
    /// The lines that change and three around them, each with `+`, `-` or a space before it, and an `@@` line before
    /// each stretch.
    pub diff: String,
}
