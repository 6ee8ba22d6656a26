//! Which dead letters a person sent again. A message that asks for one may stop at a gate, be dropped from the queue or
//! fail, so that the letter counts as sent again only once its turn intends what the letter was. The ledger, the digest
//! and the next start read this from the same events.

use super::again;
use foldback_wire::{Intent, Kind, OpId, OpKind, TurnId};
use std::collections::HashMap;

/// The turns of dead letters that are asked for again and not intended yet.
#[derive(Debug, Default)]
pub(crate) struct Resends {
    waiting: HashMap<TurnId, OpId>,
}

impl Resends {
    /// Reads an event of a turn; for every one, in order. Answers the operation that it sends again.
    pub(crate) fn push(&mut self, turn: TurnId, kind: &Kind) -> Option<OpId> {
        match kind {
            Kind::Received { message } => {
                self.waiting.extend(again(&message.message).map(|op| (turn, op)));
                None
            }
            Kind::Intended { intent, .. } if is_letter(intent) => self.waiting.remove(&turn),
            Kind::TurnEnded { .. } => {
                self.waiting.remove(&turn);
                None
            }
            _ => None,
        }
    }

    /// The operations that wait to be sent again, and in which turns.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (OpId, TurnId)> {
        self.waiting.iter().map(|(turn, op)| (*op, *turn))
    }
}

/// True for what can be a dead letter on its way: no text of Foldback's own, such as the one that tells why a run
/// failed.
fn is_letter(intent: &Intent) -> bool {
    match intent.kind {
        OpKind::SendText | OpKind::EditText => intent.body.as_ref().is_none_or(|body| body.place().is_some()),
        OpKind::SendFile | OpKind::SendVoice | OpKind::React => true,
        OpKind::Delete | OpKind::Typing => false,
    }
}
