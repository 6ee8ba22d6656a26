//! The orderly end of a bot.

use super::Engine;
use crate::{deadline::Deadline, deliver::operation_sender::DRAIN};
use foldback_store::StoreError;
use foldback_wire::{Actor, Kind};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

impl Engine {
    /// Cancelled when an owner asks for a new start (`/restart`). Whoever calls this ends the bot in order then, and starts
    /// it again.
    pub fn restart_asked(&self) -> CancellationToken {
        self.core.context.shutdown.restart.listen()
    }

    /// Ends in order: no new turns; running ones get `grace` to finish, then they are stopped and what they
    /// said is delivered; what is held stays in the outbox, and what is queued or still comes in stays in the
    /// journal, for the next start. It takes at most twice `grace` and some two minutes.
    pub async fn shutdown(&self, grace: Duration) -> Result<(), StoreError> {
        let core = &self.core;
        core.context.shutdown.no_new_turns.cancel();
        // Their messages may be confirmed: they stay open, and the next start takes them up.
        core.queue.leave_open();
        drop(core.aged.take_messages(|_| true));
        let clock = core.context.recorder.clock.as_ref();
        let in_time = |limit| Deadline::after(clock, limit);
        core.context.busy.close();
        if in_time(grace)
            .within(clock, core.context.busy.wait())
            .await
            .is_none()
        {
            core.context.shutdown.cancel_runs.cancel();
            in_time(grace).within(clock, core.context.busy.wait()).await;
        }
        core.context.shutdown.deliveries_stopped.cancel();
        // Where a platform does not answer, the operation stays in flight for the next start.
        in_time(DRAIN).within(clock, core.delivery_queues.drained()).await;
        core.context.tasks.close();
        core.context
            .ports
            .board
            .switch_all_off(&Actor::Pipeline, "the process is ending")
            .await;
        let let_in = core.context.ports.board.let_in_rest();
        if in_time(DRAIN).within(clock, let_in).await.is_none() {
            tracing::error!("messages wait that nobody took");
        }
        core.context.shutdown.inbound_closed.cancel();
        if in_time(DRAIN)
            .within(clock, core.context.tasks.wait())
            .await
            .is_none()
        {
            tracing::error!("a turn does not end and stays open");
        }
        core.context.recorder.note(Kind::Stopped)?;
        core.context.recorder.journal.flush().await
    }
}
