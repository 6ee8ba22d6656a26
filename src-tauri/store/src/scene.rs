//! What a row shows that its event alone does not tell: whether its channel was armed then, whether a person had
//! stopped its turn, and whether all of it is a replay.

use crate::{EventDuration, Journal, Selection, StoreError, known_durations::Durations, row};
use foldback_wire::{
    ChannelId, Event, Kind, Seq, TurnId,
    rpc::{EventRow, RowFlag},
};
use std::collections::{HashMap, HashSet};

/// The kinds of events that make the scene, in order of their names.
pub(crate) const SCENE_KINDS: [&str; 3] = ["armed", "run_cancelled", "started"];

/// The scene of a journal's events up to a place.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// Whether the events come from a replay.
    replayed: bool,
    /// When each channel was armed or disarmed, in order. A person or a start does that, so it stays short.
    armings: HashMap<ChannelId, Vec<(Seq, bool)>>,
    /// When a process or a replay began, in order, and whether it was a replay: from there on a channel is armed only
    /// once its process says so.
    starts: Vec<(Seq, bool)>,
    /// Turns that a person stopped.
    stopped: HashSet<TurnId>,
    known: Seq,
}

impl Scene {
    /// The scene of a bot's own journal.
    pub fn live() -> Self {
        Self::default()
    }

    /// The scene of a replay's journal.
    pub fn replay() -> Self {
        Self {
            replayed: true,
            ..Self::default()
        }
    }

    /// Learns what happened up to `until`; reads only the few events that say so.
    pub async fn learn(&mut self, journal: &dyn Journal, until: Seq) -> Result<(), StoreError> {
        if until > self.known {
            let armings = Selection::kinds(SCENE_KINDS);
            for event in journal.select(&armings, self.known, until, usize::MAX).await? {
                self.see(&event);
            }
            self.known = until;
        }
        Ok(())
    }

    /// Learns from an event; events come in order.
    pub fn see(&mut self, event: &Event) {
        match (&event.kind, &event.channel) {
            (Kind::Armed { armed, .. }, Some(channel)) => {
                self.armings
                    .entry(channel.clone())
                    .or_default()
                    .push((event.seq, *armed));
            }
            (Kind::Started { replayed, .. }, _) => self.starts.push((event.seq, *replayed)),
            (Kind::RunCancelled { .. }, _) => self.stopped.extend(event.turn),
            _ => {}
        }
    }

    /// Takes what another has learnt meanwhile.
    pub(crate) fn replace_by_newer(&mut self, other: Self) {
        if other.known > self.known {
            *self = other;
        }
    }

    /// Whether the event happened on an armed channel.
    fn is_armed(&self, event: &Event) -> bool {
        let armings = event
            .channel
            .as_ref()
            .and_then(|channel| self.armings.get(channel));
        armings.is_some_and(|armings| {
            let before = armings.partition_point(|(seq, _)| *seq <= event.seq);
            let start = self.start_of(event);
            armings[..before]
                .last()
                .is_some_and(|(seq, armed)| *armed && start.is_none_or(|(start, _)| start < seq))
        })
    }

    /// The start that the event follows, and whether it is that of a replay.
    fn start_of(&self, event: &Event) -> Option<&(Seq, bool)> {
        let begun = self.starts.partition_point(|(seq, _)| *seq <= event.seq);
        self.starts[..begun].last()
    }

    /// Whether the event is part of a replay.
    fn is_replayed(&self, event: &Event) -> bool {
        self.replayed || self.start_of(event).is_some_and(|(_, replayed)| *replayed)
    }

    /// All marks of an event.
    pub(crate) fn flags(&self, event: &Event) -> Vec<RowFlag> {
        let mut flags = row::flags(&event.kind);
        // That it ended early is what somebody wanted.
        let wanted = event.turn.is_some_and(|turn| self.stopped.contains(&turn));
        if wanted && matches!(event.kind, Kind::TurnEnded { .. }) {
            flags.retain(|flag| *flag != RowFlag::Error);
        }
        // Nothing that a replay shows happened on a real channel.
        if self.is_replayed(event) {
            flags.push(RowFlag::Replayed);
        } else if self.is_armed(event) {
            flags.push(RowFlag::Live);
        }
        flags
    }

    /// An event as a row, with all its marks. `lasted` is what [`Journal::durations`] knows of it.
    pub fn row(&self, event: &Event, lasted: Option<&EventDuration>) -> EventRow {
        EventRow {
            flags: self.flags(event),
            ..row::row(event, lasted)
        }
    }

    /// Events as rows, with how long they lasted.
    pub async fn rows(&self, journal: &dyn Journal, events: &[Event]) -> Result<Vec<EventRow>, StoreError> {
        let durations = Durations::of(journal, events).await?;
        Ok(events
            .iter()
            .map(|event| self.row(event, durations.get(event.seq)))
            .collect())
    }
}
