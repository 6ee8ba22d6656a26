//! What of an event a person should know at once, and what to do about it.

use foldback_wire::{
    ChannelState, Event, Kind, OpKind, OutcomeCode, PLANNED, RefusalCode, Terminal, UnreadablePart,
    rpc::{Alarm, AlarmKind},
};

/// An operation, at the beginning of a sentence.
pub(super) const fn words(kind: OpKind) -> &'static str {
    match kind {
        OpKind::SendText => "Text",
        OpKind::EditText => "Edit",
        OpKind::Delete => "Removal",
        OpKind::React => "Reaction",
        OpKind::SendFile => "File",
        OpKind::SendVoice => "Voice note",
        OpKind::Typing => "Typing",
    }
}

/// What a person should know at once.
pub(super) fn alarm(event: &Event) -> Option<Alarm> {
    let (kind, message) = match &event.kind {
        Kind::TurnEnded {
            terminal: Terminal::Failed { detail },
        } => (AlarmKind::Error, format!("A turn failed: {detail}")),
        Kind::Ended { op, outcome } if outcome.is_dead() => {
            let detail = outcome.detail.as_deref().unwrap_or(outcome.code.about());
            match outcome.code {
                OutcomeCode::Failed => (AlarmKind::Error, format!("Operation {op} failed: {detail}")),
                OutcomeCode::Unknown => (
                    AlarmKind::UnknownOutcome,
                    format!("Nobody knows whether operation {op} arrived: {detail}"),
                ),
                _ => return None,
            }
        }
        Kind::Undelivered { op, detail, .. } => (
            AlarmKind::Error,
            format!("Operation {op} did not arrive, although it was acknowledged: {detail}"),
        ),
        Kind::Unreadable(UnreadablePart {
            platform,
            what,
            error,
            ..
        }) => (
            AlarmKind::Error,
            format!("A {what} of {platform} could not be read and was not answered: {error}"),
        ),
        Kind::ChannelState {
            to: ChannelState::Down,
            why,
            ..
        } => {
            let channel = event.channel.as_ref()?;
            (AlarmKind::ChannelDown, format!("{channel} went down: {why}"))
        }
        _ => return None,
    };
    Some(Alarm {
        kind,
        message,
        seq: event.seq.0,
        turn: event.turn,
    })
}

/// What went wrong on a channel, and what to do about it.
pub(super) fn trouble(event: &Event) -> Option<(String, Option<String>)> {
    let hint = |text: &str| Some(text.to_owned());
    Some(match &event.kind {
        Kind::ChannelState {
            to: to @ (ChannelState::Down | ChannelState::Degraded),
            why,
            ..
        } => (format!("{to}: {why}"), hint(of_state(*to, why))),
        Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Failed && outcome.is_dead() => {
            let detail = outcome.detail.as_deref().unwrap_or("the platform refused");
            let hint = if is_planned(detail) {
                PLANNED_REMEDY
            } else {
                outcome.refusal.map_or(SEND_AGAIN, remedy)
            };
            (detail.to_owned(), Some(hint.to_owned()))
        }
        Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown && outcome.is_dead() => (
            outcome
                .detail
                .clone()
                .unwrap_or_else(|| outcome.code.about().to_owned()),
            hint("Look at the conversation on the platform; send it again by hand if it is missing."),
        ),
        Kind::Undelivered { refusal, detail, .. } => (
            format!("acknowledged, but it did not arrive: {detail}"),
            hint(remedy(*refusal)),
        ),
        Kind::Unreadable(UnreadablePart { what, error, raw, .. }) => (
            format!("a {what} could not be read: {error}"),
            hint(if raw.is_empty() {
                "Look at the conversation on the platform. With store.keep_unaddressed = true the event of the next one \
                 has the beginning of it, to report it with."
            } else {
                "Look at the conversation on the platform. Its event has how it begins: report it with that."
            }),
        ),
        Kind::Refused {
            refusal,
            detail,
            retry_at,
            ..
        } => {
            let next = match retry_at {
                Some(_) if is_planned(detail) => "A person planned this. It is tried again by itself.",
                Some(_) => "It is tried again by itself.",
                None if is_planned(detail) => PLANNED_REMEDY,
                None => remedy(*refusal),
            };
            (format!("{refusal}: {detail}"), hint(next))
        }
        _ => return None,
    })
}

/// What to do about a failure that a person planned.
const PLANNED_REMEDY: &str = "A person planned this: remove the fault from the deck to have it end.";
const SEND_AGAIN: &str = "Look at what the platform says; then send it again from the ledger.";

fn is_planned(detail: &str) -> bool {
    detail.ends_with(PLANNED)
}

fn of_state(state: ChannelState, why: &str) -> &'static str {
    if is_planned(why) {
        return PLANNED_REMEDY;
    }
    match state {
        ChannelState::Degraded => "It goes on trying; operations that fail are in the ledger.",
        _ if is_refused(why) => {
            "It is not tried again: mend what it says (`foldback doctor` checks it), then switch the channel off and on, \
             which reads its secrets anew. After a change of the configuration or the environment start Foldback again."
        }
        _ => "It tries again by itself.",
    }
}

/// Whether a channel is down for good: what ended it is told with its code, and only a passing one is tried again.
fn is_refused(why: &str) -> bool {
    let code = why
        .split_once(": ")
        .and_then(|(code, _)| RefusalCode::from_code(code));
    code.is_some_and(|code| code != RefusalCode::Transient)
}

const fn remedy(refusal: RefusalCode) -> &'static str {
    use RefusalCode as R;
    match refusal {
        R::Gone => "The message, file or chat does not exist any more; nothing can be done.",
        R::ChatGone => {
            "The chat is gone, closed, or hidden from the bot: open it to the bot again on the platform, then send it again \
             from the ledger."
        }
        R::Forbidden => {
            "Do what the platform says, or give the bot the right in that chat; then send it again from the ledger."
        }
        R::Unauthorized => {
            "Renew the token, or give it or its account the right that the platform names (`foldback doctor` checks it); \
             switch the channel off and on, which reads its secrets anew; then send it again from the ledger."
        }
        R::TooLong => "Lower the size limit in the configuration.",
        R::Unsupported => "Disable this operation for the channel.",
        R::RateLimited => {
            "The platform wants fewer operations: raise the edit interval, or send again later from the ledger."
        }
        R::Transient => "The platform or the way to it failed for a while; send it again from the ledger.",
        R::Rejected => SEND_AGAIN,
    }
}
