//! The orderly end of the process, as those see it who must know.

use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// Conditions of the end, each cancelled once and for good, in this order.
#[derive(Debug, Default)]
pub(crate) struct Shutdown {
    /// No turn begins any more; what waits is left to the next start.
    pub(crate) no_new_turns: CancellationToken,
    /// The running agents are stopped, where they do not end in time; what they said is delivered.
    pub(crate) cancel_runs: CancellationToken,
    /// Delivery queues stop, and no task waits for an outcome any more.
    pub(crate) deliveries_stopped: CancellationToken,
    /// The adapters hand nothing over any more.
    pub(crate) inbound_closed: CancellationToken,
    /// An owner asked for a new start.
    pub(crate) restart: RestartRequest,
}

/// An owner's request for a new start, to whoever can start the process again.
#[derive(Debug, Default)]
pub(crate) struct RestartRequest {
    asked: CancellationToken,
    heard: AtomicBool,
}

impl RestartRequest {
    /// Asks for it. False where nothing starts the process again.
    pub(crate) fn send_request(&self) -> bool {
        let heard = self.heard.load(Ordering::Relaxed);
        if heard {
            self.asked.cancel();
        }
        heard
    }

    /// Cancelled when it is asked for. From now on somebody starts the process again.
    pub(crate) fn listen(&self) -> CancellationToken {
        self.heard.store(true, Ordering::Relaxed);
        self.asked.clone()
    }
}
