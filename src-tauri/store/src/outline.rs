//! What a line about a turn tells, out of a few of its events.
//!
//! A streamed answer of 1,200 bytes is 760 events, of which a line shows the question, the first words of the answer, the
//! outcome, and a small picture of the lanes. The outline of such a turn has some 130 events and reads no other:
//!
//! ```text
//! received, run_started, intended, ended, turn_ended, …   all of them: a few, however long the answer is
//! chunk, decided                                          the first ones, as many as the caller asks for
//! reasoning                                               the first of each thought, and the chunk that ended it
//! held, released                                          none: the table of durations knows when and how long
//! ```
//!
//! What must hold: a line that is folded from an outline is the one that is folded from all events of the turn. A turn for
//! which that is not certain has no outline: one that has not ended, or of which a hold has no end, as after a crash.

use crate::{EventDuration, kind};
use foldback_wire::{Event, HoldReason, Kind, Seq, Timestamp, TurnId};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of events that an outline has all of.
pub(crate) const WHOLE_KINDS: [&str; 19] = [
    "received",
    "delivery_due",
    "stopping",
    "run_started",
    "retrying",
    "run_failed",
    "run_cancelled",
    "run_ended",
    "tool",
    "permission_asked",
    "permission_decided",
    "directive",
    "diagnosed",
    "suppressed",
    "action_refused",
    "action_started",
    "action_ended",
    "turn_ended",
    "undelivered",
];

/// Kinds of events about operations, which an outline has all of, too.
pub(crate) const OPERATION_KINDS: [&str; 2] = ["intended", "ended"];

/// Kinds of events that tell the text of an answer.
pub(crate) const TEXT_KINDS: [&str; 2] = ["chunk", "decided"];

/// The kind of events that tell what an agent thinks.
pub(crate) const THOUGHT_KIND: &str = "reasoning";

/// Kinds of events that end a thought.
pub(crate) const THOUGHT_ENDS: [&str; 6] = [
    "chunk",
    "tool",
    "permission_asked",
    "permission_decided",
    "run_ended",
    "turn_ended",
];

/// Kinds of events that tell of a turn long after its end, as [`foldback_wire::Kind::is_late`] has them.
pub(crate) const LATE_KINDS: [&str; 4] = ["undelivered", "receipt", "reviewed", "delivery_accepted"];

/// A turn that has ended, as far as a line about it tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOutline {
    /// The turn.
    pub turn: TurnId,
    /// Some of its events, in order; the first one is the turn's first.
    pub events: Vec<Event>,
    /// The latest time of its events, of those left out too, but for what was heard of long after its end.
    pub last: Timestamp,
    /// The holds of the scanner, in order.
    pub holds: Vec<OutlinedHold>,
    /// True where the text of the answer may go on behind these events.
    pub has_more_text: bool,
}

/// A hold of the scanner that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutlinedHold {
    /// When it began.
    pub from: Timestamp,
    /// Milliseconds.
    pub ms: u64,
    /// Why.
    pub reason: HoldReason,
}

/// The first place and the latest time of a turn's events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnBounds {
    pub(crate) first: Seq,
    pub(crate) last: Timestamp,
}

/// An event that tells of a hold; `over` where it began one that is over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldEvent {
    pub(crate) seq: Seq,
    pub(crate) at: Timestamp,
    pub(crate) over: Option<HoldEnd>,
}

/// The end of a hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HoldEnd {
    pub(crate) until: Seq,
    pub(crate) ms: u64,
    pub(crate) reason: HoldReason,
}

/// Parts from which the outlines of some turns are put together.
#[derive(Debug, Default)]
pub(crate) struct OutlineParts {
    pub(crate) bounds: BTreeMap<TurnId, TurnBounds>,
    /// In the order of the journal.
    pub(crate) events: Vec<Event>,
    /// In the order of the journal.
    pub(crate) held: Vec<(TurnId, HeldEvent)>,
}

impl OutlineParts {
    /// Adds a turn of which all events are at hand.
    pub(crate) fn add(
        &mut self,
        turn: TurnId,
        events: Vec<Event>,
        texts: usize,
        lasted: impl Fn(Seq) -> Option<EventDuration>,
    ) {
        let Some(first) = events.first().map(|event| event.seq) else {
            return;
        };
        let in_time = events.iter().filter(|event| !event.kind.is_late());
        let last = in_time.map(|event| event.at).max().unwrap_or_default();
        self.bounds.insert(turn, TurnBounds { first, last });
        let held = events
            .iter()
            .filter(|event| matches!(event.kind, Kind::Held { .. }));
        self.held.extend(held.map(|event| {
            let lasted = lasted(event.seq);
            let over = lasted.and_then(|EventDuration { until, ms, held, .. }| {
                let reason = held?.reason;
                Some(HoldEnd { until, ms, reason })
            });
            let (seq, at) = (event.seq, event.at);
            (turn, HeldEvent { seq, at, over })
        }));
        self.events.extend(outlined(events, texts));
    }

    /// The outlines, by the turns' numbers; each has at most `texts` events of its answer's text.
    pub(crate) fn outlines(self, texts: usize) -> Vec<TurnOutline> {
        let mut events: BTreeMap<TurnId, Vec<Event>> = BTreeMap::new();
        for event in self.events {
            if let Some(turn) = event.turn {
                events.entry(turn).or_default().push(event);
            }
        }
        let mut held: BTreeMap<TurnId, Vec<HeldEvent>> = BTreeMap::new();
        for (turn, event) in self.held {
            held.entry(turn).or_default().push(event);
        }
        let outline = |(turn, events): (TurnId, Vec<Event>)| {
            let bounds = self.bounds.get(&turn)?;
            let is_of = |kinds: &[&str], event: &Event| kinds.contains(&kind::code(&event.kind));
            let has_ended = events.iter().any(|event| is_of(&["turn_ended"], event));
            let begins = events.first().is_some_and(|event| event.seq == bounds.first);
            let texts_read = events.iter().filter(|event| is_of(&TEXT_KINDS, event)).count();
            Some(TurnOutline {
                turn,
                holds: holds(held.get(&turn).map_or(&[], Vec::as_slice))?,
                last: bounds.last,
                has_more_text: texts_read >= texts,
                events,
            })
            .filter(|_| has_ended && begins)
        };
        events.into_iter().filter_map(outline).collect()
    }
}

/// The holds that these events began; `None` where one of them has no end.
fn holds(events: &[HeldEvent]) -> Option<Vec<OutlinedHold>> {
    let mut holds = Vec::new();
    let mut over_at = Seq(0);
    for HeldEvent { seq, at, over } in events {
        match over {
            Some(HoldEnd { until, ms, reason }) => {
                over_at = over_at.max(*until);
                holds.push(OutlinedHold {
                    from: *at,
                    ms: *ms,
                    reason: *reason,
                });
            }
            // The hold before it goes on.
            None if *seq < over_at => {}
            None => return None,
        }
    }
    Some(holds)
}

/// The events of a turn that its outline has.
fn outlined(mut events: Vec<Event>, texts: usize) -> Vec<Event> {
    let whole: BTreeSet<_> = WHOLE_KINDS.into_iter().chain(OPERATION_KINDS).collect();
    let (mut thinks, mut texts_left) = (false, texts);
    let mut is_outlined = |event: &Event| {
        let code = kind::code(&event.kind);
        let thought_before = thinks;
        if code == THOUGHT_KIND {
            thinks = true;
            return !thought_before;
        }
        thinks &= !THOUGHT_ENDS.contains(&code);
        let is_text = TEXT_KINDS.contains(&code) && texts_left > 0;
        texts_left -= usize::from(is_text);
        whole.contains(code) || is_text || thought_before && !thinks
    };
    events.retain(|event| is_outlined(event));
    events
}
