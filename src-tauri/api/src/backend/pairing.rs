//! Who asked to talk to the bot, and what operators decide about it.

use super::Backend;
use crate::failure;
use foldback_pipeline::PairingFault;
use foldback_wire::{
    Actor, ChannelId, UserId,
    rpc::{Failure, Pairings},
};

impl Backend {
    pub(super) fn list_pairings(&self) -> Pairings {
        self.shared.engine.pairings()
    }

    pub(super) async fn decide_pairing(
        &self,
        code: &str,
        approve: bool,
        by: Actor,
    ) -> Result<Pairings, Failure> {
        let decided = self.shared.engine.decide_pairing(code, approve, by).await;
        decided.map_err(said)?;
        Ok(self.list_pairings())
    }

    pub(super) async fn revoke_pairing(
        &self,
        channel: &ChannelId,
        sender: &UserId,
        by: Actor,
    ) -> Result<Pairings, Failure> {
        let revoked = self.shared.engine.revoke_pairing(channel, sender, by).await;
        revoked.map_err(said)?;
        Ok(self.list_pairings())
    }
}

fn said(fault: PairingFault) -> Failure {
    match fault {
        PairingFault::Nothing(error) => failure::no_pairing(&error),
        PairingFault::Store(error) => failure::journal(error),
    }
}
