//! A platform that has no row: its name stands in a journal or a recording of another version. Of what it could do nothing is
//! known but text.

use super::{FileRules, IdForms, PlatformRow, Tint, TwinRules, common, forms};
use crate::Rates;
use foldback_wire::{Capabilities, MessageId, Platform, ReplyToForm};

const UNKNOWN: Platform = Platform::new("unknown");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: UNKNOWN,
    name: "Unknown",
    tint: Tint { hue: 270, chroma: 30 },
    about: "A platform that this version does not know.",
    rates: Rates::NONE,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: false,
    ids: IdForms {
        message: |_| true,
        person: |_| None,
        chat: |_| None,
        reply_to: ReplyToForm::default,
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: forms::millis,
        id: |number, _, _| MessageId::new(number.to_string()),
        one_reaction: false,
        tells_time: true,
    },
    capabilities,
};

fn capabilities() -> Capabilities {
    Capabilities {
        edit: false,
        delete: false,
        edit_interval_ms: None,
        react: None,
        reply: None,
        file_limit: None,
        voice: None,
        typing: false,
        threads: false,
        flags: Vec::new(),
        ..common(UNKNOWN)
    }
}
