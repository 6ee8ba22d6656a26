//! WhatsApp: <https://developers.facebook.com/docs/whatsapp/cloud-api>.

pub(crate) mod media;

use super::{FileRules, IdForms, MB, PlatformRow, Tint, TwinRules, common, forms};
use crate::{Rate, Rates, rates::SECOND};
use foldback_wire::{Capabilities, Markup, MessageId, OpKind, Platform, ReplyForm, ReplyToForm, VoiceForm};
use media::{Class, Media};
use std::time::Duration;

/// The `WhatsApp` Cloud API.
pub const WHATSAPP: Platform = Platform::new("whatsapp");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: WHATSAPP,
    name: "WhatsApp",
    tint: Tint {
        hue: 150,
        chroma: 130,
    },
    about: "WhatsApp Cloud API.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: false,
    ids: IdForms {
        message: |id| id.strip_prefix("wamid.").is_some_and(|rest| !rest.is_empty()),
        // <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/components>: phone numbers, no plus; or
        // what stands for the number of somebody who hides it.
        person: |id| {
            (!forms::is_phone_digits(id) && !is_user_of_business(id)).then_some(
                "people on WhatsApp have phone numbers as ids, digits with the country's code and without a plus, or ids such as DE.1349120865530274",
            )
        },
        chat: |_| None,
        // `wamid.` and base64, whose length nobody promises; a directive holds 256 bytes.
        reply_to: || ReplyToForm {
            also: "+/=".into(),
            max: 240,
        },
    },
    // It goes by a file's type, which its name tells.
    files: FileRules {
        check: |path, bytes| {
            let media = Media::of(path)?;
            bytes.map_or(Ok(()), |bytes| media.check_size(bytes))
        },
        // Audio has none:
        // <https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/audio-messages>.
        takes_caption: |path| !Media::of(path).is_ok_and(|media| media.class == Class::Audio),
    },
    twin: TwinRules {
        number: |_| 0,
        // Opaque on the platform; here the chat, the time and a count, so that a person can tell them apart.
        id: |number, chat, at| {
            let chat = chat
                .as_str()
                .bytes()
                .fold(0_u16, |sum, b| sum.wrapping_mul(31).wrapping_add(u16::from(b)));
            MessageId::new(format!(
                "wamid.HBgL{chat:04X}{:012X}{number:06X}",
                forms::millis(at)
            ))
        },
        one_reaction: true,
        tells_time: true,
    },
    capabilities,
};

/// The time for which Meta sends a webhook again that was not confirmed: seven days
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview>).
const REDELIVERY_MS: u64 = 7 * 24 * 3_600_000;

/// A user as one business on `WhatsApp` knows them: a country's two letters, a dot, letters and digits.
fn is_user_of_business(id: &str) -> bool {
    id.split_once('.').is_some_and(|(country, rest)| {
        country.len() == 2
            && country.bytes().all(|b| b.is_ascii_uppercase())
            && (1..=128).contains(&rest.len())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Limits of media: <https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media>.
fn capabilities() -> Capabilities {
    Capabilities {
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
        ..common(WHATSAPP)
    }
}

/// Eighty messages a second of a number
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput>), and to one person one
/// every six seconds, of which up to 45 may be borrowed
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/about-the-platform#pair-rate-limits>).
/// A reaction is a message.
const RATES: Rates = Rates {
    channel: Some(Rate::of(80, SECOND, 10)),
    chat: Some(Rate {
        interval: Duration::from_millis(6_300),
        at_once: 40,
    }),
    messages: &[
        OpKind::SendText,
        OpKind::SendFile,
        OpKind::SendVoice,
        OpKind::React,
    ],
    ..Rates::NONE
};
