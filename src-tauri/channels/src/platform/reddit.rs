//! Reddit: <https://www.reddit.com/dev/api>, <https://github.com/reddit-archive/reddit/wiki/API>.

use super::{FileRules, IdForms, PlatformRow, Tint, TwinRules, common, forms};
use crate::{Rate, Rates, rates::MINUTE};
use foldback_wire::{Capabilities, Markup, MessageId, Platform, ReplyForm, ReplyToForm};

/// Reddit's Data API.
pub const REDDIT: Platform = Platform::new("reddit");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: REDDIT,
    name: "Reddit",
    tint: Tint { hue: 35, chroma: 150 },
    about: "Reddit's Data API: comments and private messages.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: true,
    reads_threads: true,
    ids: IdForms {
        message: is_message,
        person: |id| {
            (!is_name(id)).then_some(
                "people on Reddit have names of 3 to 20 letters, digits, _ and - as ids, without u/",
            )
        },
        chat: |id| {
            let fits = is_post(id) || id.strip_prefix(DIRECT).is_some_and(is_name);
            (!fits).then_some("chats on Reddit are posts such as t3_1abcd2, or people such as u/alice")
        },
        reply_to: ReplyToForm::default,
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: forms::millis,
        id: |number, chat, _| {
            let kind = if chat.as_str().starts_with(DIRECT) {
                MESSAGE
            } else {
                COMMENT
            };
            MessageId::new(format!("{kind}{}", base36(number)))
        },
        one_reaction: false,
        tells_time: true,
    },
    capabilities,
};

/// The beginnings of fullnames: <https://www.reddit.com/dev/api#fullnames>.
pub(crate) const COMMENT: &str = "t1_";
pub(crate) const POST: &str = "t3_";
pub(crate) const MESSAGE: &str = "t4_";
/// The beginning of a chat with one person.
pub(crate) const DIRECT: &str = "u/";

/// True of the fullname of a comment or of a private message.
pub(crate) fn is_message(id: &str) -> bool {
    is_fullname(id, COMMENT) || is_fullname(id, MESSAGE)
}

/// True of the fullname of a post.
pub(crate) fn is_post(id: &str) -> bool {
    is_fullname(id, POST)
}

fn is_fullname(text: &str, kind: &str) -> bool {
    text.strip_prefix(kind).is_some_and(|id| {
        (1..=13).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
    })
}

/// True of the form of a name: <https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/validator/validator.py>
/// (`user_rx`).
pub(crate) fn is_name(text: &str) -> bool {
    (3..=20).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// A number as Reddit writes ids: <https://www.reddit.com/dev/api#fullnames>.
fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((number % 36) as u32, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

fn capabilities() -> Capabilities {
    Capabilities {
        // A comment and a message: <https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py>
        // (`POST_comment`, `VMarkdownLength`).
        text_limit: 10_000,
        caption_limit: 10_000,
        // `/api/del` answers the same whether there was anything to remove or not.
        delete: false,
        // An edited comment is marked as such for everybody.
        edit_interval_ms: None,
        // Votes alone, and those are for people:
        // <https://support.reddithelp.com/hc/en-us/articles/360043066412-Disrupting-Communities>.
        react: None,
        reply: Some(ReplyForm::Message),
        file_limit: None,
        voice: None,
        typing: false,
        markup: Markup::Markdown,
        mention: Some("u/{name}".into()),
        flags: Vec::new(),
        ..common(REDDIT)
    }
}

/// Sixty calls a minute: <https://github.com/reddit-archive/reddit/wiki/API>. Reddit said of a hundred since July 2023
/// (<https://www.reddit.com/r/reddit/comments/145bram/>); the headers of each answer tell what is left.
const RATES: Rates = Rates {
    channel: Some(Rate::of(60, MINUTE, 10)),
    ..Rates::NONE
};
