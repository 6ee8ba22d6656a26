//! Planned faults of a channel: its deck, and what a fault that hits does to a call and to the connection.

use super::channel::Channel;
use super::line::Line;
use crate::Refusal;
use foldback_wire::{
    Actor, CallFailure, CallFault, Deck, DeckFault, Fault, Kind, OpKind, PLANNED, RefusalCode, Timestamp,
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The faults that are planned for a channel, and what they broke.
#[derive(Default)]
pub(super) struct Faults {
    deck: Mutex<Deck>,
    broken: watch::Sender<Option<Broken>>,
}

/// A connection that a planned fault broke.
#[derive(Clone, Copy)]
struct Broken {
    /// The fault's number; of several the last one that hit.
    by: u64,
    until: Timestamp,
}

impl Faults {
    fn deck(&self) -> MutexGuard<'_, Deck> {
        // Every change leaves it whole, so that a panic elsewhere does not matter here.
        self.deck.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is broken is whole again.
    pub(super) fn mend(&self) {
        self.broken.send_replace(None);
    }
}

impl Channel {
    /// Plans that calls go wrong.
    pub fn plan(&self, number: u64, fault: CallFault, by: Actor) {
        let fault = Fault::Call(fault);
        self.line.faults.deck().plan(number, fault.clone());
        self.line.shared.tell(
            Some(&self.line.id),
            Kind::FaultPlanned {
                number,
                agent: None,
                fault,
                by,
            },
        );
    }

    /// Removes a planned fault; what it broke is whole again. False when there is none of this number.
    pub fn remove_fault(&self, number: u64, by: Actor) -> bool {
        let faults = &self.line.faults;
        let removed = faults.deck().remove(number);
        if removed {
            faults.broken.send_if_modified(|broken| {
                let mended = broken.take_if(|broken| broken.by == number);
                mended.is_some()
            });
            let agent = None;
            let kind = Kind::FaultRemoved { number, agent, by };
            self.line.shared.tell(Some(&self.line.id), kind);
        }
        removed
    }

    /// The faults that are planned.
    pub fn faults(&self) -> Vec<DeckFault> {
        self.line.faults.deck().planned().to_vec()
    }

    /// A call sets out: the planned fault that it is to be performed with, and its number.
    pub fn set_out(&self, op: OpKind) -> Option<(u64, CallFault)> {
        self.line.faults.deck().call(op)
    }
}

impl Line {
    /// What the planned fault of this number does to a call before it arrives.
    pub(super) async fn hinder(&self, number: u64, fault: &CallFault) -> Result<(), Refusal> {
        let clock = &self.shared.clock;
        clock.sleep_until(clock.now().plus(fault.latency())).await;
        let answer = match fault.fail {
            None | Some(CallFailure::LostAck) => return Ok(()),
            Some(CallFailure::Disconnect) => {
                let broken = fault.outage().map(|outage| Broken {
                    by: number,
                    until: clock.now().plus(outage),
                });
                self.faults.broken.send_replace(broken);
                Err(
                    Refusal::new(RefusalCode::Transient, format!("the connection broke: {PLANNED}"))
                        .or_done(),
                )
            }
            Some(failure) => Err(Refusal {
                retry_after: fault.retry_after_ms.map(Duration::from_millis),
                ..Refusal::new(failure.refusal().unwrap_or(RefusalCode::Transient), PLANNED)
            }),
        };
        self.learn(&answer);
        answer.map(drop)
    }

    /// Ends once a planned fault breaks the connection, and says until when.
    pub(super) async fn broken(&self) -> Timestamp {
        let mut broken = self.faults.broken.subscribe();
        loop {
            let until = broken.borrow_and_update().map(|broken| broken.until);
            if let Some(until) = until.filter(|until| *until > self.shared.clock.now()) {
                return until;
            }
            // It cannot fail: the sender lives in `self`.
            drop(broken.changed().await);
        }
    }

    /// Ends once what a planned fault broke is whole again.
    pub(super) async fn mended(&self) {
        let mut broken = self.faults.broken.subscribe();
        // It cannot fail: the sender lives in `self`.
        drop(broken.wait_for(Option::is_none).await);
    }
}

/// What a platform seems to say whose answer is lost.
pub(super) fn lost_ack() -> Refusal {
    Refusal::new(RefusalCode::Transient, format!("no answer arrived: {PLANNED}")).or_done()
}
