//! Features that a configuration takes away from a channel.

use foldback_wire::{Capabilities, FileKind};

/// Something a configuration can take away from a channel (`[channels.NAME] disable`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Reactions.
    React,
    /// Files.
    File,
    /// Voice notes.
    Voice,
    /// Edits, and with them the live preview.
    Edit,
    /// Removing messages.
    Delete,
    /// Replies that name the message they answer.
    Reply,
    /// Showing that an answer is being written.
    Typing,
}

impl Feature {
    /// Every feature, with its name in a configuration.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::React, "react"),
        (Self::File, "file"),
        (Self::Voice, "voice"),
        (Self::Edit, "edit"),
        (Self::Delete, "delete"),
        (Self::Reply, "reply"),
        (Self::Typing, "typing"),
    ];

    /// The feature of this name.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, name)| *name == code)
            .map(|(feature, _)| *feature)
    }
}

/// `capabilities` less what is disabled. There is no way to add: what a platform cannot do stays impossible.
#[must_use]
pub fn restrict(mut capabilities: Capabilities, disabled: &[Feature]) -> Capabilities {
    for feature in disabled {
        match feature {
            Feature::React => capabilities.react = None,
            Feature::File => capabilities.file_limit = None,
            Feature::Voice => capabilities.voice = None,
            Feature::Edit => {
                capabilities.edit = false;
                capabilities.edit_interval_ms = None;
            }
            Feature::Delete => capabilities.delete = false,
            Feature::Reply => capabilities.reply = None,
            Feature::Typing => capabilities.typing = false,
        }
    }
    capabilities
}

/// Most bytes of a file of this kind on a channel.
pub fn size_limit(can: &Capabilities, kind: FileKind) -> u64 {
    let special = match kind {
        FileKind::Image => can.image_limit,
        FileKind::Audio => can.audio_limit,
        FileKind::File => None,
    };
    special.or(can.file_limit).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{TELEGRAM, profile};

    #[test]
    fn disabling_restores_less_and_nothing_else() {
        let full = profile(TELEGRAM);
        assert_eq!(restrict(full.clone(), &[]), full);
        let less = restrict(full.clone(), &[Feature::Edit, Feature::React]);
        assert_eq!(
            (less.edit, less.edit_interval_ms, less.react),
            (false, None, None)
        );
        assert_eq!(
            Capabilities {
                edit: true,
                edit_interval_ms: full.edit_interval_ms,
                react: full.react,
                ..less
            },
            full
        );
    }

    #[test]
    fn every_feature_has_a_name_and_an_effect() {
        for (feature, code) in Feature::ALL {
            assert_eq!(Feature::from_code(code), Some(*feature));
            assert_ne!(
                restrict(profile(TELEGRAM), &[*feature]),
                profile(TELEGRAM),
                "{code}"
            );
        }
        assert_eq!(Feature::from_code("teleport"), None);
    }
}
