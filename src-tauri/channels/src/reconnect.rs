//! The one loop that keeps a channel connected.
//!
//! An adapter makes one attempt ([`ChannelAdapter::connect`]) and says how it ended. This loop does the rest for all of
//! them: it reports the end, waits, and makes the next attempt. An example, with waits without chance:
//!
//! | time | what happens | state and reason |
//! |---|---|---|
//! | 0.0 s | attempt 1; the adapter says that it connects | connecting: connecting to Telegram |
//! | 0.1 s | nobody answers there: lost | down: cannot reach … |
//! | 1.1 s | attempt 2, after the first wait; lost | connecting, down |
//! | 3.1 s | attempt 3, after twice that wait; it is up, and confirms that it works | connecting, up |
//! | 9 min | the connection breaks; the platform says `Retry-After: 30` | rate limited: too many requests; next try in 30 seconds |
//! | 9.5 min | attempt 4, after the wait that was asked for; the token was withdrawn: refused | connecting, down |
//! | 2 h | a person mends the token and switches the channel off and on: another run, with attempt 1 | off, connecting, up |
//!
//! What holds:
//!
//! - There is one attempt at a time, in a task of its own: one that panics is lost like any other.
//! - Waits double from one second to a minute, the second half of each left to chance ([`crate::backoff`]). They begin
//!   anew once an attempt confirmed that it works, not because it was up: a platform that takes every connection and ends
//!   it at once would otherwise be called every second. A wait that the platform asks for goes before, and leaves the
//!   back-off as it is. No such wait is longer than an hour: asking again costs one call, and a wrong number would keep
//!   the channel from everything that people write.
//! - Whichever state an attempt ends in, its end is reported before the wait, with the words of its refusal.
//! - A stop ends everything at once: an attempt wherever it waits, a report that nobody takes, a wait. So does a sink that
//!   nobody reads any more. Only then the adapter parts ([`ChannelAdapter::disconnect`]), which may take a moment.
//!
//! A planned fault that breaks a connection stops the run, and begins another one later: `switchboard::run`.

use crate::{ChannelAdapter, Connection, ConnectionEnd, Refusal, SignalSink};
use foldback_wire::{ChannelState, Clock, RefusalCode, Rng, duration_in_words};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Longest wait for the next attempt that a platform is taken at its word for.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Connects again and again until `stop` is cancelled or the sink is closed.
///
/// # Errors
/// With the refusal that only a person can mend; it has been reported.
pub async fn stay_connected<A: ChannelAdapter + ?Sized + 'static>(
    adapter: Arc<A>,
    sink: SignalSink,
    stop: CancellationToken,
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
) -> Result<(), Refusal> {
    let mut connection = Connection::new(sink, rng);
    let end = loop {
        let attempt = tokio::spawn({
            let (adapter, connection) = (Arc::clone(&adapter), connection.clone());
            async move { adapter.connect(&connection).await }
        });
        let mut attempt = AbortOnDropHandle::new(attempt);
        let Some(ended) = unless_over(&connection, &stop, &mut attempt).await else {
            attempt.abort();
            // Nothing of it goes on beside the parting.
            let _ = attempt.await;
            break Ok(());
        };
        let next = follow(&connection, ended, clock.as_ref());
        match unless_over(&connection, &stop, next).await {
            None => break Ok(()),
            Some(Err(refusal)) => break Err(refusal),
            Some(Ok(())) => connection = connection.into_next(),
        }
    };
    adapter.disconnect(&connection).await;
    end
}

/// The outcome of `work`; `None` once the run is to end.
async fn unless_over<T>(
    connection: &Connection,
    stop: &CancellationToken,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        () = stop.cancelled() => None,
        () = connection.sink().closed() => None,
        done = work => Some(done),
    }
}

/// Reports the end of an attempt, and waits for the next one; an error where there is none.
async fn follow(
    connection: &Connection,
    ended: Result<ConnectionEnd, JoinError>,
    clock: &dyn Clock,
) -> Result<(), Refusal> {
    let has_panicked = ended.is_err();
    let refusal = match ended {
        Ok(ConnectionEnd::Lost(refusal)) => refusal,
        Ok(ConnectionEnd::Refused(refusal)) => {
            connection.report(ChannelState::Down, &refusal.detail).await;
            return Err(refusal);
        }
        Err(panic) => Refusal::new(RefusalCode::Transient, format!("the adapter failed: {panic}")),
    };
    let state = match refusal.code {
        RefusalCode::RateLimited => ChannelState::RateLimited,
        _ => ChannelState::Down,
    };
    let asked = refusal.retry_after.map(|asked| asked.min(LONGEST_WAIT));
    let why = match asked {
        Some(wait) if !wait.is_zero() => {
            format!("{}; next try in {}", refusal.detail, duration_in_words(wait))
        }
        _ => refusal.detail,
    };
    connection.report(state, &why).await;
    let wait = asked.unwrap_or_else(|| connection.next_wait());
    clock.sleep_until(clock.now().plus(wait)).await;
    if has_panicked {
        connection.report(ChannelState::Connecting, "trying again").await;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
