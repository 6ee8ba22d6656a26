//! The planned faults that hit calls, as a fixture lists them.

use foldback_wire::{CallFault, Event, Fault, Kind, OpId, OpKind, OutcomeCode};
use std::collections::BTreeMap;

/// The faults that hit the calls of these events, each by the number of its call: played again from the beginning,
/// they hit the same ones. Calls to another channel than their turn's own count on that one, and not here.
pub fn faults(events: &[Event]) -> Vec<CallFault> {
    let mut calls = Calls::default();
    events.iter().filter_map(|event| calls.see(&event.kind)).collect()
}

/// An operation that has not ended.
struct Open {
    kind: OpKind,
    /// Whether the call that is under way has been counted.
    counted: bool,
}

#[derive(Default)]
struct Calls {
    open: BTreeMap<OpId, Open>,
    /// Calls so far.
    made: BTreeMap<OpKind, u32>,
}

impl Calls {
    fn see(&mut self, kind: &Kind) -> Option<CallFault> {
        match kind {
            Kind::Intended { op, intent } if intent.channel.is_none() => {
                let open = Open {
                    kind: intent.kind,
                    counted: false,
                };
                self.open.insert(*op, open);
            }
            Kind::Attempted { op, .. } => {
                self.again(*op);
                self.count(*op);
            }
            Kind::Refused { op, .. } => self.again(*op),
            // A dry run and typing are not told as attempts.
            Kind::Faulted {
                op: Some(op),
                fault: Fault::Call(fault),
                ..
            } => {
                let nth = self.count(*op)?;
                return Some(CallFault {
                    nth,
                    times: 1,
                    ..fault.clone()
                });
            }
            Kind::Ended { op, outcome } => {
                if outcome.code == OutcomeCode::DryRun || outcome.attempts > 0 {
                    self.count(*op);
                }
                self.open.remove(op);
            }
            _ => {}
        }
        None
    }

    fn again(&mut self, op: OpId) {
        if let Some(open) = self.open.get_mut(&op) {
            open.counted = false;
        }
    }

    /// The number of the call that is under way.
    fn count(&mut self, op: OpId) -> Option<u32> {
        let open = self.open.get_mut(&op)?;
        let made = self.made.entry(open.kind).or_default();
        if !std::mem::replace(&mut open.counted, true) {
            *made += 1;
        }
        Some(*made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_wire::{CallFailure, Intent, Outcome, RefusalCode, Seq, Timestamp};

    fn events(kinds: Vec<Kind>) -> Vec<Event> {
        let event = |kind| Event {
            seq: Seq(0),
            at: Timestamp(0),
            turn: None,
            session: None,
            channel: None,
            kind,
        };
        kinds.into_iter().map(event).collect()
    }

    fn intended(op: u64, kind: OpKind) -> Kind {
        let intent = serde_json::json!({"kind": kind, "target": {"chat": "c"}, "live": false});
        let intent: Box<Intent> = serde_json::from_value(intent).unwrap();
        Kind::Intended { op: OpId(op), intent }
    }

    fn attempted(op: u64, attempt: u32) -> Kind {
        Kind::Attempted {
            op: OpId(op),
            attempt,
        }
    }

    fn faulted(op: u64, fail: CallFailure) -> Kind {
        Kind::Faulted {
            number: 1,
            op: Some(OpId(op)),
            fault: Fault::Call(CallFault {
                nth: 40,
                times: 9,
                ..CallFault::first(OpKind::SendText, fail)
            }),
        }
    }

    fn refused(op: u64) -> Kind {
        Kind::Refused {
            op: OpId(op),
            refusal: RefusalCode::Transient,
            detail: String::new(),
            retry_at: None,
        }
    }

    fn ended(op: u64, code: OutcomeCode, attempts: u32) -> Kind {
        let outcome = Outcome {
            attempts,
            ..Outcome::new(code)
        };
        Kind::Ended {
            op: OpId(op),
            outcome,
        }
    }

    fn numbers(kinds: Vec<Kind>) -> Vec<u32> {
        let found = faults(&events(kinds));
        assert!(found.iter().all(|fault| fault.times == 1));
        found.iter().map(|fault| fault.nth).collect()
    }

    #[test]
    fn each_is_named_by_the_number_of_its_call() {
        let armed = vec![
            intended(1, OpKind::SendText),
            attempted(1, 1),
            ended(1, OutcomeCode::Sent, 1),
            intended(2, OpKind::React),
            attempted(2, 1),
            intended(3, OpKind::SendText),
            attempted(3, 1),
            faulted(3, CallFailure::Transient),
            refused(3),
            attempted(3, 2),
            faulted(3, CallFailure::LostAck),
            ended(3, OutcomeCode::Unknown, 2),
        ];
        assert_eq!(numbers(armed), [2, 3]);
    }

    #[test]
    fn calls_to_another_channel_are_not_counted() {
        let abroad = match intended(1, OpKind::SendText) {
            Kind::Intended { op, intent } => Kind::Intended {
                op,
                intent: Box::new(Intent {
                    channel: Some("slack".into()),
                    ..*intent
                }),
            },
            other => other,
        };
        let calls = vec![
            abroad,
            attempted(1, 1),
            faulted(1, CallFailure::Transient),
            ended(1, OutcomeCode::Failed, 1),
            intended(2, OpKind::SendText),
            attempted(2, 1),
            faulted(2, CallFailure::Transient),
            ended(2, OutcomeCode::Failed, 1),
        ];
        assert_eq!(numbers(calls), [1]);
    }

    #[test]
    fn dry_runs_and_typing_are_counted_although_they_are_no_attempts() {
        let dry = vec![
            intended(1, OpKind::SendText),
            ended(1, OutcomeCode::DryRun, 0),
            intended(2, OpKind::SendText),
            faulted(2, CallFailure::RateLimited),
            refused(2),
            ended(2, OutcomeCode::DryRun, 0),
            intended(3, OpKind::SendText),
            faulted(3, CallFailure::Gone),
            ended(3, OutcomeCode::Failed, 1),
            intended(4, OpKind::SendText),
            faulted(4, CallFailure::Gone),
        ];
        assert_eq!(numbers(dry), [2, 4, 5]);
        let typing = vec![
            intended(1, OpKind::Typing),
            ended(1, OutcomeCode::Sent, 1),
            intended(2, OpKind::Typing),
            faulted(2, CallFailure::Gone),
            ended(2, OutcomeCode::Failed, 1),
        ];
        assert_eq!(numbers(typing), [2]);
    }
}
