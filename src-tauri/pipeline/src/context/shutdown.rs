//! The orderly end of the process, as those see it who must know.

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
}
