//! What follows from how an operation ends: kept with the operation, so that it follows after a restart too.

use foldback_wire::{Body, MessageId, Operation};
use serde::{Deserialize, Serialize};

/// What follows from how an operation ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Then {
    /// What is done in its place where it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Box<Instead>>,
    /// The message that it replaces, taken off the screen once it has arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<Removal>,
    /// The message that stays on the screen where it does not arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<MessageId>,
    /// The file that it sends is deleted once the platform has acknowledged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cleans_up: bool,
}

impl Then {
    /// Whether nothing follows.
    pub const fn is_nothing(&self) -> bool {
        self.refused.is_none() && self.replaces.is_none() && self.leaves.is_none() && !self.cleans_up
    }
}

/// What is done in place of an operation that is refused, in the same chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instead {
    /// Which refusal it is for.
    pub case: Case,
    /// What is done.
    pub operation: Operation,
    /// What it says, as the journal keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// What follows from it.
    #[serde(default, skip_serializing_if = "Then::is_nothing")]
    pub then: Then,
    /// What the journal is told.
    pub why: String,
}

/// When something else is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// The platform certainly did nothing.
    Failed,
    /// The platform did nothing, or did not answer as often as it was asked.
    Unconfirmed,
    /// It did nothing, and the message that is answered may be the reason.
    ReplyRefused,
}

/// A message that is to be taken off the screen, and how its channel can.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The message.
    pub message: MessageId,
    /// It can be deleted.
    pub delete: bool,
    /// It can be edited, to look like nothing.
    pub blank: bool,
}
