//! Why a message passed a stage, waited or was stopped.

use super::{Explanation, bytes};
use foldback_wire::{DirectiveScope, FileFate, InlineDirectives, Kind, Stage, visible};

const GOES_ON: &str = "The message goes on to the next stage; the user sees nothing of it.";

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
            gate,
            detail,
            inputs,
            setting,
            ..
        } => {
            let effect = "The message ends here. The agent never sees it, so that it gives no answer.";
            let told = Explanation::new(gate.code(), gate.about(), effect).with("found", detail);
            let told = inputs
                .iter()
                .fold(told, |told, (name, value)| told.with(name, value));
            told.with_known("setting", setting.as_ref())
        }
        Kind::Queued {
            position,
            runs,
            needs_consent,
        } => {
            let effect = if *needs_consent {
                "The agent is asked only when a person lets the message go on."
            } else {
                "The agent is asked later. The user waits."
            };
            of(Stage::Queue, effect)
                .with("place", position)
                .with_known("runs under way", runs.as_ref())
        }
        Kind::NotSteered { running, why } => of(
            Stage::Queue,
            "The agent that runs is not given the message. The message has a run of its own.",
        )
        .with_known("running turn", running.as_ref())
        .with("why", why),
        Kind::Evicted { cap, setting } => of(
            Stage::Queue,
            "The agent is given a summary of the message with the next one that runs.",
        )
        .with("most that wait", cap)
        .with("setting", setting),
        Kind::Joined { into, how } => {
            Explanation::new(how.code(), how.about(), "The answer is that of the other turn.")
                .with("turn", into)
        }
        Kind::TakenIn {
            turn,
            how,
            sender,
            text,
            ..
        } => Explanation::new(how.code(), how.about(), "The agent answers this message, too.")
            .with("turn", turn)
            .with("sender", visible(sender))
            .with("text", bytes(text.len())),
        Kind::GroupHistory { messages } => of(
            Stage::Prepare,
            "The agent is given them once, as data that nobody vouches for.",
        )
        .with("messages", messages.len())
        .with(
            "text",
            bytes(messages.iter().map(|message| message.text.len()).sum::<usize>()),
        ),
        Kind::Dequeued { waited_ms } => {
            of(Stage::Queue, GOES_ON).with("waited", format_args!("{waited_ms} ms"))
        }
        Kind::Gathered {
            name,
            media_type,
            bytes: size,
            fate,
            why,
            setting,
            ..
        } => file(*fate)
            .with("file", visible(name))
            .with("type", visible(media_type))
            .with_known("size", size.map(bytes))
            .with("why", why)
            .with_known("setting", setting.as_ref()),
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
                "These settings count for this turn, before the configuration's.",
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
        .with_known("setting", read.setting.as_ref())
}

fn of(stage: Stage, effect: &str) -> Explanation {
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
