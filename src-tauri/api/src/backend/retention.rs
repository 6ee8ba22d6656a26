//! Retention: what is older than `store.keep` leaves the journal while the bot runs.

use super::Backend;
use foldback_store::StoreError;
use foldback_wire::Timestamp;
use std::time::Duration;

/// Wait after the start: the bot begins with its messages.
const FIRST: Duration = Duration::from_mins(1);

/// Time between two prunings.
const EVERY: Duration = Duration::from_hours(1);

impl Backend {
    /// Deletes what is old, from time to time, until the journal is closed; nothing where everything is to be kept.
    pub(super) async fn prune_journal(self) {
        let clock = &self.shared.clock;
        let keep = self.shared.config.store.keep.0;
        if keep.is_zero() {
            return;
        }
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let mut wait = FIRST;
        loop {
            clock.sleep_until(clock.now().plus(wait)).await;
            wait = EVERY;
            let before = Timestamp(clock.now().0.saturating_sub(keep));
            match self.shared.journal.prune(before).await {
                Ok(0) => {}
                Ok(events) => tracing::info!(events, %before, "old events were deleted from the journal"),
                Err(StoreError::Closed) => return,
                Err(error) => tracing::warn!(%error, "old events stay in the journal"),
            }
        }
    }
}
