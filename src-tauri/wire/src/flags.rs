//! Flags that a header asks for, and that a message is sent with.

use crate::{UserId, closed::closed_set};
use foldback_directives::Header;
use serde::{Deserialize, Serialize};

closed_set! {
    /// Flags of a header that are about its messages on the platform.
    pub enum MessageFlag {
        Ephemeral = "ephemeral": "In a chat of several people only the sender sees the text.",
        SuppressEmbeds = "suppress_embeds": "Links are shown without previews.",
        Silent = "silent": "The message arrives without a sound.",
    }
}

impl MessageFlag {
    /// The value that a header gives it.
    pub const fn of(self, header: &Header) -> Option<bool> {
        match self {
            Self::Ephemeral => header.ephemeral,
            Self::SuppressEmbeds => header.suppress_embeds,
            Self::Silent => header.silent,
        }
    }
}

/// The flags that one message is sent with: those of its header that its channel honours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct MessageFlags {
    /// It arrives without a sound.
    #[serde(default)]
    pub silent: bool,
    /// Links in it are shown without previews.
    #[serde(default)]
    pub suppress_embeds: bool,
    /// The only person who sees it; nobody can edit or remove it.
    #[serde(default)]
    pub only_for: Option<UserId>,
}

impl MessageFlags {
    /// True where nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
