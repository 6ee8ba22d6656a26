//! The delivery ledger: every intended operation, what it waited for, how it ended and how long it was seen.

use super::{
    messages::Messages,
    when::{When, millis},
};
use foldback_wire::{
    CallFault, DirectiveRef, Event, Fault, HoldReason, Kind, MessageId, OpId, OpKind, OutcomeCode, Span,
    SpokenDirective, Stage, Timestamp,
    rpc::{DeliveryWait, LeakedBytes, LedgerEntry, MessageProgress, SpokenSound},
};
use std::collections::{HashMap, HashSet};

/// The operations of a turn, in the order of their intents.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    entries: Vec<LedgerEntry>,
    places: HashMap<OpId, usize>,
    /// Which operation's text each message shows, and since when.
    shown: HashMap<MessageId, (usize, Timestamp)>,
    /// What is waited for, in the order in which it began.
    waits: Vec<DeliveryWait>,
    /// What was spoken, until it is sent.
    sounds: HashMap<DirectiveRef, SpokenSound>,
    /// Operations whose call under way a planned fault refuses.
    refused: HashSet<OpId>,
}

impl Ledger {
    /// The operations in the order of their intents, with their texts.
    pub(super) fn entries(&self, messages: &Messages) -> Vec<LedgerEntry> {
        let resolved = |entry: &LedgerEntry| {
            let text = entry.intent.body.as_ref().and_then(|body| messages.resolve(body));
            let mut entry = LedgerEntry {
                text,
                ..entry.clone()
            };
            for leak in &mut entry.leaked {
                let raw = messages.get(leak.message).map(|m| m.raw.as_str());
                leak.text = raw
                    .and_then(|raw| raw.get(leak.span.start..leak.span.end))
                    .unwrap_or_default()
                    .to_owned();
            }
            entry
        };
        self.entries.iter().map(resolved).collect()
    }

    /// The operations without their texts.
    pub(super) fn bare(&self) -> &[LedgerEntry] {
        &self.entries
    }

    /// The operation that carries out a directive.
    pub(super) fn of_directive(&self, at: DirectiveRef) -> Option<&LedgerEntry> {
        self.entries.iter().rev().find(|e| e.intent.directive == Some(at))
    }

    pub(super) fn get(&self, op: OpId) -> Option<&LedgerEntry> {
        self.entries.get(*self.places.get(&op)?)
    }

    /// What delivery waits for now; of several the one that began last.
    pub(super) fn waiting(&self) -> Option<&DeliveryWait> {
        self.waits.last()
    }

    /// Learns before the journal tells it which bytes of a directive an operation showed, where it had shown them. The
    /// pipeline looks for leaks at the end of a turn.
    pub(super) fn foresee(&mut self, event: &Event) {
        if let Kind::Leaked { op, message, span } = event.kind
            && let Some(entry) = self.entry(op).filter(|entry| entry.outcome.is_some())
        {
            entry.leaked.push(leak(event.seq.0, message, span));
        }
    }

    pub(super) fn push(&mut self, when: When, kind: &Kind) {
        match kind {
            Kind::Spoken { .. } => self.spoken(kind),
            Kind::Intended { op, intent } => {
                self.waits.retain(|wait| wait.op.is_some());
                self.places.insert(*op, self.entries.len());
                self.entries.push(LedgerEntry {
                    seq: when.seq,
                    op: *op,
                    at_ms: when.ms,
                    intent: intent.as_ref().clone(),
                    text: None,
                    waiting: None,
                    waiting_until_ms: None,
                    attempts: 0,
                    outcome: None,
                    outcome_seq: None,
                    took_ms: None,
                    visible_ms: None,
                    leaked: Vec::new(),
                    spoken: intent.directive.and_then(|at| self.sounds.remove(&at)),
                    reached: None,
                });
            }
            Kind::Waiting { op, reason, until } => {
                let until_ms = until.map(|until| when.ms_of(until));
                self.waits.retain(|wait| wait.op != *op);
                self.waits.push(DeliveryWait {
                    op: *op,
                    reason: *reason,
                    about: reason.about().to_owned(),
                    until_ms,
                });
                if let Some(entry) = op.and_then(|op| self.entry(op)) {
                    entry.waiting = Some(reason.about().to_owned());
                    entry.waiting_until_ms = until_ms;
                }
            }
            Kind::Passed {
                stage: Stage::Debounce,
                ..
            } => self.waits.retain(|wait| wait.reason != HoldReason::Debounce),
            Kind::Attempted { op, attempt } => {
                self.waits.retain(|wait| wait.op != Some(*op));
                self.refused.remove(op);
                if let Some(entry) = self.entry(*op) {
                    entry.attempts = *attempt;
                    entry.waiting = None;
                    entry.waiting_until_ms = None;
                }
            }
            // One that only delays leaves the refusal to the platform.
            Kind::Faulted {
                op: Some(op),
                fault: Fault::Call(CallFault { fail: Some(_), .. }),
                ..
            } => {
                self.refused.insert(*op);
            }
            Kind::Refused {
                op, detail, retry_at, ..
            } => {
                let why = if self.refused.remove(op) {
                    "A planned fault refused it".to_owned()
                } else {
                    format!("The platform refused: {detail}")
                };
                if let Some(entry) = self.entry(*op) {
                    entry.waiting = Some(match retry_at {
                        Some(_) => format!("{why}. It is tried again."),
                        None => format!("{why}."),
                    });
                    entry.waiting_until_ms = retry_at.map(|at| when.ms_of(at));
                }
            }
            Kind::Ended { op, outcome } => {
                self.waits.retain(|wait| wait.op != Some(*op));
                if let Some(entry) = self.entry(*op) {
                    entry.waiting_until_ms = None;
                    entry.attempts = entry.attempts.max(outcome.attempts);
                    entry.outcome = Some(outcome.clone());
                    entry.outcome_seq = Some(when.seq);
                    entry.took_ms = Some(when.ms.saturating_sub(entry.at_ms));
                }
                if outcome.code == OutcomeCode::Sent {
                    self.show(when, *op);
                }
            }
            Kind::Undelivered { .. } => self.undelivered(when, kind),
            Kind::Receipt { .. } => self.reach(when, kind),
            Kind::Leaked { op, message, span } => {
                if let Some(entry) = self.entry(*op) {
                    entry.leaked.push(leak(when.seq, *message, *span));
                }
            }
            Kind::TurnEnded { .. } => self.waits.clear(),
            _ => {}
        }
    }

    /// Remembers what was spoken, until it is sent.
    fn spoken(&mut self, kind: &Kind) {
        if let Kind::Spoken(SpokenDirective {
            at,
            backend,
            duration_ms,
            bytes,
            kept,
        }) = kind
        {
            let sound = SpokenSound {
                backend: backend.clone(),
                duration_ms: *duration_ms,
                bytes: *bytes,
                kept: kept.clone(),
            };
            self.sounds.insert(*at, sound);
        }
    }

    /// An operation that ended well did not arrive after all.
    fn undelivered(&mut self, when: When, kind: &Kind) {
        let Kind::Undelivered {
            op, refusal, detail, ..
        } = kind
        else {
            return;
        };
        if let Some(outcome) = self.entry(*op).and_then(|entry| entry.outcome.as_mut()) {
            outcome.code = OutcomeCode::Failed;
            outcome.refusal = Some(*refusal);
            outcome.detail = Some(format!("acknowledged, but it did not arrive: {detail}"));
        }
        if let Some(entry) = self.entry(*op) {
            entry.outcome_seq = Some(when.seq);
            entry.visible_ms = None;
        }
        // Nobody ever saw it.
        let place = self.places.get(op).copied();
        self.shown.retain(|_, (shown, _)| Some(*shown) != place);
    }

    /// What an operation sent has come further.
    fn reach(&mut self, when: When, kind: &Kind) {
        if let Kind::Receipt {
            op,
            receipt,
            when: at,
            ..
        } = kind
            && let Some(entry) = self.entry(*op)
        {
            entry.reached = Some(MessageProgress {
                seq: when.seq,
                receipt: *receipt,
                at: *at,
            });
        }
    }

    fn entry(&mut self, op: OpId) -> Option<&mut LedgerEntry> {
        self.entries.get_mut(*self.places.get(&op)?)
    }

    /// Keeps book of what is visible: an edit or a removal ends what the message showed before.
    fn show(&mut self, when: When, op: OpId) {
        let Some(place) = self.places.get(&op).copied() else {
            return;
        };
        let entry = &self.entries[place];
        let made = entry.outcome.as_ref().and_then(|o| o.message.clone());
        let about = entry.intent.message.clone();
        let (message, visible) = match entry.intent.kind {
            OpKind::SendText | OpKind::SendFile | OpKind::SendVoice => (made, true),
            OpKind::EditText => (about, true),
            OpKind::Delete => (about, false),
            OpKind::React | OpKind::Typing => return,
        };
        let Some(message) = message else { return };
        let before = if visible {
            self.shown.insert(message, (place, when.at))
        } else {
            self.shown.remove(&message)
        };
        if let Some((earlier, since)) = before {
            self.entries[earlier].visible_ms = Some(millis(since, when.at));
        }
    }
}

/// Bytes of a directive that were shown; their text is known once the raw text is.
fn leak(seq: u64, message: u32, span: Span) -> LeakedBytes {
    LeakedBytes {
        seq,
        message,
        span,
        text: String::new(),
    }
}
