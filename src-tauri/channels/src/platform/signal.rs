//! Signal, through signal-cli: <https://github.com/AsamK/signal-cli/wiki>.

use super::{FileRules, IdForms, MB, PlatformRow, Tint, TwinRules, common, forms};
use crate::{Rate, Rates, Route};
use foldback_wire::{Capabilities, LengthUnit, MessageId, OpKind, Platform, ReplyForm, ReplyToForm};
use std::time::Duration;

/// Signal through the signal-cli daemon.
pub const SIGNAL: Platform = Platform::new("signal");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: SIGNAL,
    name: "Signal",
    tint: Tint {
        hue: 258,
        chroma: 130,
    },
    about: "Signal through the signal-cli daemon.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: false,
    ids: IdForms {
        // When it was sent, and by whom if not by the bot.
        message: |id| {
            let (sent, author) = id.split_once(':').unwrap_or((id, "bot"));
            forms::is_digits(sent, 15) && !author.is_empty()
        },
        // <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc>
        person: |id| {
            (!forms::is_phone_number(id) && !is_uuid(id))
                .then_some("people on Signal have phone numbers with a plus, or UUIDs, as ids")
        },
        chat: |_| None,
        // The time in milliseconds, and the author's number or account id.
        reply_to: || ReplyToForm {
            also: ":+".into(),
            ..ReplyToForm::default()
        },
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: forms::millis,
        id: |number, _, _| MessageId::new(number.to_string()),
        one_reaction: true,
        // It tells when its server received what people write, and no time of its own of what the account sends.
        tells_time: false,
    },
    capabilities,
};

/// A UUID as Signal writes it, in lower case.
fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(place, b)| match place {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
        })
}

fn capabilities() -> Capabilities {
    Capabilities {
        text_limit: 2_000,
        caption_limit: 2_000,
        unit: LengthUnit::Bytes,
        edit: false,
        edit_interval_ms: None,
        reply: Some(ReplyForm::Quote),
        file_limit: Some(95 * MB),
        threads: false,
        ..common(SIGNAL)
    }
}

/// A bucket for each account that is written to, of sixty messages, which gains one a second; one for uploads, of
/// fifty, which gains one every 1.2 seconds. Those are the defaults (`messages`, `attachmentCreate`) of
/// <https://github.com/signalapp/Signal-Server/blob/main/service/src/main/java/org/whispersystems/textsecuregcm/limits/RateLimiters.java>.
/// Reactions, removals and typing are messages, too; receipts, which nobody waits for here, have the last ones.
///
/// Nobody publishes what its filter against spam takes for too much: ten a second to begin with is assumed.
const RATES: Rates = Rates {
    assumed: Some(Rate {
        interval: Duration::from_millis(100),
        at_once: 5,
    }),
    chat: Some(Rate {
        interval: Duration::from_millis(1_050),
        at_once: 45,
    }),
    messages: OpKind::ALL,
    routes: &[
        Route {
            name: "messages",
            kinds: &[OpKind::SendText, OpKind::Typing],
            rate: None,
        },
        Route {
            name: "attachments",
            kinds: &[OpKind::SendFile, OpKind::SendVoice],
            rate: Some(Rate {
                interval: Duration::from_millis(1_260),
                at_once: 40,
            }),
        },
    ],
    ..Rates::NONE
};
