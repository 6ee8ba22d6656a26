//! An adapter that runs.

use foldback_channels::{Arrival, ChannelAdapter, Discord, Refusal, Signal};
use foldback_wire::{ChannelState, Inbound};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) struct Run {
    pub(crate) signals: mpsc::Receiver<Signal>,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<Result<(), Refusal>>,
}

impl Run {
    pub(crate) fn of(adapter: &Arc<Discord>) -> Self {
        let (sink, signals) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let (adapter, told) = (Arc::clone(adapter), stop.clone());
        let task = tokio::spawn(async move { adapter.run(sink, told).await });
        Self { signals, stop, task }
    }

    /// A run that is up.
    pub(crate) async fn up(adapter: &Arc<Discord>) -> Self {
        let mut run = Self::of(adapter);
        run.until(ChannelState::Up).await;
        run
    }

    pub(crate) async fn arrival(&mut self) -> Arrival {
        loop {
            if let Signal::Message(arrival) = self.signals.recv().await.expect("it runs") {
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

    /// Messages, kept, until one says this; `when_down` is done when the connection is reported to have ended.
    pub(crate) async fn messages_until(
        &mut self,
        last: &str,
        mut when_down: impl FnMut(&str),
    ) -> Vec<String> {
        let mut texts = Vec::new();
        while texts.last().is_none_or(|text| text != last) {
            match self.signals.recv().await.expect("it runs") {
                Signal::Message(arrival) => {
                    arrival.kept.unwrap().send(()).unwrap();
                    texts.push(arrival.message.text);
                }
                Signal::State {
                    state: ChannelState::Down,
                    why,
                } => when_down(&why),
                Signal::State { .. } | Signal::Undelivered { .. } => {}
            }
        }
        texts
    }

    pub(crate) async fn until(&mut self, wanted: ChannelState) -> String {
        loop {
            if let Signal::State { state, why } = self.signals.recv().await.expect("it runs")
                && state == wanted
            {
                return why;
            }
        }
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }

    /// How a run ends by itself, and the states it reported.
    pub(crate) async fn end(mut self) -> (Refusal, Vec<(ChannelState, String)>) {
        let mut states = Vec::new();
        while let Some(signal) = self.signals.recv().await {
            if let Signal::State { state, why } = signal {
                states.push((state, why));
            }
        }
        (self.task.await.unwrap().unwrap_err(), states)
    }
}
