//! Decisions of an operator about unknown senders.

use super::Engine;
use crate::pairing::PairingFault;
use foldback_wire::{Actor, ChannelId, UserId, rpc::Pairings};

impl Engine {
    /// The people who wait for an operator, and those who were let in.
    pub fn pairings(&self) -> Pairings {
        self.core.pairing.list()
    }

    /// An operator lets in, or refuses, the person with this code. Durable when it returns.
    pub async fn decide_pairing(&self, code: &str, approve: bool, by: Actor) -> Result<(), PairingFault> {
        self.core.pairing.decide_request(code, approve, by).await
    }

    /// An operator takes an approval back. Durable when it returns.
    pub async fn revoke_pairing(
        &self,
        channel: &ChannelId,
        sender: &UserId,
        by: Actor,
    ) -> Result<(), PairingFault> {
        self.core.pairing.revoke_approval(channel, sender, by).await
    }
}
