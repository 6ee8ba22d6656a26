//! How long holds, waits, runs, operations and turns lasted.
//!
//! A duration is known only when it is over, and it belongs to two events: to the one that began it, so that "what was
//! held for longer than 1.5 s" finds the hold itself, with its reason and its bytes, and to the one that ended it. An
//! example, with times in milliseconds:
//!
//! ```text
//! seq 7   held      open_block 10..30      at 50
//! seq 8   held      open_block 10..57      at 900      the hold of seq 7 goes on: no duration of its own
//! seq 9   released                         at 1,290    seq 7 and seq 9 lasted 1,240
//! ```
//!
//! Events are never changed, so durations stand beside them: the journal works them out from each event that it numbers
//! and writes them together with the event that ended them. What must hold:
//!
//! - Whoever sees the event that ended something sees its durations too.
//! - A duration never changes. A view that has passed the beginning looks at that one event again when its end comes
//!   ([`crate::Journal::ended_between`]): never more of them than were open.
//! - What a crash left open has no duration: nobody knows when it ended.
//!
//! A hold goes on while its reason and its first byte stay; else the next hold ends it, as in the hold map. A wait of an
//! operation is over when its platform is called or the operation ends; a wait of a text that has no operation yet is
//! over when one is intended for it, or the turn ends.
//!
//! Rejected: a duration as a field of the ending event. The beginning would still have none, and journals that exist
//! would have neither.

use foldback_wire::{Event, Hold, HoldReason, Kind, OpId, OpKind, RunId, Seq, Stage, Timestamp, TurnId};
use std::collections::HashMap;

/// How long lasted what an event began or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventDuration {
    /// The event: the one that began it, or the one that ended it.
    pub seq: Seq,
    /// The event that ended it; `seq` itself or a later one.
    pub until: Seq,
    /// Milliseconds.
    pub ms: u64,
    /// What was held, where it was a hold of the scanner.
    pub held: Option<HeldBytes>,
}

/// What a hold of the scanner kept back when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldBytes {
    /// The reason.
    pub reason: HoldReason,
    /// The bytes.
    pub bytes: u64,
}

/// The kinds of events that may have a duration.
pub(crate) const fn may_last(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::TurnEnded { .. }
            | Kind::RunEnded { .. }
            | Kind::Held { .. }
            | Kind::Released { .. }
            | Kind::Queued { .. }
            | Kind::Dequeued { .. }
            | Kind::Waiting { .. }
            | Kind::Ended { .. }
    )
}

/// What has begun and not ended. Sees every event of [`Self::KINDS`], in the order of the journal.
#[derive(Debug, Default)]
pub(crate) struct DurationTracker {
    turns: HashMap<TurnId, Timestamp>,
    runs: HashMap<RunId, Timestamp>,
    operations: HashMap<OpId, Timestamp>,
    holds: HashMap<(Option<TurnId>, u32), OpenHold>,
    queued: HashMap<TurnId, Beginning>,
    /// Waits of operations.
    waits: HashMap<OpId, OpenWait>,
    /// Waits of texts without an operation.
    text_waits: HashMap<TurnId, OpenWait>,
}

/// The event that began something.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    seq: Seq,
    at: Timestamp,
}

#[derive(Debug)]
struct OpenHold {
    begun: Beginning,
    first: usize,
    held: HeldBytes,
}

#[derive(Debug, Clone, Copy)]
struct OpenWait {
    begun: Beginning,
    reason: HoldReason,
}

impl Beginning {
    fn of(event: &Event) -> Self {
        Self {
            seq: event.seq,
            at: event.at,
        }
    }

    /// The duration of what began here and ends with `event`.
    fn until(self, event: &Event, held: Option<HeldBytes>) -> EventDuration {
        EventDuration {
            seq: self.seq,
            until: event.seq,
            ms: millis(self.at, event.at),
            held,
        }
    }
}

impl DurationTracker {
    /// The kinds of events that it needs to see.
    pub(crate) const KINDS: [&'static str; 13] = [
        "received",
        "turn_ended",
        "run_started",
        "run_ended",
        "held",
        "released",
        "message_ended",
        "queued",
        "dequeued",
        "intended",
        "waiting",
        "attempted",
        "ended",
    ];

    /// Adds what ends with this event to `over`.
    pub(crate) fn see(&mut self, event: &Event, over: &mut Vec<EventDuration>) {
        // Of the event itself, which ends what began then.
        let own = |since: Timestamp, held| EventDuration {
            seq: event.seq,
            until: event.seq,
            ms: millis(since, event.at),
            held,
        };
        match (&event.kind, event.turn) {
            (Kind::Received { .. }, Some(turn)) => {
                self.turns.insert(turn, event.at);
            }
            (Kind::TurnEnded { .. }, Some(turn)) => {
                // What the scanner held at a crash has no end that anybody saw.
                self.holds.retain(|(of, _), _| *of != Some(turn));
                over.extend(self.queued.remove(&turn).map(|begun| begun.until(event, None)));
                over.extend(
                    self.text_waits
                        .remove(&turn)
                        .map(|wait| wait.begun.until(event, None)),
                );
                over.extend(self.turns.remove(&turn).map(|since| own(since, None)));
            }
            (Kind::RunStarted { run, .. }, _) => {
                self.runs.insert(*run, event.at);
            }
            (Kind::RunEnded { run, .. }, _) => {
                over.extend(self.runs.remove(run).map(|since| own(since, None)));
            }
            (Kind::Held { message, hold }, turn) => over.extend(self.hold((turn, *message), event, hold)),
            (Kind::Released { message }, turn) => {
                if let Some(open) = self.holds.remove(&(turn, *message)) {
                    over.push(open.begun.until(event, Some(open.held)));
                    over.push(own(open.begun.at, Some(open.held)));
                }
            }
            (Kind::MessageEnded { message, .. }, turn) => {
                let open = self.holds.remove(&(turn, *message));
                over.extend(open.map(|open| open.begun.until(event, Some(open.held))));
            }
            (Kind::Queued { .. }, Some(turn)) => {
                self.queued.entry(turn).or_insert_with(|| Beginning::of(event));
            }
            (Kind::Dequeued { waited_ms }, turn) => {
                let begun = turn.and_then(|turn| self.queued.remove(&turn));
                let places = begun.map(|begun| begun.seq).into_iter().chain([event.seq]);
                over.extend(places.map(|seq| EventDuration {
                    seq,
                    until: event.seq,
                    ms: *waited_ms,
                    held: None,
                }));
            }
            (Kind::Intended { op, intent }, turn) => {
                self.operations.insert(*op, event.at);
                let is_text = matches!(intent.kind, OpKind::SendText | OpKind::EditText);
                if let Some(turn) = turn.filter(|_| is_text) {
                    over.extend(
                        self.text_waits
                            .remove(&turn)
                            .map(|wait| wait.begun.until(event, None)),
                    );
                }
            }
            (
                Kind::Waiting {
                    op: Some(op), reason, ..
                },
                _,
            ) => {
                let before = self.waits.get(op).copied();
                self.waits.insert(*op, wait(before, event, *reason, over));
            }
            (Kind::Waiting { op: None, reason, .. }, Some(turn)) => {
                let before = self.text_waits.get(&turn).copied();
                self.text_waits.insert(turn, wait(before, event, *reason, over));
            }
            (
                Kind::Passed {
                    stage: Stage::Debounce,
                    ..
                },
                Some(turn),
            ) => {
                over.extend(
                    self.text_waits
                        .remove(&turn)
                        .map(|wait| wait.begun.until(event, None)),
                );
            }
            (Kind::Attempted { op, .. }, _) => {
                over.extend(self.waits.remove(op).map(|wait| wait.begun.until(event, None)));
            }
            (Kind::Ended { op, .. }, _) => {
                over.extend(self.waits.remove(op).map(|wait| wait.begun.until(event, None)));
                over.extend(self.operations.remove(op).map(|since| own(since, None)));
            }
            _ => {}
        }
    }

    /// Notes a hold, and answers the one that it ends.
    fn hold(&mut self, of: (Option<TurnId>, u32), event: &Event, hold: &Hold) -> Option<EventDuration> {
        let held = HeldBytes {
            reason: hold.reason,
            bytes: hold.span.end.saturating_sub(hold.span.start) as u64,
        };
        if let Some(open) = self.holds.get_mut(&of)
            && open.held.reason == hold.reason
            && open.first == hold.span.start
        {
            open.held = held;
            return None;
        }
        let next = OpenHold {
            begun: Beginning::of(event),
            first: hold.span.start,
            held,
        };
        let before = self.holds.insert(of, next)?;
        Some(before.begun.until(event, Some(before.held)))
    }
}

/// The wait that is open from `event` on: the one before it where the reason stayed, else it ends that one.
fn wait(
    before: Option<OpenWait>,
    event: &Event,
    reason: HoldReason,
    over: &mut Vec<EventDuration>,
) -> OpenWait {
    match before {
        Some(before) if before.reason == reason => before,
        _ => {
            over.extend(before.map(|before| before.begun.until(event, None)));
            OpenWait {
                begun: Beginning::of(event),
                reason,
            }
        }
    }
}

fn millis(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.since(from).as_millis()).unwrap_or(u64::MAX)
}
