//! The part of an assistant message that stands on the screen, and the part that an earlier process came to.

use foldback_wire::{Body, MessageId, SteadyTime};

/// A message on the platform that later text replaces.
#[derive(Debug, Clone)]
pub(crate) struct ShownMessage {
    pub(crate) id: MessageId,
    /// Empty where nobody knows which of two texts it shows.
    pub(crate) text: String,
    /// The time at which the platform acknowledged it.
    pub(crate) at: SteadyTime,
}

/// The part of a message that an earlier process came to.
#[derive(Debug, Default)]
pub(crate) struct BegunMessage {
    /// Bytes of the clean text that messages were intended for, from its start.
    pub(crate) said: usize,
    /// The number of those messages.
    pub(crate) parts: u32,
    /// The preview of what is behind them.
    pub(crate) shown: Option<ShownMessage>,
    /// A first text of it may stand on the screen, and nobody can edit it.
    pub(crate) lost: bool,
    /// Nobody knows of an edit whether it is still to come.
    pub(crate) unconfirmed: bool,
    /// The final texts that such an edit may undo, with their messages.
    pub(crate) doubtful: Vec<(MessageId, String, Body)>,
    /// A file of the message answers the one that its header names.
    pub(crate) file_answered: bool,
}
