//! Messages that wait, or that come into the run of another turn, in words.

use super::words::{lasting, said};
use foldback_wire::{JoinKind, Kind, ReadThread, messages_wait};

/// The words of an event about the queue; empty for any other.
pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::Queued {
            needs_consent: true, ..
        } => "waits for a person: it waited over a stop for longer than outbox.max_age".into(),
        Kind::Queued { position, runs, .. } => queued(*position, *runs),
        Kind::NotSteered {
            running: Some(turn),
            why,
        } => said(format_args!("not given to turn {turn}, waits"), why),
        Kind::NotSteered { running: None, why } => said("waits for a run of its own", why),
        Kind::Evicted { cap, setting, .. } => {
            format!(
                "only summarised for the agent: {} already ({setting})",
                messages_wait(*cap)
            )
        }
        Kind::Joined { into, how } => match how {
            JoinKind::Steered => format!("given to the agent of turn {into}, which was running"),
            JoinKind::SteeredToo => {
                format!("given to the agent of turn {into}, which was running; waits for its own run too")
            }
            JoinKind::Collected => format!("answered together with turn {into}"),
            JoinKind::Summarised => format!("summarised for turn {into}"),
        },
        Kind::TakenIn {
            turn,
            how,
            sender,
            text,
            ..
        } => {
            let way = match how {
                JoinKind::Steered | JoinKind::SteeredToo => "while it ran",
                JoinKind::Collected => "with it",
                JoinKind::Summarised => "in a summary",
            };
            said(
                format_args!("turn {turn} came in {way}"),
                &format!("{sender}: {text}"),
            )
        }
        Kind::GroupHistory { messages } => {
            let (first, more) = (messages.first(), messages.len().saturating_sub(1));
            let first = first.map_or_else(String::new, |first| format!("{}: {}", first.sender, first.text));
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and {more} more")
            };
            said(format_args!("what was said in the group before{more}"), &first)
        }
        Kind::ThreadRead(read) => thread_in_words(read),
        Kind::RunAgain { of, by } => format!("the message of turn {of} again, by {by}"),
        Kind::LinkRead { link, text, why, .. } => {
            let outcome = if text.is_some() { "read" } else { "not read" };
            said(format_args!("{link}: {outcome}"), text.as_ref().unwrap_or(why))
        }
        Kind::Dequeued { waited_ms } => format!("begins after {} in the queue", lasting(*waited_ms)),
        _ => String::new(),
    }
}

/// What was read of a thread: how much, and the first words of it.
fn thread_in_words(ReadThread { thread, left_out }: &ReadThread) -> String {
    let number = match thread.recent.len() {
        0 if thread.starter.is_none() => "no message".to_owned(),
        0 => "its first message".to_owned(),
        1 => "1 message".to_owned(),
        number => format!("{number} messages"),
    };
    let left_out = match left_out {
        0 => String::new(),
        number => format!(", {number} left out"),
    };
    let first = thread.starter.as_ref().or(thread.recent.first());
    let first = first.map_or_else(String::new, |first| match &first.sender {
        Some(sender) => format!("{sender}: {}", first.text),
        None => first.text.clone(),
    });
    said(format_args!("read the thread: {number}{left_out}"), &first)
}

/// A place in a queue, where it waits for one of so many runs to end.
fn queued(position: u32, runs: Option<u32>) -> String {
    let place = format!("waits at place {position}");
    match runs {
        None => place,
        Some(1) => format!("{place}: 1 run is under way, as many as agent.max_runs allows"),
        Some(runs) => format!("{place}: {runs} runs are under way, as many as agent.max_runs allows"),
    }
}
