//! Why a message waited, joined another or gave way to one.

use super::{
    Explanation, bytes,
    gate::{GOES_ON, of},
};
use foldback_wire::{Kind, ReadThread, Stage, visible};

/// Explains a decision of the queue.
pub(super) fn explain(kind: &Kind) -> Option<Explanation> {
    Some(match kind {
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
        Kind::Evicted { cap, .. } => of(
            Stage::Queue,
            "The agent is given a summary of the message with the next one that runs.",
        )
        .with("most that wait", cap),
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
        Kind::RunAgain { of: turn, by } => Explanation::new(
            "run_again",
            "A person has the message run again.",
            "It goes through all gates but those of age and of too many messages.",
        )
        .with("turn", turn)
        .with("by", by),
        Kind::LinkRead {
            link,
            text,
            bytes: size,
            why,
        } => of(
            Stage::Prepare,
            if text.is_some() {
                "The agent is given its text, as untrusted data."
            } else {
                "The agent is told that it was not read."
            },
        )
        .with("link", visible(link))
        .with_known("text", text.as_ref().map(|_| bytes(*size as usize)))
        .with_known("why", Some(why).filter(|why| !why.is_empty()))
        .with("setting", "links.mode"),
        Kind::GroupHistory { messages } => {
            of(Stage::Prepare, "The agent is given them once, as untrusted data.")
                .with("messages", messages.len())
                .with(
                    "text",
                    bytes(messages.iter().map(|message| message.text.len()).sum::<usize>()),
                )
        }
        Kind::ThreadRead(ReadThread { thread, left_out }) => {
            of(Stage::Prepare, "The agent is given it once, as untrusted data.")
                .with("messages", thread.recent.len())
                .with("text", bytes(thread.texts().map(str::len).sum::<usize>()))
                .with_known("left_out", Some(left_out).filter(|number| **number > 0))
                .with("setting", "channels.NAME.thread_history")
        }
        Kind::Dequeued { waited_ms } => {
            of(Stage::Queue, GOES_ON).with("waited", format_args!("{waited_ms} ms"))
        }
        _ => return None,
    })
}
