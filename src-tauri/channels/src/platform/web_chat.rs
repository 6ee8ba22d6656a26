//! Web chat: Foldback's own page. Its rules are those of `src-tauri/channels/src/web_chat`, and nobody else's.

use super::{FileRules, IdForms, MB, PlatformRow, Tint, TwinRules, common, forms};
use crate::Rates;
use foldback_wire::{Capabilities, Markup, MessageFlag, MessageId, Platform, ReplyForm, ReplyToForm};

/// A page of the bot's own.
pub const WEB_CHAT: Platform = Platform::new("web_chat");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: WEB_CHAT,
    name: "Web chat",
    tint: Tint { hue: 45, chroma: 120 },
    about: "A chat page of the bot's own, for any web site.",
    // What is sent stays on this machine; a page that reads too slowly is cut off and takes up what it missed.
    rates: Rates::NONE,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: false,
    ids: IdForms {
        message: is_message,
        person: |id| (!is_visitor(id)).then_some("visitors of a web chat have 32 hexadecimal digits as ids"),
        chat: |id| {
            (!is_visitor(id)).then_some("conversations of a web chat have 32 hexadecimal digits as ids")
        },
        reply_to: ReplyToForm::default,
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: forms::millis,
        id: |number, _, _| MessageId::new(format!("w{number:016x}")),
        // One of each emoji, as many as there are.
        one_reaction: false,
        tells_time: true,
    },
    capabilities,
};

/// Digits of a message's id behind its `w`.
pub(crate) const MESSAGE_DIGITS: usize = 16;
/// Digits of a visitor's id, which is that of the conversation.
pub(crate) const VISITOR_DIGITS: usize = 32;

fn is_message(id: &str) -> bool {
    id.strip_prefix('w')
        .is_some_and(|digits| is_hex(digits, MESSAGE_DIGITS))
}

/// Whether a text has the form of a visitor's id.
pub fn is_visitor(id: &str) -> bool {
    is_hex(id, VISITOR_DIGITS)
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn capabilities() -> Capabilities {
    Capabilities {
        caption_limit: 4_096,
        // The page shows what there is as fast as it comes: only the end of the last edit is waited for.
        edit_interval_ms: Some(0),
        reply: Some(ReplyForm::Quote),
        file_limit: Some(25 * MB),
        threads: false,
        markup: Markup::Markdown,
        // A message without a sound is the only kind that the page knows, and it loads no previews of links.
        flags: vec![MessageFlag::SuppressEmbeds, MessageFlag::Silent],
        // The key makes the id of the message.
        idempotency_key: true,
        ..common(WEB_CHAT)
    }
}
