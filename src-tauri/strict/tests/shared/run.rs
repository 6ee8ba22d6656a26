//! An adapter that runs.

use super::chance::Even;
use super::time::Hasty;
use foldback_channels::{Arrival, ChannelAdapter, Refusal, Signal, stay_connected};
use foldback_wire::{ChannelState, Clock, Inbound};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A run, and what it says.
pub(crate) struct Run {
    pub(crate) signals: mpsc::Receiver<Signal>,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), Refusal>>,
}

impl Run {
    pub(crate) fn of(adapter: &Arc<impl ChannelAdapter + ?Sized + 'static>) -> Self {
        Self::timed(adapter, Arc::new(Hasty))
    }

    /// The same, with another clock between two attempts.
    pub(crate) fn timed(
        adapter: &Arc<impl ChannelAdapter + ?Sized + 'static>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        // As many places as the switchboard gives an adapter.
        let (sink, signals) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let run = stay_connected(Arc::clone(adapter), sink, stop.clone(), clock, Arc::new(Even));
        let task = tokio::spawn(run);
        Self { signals, stop, task }
    }

    /// The next signal. A receipt on the way to it is written down.
    pub(crate) async fn next(&mut self) -> Signal {
        loop {
            match self.signals.recv().await.expect("it runs") {
                Signal::Receipt { kept, .. } => drop(kept.map(|kept| kept.send(()))),
                signal => return signal,
            }
        }
    }

    /// The next message, not kept yet.
    pub(crate) async fn arrival(&mut self) -> Arrival {
        loop {
            if let Signal::Message(arrival) = self.next().await {
                return *arrival;
            }
        }
    }

    /// The next message, kept.
    pub(crate) async fn message(&mut self) -> Inbound {
        let arrival = self.arrival().await;
        arrival.kept.unwrap().send(()).unwrap();
        arrival.message
    }

    /// The next message, kept, and the parts before it that could not be read: of what, and how each begins.
    pub(crate) async fn message_and_unread(&mut self) -> (Inbound, Vec<(&'static str, String)>) {
        let mut unread = Vec::new();
        loop {
            match self.next().await {
                Signal::Unreadable(failed) => unread.push((failed.part, failed.raw)),
                Signal::Message(arrival) => {
                    arrival.kept.unwrap().send(()).unwrap();
                    return (arrival.message, unread);
                }
                _ => {}
            }
        }
    }

    /// Waits for a state, and gives the reason.
    pub(crate) async fn until(&mut self, wanted: ChannelState) -> String {
        loop {
            if let Signal::State { state, why } = self.next().await
                && state == wanted
            {
                return why;
            }
        }
    }

    /// Stops it.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

/// Waits until something holds; a test in which it never does hangs.
pub(crate) async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
