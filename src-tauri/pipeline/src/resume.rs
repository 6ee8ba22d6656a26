//! After a start: what an earlier process left open is sent, settled or closed. Nothing is doubled silently,
//! nothing lost silently.

use crate::{deliver::lanes::Job, engine::Core, recorder::Recorder, rules::Rule};
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{ChannelId, Event, Kind, Outcome, OutcomeCode, Seq, Stage, Terminal, TurnId};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio::sync::oneshot;

/// Events read at once on the way back through the journal.
const PAGE: u64 = 2_000;

/// What an earlier process left.
pub(crate) struct Left {
    outbox: Vec<OutboxEntry>,
    /// Turns without an end, with their channel.
    turns: BTreeMap<TurnId, Option<ChannelId>>,
}

impl Core {
    /// What an earlier process left open. Reads back to its start: what came before that, it closed itself,
    /// except for turns that still have something in the outbox.
    pub(crate) async fn find_left(&self) -> Result<Left, StoreError> {
        let outbox = self.recorder.journal.outbox().await?;
        let mut turns = BTreeMap::new();
        let mut ended = BTreeSet::new();
        let mut end = self.recorder.journal.head().0;
        'back: while end > 0 {
            let start = end.saturating_sub(PAGE) + 1;
            let page = self
                .recorder
                .journal
                .read(Seq(start), usize::try_from(end - start + 1).unwrap_or(0))
                .await?;
            for event in page.into_iter().rev() {
                match (event.turn, event.kind) {
                    (_, Kind::Started { .. }) => break 'back,
                    (Some(turn), Kind::TurnEnded { .. }) => drop(ended.insert(turn)),
                    (Some(turn), Kind::Received { .. }) if !ended.contains(&turn) => {
                        turns.insert(turn, event.channel);
                    }
                    _ => {}
                }
            }
            end = start - 1;
        }
        for entry in &outbox {
            if !ended.contains(&entry.turn) {
                turns.insert(entry.turn, Some(entry.channel.clone()));
            }
        }
        Ok(Left { outbox, turns })
    }

    /// Sends what was never attempted, in order; what was in flight is sent again where the platform knows a
    /// repetition by its key, else it is `unknown`. Turns without an end get one once their operations have.
    pub(crate) async fn resume(self: &Arc<Self>, left: Left) -> Result<(), StoreError> {
        let mut waits: BTreeMap<TurnId, Vec<oneshot::Receiver<_>>> = BTreeMap::new();
        for entry in left.outbox {
            let recorder = self
                .recorder
                .of_turn(entry.turn, &entry.channel)
                .in_session(&entry.session);
            let Some(port) = self.ports.port(&entry.channel) else {
                recorder.warn(format!(
                    "operation {} stays in the outbox: its channel is gone",
                    entry.op
                ))?;
                continue;
            };
            let keyed = port.channel.capabilities().idempotency_key;
            if entry.in_flight && !keyed && self.rules.holds(Rule::DeliverUnknown) {
                settle_unknown(&recorder, &entry).await?;
                continue;
            }
            let (done, outcome) = oneshot::channel();
            waits.entry(entry.turn).or_default().push(outcome);
            self.lanes.enter(Job {
                entry,
                channel: port.channel,
                recorder,
                live: false,
                resumed: true,
                done,
            });
        }
        for (turn, channel) in left.turns {
            let recorder = channel.map_or_else(|| self.recorder.clone(), |c| self.recorder.of_turn(turn, &c));
            let outcomes = waits.remove(&turn).unwrap_or_default();
            self.tasks.spawn(async move {
                for outcome in outcomes {
                    // The process ends again before this one has an outcome: the turn stays open.
                    if outcome.await.is_err() {
                        return;
                    }
                }
                if let Err(error) = close(&recorder, turn).await {
                    tracing::error!(%turn, %error, "stays open");
                }
            });
        }
        Ok(())
    }
}

async fn settle_unknown(recorder: &Recorder, entry: &OutboxEntry) -> Result<(), StoreError> {
    let outcome = Outcome {
        attempts: 1,
        ..Outcome::new(OutcomeCode::Unknown).because("the process ended during the platform call")
    };
    let event = recorder.draft(Kind::Ended {
        op: entry.op,
        outcome: outcome.clone(),
    });
    recorder.journal.settle(entry.op, outcome, vec![event]).await
}

/// Writes the end of a turn that an earlier process began.
async fn close(recorder: &Recorder, turn: TurnId) -> Result<(), StoreError> {
    let events = recorder.journal.turn(turn).await?;
    let session = events.iter().rev().find_map(|e| e.session.clone());
    let recorder = session.map_or_else(|| recorder.clone(), |s| recorder.in_session(&s));
    let terminal = if was_complete(&events) {
        Terminal::Replied
    } else {
        Terminal::Failed {
            detail: "the process ended during this turn".to_owned(),
        }
    };
    recorder.note_all(vec![Kind::Idle, Kind::TurnEnded { terminal }])
}

/// Whether everything the turn had to say was in the outbox before the process ended.
fn was_complete(events: &[Event]) -> bool {
    let dispatched = |e: &Event| {
        matches!(
            e.kind,
            Kind::Passed {
                stage: Stage::Dispatch,
                ..
            }
        )
    };
    let failed = |e: &Event| matches!(e.kind, Kind::RunFailed { .. });
    events.iter().any(dispatched) && !events.iter().any(failed)
}
