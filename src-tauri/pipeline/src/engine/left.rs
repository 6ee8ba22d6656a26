//! What earlier processes left open, found in the journal after a start.

use super::{ByHand, Core};
use foldback_store::{OutboxEntry, Selection, StoreError};
use foldback_wire::{ChannelId, Event, Inbound, Kind, Seq, Stage, Timestamp, TurnId};
use std::collections::BTreeMap;

/// Events read at once on the way back through what processes told.
const PAGE: usize = 500;

/// The kinds that tell how far an open turn had come.
const PROGRESS: [&str; 4] = ["received", "run_started", "stopping", "passed"];

/// What an earlier process left.
pub(super) struct Left {
    pub(super) outbox: Vec<OutboxEntry>,
    /// Turns without an end whose run had begun, with their channel. Nobody knows what the agent did: they are
    /// not run again.
    pub(super) turns: BTreeMap<TurnId, Option<ChannelId>>,
    /// Turns that waited, or were about to run: they are taken up again.
    pub(super) waiting: BTreeMap<TurnId, Waiting>,
    /// What people had switched off.
    pub(super) by_hand: ByHand,
}

/// A message that was received and not given to the agent.
pub(super) struct Waiting {
    pub(super) message: Inbound,
    /// Its session has counted it.
    pub(super) counted: bool,
    pub(super) received: Timestamp,
}

/// State of the way back through what processes told.
#[derive(Default)]
struct Walk {
    by_hand: ByHand,
    /// The process that is read about had closed everything that was left to it: an `idle` of no turn.
    closed: bool,
}

impl Walk {
    /// Takes the event before the last one. True at the start of a process that left nothing: nothing further back is
    /// open, and that start told what people had switched off before it.
    fn take(&mut self, event: &Event) -> bool {
        self.by_hand.take(event);
        match event.kind {
            Kind::Idle => self.closed = true,
            // One that was killed before it had closed everything leaves its predecessors' turns open too.
            Kind::Started { .. } => return self.closed,
            _ => {}
        }
        false
    }
}

/// Progress of an open turn.
#[derive(Default)]
struct Progress {
    message: Option<(Option<ChannelId>, Box<Inbound>, Timestamp)>,
    /// Its run had begun, or it was stopped: that of somebody unknown who was told a code is decided.
    begun: bool,
    /// Its session has counted it.
    counted: bool,
}

impl Progress {
    fn take(&mut self, event: Event) {
        match event.kind {
            Kind::Received { message } => self.message = Some((event.channel, message, event.at)),
            Kind::RunStarted { .. } | Kind::Stopping { .. } => self.begun = true,
            Kind::Passed {
                stage: Stage::Session,
                ..
            } => self.counted = true,
            _ => {}
        }
    }
}

impl Core {
    /// Finds what earlier processes left open. Reads what they told back to the start of one that had nothing left, and the
    /// turns that are open: as much as there is of both, however long the journal is. Messages that were answered are not
    /// read: when a platform delivers one again, the journal is asked about that one.
    pub(super) async fn find_left(&self) -> Result<Left, StoreError> {
        let journal = &self.context.recorder.journal;
        let outbox = journal.outbox().await?;
        let mut walk = Walk::default();
        let mut end = journal.head();
        let first = 'back: loop {
            let told = journal.of_process(end, PAGE).await?;
            let Some(earliest) = told.last().map(|event| event.seq) else {
                break Seq(0);
            };
            for event in &told {
                if walk.take(event) {
                    break 'back event.seq;
                }
            }
            end = Seq(earliest.0 - 1);
        };
        let open: BTreeMap<TurnId, Seq> = journal.open_turns(Seq(0)).await?.into_iter().collect();
        let mut left = Left {
            turns: BTreeMap::new(),
            waiting: BTreeMap::new(),
            by_hand: walk.by_hand,
            outbox,
        };
        for (turn, progress) in self.progress(&open, first).await? {
            let Some((channel, message, received)) = progress.message else {
                continue;
            };
            if progress.begun {
                left.turns.insert(turn, channel);
            } else {
                let waiting = Waiting {
                    message: *message,
                    counted: progress.counted,
                    received,
                };
                left.waiting.insert(turn, waiting);
            }
        }
        for entry in &left.outbox {
            if open.contains_key(&entry.turn) {
                // What it sends may go to another channel than its own.
                let own = left
                    .waiting
                    .remove(&entry.turn)
                    .map(|waiting| waiting.message.channel);
                let own = own.unwrap_or_else(|| entry.channel.clone());
                left.turns.entry(entry.turn).or_insert(Some(own));
            }
        }
        Ok(left)
    }

    /// Progress of the turns that are open and came in after this place.
    async fn progress(
        &self,
        open: &BTreeMap<TurnId, Seq>,
        first: Seq,
    ) -> Result<BTreeMap<TurnId, Progress>, StoreError> {
        let turns = open.iter().filter(|(_, received)| **received > first);
        let wanted = Selection {
            turns: Some(turns.map(|(turn, _)| *turn).collect()),
            ..Selection::kinds(PROGRESS)
        };
        let journal = &self.context.recorder.journal;
        let mut all: BTreeMap<TurnId, Progress> = BTreeMap::new();
        for event in journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?
        {
            if let Some(turn) = event.turn {
                all.entry(turn).or_default().take(event);
            }
        }
        Ok(all)
    }
}
