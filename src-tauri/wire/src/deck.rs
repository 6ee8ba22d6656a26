//! A deck of planned faults: what is on it, what it has met, and which call or run it makes go wrong.

use crate::{CallFault, Fault, OpKind, RunFault};
use serde::{Deserialize, Serialize};

/// A fault on a deck, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Planned")]
pub struct DeckFault {
    /// Its number.
    pub number: u64,
    /// The fault.
    pub fault: Fault,
    /// Calls of its operation, or runs, since it was planned.
    pub met: u32,
    /// Those it made go wrong.
    pub hit: u32,
}

impl DeckFault {
    /// True where all that it was planned for has gone by.
    pub const fn is_spent(&self) -> bool {
        let (nth, times) = match &self.fault {
            Fault::Call(fault) => (fault.nth, fault.times),
            Fault::Run(fault) => (fault.nth, fault.times),
        };
        times != u32::MAX && self.met >= nth.saturating_add(times).saturating_sub(1)
    }
}

/// The faults that are planned for a channel or an agent, oldest first. A fault stays on it when it has done its
/// work, until somebody removes it.
#[derive(Debug, Clone, Default)]
pub struct Deck {
    planned: Vec<DeckFault>,
}

impl Deck {
    /// Puts a fault on the deck; what it hits is counted from here.
    pub fn plan(&mut self, number: u64, fault: Fault) {
        self.planned.push(DeckFault {
            number,
            fault,
            met: 0,
            hit: 0,
        });
    }

    /// Removes a fault. False when there is none of this number.
    pub fn remove(&mut self, number: u64) -> bool {
        let before = self.planned.len();
        self.planned.retain(|planned| planned.number != number);
        self.planned.len() < before
    }

    /// The planned faults.
    pub fn planned(&self) -> &[DeckFault] {
        &self.planned
    }

    /// A call sets out: the fault that makes it go wrong, and its number.
    pub fn call(&mut self, op: OpKind) -> Option<(u64, CallFault)> {
        self.hit(|fault, met| match fault {
            Fault::Call(fault) if fault.op == op => Some(fault.hits(op, met).then(|| fault.clone())),
            _ => None,
        })
    }

    /// A run begins: the fault that makes it go wrong, and its number.
    pub fn run(&mut self) -> Option<(u64, RunFault)> {
        self.hit(|fault, met| match fault {
            Fault::Run(fault) => Some(fault.hits(met).then(|| fault.clone())),
            Fault::Call(_) => None,
        })
    }

    /// Counts what every fault that is meant has met, and gives the first that hits. `hits` says `None` for a fault
    /// of other things.
    fn hit<T>(&mut self, hits: impl Fn(&Fault, u32) -> Option<Option<T>>) -> Option<(u64, T)> {
        let mut first = None;
        for planned in &mut self.planned {
            let Some(hit) = hits(&planned.fault, planned.met.saturating_add(1)) else {
                continue;
            };
            planned.met = planned.met.saturating_add(1);
            if let (None, Some(hit)) = (&first, hit) {
                planned.hit += 1;
                first = Some((planned.number, hit));
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallFailure;

    #[test]
    fn a_deck_counts_from_when_a_fault_is_planned_and_the_first_that_hits_counts() {
        let mut deck = Deck::default();
        assert_eq!(deck.call(OpKind::React), None);
        deck.plan(7, Fault::Call(CallFault::first(OpKind::React, CallFailure::Gone)));
        let wide = CallFault {
            times: 3,
            ..CallFault::first(OpKind::React, CallFailure::Transient)
        };
        deck.plan(8, Fault::Call(wide));
        deck.plan(9, Fault::Run(RunFault::nth(2)));
        let number = |deck: &mut Deck| deck.call(OpKind::React).map(|(number, _)| number);
        assert_eq!(deck.call(OpKind::Delete), None);
        assert_eq!(number(&mut deck), Some(7));
        assert_eq!(number(&mut deck), Some(8));
        assert_eq!((deck.run(), deck.run().map(|(n, _)| n)), (None, Some(9)));
        let counts: Vec<_> = deck.planned().iter().map(|p| (p.number, p.met, p.hit)).collect();
        assert_eq!(counts, [(7, 2, 1), (8, 2, 1), (9, 2, 1)]);
        let spent: Vec<_> = deck.planned().iter().map(DeckFault::is_spent).collect();
        assert_eq!(spent, [true, false, true]);
        assert!(deck.remove(8) && !deck.remove(8));
        assert_eq!(number(&mut deck), None);
    }
}
