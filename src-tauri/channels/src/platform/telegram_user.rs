//! A person's own account on Telegram: <https://core.telegram.org/api>.

use super::{FileRules, IdForms, PlatformRow, Tint, TwinRules, common, forms, telegram};
use crate::{Rate, Rates, Route, rates::SECOND};
use foldback_wire::{
    Capabilities, EmojiForm, LengthUnit, MessageFlag, MessageId, OpKind, Platform, VoiceForm,
};

/// The API of Telegram's own apps, over `MTProto`.
pub const TELEGRAM_USER: Platform = Platform::new("telegram_user");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: TELEGRAM_USER,
    name: "Telegram (own account)",
    tint: Tint {
        hue: 200,
        chroma: 110,
    },
    about: "Telegram's API for a person's own account.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: false,
    ids: IdForms {
        // <https://core.telegram.org/constructor/message>: 32 bits, and not negative.
        message: |id| forms::is_digits(id, 10) && id.parse::<i32>().is_ok_and(|id| id > 0),
        // Neither a name nor the number of a telephone.
        person: |id| {
            (!(forms::is_digits(id, 19) && id.parse::<i64>().is_ok_and(|n| n > 0))).then_some(
                "people on Telegram have numbers of up to 64 bits as ids, never @names nor phone numbers",
            )
        },
        // The ids that bots see: <https://core.telegram.org/api/bots/ids>.
        ..telegram::IDS
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: |at| forms::millis(at).saturating_sub(telegram::EPOCH_MS) / 100,
        id: |number, _, _| MessageId::new(number.to_string()),
        // <https://core.telegram.org/api/reactions>: three, of an account that pays.
        one_reaction: true,
        tells_time: true,
    },
    capabilities,
};

fn capabilities() -> Capabilities {
    Capabilities {
        // `message_length_max` and `caption_length_max`: <https://core.telegram.org/constructor/config>.
        unit: LengthUnit::Utf16,
        react: Some(EmojiForm::FixedSet),
        voice: Some(VoiceForm::Note),
        // Topics of a forum are read and answered as one group.
        threads: false,
        mention: Some("@{name}".into()),
        flags: vec![MessageFlag::SuppressEmbeds, MessageFlag::Silent],
        // `random_id`: <https://core.telegram.org/method/messages.sendMessage>.
        idempotency_key: true,
        ..common(TELEGRAM_USER)
    }
}

const MESSAGES: &[OpKind] = &[
    OpKind::SendText,
    OpKind::EditText,
    OpKind::SendFile,
    OpKind::SendVoice,
];

/// Nothing is published. A person types slowly: one call a second, three at once, is assumed until Telegram refuses one.
const RATES: Rates = Rates {
    assumed: Some(Rate {
        interval: SECOND,
        at_once: 3,
    }),
    messages: MESSAGES,
    routes: &[Route {
        name: "messages",
        kinds: MESSAGES,
        rate: None,
    }],
    ..Rates::NONE
};
