//! What a filter knows of an event from the events before it: which operation it is about.

use foldback_wire::{Event, Kind, OpId, OpKind};
use std::collections::HashMap;

/// The operation that an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) kind: OpKind,
    pub(super) directive: bool,
}

/// The operations that have not ended.
#[derive(Debug, Default)]
pub(super) struct OpenOperations(HashMap<OpId, Operation>);

/// Kinds of events that begin or end an operation; all that [`OpenOperations`] needs to see.
pub(super) const MARKERS: [&str; 2] = ["intended", "ended"];

/// Kinds of events about an operation.
pub(super) const OPERATIONS: [&str; 7] = [
    "intended",
    "waiting",
    "attempted",
    "faulted",
    "refused",
    "ended",
    "leaked",
];

impl OpenOperations {
    /// The operation that the event is about. Events come in order; one that only waits or was attempted may come again
    /// while its operation is open.
    pub(super) fn see(&mut self, event: &Event) -> Option<Operation> {
        match &event.kind {
            Kind::Intended { op, intent } => {
                let operation = Operation {
                    kind: intent.kind,
                    directive: intent.directive.is_some(),
                };
                self.0.insert(*op, operation);
                Some(operation)
            }
            Kind::Ended { op, .. } => self.0.remove(op),
            Kind::Waiting { op: Some(op), .. }
            | Kind::Attempted { op, .. }
            | Kind::Refused { op, .. }
            | Kind::Faulted { op: Some(op), .. }
            | Kind::Leaked { op, .. } => self.0.get(op).copied(),
            _ => None,
        }
    }
}
