//! Telegram: <https://core.telegram.org/bots/api>.

use super::{FileRules, IdForms, PlatformRow, Tint, TwinRules, common, forms};
use crate::{
    Rate, Rates, Route,
    rates::{MINUTE, SECOND},
};
use foldback_wire::{
    Capabilities, EmojiForm, LengthUnit, Markup, MessageFlag, MessageId, OpKind, Platform, ReplyToForm,
    VoiceForm,
};

/// The Telegram Bot API.
pub const TELEGRAM: Platform = Platform::new("telegram");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: TELEGRAM,
    name: "Telegram",
    tint: Tint {
        hue: 232,
        chroma: 110,
    },
    about: "Telegram Bot API.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: false,
    ids: IDS,
    files: FileRules::ALL,
    twin: TwinRules {
        number: |at| forms::millis(at).saturating_sub(EPOCH_MS) / 100,
        id: |number, _, _| MessageId::new(number.to_string()),
        // <https://core.telegram.org/bots/api#setmessagereaction>
        one_reaction: true,
        tells_time: true,
    },
    capabilities,
};

/// Ids of messages, people and chats.
pub(super) const IDS: IdForms = IdForms {
    message: |id| forms::is_digits(id, 10),
    // <https://core.telegram.org/bots/api#user>, #chat: 64-bit integers; those of groups are negative.
    person: |id| {
        (!id.parse::<i64>().is_ok_and(|n| n > 0))
            .then_some("people on Telegram have numbers of up to 64 bits as ids, never @names")
    },
    chat: |id| {
        (!id.parse::<i64>().is_ok_and(|n| n != 0))
            .then_some("chats on Telegram have numbers of up to 64 bits as ids, those of groups with a minus")
    },
    reply_to: ReplyToForm::default,
};

/// Milliseconds from 1970 to the beginning of the simulated Telegram's count, 2026-01-01. Its ids have at most
/// ten digits, so a tick is a tenth of a second: a process that starts later never repeats an earlier one's.
pub(super) const EPOCH_MS: u64 = 1_767_225_600_000;

fn capabilities() -> Capabilities {
    Capabilities {
        unit: LengthUnit::Utf16,
        react: Some(EmojiForm::FixedSet),
        voice: Some(VoiceForm::Note),
        markup: Markup::Html,
        mention: Some("@{name}".into()),
        flags: vec![MessageFlag::SuppressEmbeds, MessageFlag::Silent],
        ..common(TELEGRAM)
    }
}

/// Thirty messages a second in all, one a second in a chat, twenty a minute in a group:
/// <https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>. An edit counts as a message.
const RATES: Rates = Rates {
    channel: Some(Rate::of(30, SECOND, 5)),
    assumed: None,
    chat: Some(Rate::of(1, SECOND, 1)),
    group: Some(Rate::of(20, MINUTE, 8)),
    messages: &[
        OpKind::SendText,
        OpKind::EditText,
        OpKind::SendFile,
        OpKind::SendVoice,
    ],
    // A refusal names none; but what makes messages is refused together.
    routes: &[Route {
        name: "messages",
        kinds: &[
            OpKind::SendText,
            OpKind::EditText,
            OpKind::SendFile,
            OpKind::SendVoice,
            OpKind::Typing,
        ],
        rate: None,
    }],
};
