//! Retention: what is older than `store.keep` leaves the journal while the bot runs.
//!
//! A clock that stands months ahead makes everything look old, and what is deleted does not come back when the clock is set
//! right. So nothing is deleted before the clock has gone on for a day: the journal has an event of the day before the last
//! 24 hours, or this process has run for as long without a jump ahead. A clock that is wrong for a start, or for an afternoon,
//! costs nothing; after a suspend, or after days without a message, pruning comes up to a day later.

use super::Backend;
use foldback_store::{Journal, StoreError};
use foldback_wire::{Clock, ClockTrust, Timestamp};
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
        let mut retention = Retention::new(keep, clock.as_ref());
        let mut wait = FIRST;
        loop {
            clock.sleep_until(clock.now().plus(wait)).await;
            wait = EVERY;
            match retention
                .prune(self.shared.journal.as_ref(), clock.as_ref())
                .await
            {
                Ok(0) => {}
                Ok(events) => tracing::info!(events, "old events were deleted from the journal"),
                Err(StoreError::Closed) => return,
                Err(error) => tracing::warn!(%error, "old events stay in the journal"),
            }
        }
    }
}

/// Deletes what is old by a clock that can be trusted.
struct Retention {
    keep: i64,
    trust: ClockTrust,
    /// That nothing is deleted was told.
    told: bool,
}

impl Retention {
    fn new(keep: Duration, clock: &dyn Clock) -> Self {
        Self {
            keep: millis(keep),
            trust: ClockTrust::new(clock),
            told: false,
        }
    }

    /// Deletes what is old, and says how many events that were.
    async fn prune(&mut self, journal: &dyn Journal, clock: &dyn Clock) -> Result<u64, StoreError> {
        let now = clock.now();
        let before = Timestamp(now.0.saturating_sub(self.keep));
        if !self.is_trusted(journal, clock, now).await? {
            // A journal without an old event loses nothing, so that there is nothing to tell.
            let is_due = journal.last_before(before).await?.is_some();
            if is_due && !std::mem::replace(&mut self.told, true) {
                tracing::warn!(
                    "nothing is deleted from the journal for a day: it has no event of yesterday, so that this machine's \
                     clock may stand ahead"
                );
            }
            return Ok(0);
        }
        self.told = false;
        journal.prune(before, now).await
    }

    async fn is_trusted(
        &mut self,
        journal: &dyn Journal,
        clock: &dyn Clock,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        if self.trust.has_gone_on(clock) {
            return Ok(true);
        }
        let day = millis(ClockTrust::DAY);
        let last = journal.last_before(Timestamp(now.0.saturating_sub(day))).await?;
        Ok(last.is_some_and(|last| last.0 >= now.0.saturating_sub(2 * day)))
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_store::SqliteJournal;
    use foldback_wire::{Draft, Kind, Sleep, Terminal, TurnId};
    use std::sync::atomic::{AtomicI64, Ordering};

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;

    /// Time that passes, and a time of day, which both go on when they are told to.
    #[derive(Default)]
    struct HandClock {
        passed: AtomicI64,
        ahead: AtomicI64,
    }

    impl HandClock {
        fn pass(&self, ms: i64) {
            self.passed.fetch_add(ms, Ordering::Relaxed);
        }

        fn set(&self, ms: i64) {
            self.ahead.fetch_add(ms, Ordering::Relaxed);
        }
    }

    impl Clock for HandClock {
        fn now(&self) -> Timestamp {
            Timestamp(self.passed.load(Ordering::Relaxed) + self.ahead.load(Ordering::Relaxed))
        }

        fn monotonic(&self) -> Duration {
            Duration::from_millis(self.passed.load(Ordering::Relaxed).unsigned_abs())
        }

        fn sleep_until(&self, _: Timestamp) -> Sleep {
            Box::pin(std::future::pending())
        }
    }

    /// A message that came and was answered now.
    async fn turn(journal: &SqliteJournal, clock: &HandClock) {
        let turn = journal.head().0 + 1;
        let draft = |kind| Draft {
            at: clock.now(),
            turn: Some(TurnId(turn)),
            session: None,
            channel: None,
            kind,
        };
        let message = serde_json::json!({
            "channel": "a", "account": null, "chat": "c", "chat_type": "direct", "thread": null,
            "message": "m", "reply_to": null, "text": "hi", "mentioned": true, "files": [],
            "at": "2026-01-01T00:00:00Z",
            "sender": {"id": "a", "name": "a", "display_name": "A", "is_bot": false},
        });
        let received = Kind::Received {
            message: serde_json::from_value(message).unwrap(),
        };
        let terminal = Terminal::Replied;
        let ended = Kind::TurnEnded { terminal };
        journal.append(vec![draft(received), draft(ended)]).unwrap();
        journal.flush().await.unwrap();
    }

    /// A journal of a hundred days with a turn a day, and what is deleted of it after 90 days.
    async fn hundred_days() -> (tempfile::TempDir, SqliteJournal, HandClock, Retention) {
        let folder = tempfile::tempdir().unwrap();
        let journal = SqliteJournal::open(folder.path().join("journal.sqlite"))
            .await
            .unwrap();
        let clock = HandClock::default();
        for _ in 0..100 {
            turn(&journal, &clock).await;
            clock.pass(DAY);
        }
        let retention = Retention::new(Duration::from_hours(90 * 24), &clock);
        (folder, journal, clock, retention)
    }

    #[tokio::test]
    async fn what_is_old_goes_where_the_clock_went_on_since_yesterday() {
        let (_folder, journal, clock, mut retention) = hundred_days().await;
        assert_eq!(retention.prune(&journal, &clock).await.unwrap(), 2 * 10);
        journal.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_clock_that_stands_a_year_ahead_at_a_start_deletes_nothing_for_a_day() {
        let (_folder, journal, clock, _) = hundred_days().await;
        clock.set(365 * DAY);
        let mut retention = Retention::new(Duration::from_hours(90 * 24), &clock);
        turn(&journal, &clock).await;
        for _ in 0..23 {
            assert_eq!(retention.prune(&journal, &clock).await.unwrap(), 0);
            clock.pass(HOUR);
        }
        // Somebody sets it right.
        clock.set(-365 * DAY);
        turn(&journal, &clock).await;
        assert_eq!(
            retention.prune(&journal, &clock).await.unwrap(),
            2 * 11,
            "another day is almost over"
        );
        journal.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_clock_that_is_set_ahead_deletes_nothing_for_a_day() {
        let (_folder, journal, clock, mut retention) = hundred_days().await;
        clock.pass(DAY);
        clock.set(365 * DAY);
        for _ in 0..24 {
            assert_eq!(retention.prune(&journal, &clock).await.unwrap(), 0);
            clock.pass(HOUR);
        }
        // It has gone on like this for a day: it is the time.
        assert_eq!(retention.prune(&journal, &clock).await.unwrap(), 2 * 99);
        journal.close().await.unwrap();
    }
}
