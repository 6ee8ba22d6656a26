//! The turns of the demonstration that the guided tour stops at, and the events at which each shows what it is about.

use super::Backend;
use crate::failure;
use foldback_store::{Selection, StoreError};
use foldback_wire::{
    ChannelId, Event, Fate, HoldReason, Kind, Seq, TurnId,
    rpc::{DemoStop, DemoTopic, Failure},
};

/// Received messages read at once.
const PAGE: usize = 500;

impl Backend {
    /// Finds the latest turn of the demonstration for each topic of the tour, in the order of the topics.
    pub(super) async fn list_demo_stops(&self) -> Result<Vec<DemoStop>, Failure> {
        let player = self.shared.demo.as_ref().ok_or_else(failure::no_demo)?;
        let mut stops = Vec::new();
        for (topic, channel, text) in player.stops() {
            let found = self.find_stop(topic, channel, text).await;
            let found = found.map_err(failure::journal)?;
            stops.push(DemoStop {
                topic,
                turn: found.map(|(turn, _)| turn),
                seq: found.map(|(_, seq)| seq),
            });
        }
        stops.sort_by_key(|stop| DemoTopic::ALL.iter().position(|topic| *topic == stop.topic));
        Ok(stops)
    }

    async fn find_stop(
        &self,
        topic: DemoTopic,
        channel: &ChannelId,
        text: &str,
    ) -> Result<Option<(TurnId, u64)>, StoreError> {
        let journal = &self.shared.journal;
        let received = Selection {
            channels: Some([channel.clone()].into()),
            ..Selection::kinds(["received"])
        };
        let places = journal
            .places(&received, Seq(0), journal.head(), usize::MAX)
            .await?;
        for page in places.rchunks(PAGE) {
            for event in journal.pick(page).await?.iter().rev() {
                let Some(turn) = event.turn.filter(|_| is_message(&event.kind, text)) else {
                    continue;
                };
                if let Some(seq) = seen_at(topic, &journal.turn(turn).await?) {
                    return Ok(Some((turn, seq)));
                }
            }
        }
        Ok(None)
    }
}

fn is_message(kind: &Kind, text: &str) -> bool {
    matches!(kind, Kind::Received { message } if message.text == text)
}

/// The event of an ended turn at which a topic is seen; `None` where the turn goes on or does not show it.
fn seen_at(topic: DemoTopic, events: &[Event]) -> Option<u64> {
    let ended = events
        .iter()
        .any(|event| matches!(event.kind, Kind::TurnEnded { .. }));
    let shows = |event: &&Event| match (topic, &event.kind) {
        (DemoTopic::Held, Kind::Held { .. })
        | (DemoTopic::Silent, Kind::Suppressed { .. })
        | (DemoTopic::Failed, Kind::RunFailed { .. }) => true,
        (DemoTopic::Stripped, Kind::Decided { range, .. }) => range.fate == Fate::Strip,
        (DemoTopic::RateLimited, Kind::Waiting { reason, .. }) => *reason == HoldReason::RateLimited,
        _ => false,
    };
    events
        .iter()
        .filter(|_| ended)
        .find(shows)
        .map(|event| event.seq.0)
}
