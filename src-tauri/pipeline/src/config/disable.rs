//! Operations that a channel must not use, by the settings.

use foldback_channels::{Feature, restrict};
use foldback_wire::Capabilities;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An operation that a channel must not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disable {
    /// Reactions.
    React,
    /// Files.
    File,
    /// Voice notes.
    Voice,
    /// Edits, and with them the live preview.
    Edit,
    /// The live preview alone.
    Preview,
    /// Removing messages.
    Delete,
    /// Answering a particular message.
    Reply,
    /// Showing that an answer is being written.
    Typing,
}

/// `capabilities` less what is disabled.
pub(crate) fn reduce(capabilities: Capabilities, disable: &[Disable]) -> Capabilities {
    let feature = |d: &Disable| match d {
        Disable::React => Some(Feature::React),
        Disable::File => Some(Feature::File),
        Disable::Voice => Some(Feature::Voice),
        Disable::Edit => Some(Feature::Edit),
        Disable::Delete => Some(Feature::Delete),
        Disable::Reply => Some(Feature::Reply),
        Disable::Typing => Some(Feature::Typing),
        Disable::Preview => None,
    };
    let mut reduced = restrict(
        capabilities,
        &disable.iter().filter_map(feature).collect::<Vec<_>>(),
    );
    if disable.contains(&Disable::Preview) {
        reduced.edit_interval_ms = None;
    }
    reduced
}
