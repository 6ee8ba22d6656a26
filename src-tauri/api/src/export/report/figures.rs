//! How long things took: latencies and holds, with their percentiles.

use super::{super::words::duration, Section};
use foldback_store::EventDuration;
use foldback_wire::{Event, Kind, OpId, OpKind, OutcomeCode, RunId, Seq, Timestamp, TurnId};
use std::collections::{BTreeMap, HashMap};

const COLUMNS: &[&str] = &[
    "What",
    "Count",
    "Half within",
    "90 % within",
    "99 % within",
    "Longest",
];

/// Durations in milliseconds so far.
#[derive(Default)]
pub(super) struct Figures {
    begun: HashMap<TurnId, Timestamp>,
    unseen: HashMap<TurnId, Timestamp>,
    runs: HashMap<(Option<TurnId>, RunId), Timestamp>,
    texts: HashMap<OpId, Timestamp>,
    latencies: BTreeMap<&'static str, Vec<u64>>,
    holds: BTreeMap<String, Vec<u64>>,
}

impl Figures {
    /// `lasted` has what the journal knows of holds and waits near this event, in the order of their places.
    pub(super) fn see(&mut self, event: &Event, lasted: &[EventDuration]) {
        match &event.kind {
            Kind::Received { .. } => {
                if let Some(turn) = event.turn {
                    self.begun.insert(turn, event.at);
                    self.unseen.insert(turn, event.at);
                }
            }
            Kind::RunStarted { run, .. } => {
                self.runs.insert((event.turn, *run), event.at);
            }
            Kind::RunEnded { run, .. } => {
                let begun = self.runs.remove(&(event.turn, *run));
                self.took("Agent run", begun, event.at);
            }
            Kind::Intended { op, intent } if intent.kind == OpKind::SendText => {
                self.texts.insert(*op, event.at);
            }
            Kind::Ended { op, outcome } => {
                let Some(intended) = self.texts.remove(op) else {
                    return;
                };
                if matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::DryRun) {
                    self.took("Sending a text", Some(intended), event.at);
                    let begun = event.turn.and_then(|turn| self.unseen.remove(&turn));
                    self.took("First text in the chat", begun, event.at);
                }
            }
            Kind::TurnEnded { .. } => {
                let begun = event.turn.and_then(|turn| self.begun.remove(&turn));
                self.took("Whole turn", begun, event.at);
                if let Some(turn) = event.turn {
                    self.unseen.remove(&turn);
                }
            }
            Kind::Held { hold, .. } => self.held(event.seq, hold.reason.code(), lasted),
            Kind::Waiting { reason, .. } => self.held(event.seq, reason.code(), lasted),
            _ => {}
        }
    }

    fn took(&mut self, what: &'static str, begun: Option<Timestamp>, ended: Timestamp) {
        if let Some(begun) = begun {
            let ms = u64::try_from(ended.since(begun).as_millis()).unwrap_or(u64::MAX);
            self.latencies.entry(what).or_default().push(ms);
        }
    }

    fn held(&mut self, seq: Seq, reason: &str, lasted: &[EventDuration]) {
        if let Some(known) = lasted.iter().find(|known| known.seq == seq) {
            self.holds.entry(reason.to_owned()).or_default().push(known.ms);
        }
    }

    pub(super) fn sections(self) -> [Section; 2] {
        let latencies = self
            .latencies
            .into_iter()
            .map(|(what, ms)| figures(what.to_owned(), ms));
        let holds = self.holds.into_iter().map(|(reason, ms)| figures(reason, ms));
        [
            Section {
                heading: "Latency",
                empty: "No turn took any time.",
                columns: COLUMNS,
                rows: latencies.collect(),
            },
            Section {
                heading: "Holds",
                empty: "Nothing was held.",
                columns: COLUMNS,
                rows: holds.collect(),
            },
        ]
    }
}

fn figures(what: String, mut ms: Vec<u64>) -> Vec<String> {
    ms.sort_unstable();
    let mut row = vec![what, ms.len().to_string()];
    row.extend([50, 90, 99, 100].map(|percent| duration(percentile(&ms, percent))));
    row
}

/// The smallest value that so many percent of the sorted values do not exceed; 0 of none.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!(
            [50, 90, 99, 100].map(|p| percentile(&hundred, p)),
            [50, 90, 99, 100]
        );
        assert_eq!([50, 99].map(|p| percentile(&[7, 9], p)), [7, 9]);
        assert_eq!(percentile(&[], 50), 0);
    }
}
