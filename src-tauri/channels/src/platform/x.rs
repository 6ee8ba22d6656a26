//! X: <https://docs.x.com/x-api>.

use super::{FileRules, IdForms, PlatformRow, Tint, TwinRules, common, forms};
use crate::{Rate, Rates, Route, rates::MINUTE};
use foldback_wire::{Capabilities, LengthUnit, Markup, MessageId, OpKind, Platform, ReplyForm, ReplyToForm};
use std::time::Duration;

/// The X API, version 2.
pub const X: Platform = Platform::new("x");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: X,
    name: "X",
    tint: Tint { hue: 210, chroma: 30 },
    about: "X API v2: mentions and replies.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: true,
    reads_threads: false,
    ids: IdForms {
        message: is_id,
        person: |id| {
            (!is_id(id)).then_some("people on X have numbers of up to 19 digits as ids, never @names")
        },
        chat: |id| (!is_id(id)).then_some("conversations on X have the number of their first post as id"),
        reply_to: ReplyToForm::default,
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: |at| forms::millis(at).saturating_sub(EPOCH_MS) << SEQUENCE_BITS,
        id: |number, _, _| MessageId::new(number.to_string()),
        one_reaction: false,
        tells_time: true,
    },
    capabilities,
};

/// Milliseconds from 1970 to the beginning of X's ids, and the bits behind their time:
/// <https://docs.x.com/fundamentals/x-ids>, <https://github.com/twitter-archive/snowflake/tree/snowflake-2010>.
const EPOCH_MS: u64 = 1_288_834_974_657;
const SEQUENCE_BITS: u32 = 22;

/// True of an id: <https://docs.x.com/fundamentals/x-ids>, a number of 64 bits.
pub(crate) fn is_id(text: &str) -> bool {
    forms::is_digits(text, 19)
}

/// The time that an id was given at, in milliseconds since 1970; `None` where it has none.
pub(crate) fn time_of(id: &str) -> Option<i64> {
    let since = id.parse::<u64>().ok()? >> SEQUENCE_BITS;
    i64::try_from(since.checked_add(EPOCH_MS)?).ok()
}

fn capabilities() -> Capabilities {
    Capabilities {
        // <https://docs.x.com/fundamentals/counting-characters>
        text_limit: 280,
        caption_limit: 280,
        unit: LengthUnit::Weighted,
        // A post is edited by paying accounts, for an hour.
        edit: false,
        // The answer to a removal says the same whether there was anything to remove or not.
        delete: false,
        edit_interval_ms: None,
        // Likes may not be automated: <https://help.x.com/en/rules-and-policies/x-automation>.
        react: None,
        reply: Some(ReplyForm::Message),
        file_limit: None,
        voice: None,
        typing: false,
        markup: Markup::Plain,
        mention: Some("@{name}".into()),
        flags: Vec::new(),
        ..common(X)
    }
}

/// A hundred posts in fifteen minutes of one user: <https://docs.x.com/x-api/fundamentals/rate-limits>.
const RATES: Rates = Rates {
    routes: &[Route {
        name: "posts",
        kinds: &[OpKind::SendText],
        rate: Some(Rate::of(100, Duration::from_secs(15 * MINUTE.as_secs()), 10)),
    }],
    ..Rates::NONE
};
