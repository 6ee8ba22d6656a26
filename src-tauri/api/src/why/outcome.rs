//! The words of what became of an operation or a directive.

use foldback_wire::{OpKind, Outcome, OutcomeCode};

/// An outcome with its explanation.
pub(super) fn explained(outcome: &Outcome) -> String {
    match &outcome.detail {
        Some(detail) => format!("{}, {detail}", outcome.code),
        None => outcome.code.about().to_owned(),
    }
}

/// A sentence about an operation that has ended.
pub(super) fn ended_in_words(kind: OpKind, outcome: &Outcome) -> String {
    let what = noun(kind);
    let (sentence, usual) = match outcome.code {
        OutcomeCode::Sent => (format!("{what} was delivered"), None),
        OutcomeCode::Unchanged => (format!("{what} changed nothing on the platform"), None),
        OutcomeCode::DryRun => (
            "dry run".to_owned(),
            Some("everything happened except the call of the platform"),
        ),
        OutcomeCode::Unsupported => (format!("{what} was skipped"), Some("the channel cannot do it")),
        OutcomeCode::NotAllowed => (
            format!("{what} was not sent"),
            Some("the settings do not allow it"),
        ),
        OutcomeCode::Missing => (format!("{what} was not sent"), Some("there is no such file")),
        OutcomeCode::Failed => (
            format!("{what} failed"),
            Some("the platform refused it, or it failed too often"),
        ),
        OutcomeCode::Unknown => (
            format!("{what} may have arrived or not"),
            Some("no outcome of the call is known; only a person sends it again"),
        ),
        OutcomeCode::Cancelled => (
            format!("{what} was not sent"),
            Some("it was superfluous before its turn came"),
        ),
    };
    match outcome.detail.as_deref().or(usual) {
        Some(detail) => format!("{sentence}: {detail}"),
        None => sentence,
    }
}

pub(super) fn noun(kind: OpKind) -> &'static str {
    match kind {
        OpKind::SendText => "the message",
        OpKind::EditText => "the edit",
        OpKind::Delete => "the removal",
        OpKind::React => "the reaction",
        OpKind::SendFile => "the file",
        OpKind::SendVoice => "the voice note",
        OpKind::Typing => "typing",
    }
}
