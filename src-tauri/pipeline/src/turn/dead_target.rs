//! A delivery that was accepted before its chat was known to take nothing more: it ends without a run and without a call.

use super::TurnRunner;
use crate::{
    dead_targets::dead_in_words,
    flow::{Stop, terminal_of_gate},
    pending::Pending,
};
use foldback_store::StoreError;
use foldback_wire::{Gate, Stage, Target, Terminal};

impl TurnRunner {
    /// The end of a delivery turn whose chat takes nothing more; `None` for every other one.
    pub(super) fn stop_for_dead_target(&self, pending: &Pending) -> Result<Option<Terminal>, StoreError> {
        let message = &pending.message;
        if pending.cause.delivery().is_none() {
            return Ok(None);
        }
        let target = Target {
            chat: message.chat.clone(),
            thread: message.thread.clone(),
        };
        let dead = self.delivery_queues.dead_targets.find(&message.channel, &target);
        let Some(dead) = dead else {
            return Ok(None);
        };
        let stop = Stop::new(Stage::Queue, Gate::DeadTarget, dead_in_words(&dead))
            .given("chat", target.chat.as_str())
            .given("refusal", dead.refusal.code())
            .given("since", dead.since.to_string());
        pending.recorder.note(stop.into())?;
        Ok(Some(terminal_of_gate(Gate::DeadTarget)))
    }
}
