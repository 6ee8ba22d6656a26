//! What only runs of this adapter are asked.

use crate::shared::run::Run;
use foldback_channels::{Discord, Refusal, Signal};
use foldback_wire::ChannelState;
use std::sync::Arc;

impl Run {
    /// A run that is up.
    pub(crate) async fn up(adapter: &Arc<Discord>) -> Self {
        let mut run = Self::of(adapter);
        run.until(ChannelState::Up).await;
        run
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
                _ => {}
            }
        }
        texts
    }

    /// How a run ends by itself, and the states it reported.
    pub(crate) async fn ended(mut self) -> (Refusal, Vec<(ChannelState, String)>) {
        let mut states = Vec::new();
        while let Some(signal) = self.signals.recv().await {
            if let Signal::State { state, why } = signal {
                states.push((state, why));
            }
        }
        (self.task.await.unwrap().unwrap_err(), states)
    }
}
