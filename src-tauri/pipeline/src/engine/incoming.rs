//! What adapters hand over, and when they may confirm it to their platforms.

use super::Core;
use crate::supervise::contained;
use foldback_channels::Arrival;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

impl Core {
    pub(super) async fn listen(self: Arc<Self>, mut inbound: mpsc::Receiver<Arrival>) {
        while let Some(Some(arrival)) = self
            .context
            .shutdown
            .inbound_closed
            .run_until_cancelled(inbound.recv())
            .await
        {
            self.hear_supervised(arrival).await;
        }
        // Nobody hands anything over any more; this is already on its way.
        while let Ok(arrival) = inbound.try_recv() {
            self.hear_supervised(arrival).await;
        }
    }

    /// Takes a message in. One that makes it panic is not confirmed: its platform may deliver it again, and where the
    /// gates had let it through, the next start takes it up.
    async fn hear_supervised(self: &Arc<Self>, arrival: Arrival) {
        let message = arrival.message.clone();
        let core = Arc::clone(self);
        if let Err(panicked) = contained(async move { core.hear(arrival).await }).await {
            self.seen.lock().release_message(&message);
            let fate = format!("the message {} was not taken in", message.message);
            self.context
                .recorder
                .on_channel(&message.channel)
                .tell_panic(&fate, &panicked);
        }
    }

    async fn hear(self: &Arc<Self>, arrival: Arrival) {
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

    /// Tells whoever handed a message over that it is durable.
    async fn confirm(self: Arc<Self>, kept: oneshot::Sender<()>) {
        match self.context.recorder.journal.flush().await {
            // Whoever does not wait any more gets the message again.
            Ok(()) => drop(kept.send(())),
            Err(error) => {
                tracing::error!(%error, "a message is not confirmed: the journal cannot be written");
            }
        }
    }
}
