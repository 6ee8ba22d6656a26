//! What came in and what was answered, by channel.

use super::Section;
use foldback_pipeline::is_made_up;
use foldback_wire::{ChannelId, Event, Kind, Terminal, UserId};
use std::collections::{BTreeMap, BTreeSet};

/// Counts by channel.
#[derive(Default)]
pub(super) struct Traffic(BTreeMap<ChannelId, Counts>);

#[derive(Default)]
struct Counts {
    messages: u64,
    senders: BTreeSet<UserId>,
    answered: u64,
    silent: u64,
    stopped: u64,
    failed: u64,
    unknown: u64,
    other: u64,
    /// Turns that no message began.
    begun_otherwise: u64,
}

impl Traffic {
    pub(super) fn see(&mut self, event: &Event) {
        let Some(channel) = &event.channel else { return };
        match &event.kind {
            Kind::Received { message } if is_made_up(&message.message) => {
                self.0.entry(message.channel.clone()).or_default().begun_otherwise += 1;
            }
            Kind::Received { message } => {
                let counts = self.0.entry(message.channel.clone()).or_default();
                counts.messages += 1;
                counts.senders.insert(message.sender.id.clone());
            }
            Kind::TurnEnded { terminal } => {
                let counts = self.0.entry(channel.clone()).or_default();
                *match terminal {
                    Terminal::Replied | Terminal::Command { .. } | Terminal::DirectiveAck => {
                        &mut counts.answered
                    }
                    Terminal::Silent { .. } => &mut counts.silent,
                    Terminal::Blocked { .. } => &mut counts.stopped,
                    Terminal::Failed { .. } => &mut counts.failed,
                    Terminal::Unknown { .. } => &mut counts.unknown,
                    Terminal::Dropped
                    | Terminal::Summarised { .. }
                    | Terminal::Collected { .. }
                    | Terminal::Steered { .. }
                    | Terminal::Duplicate => &mut counts.other,
                } += 1;
            }
            _ => {}
        }
    }

    pub(super) fn section(self) -> Section {
        let row = |(channel, counts): (ChannelId, Counts)| {
            let figures = [
                counts.messages,
                counts.senders.len() as u64,
                counts.answered,
                counts.silent,
                counts.stopped,
                counts.failed,
                counts.unknown,
                counts.other,
                counts.begun_otherwise,
            ];
            let mut row = vec![channel.to_string()];
            row.extend(figures.iter().map(ToString::to_string));
            row
        };
        Section {
            heading: "What came in and what was answered",
            empty: "No message came in.",
            columns: &[
                "Channel",
                "Messages",
                "Senders",
                "Answered",
                "No answer on purpose",
                "Stopped",
                "Failed",
                "Unknown",
                "Other ends",
                "Turns of results, events and schedules",
            ],
            rows: self.0.into_iter().map(row).collect(),
        }
    }
}
