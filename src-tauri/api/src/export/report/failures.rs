//! What failed and why: turns, messages that gates stopped, deliveries, leaks.

use super::{
    super::words::{moment, terminal_words},
    Section, place,
};
use foldback_store::row;
use foldback_wire::{ChannelId, Event, Gate, Intent, Kind, OpId, OutcomeCode, Stage, Terminal, TurnId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Turns that a cell names; the rest is a number.
const NAMED: usize = 8;

/// What failed so far.
#[derive(Default)]
pub(super) struct Failures {
    senders: HashMap<TurnId, String>,
    intents: HashMap<OpId, Intent>,
    turns: Vec<Vec<String>>,
    deliveries: Vec<Vec<String>>,
    stops: BTreeMap<(Option<ChannelId>, Stage, Gate), BTreeSet<TurnId>>,
}

impl Failures {
    pub(super) fn see(&mut self, event: &Event) {
        match &event.kind {
            Kind::Received { message } => {
                if let Some(turn) = event.turn {
                    self.senders
                        .insert(turn, message.sender.readable_name().to_owned());
                }
            }
            Kind::TurnEnded { terminal } => {
                if let Terminal::Failed { .. } | Terminal::Unknown { .. } = terminal {
                    let sender = event.turn.and_then(|turn| self.senders.get(&turn)).cloned();
                    let sender = sender.unwrap_or_default();
                    self.turns.push(row_of(event, sender, terminal_words(terminal)));
                }
                if let Some(turn) = event.turn {
                    self.senders.remove(&turn);
                }
            }
            Kind::Stopping { stage, gate, .. } => {
                let of = (event.channel.clone(), *stage, *gate);
                self.stops.entry(of).or_default().extend(event.turn);
            }
            Kind::Intended { op, intent } => {
                self.intents.insert(*op, intent.as_ref().clone());
            }
            Kind::Ended { op, outcome } => {
                let intent = self.intents.remove(op);
                let failed = matches!(
                    outcome.code,
                    OutcomeCode::Failed
                        | OutcomeCode::Unknown
                        | OutcomeCode::NotAllowed
                        | OutcomeCode::Missing
                );
                if failed && outcome.replaced_by.is_none() {
                    let what = intent.map_or_else(String::new, |intent| intent.kind.to_string());
                    let why = outcome
                        .detail
                        .clone()
                        .unwrap_or_else(|| outcome.code.about().to_owned());
                    self.failed(event, what, format!("{}: {why}", outcome.code));
                }
            }
            Kind::Undelivered { .. } | Kind::Leaked { .. } | Kind::Unreadable(_) => {
                let told = row(event, None);
                self.failed(event, told.kind, told.summary);
            }
            _ => {}
        }
    }

    fn failed(&mut self, event: &Event, what: String, why: String) {
        self.deliveries.push(row_of(event, what, why));
    }

    pub(super) fn sections(self) -> [Section; 3] {
        let stop = |((channel, stage, gate), turns): ((Option<ChannelId>, Stage, Gate), BTreeSet<TurnId>)| {
            vec![
                channel.map(|channel| channel.to_string()).unwrap_or_default(),
                gate.to_string(),
                format!("{stage}: {}", gate.about()),
                turns.len().to_string(),
                named(&turns),
            ]
        };
        [
            Section {
                heading: "Turns that failed",
                empty: "No turn failed.",
                columns: &["At", "Channel", "Turn", "From", "Why"],
                rows: self.turns,
            },
            Section {
                heading: "Deliveries that failed",
                empty: "No delivery failed.",
                columns: &["At", "Channel", "Turn", "What", "Why"],
                rows: self.deliveries,
            },
            Section {
                heading: "Messages that were stopped",
                empty: "No message was stopped.",
                columns: &["Channel", "Gate", "Why", "Messages", "Turns"],
                rows: self.stops.into_iter().map(stop).collect(),
            },
        ]
    }
}

/// When, where, in which turn; who or what; why.
fn row_of(event: &Event, what: String, why: String) -> Vec<String> {
    let [channel, turn] = place(event);
    vec![moment(event.at), channel, turn, what, why]
}

fn named(turns: &BTreeSet<TurnId>) -> String {
    let mut names: Vec<_> = turns.iter().take(NAMED).map(ToString::to_string).collect();
    if turns.len() > NAMED {
        names.push(format!("and {} more", turns.len() - NAMED));
    }
    names.join(", ")
}
