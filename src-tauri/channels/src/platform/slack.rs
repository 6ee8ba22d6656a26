//! Slack: <https://docs.slack.dev/reference/methods/chat.postMessage>.

use super::{FileRules, IdForms, MB, PlatformRow, Tint, TwinRules, common, forms};
use crate::{
    Rate, Rates, Route,
    rates::{MINUTE, SECOND},
};
use foldback_wire::{
    Capabilities, EmojiForm, Markup, MessageFlag, MessageId, OpKind, Platform, ReplyForm, ReplyToForm,
};

/// Slack's Web API, with Socket Mode or Events.
pub const SLACK: Platform = Platform::new("slack");

pub(super) static ROW: PlatformRow = PlatformRow {
    platform: SLACK,
    name: "Slack",
    tint: Tint {
        hue: 345,
        chroma: 140,
    },
    about: "Slack Web API with Socket Mode or Events.",
    rates: RATES,
    counts_threads: false,
    threads_each_message: false,
    reads_threads: true,
    ids: IdForms {
        message: |id| {
            id.split_once('.').is_some_and(|(seconds, rest)| {
                forms::is_digits(seconds, 10) && rest.len() == 6 && forms::is_digits(rest, 6)
            })
        },
        person: misfit,
        chat: misfit,
        reply_to: ReplyToForm::default,
    },
    files: FileRules::ALL,
    twin: TwinRules {
        number: |at| forms::millis(at).saturating_mul(1_000),
        id: |number, _, _| MessageId::new(format!("{}.{:06}", number / 1_000_000, number % 1_000_000)),
        one_reaction: false,
        tells_time: true,
    },
    capabilities,
};

/// Ids of people and conversations: <https://docs.slack.dev/reference/objects/conversation-object>.
fn misfit(id: &str) -> Option<&'static str> {
    let fits = id.len() >= 2
        && id.starts_with(|c: char| c.is_ascii_uppercase())
        && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    (!fits).then_some("ids on Slack are capitals and digits, such as U07ALICE, never names")
}

fn capabilities() -> Capabilities {
    Capabilities {
        text_limit: 4_000,
        caption_limit: 4_000,
        react: Some(EmojiForm::Shortcode),
        reply: Some(ReplyForm::Thread),
        file_limit: Some(1_000 * MB),
        typing: false,
        markup: Markup::Mrkdwn,
        mention: Some("<@{id}>".into()),
        flags: vec![MessageFlag::Ephemeral, MessageFlag::SuppressEmbeds],
        ..common(SLACK)
    }
}

/// One message a second in a channel and "several hundred" a minute in a workspace, read as three hundred; other
/// methods by their tier: <https://docs.slack.dev/apis/web-api/rate-limits>. `chat.update`, `chat.delete` and
/// `reactions.add` are of tier 3 (50 a minute), the methods of an upload of tier 4 (100 a minute).
const RATES: Rates = Rates {
    chat: Some(Rate::of(1, SECOND, 1)),
    routes: &[
        Route {
            name: "chat.postMessage",
            kinds: &[OpKind::SendText],
            rate: Some(Rate::of(300, MINUTE, 20)),
        },
        Route {
            name: "chat.update",
            kinds: &[OpKind::EditText],
            rate: Some(Rate::of(50, MINUTE, 15)),
        },
        Route {
            name: "chat.delete",
            kinds: &[OpKind::Delete],
            rate: Some(Rate::of(50, MINUTE, 15)),
        },
        Route {
            name: "reactions.add",
            kinds: &[OpKind::React],
            rate: Some(Rate::of(50, MINUTE, 15)),
        },
        Route {
            name: "files.completeUploadExternal",
            kinds: &[OpKind::SendFile, OpKind::SendVoice],
            rate: Some(Rate::of(100, MINUTE, 20)),
        },
    ],
    ..Rates::NONE
};
