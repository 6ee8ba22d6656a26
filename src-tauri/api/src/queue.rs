//! An operator's word about what waits for a person's consent, from another process: deliveries that were held, and
//! messages that waited over a stop of the bot, for longer than `outbox.max_age`.

use crate::failure;
use foldback_pipeline::TokioClock;
use foldback_store::{Journal, Selection, SqliteJournal, StoreError};
use foldback_wire::{ChannelId, Clock as _, Kind, Operation, Seq, Timestamp, TurnId, rpc::Failure};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::Path,
    time::Duration,
};

/// Kinds that tell whether the message of an open turn was given to the agent.
const PROGRESS: [&str; 3] = ["received", "run_started", "stopping"];

/// An operator's order about what waits for consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum QueueOrder {
    /// To see it.
    Held,
    /// To let what waits on a channel go on: deliveries go out, messages go to the agent.
    Release {
        /// The channel.
        channel: ChannelId,
    },
    /// To give up what waits on a channel.
    Drop {
        /// The channel.
        channel: ChannelId,
    },
}

/// Everything that waits for consent on a channel; never nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOnChannel {
    /// The channel.
    pub channel: ChannelId,
    /// Deliveries that were held.
    pub deliveries: u64,
    /// Messages that waited over a stop.
    pub messages: u64,
    /// When the oldest of them was intended or received.
    pub oldest: Timestamp,
}

/// Such as `2 messages and 1 delivery`.
impl fmt::Display for HeldOnChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |number: u64, one: &str, more: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            number => Some(format!("{number} {more}")),
        };
        let parts = [
            count(self.messages, "message", "messages"),
            count(self.deliveries, "delivery", "deliveries"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(" and "))
    }
}

/// Gives an order to the bot of this journal. Where none runs, the journal tells what its next start will ask about, for
/// a limit (`outbox.max_age`) of `max_age`; nobody can decide about it then.
///
/// # Errors
/// With what cannot be done and why; nothing was decided then.
pub async fn order_queue(
    journal: &Path,
    max_age: Duration,
    order: QueueOrder,
) -> Result<Vec<HeldOnChannel>, Failure> {
    let is_look = order == QueueOrder::Held;
    #[cfg(unix)]
    if let Some(came) = crate::backend::ask(journal, &order.into()).await {
        return came;
    }
    if !is_look {
        return Err(failure::no_bot_for_queue(journal));
    }
    if !journal.exists() {
        return Ok(Vec::new());
    }
    let left = async {
        let journal = SqliteJournal::open_read_only(journal).await?;
        left_in(&journal, TokioClock::system().now().minus(max_age)).await
    };
    left.await.map_err(failure::journal)
}

/// Everything in the journal of a bot that does not run that was intended or received `before` and waits.
async fn left_in(journal: &dyn Journal, before: Timestamp) -> Result<Vec<HeldOnChannel>, StoreError> {
    let mut held = BTreeMap::new();
    let outbox = journal.outbox().await?;
    // Live frames and typing are not sent by a later process, and of a call that was begun no person is asked.
    let stays = outbox
        .iter()
        .filter(|entry| !entry.live && !entry.in_flight && !matches!(entry.operation, Operation::Typing));
    for entry in stays.filter(|entry| entry.age_from() < before) {
        of_channel(&mut held, &entry.channel, entry.age_from()).deliveries += 1;
    }
    let answered: BTreeSet<TurnId> = outbox.iter().map(|entry| entry.turn).collect();
    let open = journal.open_turns(Seq(0)).await?;
    let wanted = Selection {
        turns: Some(open.into_iter().map(|(turn, _)| turn).collect()),
        ..Selection::kinds(PROGRESS)
    };
    let mut waiting = BTreeMap::new();
    for event in journal
        .select(&wanted, Seq(0), journal.head(), usize::MAX)
        .await?
    {
        match (event.turn, event.kind) {
            (Some(turn), Kind::Received { message }) if !answered.contains(&turn) && event.at < before => {
                waiting.insert(turn, (message.channel, event.at));
            }
            (Some(turn), Kind::RunStarted { .. } | Kind::Stopping { .. }) => drop(waiting.remove(&turn)),
            _ => {}
        }
    }
    for (channel, since) in waiting.into_values() {
        of_channel(&mut held, &channel, since).messages += 1;
    }
    Ok(held.into_values().collect())
}

/// The entry of a channel, with something in it that waits since this time.
fn of_channel<'a>(
    held: &'a mut BTreeMap<ChannelId, HeldOnChannel>,
    channel: &ChannelId,
    since: Timestamp,
) -> &'a mut HeldOnChannel {
    let entry = held.entry(channel.clone()).or_insert_with(|| HeldOnChannel {
        channel: channel.clone(),
        deliveries: 0,
        messages: 0,
        oldest: since,
    });
    entry.oldest = entry.oldest.min(since);
    entry
}
