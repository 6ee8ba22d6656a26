//! A message that came to nothing, run again by an operator.

use super::Backend;
use crate::failure;
use foldback_wire::rpc::{Failure, TurnRef};

impl Backend {
    /// Runs the message of a turn again, and answers the turn that it has now.
    pub(super) async fn run_turn_again(&self, which: TurnRef) -> Result<TurnRef, Failure> {
        let actor = self.shared.actor.clone();
        let begun = self.shared.engine.run_again(which.turn, actor).await;
        let turn = begun.map_err(|fault| failure::run_again(&fault))?.id;
        Ok(TurnRef { turn })
    }
}
