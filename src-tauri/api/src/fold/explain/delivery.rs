//! What delivery intended, waited for and did, and what the chat shows then.

use super::{Explanation, Scene, agent::planned, bytes, quoted};
use foldback_wire::{
    HoldReason, Kind, OpId, OpKind, Outcome, OutcomeCode, SpokenDirective, Stage, rpc::LedgerEntry,
};

/// What is to be said of a decision of delivery.
pub(super) fn explain(kind: &Kind, scene: &Scene<'_>) -> Option<Explanation> {
    Some(match kind {
        Kind::Skipped { outcome, .. } => {
            let effect = "The directive is not carried out; the user sees nothing of it.";
            Explanation::new(outcome.code.code(), outcome.code.about(), effect)
                .with_known("why", outcome.detail.as_ref())
        }
        Kind::Spoken(SpokenDirective {
            backend,
            duration_ms,
            bytes: size,
            ..
        }) => of(Stage::Dispatch, "The voice note is ready to be sent.")
            .with("backend", backend)
            .with("plays for", format_args!("{duration_ms} ms"))
            .with("size", bytes(size)),
        Kind::Intended { op, intent } => {
            let text = scene.entry(*op).and_then(|entry| entry.text.clone());
            of(
                Stage::Dispatch,
                "Nothing is in the chat yet: the platform was not called.",
            )
            .with("operation", format_args!("{op} {}", intent.kind))
            .with_known("channel", intent.channel.as_ref())
            .with("chat", &intent.target.chat)
            .with_known("message", intent.message.as_ref())
            .with_known("in reply to", intent.reply_to.as_ref())
            .with_known("text", text)
            .with_known("path", intent.path.as_ref())
            .with_known("emoji", intent.emoji.as_ref())
        }
        Kind::Waiting { op, reason, until } => {
            let effect = "The user waits: nothing changes in the chat.";
            let setting = (*reason == HoldReason::Debounce).then_some("channels.NAME.debounce");
            Explanation::new(reason.code(), reason.about(), effect)
                .with_known("setting", setting)
                .with_known("operation", op.map(|op| scene.named(op)))
                .with_known("until", until.as_ref())
        }
        Kind::Attempted { op, attempt } => of(
            Stage::Deliver,
            "The platform is called; the chat changes once it answers.",
        )
        .with("operation", scene.named(*op))
        .with("attempt", attempt),
        Kind::Faulted {
            number,
            op: Some(op),
            fault,
        } => planned(
            *number,
            fault,
            "What becomes of the call is the planned fault's work.",
        )
        .with("operation", scene.named(*op)),
        Kind::Refused {
            op,
            refusal,
            detail,
            retry_at,
        } => {
            let effect = "Nothing changes in the chat; the call is made again.";
            Explanation::new(refusal.code(), refusal.about(), effect)
                .with("operation", scene.named(*op))
                .with("why", detail)
                .with_known("again at", retry_at.as_ref())
        }
        Kind::Ended { op, outcome } => {
            let effect = scene
                .entry(*op)
                .map_or_else(String::new, |entry| shows(entry, outcome));
            Explanation::new(outcome.code.code(), outcome.code.about(), effect)
                .with("operation", scene.named(*op))
                .with_known("message", outcome.message.as_ref())
                .with_known(
                    "attempts",
                    Some(outcome.attempts).filter(|attempts| *attempts > 1),
                )
                .with_known("why", outcome.detail.as_ref())
                .with_known("in its place", outcome.replaced_by.map(|op| scene.named(op)))
        }
        _ => return known_later(kind, scene),
    })
}

/// What is to be said of what became known after an operation or a run.
fn known_later(kind: &Kind, scene: &Scene<'_>) -> Option<Explanation> {
    Some(match kind {
        Kind::Undelivered {
            op, refusal, detail, ..
        } => {
            let effect = "The user never saw it, though the platform had acknowledged it.";
            Explanation::new(refusal.code(), refusal.about(), effect)
                .with("operation", scene.named(*op))
                .with("why", detail)
        }
        Kind::Receipt {
            op, receipt, when, ..
        } => Explanation::new(receipt.code(), receipt.about(), "Nothing changes in the chat.")
            .with("operation", scene.named(*op))
            .with("at", when),
        Kind::Truncated {
            messages,
            bytes: size,
            file,
            detail,
            ..
        } => {
            let effect = match file {
                Some(_) => "The user gets the rest as a file.",
                None => "The user does not get the rest.",
            };
            let about = "An answer has at most so many messages.";
            Explanation::new("output.max_messages", about, effect)
                .with("messages", messages)
                .with("kept back", bytes(size))
                .with_known("file", file.as_ref())
                .with_known("why", detail.as_ref())
        }
        Kind::Leaked { op, .. } => {
            let about = "Bytes of a directive are never to reach a channel.";
            Explanation::new("leak", about, "The user saw these bytes of a directive.")
                .with("operation", scene.named(*op))
        }
        Kind::Reviewed { by } => of(Stage::Deliver, "Nothing changes in the chat.").with("looked at by", by),
        Kind::Warned { detail } => of(Stage::Deliver, "Nothing else changes.").with("found", detail),
        _ => return None,
    })
}

fn of(stage: Stage, effect: &str) -> Explanation {
    Explanation::new(stage.code(), stage.about(), effect)
}

impl Scene<'_> {
    fn entry(&self, op: OpId) -> Option<&LedgerEntry> {
        self.ledger.iter().find(|entry| entry.op == op)
    }

    fn named(&self, op: OpId) -> String {
        match self.entry(op) {
            Some(entry) => format!("{op} {}", entry.intent.kind),
            None => op.to_string(),
        }
    }
}

/// What a person sees once an operation has ended.
fn shows(entry: &LedgerEntry, outcome: &Outcome) -> String {
    let text = || quoted(entry.text.as_deref().unwrap_or_default());
    let done = match entry.intent.kind {
        OpKind::SendText => format!("a new message, {}", text()),
        OpKind::EditText => format!("the message with its new text, {}", text()),
        OpKind::Delete => "no longer the message".to_owned(),
        OpKind::React => format!(
            "{} on the message",
            entry.intent.emoji.as_deref().unwrap_or("a reaction")
        ),
        OpKind::SendFile => format!("the file {}", entry.intent.path.as_deref().unwrap_or_default()),
        OpKind::SendVoice => "a voice note".to_owned(),
        OpKind::Typing => "that an answer is being written".to_owned(),
    };
    match outcome.code {
        OutcomeCode::Sent => format!("The chat shows {done}."),
        OutcomeCode::Unchanged => "Nothing changes in the chat: it was so already.".to_owned(),
        OutcomeCode::DryRun => format!("A dry run: nothing reached the chat. It would show {done}."),
        OutcomeCode::Unknown => format!("It is not known whether the chat shows {done}."),
        OutcomeCode::Cancelled => "Nothing changes in the chat: it was not needed any more.".to_owned(),
        OutcomeCode::Unsupported | OutcomeCode::NotAllowed | OutcomeCode::Missing | OutcomeCode::Failed => {
            "Nothing changes in the chat.".to_owned()
        }
    }
}
