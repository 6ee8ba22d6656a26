//! The fault deck: what a person plans to go wrong.

use super::Backend;
use crate::failure;
use foldback_wire::{
    DeckFault, Fault,
    rpc::{Failure, FaultDeck, FaultPlace, FaultPlan, FaultRemove, PlannedFault},
};
use std::sync::atomic::Ordering;

impl Backend {
    /// Every deck, channels first.
    pub(super) fn decks(&self) -> Vec<FaultDeck> {
        let shared = &self.shared;
        let channels = shared.engine.channels().channels().into_iter().map(|channel| {
            let place = FaultPlace::Channel {
                channel: channel.id().clone(),
            };
            deck(place, &channel.faults())
        });
        let agents = shared.faulty.iter().map(|(agent, faulty)| {
            let place = FaultPlace::Agent {
                agent: (*agent).to_owned(),
            };
            deck(place, faulty.deck().planned())
        });
        channels.chain(agents).collect()
    }

    /// Faults that may still hit something.
    pub(super) fn faults_to_come(&self) -> u32 {
        let decks = self.decks();
        let to_come = |deck: &FaultDeck| deck.planned.iter().filter(|fault| !fault.spent).count() as u32;
        decks.iter().map(to_come).sum()
    }

    pub(super) fn plan_fault(&self, wish: FaultPlan) -> Result<Vec<FaultDeck>, Failure> {
        let FaultPlan { place, fault } = wish;
        fault.check().map_err(failure::no_fault)?;
        let (shared, by) = (&self.shared, self.shared.actor.clone());
        let number = || shared.last_fault.fetch_add(1, Ordering::Relaxed) + 1;
        match (&place, fault) {
            (FaultPlace::Channel { channel }, Fault::Call(fault)) => {
                self.known(channel)?.plan(number(), fault, by);
            }
            (FaultPlace::Agent { agent }, fault @ Fault::Run(_)) => {
                let faulty = shared
                    .faulty
                    .get(agent.as_str())
                    .ok_or_else(|| failure::no_agent(agent))?;
                let number = number();
                shared
                    .engine
                    .agent_fault_planned(agent, number, fault.clone(), by)
                    .map_err(failure::journal)?;
                faulty.deck().plan(number, fault);
            }
            (FaultPlace::Channel { .. }, Fault::Run(_)) => {
                return Err(failure::no_fault("a channel's faults are those of calls"));
            }
            (FaultPlace::Agent { .. }, Fault::Call(_)) => {
                return Err(failure::no_fault("an agent's faults are those of runs"));
            }
        }
        Ok(self.decks())
    }

    pub(super) fn remove_fault(&self, wish: &FaultRemove) -> Result<Vec<FaultDeck>, Failure> {
        let (number, by) = (wish.number, &self.shared.actor);
        let channels = self.shared.engine.channels().channels();
        if channels
            .iter()
            .any(|channel| channel.remove_fault(number, by.clone()))
        {
            return Ok(self.decks());
        }
        for (agent, faulty) in &self.shared.faulty {
            if faulty.deck().remove(number) {
                self.shared
                    .engine
                    .agent_fault_removed(agent, number, by.clone())
                    .map_err(failure::journal)?;
                return Ok(self.decks());
            }
        }
        Err(failure::no_planned_fault(number))
    }
}

fn deck(place: FaultPlace, planned: &[DeckFault]) -> FaultDeck {
    let planned = planned.iter().map(|planned| PlannedFault {
        about: planned.fault.to_string(),
        spent: planned.is_spent(),
        planned: planned.clone(),
    });
    FaultDeck {
        place,
        planned: planned.collect(),
    }
}
