//! What adapters hand over, and when they may confirm it to their platforms.

use super::Core;
use foldback_channels::Arrival;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

impl Core {
    pub(super) async fn listen(self: Arc<Self>, mut inbound: mpsc::Receiver<Arrival>) {
        while let Some(Some(arrival)) = self.deaf.run_until_cancelled(inbound.recv()).await {
            self.hear(arrival).await;
        }
        // Nobody hands anything over any more; this is already on its way.
        while let Ok(arrival) = inbound.try_recv() {
            self.hear(arrival).await;
        }
    }

    async fn hear(self: &Arc<Self>, arrival: Arrival) {
        let Arrival { message, kept } = arrival;
        match self.begin(message).await {
            Ok(_) => {
                if let Some(kept) = kept {
                    self.tasks.spawn(Arc::clone(self).confirm(kept));
                }
            }
            Err(error) => tracing::error!(%error, "a message is lost: the journal cannot be written"),
        }
    }

    /// Tells whoever handed a message over that it is durable.
    async fn confirm(self: Arc<Self>, kept: oneshot::Sender<()>) {
        match self.recorder.journal.flush().await {
            // Whoever does not wait any more gets the message again.
            Ok(()) => drop(kept.send(())),
            Err(error) => {
                tracing::error!(%error, "a message is not confirmed: the journal cannot be written");
            }
        }
    }
}
