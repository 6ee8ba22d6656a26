//! Messages from adapters, and the moment from which an adapter may confirm one to its platform.

use super::Core;
use crate::supervise::contained;
use foldback_channels::Arrival;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

impl Core {
    pub(super) async fn receive_arrivals(self: Arc<Self>, mut inbound: mpsc::Receiver<Arrival>) {
        while let Some(Some(arrival)) = self
            .context
            .shutdown
            .inbound_closed
            .run_until_cancelled(inbound.recv())
            .await
        {
            self.begin_supervised(arrival).await;
        }
        // No adapter reports anything any more; these are already on their way.
        while let Ok(arrival) = inbound.try_recv() {
            self.begin_supervised(arrival).await;
        }
    }

    /// Begins the turn of a message. One that makes it panic is not confirmed: its platform may deliver it again, and where
    /// it had passed the gates, the next start begins it again.
    async fn begin_supervised(self: &Arc<Self>, arrival: Arrival) {
        let message = arrival.message.clone();
        let core = Arc::clone(self);
        if let Err(panicked) = contained(async move { core.begin_arrival(arrival).await }).await {
            self.seen.lock().release_message(&message);
            let fate = format!("the message {} was not taken in", message.message);
            self.context
                .recorder
                .on_channel(&message.channel)
                .tell_panic(&fate, &panicked);
        }
    }

    async fn begin_arrival(self: &Arc<Self>, arrival: Arrival) {
        let Arrival { message, kept } = arrival;
        match self.begin(message).await {
            Ok(_) => {
                if let Some(kept) = kept {
                    self.context.tasks.spawn(Arc::clone(self).confirm(kept));
                }
            }
            Err(error) => tracing::error!(%error, "a message is lost: the journal cannot be written"),
        }
    }

    /// Confirms to the adapter that a message is durable.
    async fn confirm(self: Arc<Self>, kept: oneshot::Sender<()>) {
        match self.context.recorder.journal.flush().await {
            // An adapter that does not wait any more gets the message again.
            Ok(()) => drop(kept.send(())),
            Err(error) => {
                tracing::error!(%error, "a message is not confirmed: the journal cannot be written");
            }
        }
    }
}
