//! What each platform can do, as data, and how a configuration takes some of it away.

use foldback_wire::{
    Capabilities, EmojiForm, FileKind, LengthUnit, Markup, MessageFlag, Platform, ReplyForm, VoiceForm,
};

const MB: u64 = 1_000_000;

/// Least time between two edits of a live preview. The platforms punish faster ones with waits of many
/// seconds (Telegram allows about one message a second and chat, Discord five edits in five seconds).
const EDIT_INTERVAL_MS: u64 = 1_500;

/// The time for which Meta sends a webhook again that was not confirmed: seven days
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>).
const REDELIVERY_MS: u64 = 7 * 24 * 3_600_000;

/// The capabilities of a platform before a configuration restricts them. Megabytes are decimal.
///
/// Sources: Telegram <https://core.telegram.org/bots/api>, Discord
/// <https://discord.com/developers/docs/resources/message>, Slack
/// <https://docs.slack.dev/reference/methods/chat.postMessage>, WhatsApp
/// <https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media>, Signal: signal-cli
/// <https://github.com/AsamK/signal-cli/wiki>.
pub fn profile(platform: Platform) -> Capabilities {
    // What most of them have in common; each row says where it differs.
    let common = Capabilities {
        platform,
        text_limit: 4_096,
        caption_limit: 1_024,
        unit: LengthUnit::Scalars,
        edit: true,
        delete: true,
        edit_interval_ms: Some(EDIT_INTERVAL_MS),
        react: Some(EmojiForm::Unicode),
        reply: Some(ReplyForm::Message),
        file_limit: Some(50 * MB),
        image_limit: None,
        audio_limit: None,
        voice: Some(VoiceForm::Attachment),
        typing: true,
        threads: true,
        markup: Markup::Plain,
        mention: None,
        // Previews of links are asked for, and nothing here asks for one.
        flags: vec![MessageFlag::SuppressEmbeds],
        idempotency_key: false,
        redelivery_ms: None,
    };
    match platform {
        Platform::Telegram => Capabilities {
            unit: LengthUnit::Utf16,
            react: Some(EmojiForm::FixedSet),
            voice: Some(VoiceForm::Note),
            markup: Markup::Html,
            mention: Some("@{name}".into()),
            flags: vec![MessageFlag::SuppressEmbeds, MessageFlag::Silent],
            ..common
        },
        Platform::Discord => Capabilities {
            text_limit: 2_000,
            caption_limit: 2_000,
            reply: Some(ReplyForm::NumericReference),
            file_limit: Some(10 * MB),
            markup: Markup::Markdown,
            mention: Some("<@{id}>".into()),
            flags: vec![MessageFlag::SuppressEmbeds, MessageFlag::Silent],
            idempotency_key: true,
            ..common
        },
        Platform::Slack => Capabilities {
            text_limit: 4_000,
            caption_limit: 4_000,
            react: Some(EmojiForm::Shortcode),
            reply: Some(ReplyForm::Thread),
            file_limit: Some(1_000 * MB),
            typing: false,
            markup: Markup::Mrkdwn,
            mention: Some("<@{id}>".into()),
            flags: vec![MessageFlag::Ephemeral, MessageFlag::SuppressEmbeds],
            ..common
        },
        Platform::Whatsapp => Capabilities {
            edit: false,
            delete: false,
            edit_interval_ms: None,
            reply: Some(ReplyForm::Context),
            file_limit: Some(100 * MB),
            image_limit: Some(5 * MB),
            audio_limit: Some(16 * MB),
            voice: Some(VoiceForm::Note),
            threads: false,
            markup: Markup::Whatsapp,
            redelivery_ms: Some(REDELIVERY_MS),
            ..common
        },
        Platform::Signal => Capabilities {
            text_limit: 2_000,
            caption_limit: 2_000,
            unit: LengthUnit::Bytes,
            edit: false,
            edit_interval_ms: None,
            reply: Some(ReplyForm::Quote),
            file_limit: Some(95 * MB),
            threads: false,
            ..common
        },
    }
}

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

    #[test]
    fn limits_are_those_of_the_table() {
        let row = |p| {
            let c = profile(p);
            (
                c.text_limit,
                c.unit,
                c.caption_limit,
                c.edit,
                c.delete,
                c.edit_interval_ms,
            )
        };
        let live = Some(1_500);
        assert_eq!(
            row(Platform::Telegram),
            (4_096, LengthUnit::Utf16, 1_024, true, true, live)
        );
        assert_eq!(
            row(Platform::Discord),
            (2_000, LengthUnit::Scalars, 2_000, true, true, live)
        );
        assert_eq!(
            row(Platform::Slack),
            (4_000, LengthUnit::Scalars, 4_000, true, true, live)
        );
        assert_eq!(
            row(Platform::Whatsapp),
            (4_096, LengthUnit::Scalars, 1_024, false, false, None)
        );
        assert_eq!(
            row(Platform::Signal),
            (2_000, LengthUnit::Bytes, 2_000, false, true, None)
        );
        let keyed: Vec<_> = Platform::ALL
            .iter()
            .filter(|p| profile(**p).idempotency_key)
            .collect();
        assert_eq!(keyed, [&Platform::Discord]);
    }

    #[test]
    fn disabling_restores_less_and_nothing_else() {
        let full = profile(Platform::Telegram);
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
                restrict(profile(Platform::Telegram), &[*feature]),
                profile(Platform::Telegram),
                "{code}"
            );
        }
        assert_eq!(Feature::from_code("teleport"), None);
    }
}
