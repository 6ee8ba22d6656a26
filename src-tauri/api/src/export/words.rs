//! Words and figures that every form of export says alike.

use foldback_directives::{Fate, Range};
use foldback_wire::{Terminal, Timestamp, rpc::TurnSummary};

/// A duration for people: `631 ms`, `1.24 s`, `3 min 5 s`.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

/// A moment for people, in UTC to the second.
pub(super) fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    let (day, time) = text.split_once('T').unwrap_or((&text, ""));
    let time = time.get(..8).unwrap_or(time);
    format!("{day} {time} UTC")
}

/// The end of a turn as a sentence without its full stop: its `verdict` where its actions are its answer.
pub(super) fn ending(summary: &TurnSummary, verdict: Option<String>) -> String {
    match &summary.terminal {
        None if summary.queued => "waiting for the turn before it".to_owned(),
        None => "not over".to_owned(),
        Some(_) if summary.stopped => "stopped by a person".to_owned(),
        Some(terminal) => verdict.unwrap_or_else(|| terminal_words(terminal)),
    }
}

/// The end of a turn in words.
pub(super) fn terminal_words(terminal: &Terminal) -> String {
    match terminal {
        Terminal::Replied => "answered".to_owned(),
        Terminal::Silent { reason } => format!("no answer on purpose: {}", sentence(reason.about())),
        Terminal::Command { name } => format!("command {name} answered"),
        Terminal::DirectiveAck => "directives of the user stored".to_owned(),
        Terminal::Dropped => "dropped from the queue".to_owned(),
        Terminal::Summarised { into } => format!("went into a summary for turn {into}"),
        Terminal::Collected { into } => format!("answered together with turn {into}"),
        Terminal::Steered { into } => format!("went into turn {into} while it ran"),
        Terminal::Duplicate => "seen already".to_owned(),
        Terminal::Blocked { gate } => format!("stopped: {}", sentence(gate.about())),
        Terminal::Failed { detail } => format!("failed: {}", sentence(detail)),
        Terminal::Unknown { detail } => format!("unknown: {}", sentence(detail)),
    }
}

/// Words that go on: without the full stop at their end.
pub(super) fn sentence(text: &str) -> String {
    text.trim_end_matches('.').to_owned()
}

/// What became of bytes, in words.
pub(super) fn fate(range: &Range) -> String {
    let fate = match range.fate {
        Fate::Show => "shown",
        Fate::Strip => "stripped",
        Fate::Drop => "dropped",
    };
    match range.reason {
        None => fate.to_owned(),
        Some(reason) => format!("{fate} ({reason})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_that_people_read() {
        let told: Vec<_> = [0, 999, 1_240, 59_999, 185_000, 7_260_000].map(duration).into();
        assert_eq!(
            told,
            ["0 ms", "999 ms", "1.24 s", "59.99 s", "3 min 5 s", "2 h 1 min"]
        );
    }

    #[test]
    fn a_moment_is_told_to_the_second() {
        assert_eq!(moment(Timestamp(1_800_000_000_631)), "2027-01-15 08:00:00 UTC");
    }
}
