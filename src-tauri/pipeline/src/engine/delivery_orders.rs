//! Results of the actions of turns, handed over by the turns themselves and by the start that takes up what was left.

use super::{Core, Rejected, deliveries::CauseLink};
use crate::{
    delivery_orders::{DeliveryOrder, NotDelivered},
    finish::tell_not_done,
    recorder::Recorder,
    rules::Rule,
    stages::act::{LeftActing, unperformed},
    supervise::contained,
};
use foldback_store::StoreError;
use foldback_wire::{Kind, TurnId};
use std::sync::Arc;
use tokio::sync::mpsc;

impl Core {
    /// Takes in what turns hand over, until the process ends.
    pub(super) async fn receive_delivery_orders(
        self: Arc<Self>,
        mut ordered: mpsc::UnboundedReceiver<DeliveryOrder>,
    ) {
        let closed = &self.context.shutdown.inbound_closed;
        while let Some(Some(order)) = closed.run_until_cancelled(ordered.recv()).await {
            let core = Arc::clone(&self);
            self.context.tasks.spawn(async move {
                let recorder = core.context.recorder.clone();
                if let Err(panicked) = contained(core.fulfil(order)).await {
                    recorder.tell_panic("what came of an action is not delivered", &panicked);
                }
            });
        }
    }

    async fn fulfil(self: Arc<Self>, order: DeliveryOrder) {
        let DeliveryOrder {
            request,
            beside,
            accepted,
        } = order;
        let answer = match self.deliver(request, CauseLink::Both, |_| beside).await {
            Ok(accepted) => Ok(accepted.turn),
            Err(Rejected::Refused(refused)) => Err(NotDelivered::Refused(refused)),
            Err(Rejected::Store(error)) => Err(NotDelivered::Store(error)),
        };
        // The turn may have been stopped.
        let _ = accepted.send(answer);
    }

    /// Has it delivered that nobody knows what came of the actions of a turn that an earlier process left. They are not
    /// begun again. Where no delivery may follow, the person is told that something was not done.
    pub(super) async fn deliver_unperformed(
        self: &Arc<Self>,
        turn: TurnId,
        recorder: &Recorder,
    ) -> Result<(), StoreError> {
        recorder.journal.flush().await?;
        let events = recorder.journal.turn(turn).await?;
        let bounded = self.context.rules.holds(Rule::ActionsCorrections);
        let (request, ends) = match unperformed(turn, &events, &self.context.actions, bounded) {
            LeftActing::Nothing => return Ok(()),
            LeftActing::TellNotDone => return self.tell_not_done(turn, recorder).await,
            LeftActing::Deliver(request, ends) => (*request, ends),
        };
        let session = events.iter().rev().find_map(|event| event.session.clone());
        let of_session = session.map_or_else(|| recorder.clone(), |session| recorder.in_session(&session));
        let beside = ends.iter().cloned().map(|kind| of_session.draft(kind)).collect();
        match self.deliver(request, CauseLink::Both, |_| beside).await {
            // Where it was accepted before, its events are there, too.
            Ok(_) => Ok(()),
            Err(Rejected::Store(error)) => Err(error),
            Err(Rejected::Refused(refused)) => {
                let refused = Kind::DeliveryRefused(refused);
                of_session.note_all(ends.into_iter().chain([refused]).collect())?;
                self.tell_not_done(turn, recorder).await
            }
        }
    }

    async fn tell_not_done(&self, turn: TurnId, recorder: &Recorder) -> Result<(), StoreError> {
        recorder.journal.flush().await?;
        tell_not_done(&self.context, &self.delivery_queues, turn, recorder).await
    }
}
