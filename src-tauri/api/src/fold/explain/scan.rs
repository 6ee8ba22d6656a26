//! Why the scanner showed, took out, held or reported something.

use super::{Explanation, Scene, quoted};
use foldback_directives::{RangeReason, Rule};
use foldback_wire::{Directive, Fate, Header, Hold, Kind, Range, Severity, rpc::MessageDetail};

/// What is to be said of a decision about the agent's output, made `at_ms` after the turn began.
pub(super) fn explain(kind: &Kind, at_ms: u64, scene: &Scene<'_>) -> Option<Explanation> {
    Some(match kind {
        Kind::Decided { message, range } => {
            let detail = scene.messages.get(*message);
            let raw = detail.and_then(|detail| detail.raw.get(range.span.start..range.span.end));
            let told = decided(range, raw.unwrap_or_default());
            told.with_known(
                "held before",
                detail.and_then(|detail| held_before(detail, range, at_ms)),
            )
        }
        Kind::Held { hold, .. } => held(hold),
        Kind::Suppressed { reason, .. } => {
            let effect = "Nothing of this message is shown; its directives are carried out.";
            Explanation::new(reason.code(), reason.about(), effect)
        }
        Kind::Directive { directive, .. } => read(directive),
        Kind::HeaderRead { header, .. } => keys(header),
        Kind::Action { action, outcome, .. } => {
            let outcome = outcome.as_ref();
            let about = outcome.map_or(
                "It is carried out once the run has ended, where it may be.",
                |outcome| outcome.code.about(),
            );
            let effect = format!("{about} The JSON is not shown.");
            let rule = Rule::JsonActions;
            Explanation::new(rule.code(), rule.about(), effect)
                .with("type", &action.kind)
                .with("payload", &action.payload)
                .with_known("outcome", outcome.map(|outcome| outcome.code))
                .with_known("why", outcome.and_then(|outcome| outcome.detail.as_ref()))
        }
        Kind::Diagnosed { diagnostic, .. } => {
            let effect = match diagnostic.severity {
                Severity::Error => "A finding. What it names does not do what the agent wanted.",
                Severity::Warning | Severity::Note => "A finding. It changes nothing by itself.",
            };
            let fix = diagnostic.fix.as_ref();
            Explanation::new(diagnostic.code.code(), diagnostic.code.explain(), effect)
                .with("found", &diagnostic.message)
                .with("severity", diagnostic.severity)
                .with_known("fix", fix.map(|fix| format!("{}: {}", fix.title, fix.text)))
        }
        _ => return None,
    })
}

/// How long the first byte of a range was held before it was decided, and why.
fn held_before(detail: &MessageDetail, range: &Range, at_ms: u64) -> Option<String> {
    let covers = |start, end| start < range.span.end && range.span.start < end;
    let hold = detail.holds.iter().rev().find(|hold| {
        covers(hold.hold.span.start, hold.hold.span.end) && hold.until_ms.is_none_or(|until| until >= at_ms)
    })?;
    Some(format!(
        "{} ms, {}",
        at_ms.saturating_sub(hold.from_ms),
        hold.hold.reason
    ))
}

fn decided(range: &Range, raw: &str) -> Explanation {
    let (code, about) = range.reason.map_or(
        ("text", "Text that is no markup is shown as the agent wrote it."),
        |reason| (reason.code(), reason.about()),
    );
    let effect = match (range.fate, range.reason, &range.shown_as) {
        (Fate::Show, Some(RangeReason::Redacted), Some(mask)) if mask.is_empty() => {
            "The secret goes on; nothing more is shown for it.".to_owned()
        }
        (Fate::Show, Some(RangeReason::Redacted), Some(mask)) => {
            format!("The user sees {} in place of the secret.", quoted(mask))
        }
        (Fate::Show, _, Some(_)) => "White space is shown in place of what was taken out.".to_owned(),
        (Fate::Show, ..) if raw.trim().is_empty() => "The white space goes to delivery.".to_owned(),
        (Fate::Show, ..) => format!(
            "{} goes to delivery; the user sees it once that is done.",
            quoted(raw)
        ),
        (Fate::Strip, ..) => "Taken out: the user never sees these bytes.".to_owned(),
        (Fate::Drop, ..) => "Dropped: the user never sees these bytes.".to_owned(),
    };
    Explanation::new(code, about, effect)
        .with("fate", range.fate)
        .with_known("reason", range.reason.map(RangeReason::code))
}

fn held(hold: &Hold) -> Explanation {
    let about = Rule::from_code(&hold.rule).map_or(hold.reason.about(), Rule::about);
    let effect = format!(
        "The user does not see these bytes. What releases them: {}",
        hold.releases
    );
    Explanation::new(&hold.rule, about, effect)
        .with("reason", hold.reason)
        .with("because", &hold.because)
}

fn read(directive: &Directive) -> Explanation {
    let rule = Rule::RunsAtOnce;
    let told =
        |effect: &str| Explanation::new(rule.code(), rule.about(), effect).with("directive", directive.tag());
    match directive {
        Directive::React { emoji, message, .. } => told("A reaction is put on the message.")
            .with("emoji", emoji)
            .with(
                "message",
                message.as_deref().unwrap_or("the one that began the turn"),
            ),
        Directive::SendFile {
            path,
            caption,
            kind,
            channel,
            chat,
            ..
        } => told("The file is sent, where the settings allow it.")
            .with("path", path)
            .with("kind", kind)
            .with_known("caption", caption.as_ref())
            .with_known("channel", channel.as_ref())
            .with_known("chat", chat.as_ref()),
        Directive::Voice { text, .. } => {
            told("The words are spoken and sent as a voice note.").with("text", text)
        }
        Directive::SendMessage {
            channel, chat, text, ..
        } => told("The text is sent to another chat, where the settings allow it.")
            .with("channel", channel)
            .with("chat", chat)
            .with("text", text),
    }
}

fn keys(header: &Header) -> Explanation {
    let rule = Rule::HeaderForm;
    let effect = if header.reply_to.is_some() || header.reply_to_current == Some(true) {
        "The first message is sent as a reply. The header is not shown."
    } else {
        "The messages are sent as it says. The header is not shown."
    };
    Explanation::new(rule.code(), rule.about(), effect)
        .with_known("reply_to", header.reply_to.as_ref())
        .with_known("ephemeral", header.ephemeral)
        .with_known("suppress_embeds", header.suppress_embeds)
        .with_known("silent", header.silent)
        .with_known("reply_to_current", header.reply_to_current)
        .with_known("audio_as_voice", header.audio_as_voice)
}
