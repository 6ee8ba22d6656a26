//! What a filter knows of an event from the events before it: what it ends and how long that lasted, and
//! which operation it is about.

use foldback_wire::{Event, Kind, OpId, OpKind, RunId, Timestamp, TurnId};
use std::collections::HashMap;

/// What the events before this one tell about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Past {
    /// How long what ends here has lasted, in milliseconds.
    pub(super) lasted: Option<u64>,
    /// The operation that it is about.
    pub(super) operation: Option<Operation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) kind: OpKind,
    pub(super) directive: bool,
    since: Timestamp,
}

/// What has begun and not ended.
#[derive(Debug, Default)]
pub(super) struct Open {
    turns: HashMap<TurnId, Timestamp>,
    runs: HashMap<RunId, Timestamp>,
    holds: HashMap<(Option<TurnId>, u32), Timestamp>,
    operations: HashMap<OpId, Operation>,
}

/// Types of events that begin or end something; all that [`Open`] needs to see.
pub(super) const MARKERS: [&str; 14] = [
    "received",
    "turn_ended",
    "run_started",
    "run_ended",
    "held",
    "released",
    "dequeued",
    "intended",
    "waiting",
    "attempted",
    "faulted",
    "refused",
    "ended",
    "leaked",
];

/// Those of them that end something.
pub(super) const ENDS: [&str; 5] = ["turn_ended", "run_ended", "released", "dequeued", "ended"];

/// Those of them that are about an operation.
pub(super) const OPERATIONS: [&str; 7] = [
    "intended",
    "waiting",
    "attempted",
    "faulted",
    "refused",
    "ended",
    "leaked",
];

impl Open {
    /// Events come in order.
    pub(super) fn see(&mut self, event: &Event) -> Past {
        let since = |begin: Timestamp| u64::try_from(event.at.since(begin).as_millis()).ok();
        let lasted = |begin: Option<Timestamp>| Past {
            lasted: begin.and_then(since),
            operation: None,
        };
        match &event.kind {
            Kind::Received { .. } => {
                if let Some(turn) = event.turn {
                    self.turns.insert(turn, event.at);
                }
                Past::default()
            }
            Kind::TurnEnded { .. } => {
                // What the turn left open will not end any more.
                self.holds.retain(|(turn, _), _| *turn != event.turn);
                lasted(event.turn.and_then(|turn| self.turns.remove(&turn)))
            }
            Kind::RunStarted { run, .. } => {
                self.runs.insert(*run, event.at);
                Past::default()
            }
            Kind::RunEnded { run, .. } => lasted(self.runs.remove(run)),
            Kind::Held { message, .. } => {
                self.holds.entry((event.turn, *message)).or_insert(event.at);
                Past::default()
            }
            Kind::Released { message } => lasted(self.holds.remove(&(event.turn, *message))),
            Kind::Dequeued { waited_ms } => Past {
                lasted: Some(*waited_ms),
                operation: None,
            },
            Kind::Intended { op, intent } => {
                let operation = Operation {
                    kind: intent.kind,
                    directive: intent.directive.is_some(),
                    since: event.at,
                };
                self.operations.insert(*op, operation);
                Past {
                    lasted: None,
                    operation: Some(operation),
                }
            }
            Kind::Ended { op, .. } => {
                let operation = self.operations.remove(op);
                Past {
                    lasted: operation.and_then(|operation| since(operation.since)),
                    operation,
                }
            }
            Kind::Waiting { op: Some(op), .. }
            | Kind::Attempted { op, .. }
            | Kind::Refused { op, .. }
            | Kind::Faulted { op: Some(op), .. }
            | Kind::Leaked { op, .. } => Past {
                lasted: None,
                operation: self.operations.get(op).copied(),
            },
            _ => Past::default(),
        }
    }
}
