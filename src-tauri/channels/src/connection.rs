//! What an adapter is handed for one attempt to connect, and how such an attempt ends.

use crate::backoff::Backoff;
use crate::{Refusal, Signal, SignalSink};
use foldback_wire::{ChannelState, Rng};
use std::sync::Arc;
use std::time::Duration;

/// An adapter's way to the pipeline during one attempt to connect. The back-off in it lasts for all attempts of a run.
#[derive(Clone)]
pub struct Connection {
    sink: SignalSink,
    backoff: Arc<Backoff>,
    rng: Arc<dyn Rng>,
    is_first: bool,
}

impl Connection {
    /// The first attempt of a run, whose signals go to `sink`. `rng` spreads its waits.
    pub fn new(sink: SignalSink, rng: Arc<dyn Rng>) -> Self {
        Self {
            sink,
            backoff: Arc::default(),
            rng,
            is_first: true,
        }
    }

    /// The same attempt, whose signals go elsewhere: for an adapter around another one.
    #[must_use]
    pub fn with_sink(&self, sink: SignalSink) -> Self {
        Self { sink, ..self.clone() }
    }

    /// The next attempt of the run.
    pub(crate) fn into_next(self) -> Self {
        Self {
            is_first: false,
            ..self
        }
    }

    /// True for the first attempt since the channel was switched on: what a person may have mended is read anew then.
    pub const fn is_first(&self) -> bool {
        self.is_first
    }

    /// Where signals go.
    pub const fn sink(&self) -> &SignalSink {
        &self.sink
    }

    /// Reports a state. The end of an attempt needs none: it is reported by who called for the attempt.
    pub async fn report(&self, state: ChannelState, why: &str) {
        let why = why.to_owned();
        // A closed sink ends the run.
        let _ = self.sink.send(Signal::State { state, why }).await;
    }

    /// Notes that the platform is connected and works: the next wait is short again. A connection that is up and breaks
    /// at once, again and again, does not say so.
    pub fn confirm(&self) {
        self.backoff.reset();
    }

    /// The next wait of the back-off, for an adapter that tries something again within its attempt.
    pub fn next_wait(&self) -> Duration {
        self.backoff.next(self.rng.as_ref())
    }
}

/// How an attempt ended.
#[derive(Debug)]
pub enum ConnectionEnd {
    /// The connection was not made, or broke. It is tried again: after the refusal's `retry_after`, else by the back-off.
    Lost(Refusal),
    /// Only a person can mend it, who then switches the channel off and on.
    Refused(Refusal),
}

impl ConnectionEnd {
    /// The end at a platform where everything may pass but a credential that it refuses; `why` says which.
    pub(crate) fn unless_denied(refusal: Refusal, why: &str) -> Self {
        if !refusal.code.is_denied() {
            return Self::Lost(refusal);
        }
        Self::Refused(Refusal {
            detail: format!("{why}: {}", refusal.detail),
            ..refusal
        })
    }
}
