//! Why a message passed a stage or was stopped.

use super::{Explanation, bytes};
use foldback_wire::{
    DirectiveScope, FileFate, InlineDirectives, Kind, Stage, Understanding, UnderstoodFile, visible,
};

pub(super) const GOES_ON: &str = "The message goes on to the next stage; the user sees nothing of it.";

/// What is to be said of a decision on a message's way to the agent.
pub(super) fn explain(kind: &Kind) -> Option<Explanation> {
    Some(match kind {
        Kind::Received { message } => of(
            Stage::Finalize,
            "The turn begins. The chat shows the user's message.",
        )
        .with("sender", visible(message.sender.readable_name()))
        .with("chat", &message.chat)
        .with("message", &message.message)
        .with("text", bytes(message.text.len()))
        .with_known("files", Some(message.files.len()).filter(|files| *files > 0)),
        Kind::Passed { stage, detail } => of(*stage, GOES_ON).with("found", detail),
        Kind::Stopping {
            gate, detail, inputs, ..
        } => {
            let effect = "The message ends here. The agent never sees it, so that it gives no answer.";
            let told = Explanation::new(gate.code(), gate.about(), effect).with("found", detail);
            inputs
                .iter()
                .fold(told, |told, (name, value)| told.with(name, value))
        }
        Kind::Gathered {
            name,
            media_type,
            bytes: size,
            fate,
            why,
            ..
        } => file(*fate)
            .with("file", visible(name))
            .with("type", visible(media_type))
            .with_known("size", size.map(bytes))
            .with("why", why),
        Kind::Understood(understood) => understanding(understood),
        Kind::InlineDirectives(read) => inline(read),
        Kind::Command { name, arguments } => of(
            Stage::Commands,
            "Foldback answers the message itself. The agent never sees it.",
        )
        .with("command", format_args!("/{name}"))
        .with("arguments", visible(arguments)),
        Kind::SettingsChanged { changes, by } => {
            let told = of(
                Stage::Session,
                "The settings count from the next turn of the session.",
            );
            changes.iter().fold(told.with("by", by), |told, change| {
                told.with(&change.setting, change.to.as_deref().unwrap_or("cleared"))
            })
        }
        Kind::SettingsResolved { settings } => {
            let told = of(
                Stage::Prepare,
                "These settings count for this turn, each with where it comes from.",
            );
            settings.iter().fold(told, |told, setting| {
                told.with(
                    &setting.setting,
                    format_args!("{} ({})", setting.value, setting.source),
                )
            })
        }
        Kind::Prepared { prompt } => of(
            Stage::Prepare,
            "The agent is asked with this prompt. The user sees nothing of it.",
        )
        .with("prompt", bytes(prompt.len())),
        _ => return None,
    })
}

fn inline(read: &InlineDirectives) -> Explanation {
    let effect = match read.scope {
        DirectiveScope::Turn => "They count for this turn. The agent is given the text without them.",
        DirectiveScope::Session => "They are stored on the session and acknowledged. The agent is not asked.",
        DirectiveScope::Refused => "None counts. The agent is given the text as it was written.",
        DirectiveScope::Invalid => "None counts, and the user is told why. The agent is not asked.",
    };
    let told = Explanation::new(read.scope.code(), read.scope.about(), effect);
    let told = read.directives.iter().fold(told, |told, directive| {
        told.with(&format!("/{}", directive.name), &directive.value)
    });
    told.with("found", read.findings.join("; "))
}

pub(super) fn of(stage: Stage, effect: &str) -> Explanation {
    Explanation::new(stage.code(), stage.about(), effect)
}

fn file(fate: FileFate) -> Explanation {
    let effect = if fate.reached() {
        "The agent knows what is in the file."
    } else {
        "The agent does not know what is in the file."
    };
    Explanation::new(fate.code(), fate.about(), effect)
}

fn understanding(file: &UnderstoodFile) -> Explanation {
    let effect = if file.text.is_some() {
        "The agent is given it, as untrusted data. None of it is read for directives or commands."
    } else {
        "The agent is told that this is not known of the file."
    };
    let setting = match file.how {
        Understanding::Transcript => "transcription.backend",
        Understanding::Description => "attachments.descriptions.enabled",
        Understanding::Text => "attachments.documents.enabled",
    };
    let size = file.text.as_ref().map(|text| {
        let given = bytes(text.len());
        if file.cut {
            format!("{given} of {}", bytes(file.bytes))
        } else {
            given
        }
    });
    Explanation::new(file.how.code(), file.how.about(), effect)
        .with("file", visible(&file.name))
        .with("by", &file.by)
        .with("took", format_args!("{} ms", file.took_ms))
        .with_known("text", size)
        .with("why", visible(&file.why))
        .with("setting", setting)
}
