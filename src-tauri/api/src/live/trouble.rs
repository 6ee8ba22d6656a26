//! What of an event a person should know at once, and what to do about it.

use foldback_wire::{
    ChannelState, Event, Kind, OpKind, OutcomeCode, RefusalCode, Terminal,
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
        Kind::Ended { op, outcome } => {
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
        } => (
            format!("{to}: {why}"),
            hint("It tries again by itself; `foldback doctor` checks its settings."),
        ),
        Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Failed => {
            let detail = outcome.detail.as_deref().unwrap_or("the platform refused");
            (
                detail.to_owned(),
                outcome.refusal.and_then(remedy).map(str::to_owned),
            )
        }
        Kind::Ended { outcome, .. } if outcome.code == OutcomeCode::Unknown => (
            outcome
                .detail
                .clone()
                .unwrap_or_else(|| outcome.code.about().to_owned()),
            hint("Look at the conversation on the platform; send it again by hand if it is missing."),
        ),
        Kind::Refused { refusal, detail, .. } => (format!("{refusal}: {detail}"), None),
        _ => return None,
    })
}

const fn remedy(refusal: RefusalCode) -> Option<&'static str> {
    use RefusalCode as R;
    match refusal {
        R::Gone => Some("The chat or message does not exist any more; nothing can be done."),
        R::Forbidden => Some("Give the bot the right to do this in that chat."),
        R::TooLong => Some("Lower the size limit in the configuration."),
        R::Unsupported => Some("Disable this operation for the channel."),
        R::RateLimited | R::Transient | R::Rejected => None,
    }
}
