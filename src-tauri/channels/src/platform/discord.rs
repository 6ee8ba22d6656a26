//! Discord: <https://docs.discord.com/developers/resources/message>.

use super::{FileRules, IdForms, MB, PlatformRow, Tint, TwinRules, common, forms};
use crate::{
    Rate, Rates, Route,
    rates::{NEW, SECOND},
};
use foldback_wire::{Capabilities, Markup, MessageFlag, MessageId, Platform, ReplyForm, ReplyToForm};

/// Discord's gateway and REST.
pub const DISCORD: Platform = Platform::new("discord");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: DISCORD,
    name: "Discord",
    tint: Tint {
        hue: 280,
        chroma: 130,
    },
    about: "Discord gateway and REST.",
    rates: RATES,
    // A thread is a channel of its own: <https://docs.discord.com/developers/topics/threads>.
    counts_threads: true,
    threads_each_message: false,
    reads_threads: true,
    ids: IdForms {
        message: |id| forms::is_digits(id, 20),
        person: misfit,
        chat: misfit,
        reply_to: ReplyToForm::default,
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: |at| forms::millis(at).saturating_sub(EPOCH_MS) << 22,
        id: |number, _, _| MessageId::new(number.to_string()),
        one_reaction: false,
        tells_time: true,
    },
    capabilities,
};

/// Milliseconds from 1970 to Discord's own beginning of time
/// (<https://docs.discord.com/developers/reference#snowflakes>).
const EPOCH_MS: u64 = 1_420_070_400_000;

/// Ids are unsigned 64-bit integers: <https://docs.discord.com/developers/reference#snowflakes>.
fn misfit(id: &str) -> Option<&'static str> {
    (!id.parse::<u64>().is_ok_and(|n| n > 0))
        .then_some("ids on Discord are numbers of up to 64 bits, never names")
}

fn capabilities() -> Capabilities {
    Capabilities {
        text_limit: 2_000,
        caption_limit: 2_000,
        reply: Some(ReplyForm::NumericReference),
        file_limit: Some(10 * MB),
        markup: Markup::Markdown,
        mention: Some("<@{id}>".into()),
        flags: vec![MessageFlag::SuppressEmbeds, MessageFlag::Silent],
        idempotency_key: true,
        ..common(DISCORD)
    }
}

/// Fifty calls a second in all; the rest is told by the headers of each answer and is not to be written down:
/// <https://docs.discord.com/developers/topics/rate-limits#global-rate-limit>.
const RATES: Rates = Rates {
    channel: Some(Rate::of(50, SECOND, 10)),
    routes: &[Route {
        name: "POST messages",
        kinds: NEW,
        rate: None,
    }],
    ..Rates::NONE
};
