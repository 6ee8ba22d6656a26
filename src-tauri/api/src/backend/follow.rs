//! Follows the journal: sums, alarms, and turns as they grow.

use super::{Backend, Urgent};
use foldback_store::StoreError;
use foldback_wire::{Event, Seq};

/// Events read at a time.
const BATCH: usize = 1_024;

impl Backend {
    /// Follows the journal from `after` on, until it takes nothing more.
    pub(super) async fn follow(self, after: Seq) {
        match self.follow_from(after).await {
            Ok(StoreError::Closed) => {}
            // Told once; only this task does.
            Ok(why) => drop(self.shared.stopped.set(why)),
            Err(error) => tracing::error!(%error, "the figures stand still: the journal cannot be read"),
        }
    }

    /// Answers why nothing more comes.
    async fn follow_from(&self, mut seen: Seq) -> Result<StoreError, StoreError> {
        let mut head = self.shared.journal.watch();
        let _following = self.shared.turns.follow_from(seen);
        loop {
            tokio::select! {
                biased;
                grown = head.wait_for(|head| *head > seen) => {
                    if grown.is_err() {
                        return Ok(StoreError::Closed);
                    }
                }
                why = self.shared.journal.ended() => return Ok(why),
            }
            let events = self.shared.journal.read_recent(Seq(seen.0 + 1), BATCH).await?;
            let Some(last) = events.last() else { continue };
            seen = last.seq;
            self.take_in(&events);
        }
    }

    fn take_in(&self, events: &[Event]) {
        let alarms: Vec<_> = {
            let mut digest = self.digest();
            events.iter().filter_map(|event| digest.push(event)).collect()
        };
        self.shared.turns.grow(events);
        // An event of long ago is no alarm.
        for alarm in alarms.into_iter().filter(|_| !self.shared.replayed) {
            // Nobody listens: the journal has it all the same.
            let _ = self.shared.urgent.send(Urgent::Alarm(alarm));
        }
    }
}
