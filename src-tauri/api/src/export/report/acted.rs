//! The actions that agents asked for, and what became of them, by channel and name.

use super::Section;
use foldback_wire::{DeliveryOutcome, Event, Kind, TurnId, visible};
use std::collections::{BTreeMap, BTreeSet};

/// Counts by channel and action.
#[derive(Default)]
pub(super) struct Acted {
    counts: BTreeMap<(String, String), Counts>,
    /// Those that began and have no end yet, by turn and place, with what they count for.
    open: BTreeMap<(Option<TurnId>, u32), (String, String)>,
}

#[derive(Default)]
struct Counts {
    carried_out: u64,
    refused: u64,
    codes: BTreeSet<&'static str>,
    failed: u64,
    unknown: u64,
}

impl Acted {
    pub(super) fn see(&mut self, event: &Event) {
        let key = |name: &str| {
            let channel = event.channel.as_ref().map(ToString::to_string);
            (channel.unwrap_or_default(), visible(name).into_owned())
        };
        match &event.kind {
            Kind::ActionRefused(refusal) => {
                let counts = self.counts.entry(key(&refusal.name)).or_default();
                counts.refused += 1;
                counts.codes.insert(refusal.code.code());
            }
            Kind::ActionStarted(started) => {
                let key = key(&started.action.name);
                self.counts.entry(key.clone()).or_default();
                self.open.insert((event.turn, started.index), key);
            }
            Kind::ActionEnded(ended) => {
                let begun = self.open.remove(&(event.turn, ended.index));
                let counts = self.counts.entry(begun.unwrap_or_else(|| key(&ended.name)));
                let counts = counts.or_default();
                *match ended.outcome {
                    DeliveryOutcome::Error => &mut counts.failed,
                    DeliveryOutcome::Output | DeliveryOutcome::Event => &mut counts.carried_out,
                } += 1;
            }
            _ => {}
        }
    }

    pub(super) fn section(mut self) -> Section {
        for key in self.open.into_values() {
            self.counts.entry(key).or_default().unknown += 1;
        }
        let row = |((channel, name), counts): ((String, String), Counts)| {
            let Counts {
                carried_out,
                refused,
                codes,
                failed,
                unknown,
            } = counts;
            let codes: Vec<_> = codes.into_iter().collect();
            let figures = [carried_out, refused, failed, unknown].map(|figure| figure.to_string());
            let [carried_out, refused, failed, unknown] = figures;
            vec![
                channel,
                name,
                carried_out,
                refused,
                codes.join(", "),
                failed,
                unknown,
            ]
        };
        Section {
            heading: "Actions that agents asked for",
            empty: "No agent asked for an action.",
            columns: &[
                "Channel",
                "Action",
                "Carried out",
                "Refused",
                "Refused because",
                "Ended with an error",
                "No end by then",
            ],
            rows: self.counts.into_iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{
        ActionEnded, ActionRefusal, ActionRefusalCode, ActionStarted, PerformedAction, Seq, Timestamp,
    };

    #[test]
    fn actions_are_counted_by_what_became_of_them() {
        let mut acted = Acted::default();
        let mut see = |kind| {
            acted.see(&Event {
                seq: Seq(1),
                at: Timestamp(0),
                turn: Some(TurnId(7)),
                session: None,
                channel: Some("telegram".into()),
                kind,
            });
        };
        for (index, outcome) in [
            (0, Some(DeliveryOutcome::Output)),
            (1, Some(DeliveryOutcome::Error)),
            (2, None),
        ] {
            let name = "bash".to_owned();
            see(Kind::ActionStarted(ActionStarted {
                index,
                action: PerformedAction {
                    name: name.clone(),
                    command: None,
                },
                allowed_by: None,
            }));
            if let Some(outcome) = outcome {
                see(Kind::ActionEnded(ActionEnded {
                    index,
                    name,
                    outcome,
                    exit: None,
                    note: None,
                    bytes: 0,
                }));
            }
        }
        for code in [
            ActionRefusalCode::Denied,
            ActionRefusalCode::Rejected,
            ActionRefusalCode::Denied,
        ] {
            see(Kind::ActionRefused(ActionRefusal {
                index: 3,
                name: "bash".to_owned(),
                code,
                detail: String::new(),
                findings: Vec::new(),
                setting: None,
                decided_by: None,
            }));
        }
        let rows = acted.section().rows;
        assert_eq!(
            rows,
            [["telegram", "bash", "1", "3", "denied, rejected", "1", "1"]]
        );
    }
}
