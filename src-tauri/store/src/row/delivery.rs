//! The words of a delivery's events.

use super::words::{bytes, clock, ended, said};
use crate::kind as kinds;
use foldback_wire::{Body, HoldReason, Intent, Kind, Timestamp};
use std::fmt::Write as _;

/// The words of what a delivery does.
pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::Intended { op, intent } => format!("op {op} {}", intended(intent)),
        Kind::Waiting { op, reason, until } => waiting(op.map(|op| op.0), *reason, *until),
        Kind::Truncated {
            messages,
            bytes,
            stopped,
            file,
            detail,
            ..
        } => {
            let stop = if *stopped { "; the run was stopped" } else { "" };
            let kept = format!("{bytes} bytes beyond the {messages} messages of the turn");
            // Its folder is for this one file, with a name that tells nothing.
            let name = file.as_ref().map(|file| file.rsplit('/').next().unwrap_or(file));
            match (name, detail) {
                (Some(name), _) => format!("{kept} are sent as {name}{stop}"),
                (None, Some(why)) => format!("{kept} are not sent: {why}{stop}"),
                (None, None) => format!("{kept} are not sent{stop}"),
            }
        }
        Kind::Attempted { op, attempt } => format!("op {op} → platform, attempt {attempt}"),
        Kind::Refused {
            op,
            refusal,
            detail,
            retry_at,
        } => {
            let again = retry_at
                .map(|at| format!("; again at {}", clock(at)))
                .unwrap_or_default();
            format!("op {op} {}{again}", said(refusal, detail))
        }
        Kind::Ended { op, outcome } => format!("op {op} {}", ended(outcome)),
        Kind::Undelivered {
            op, refusal, detail, ..
        } => format!("op {op} did not arrive: {}", said(refusal, detail)),
        Kind::Receipt {
            op, receipt, when, ..
        } => format!("op {op} {receipt} at {}", clock(*when)),
        Kind::Leaked { op, message, span } => format!("op {op} showed {} of message {message}", bytes(*span)),
        other => kinds::code(other).replace('_', " "),
    }
}

fn intended(intent: &Intent) -> String {
    let mut words = format!("{} to {}", intent.kind, intent.target.chat);
    let about = [&intent.emoji, &intent.path].into_iter().flatten();
    for thing in about {
        let _ = write!(words, " {thing}");
    }
    match &intent.body {
        Some(Body::Literal { text, .. } | Body::Aside { text }) => {
            let _ = write!(words, ": {text}");
        }
        Some(Body::Clean { message, span }) => {
            let _ = write!(words, ": text {} of message {message}", bytes(*span));
        }
        None => {}
    }
    if let Some(block) = intent.block {
        let _ = write!(words, " (block {block})");
    }
    if intent.live {
        words.push_str(" (streaming)");
    }
    words
}

fn waiting(op: Option<u64>, reason: HoldReason, until: Option<Timestamp>) -> String {
    use HoldReason as H;
    let op = op.map(|op| format!("op {op}: ")).unwrap_or_default();
    let what = match reason {
        H::EditInterval => match until {
            Some(at) => {
                return format!(
                    "{op}next edit at {} (edit_interval: pause between edits)",
                    clock(at)
                );
            }
            None => "waiting for the next edit (edit_interval: pause between edits)".to_owned(),
        },
        H::ChannelCannotEdit => "waiting for the whole text (channel_cannot_edit)".to_owned(),
        H::RateLimited => "waiting as the platform asked (rate_limited)".to_owned(),
        H::ChannelOff => "waiting for the channel (channel_off: off, muted or not connected)".to_owned(),
        H::HumanDelay => "pause between messages (human_delay)".to_owned(),
        H::Debounce => "waiting for more messages (debounce)".to_owned(),
        other => format!("waiting: {other}"),
    };
    let until = until
        .map(|at| format!(", until {}", clock(at)))
        .unwrap_or_default();
    format!("{op}{what}{until}")
}
