//! Unfinished work of earlier processes, found in the journal after a start.

use super::{Core, OperatorSwitches};
use crate::turn_cause::TurnCause;
use foldback_store::{OutboxEntry, Selection, StoreError};
use foldback_wire::{ChannelId, Event, Inbound, JoinKind, Kind, Seq, Stage, Timestamp, TurnId};
use std::collections::BTreeMap;

/// Events read at once on the way back through what processes wrote.
const PAGE: usize = 500;

/// The kinds that tell how far an open turn had come.
const PROGRESS: [&str; 9] = [
    "schedule_due",
    "delivery_due",
    "received",
    "run_started",
    "stopping",
    "command",
    "inline_directives",
    "passed",
    "joined",
];

/// Work that an earlier process left unfinished.
pub(super) struct UnfinishedWork {
    pub(super) outbox: Vec<OutboxEntry>,
    /// Turns without an end whose run had begun, with their channel. The journal does not know what the agent did, so they
    /// are not run again.
    pub(super) turns: BTreeMap<TurnId, Option<ChannelId>>,
    /// Turns that waited, or were about to run: they go through the gates again.
    pub(super) queued: BTreeMap<TurnId, QueuedMessage>,
    /// Turns whose message came into the run of another one: they end with it.
    pub(super) joined: Vec<JoinedTurn>,
    /// The channels and the bot as an operator left them.
    pub(super) operator_switches: OperatorSwitches,
}

/// A turn whose message came into the run of another one.
pub(super) struct JoinedTurn {
    pub(super) turn: TurnId,
    pub(super) channel: ChannelId,
    pub(super) into: TurnId,
    pub(super) how: JoinKind,
}

/// A message that was received and not given to the agent.
pub(super) struct QueuedMessage {
    pub(super) message: Inbound,
    /// Its session has counted it.
    pub(super) counted: bool,
    pub(super) received: Timestamp,
    /// Its cause.
    pub(super) cause: TurnCause,
}

/// The events of no turn, read backwards through the processes that wrote them.
#[derive(Default)]
struct ProcessHistory {
    operator_switches: OperatorSwitches,
    /// The process that is read about had closed everything that was left to it: an `idle` of no turn.
    closed: bool,
}

impl ProcessHistory {
    /// Folds in the event before the last one. True at the start of a process that left nothing: nothing further back is
    /// open, and that start wrote down what an operator had switched off before it.
    fn fold_event(&mut self, event: &Event) -> bool {
        self.operator_switches.fold_event(event);
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
struct TurnProgress {
    message: Option<(Option<ChannelId>, Box<Inbound>, Timestamp)>,
    /// Its run had begun, its own answer was on its way, or it was stopped: that of somebody unknown who was told a code is
    /// decided.
    begun: bool,
    /// Its session has counted it.
    counted: bool,
    /// It came into the run of another turn, and has none of its own.
    joined: Option<(TurnId, JoinKind)>,
    /// Its cause.
    cause: TurnCause,
}

impl TurnProgress {
    fn fold_event(&mut self, event: Event) {
        if let Some(cause) = TurnCause::of_event(&event.kind) {
            self.cause = cause;
            return;
        }
        match event.kind {
            Kind::Received { message } => self.message = Some((event.channel, message, event.at)),
            Kind::RunStarted { .. } | Kind::Stopping { .. } | Kind::Command { .. } => self.begun = true,
            Kind::InlineDirectives(read) => self.begun |= read.scope.answers(),
            Kind::Joined { into, how } if how.terminal(into).is_some() => self.joined = Some((into, how)),
            Kind::Passed {
                stage: Stage::Session,
                ..
            } => self.counted = true,
            _ => {}
        }
    }
}

impl Core {
    /// Finds what earlier processes left open. Reads the events of processes back to the start of one that had left nothing,
    /// and the turns that are open: as much as there is of both, however long the journal is. Messages that were answered
    /// are not read: when a platform delivers one again, the journal is asked about that one.
    pub(super) async fn find_unfinished(&self) -> Result<UnfinishedWork, StoreError> {
        let journal = &self.context.recorder.journal;
        let outbox = journal.outbox().await?;
        let mut history = ProcessHistory::default();
        let mut end = journal.head();
        let first = 'back: loop {
            let told = journal.of_process(end, PAGE).await?;
            let Some(earliest) = told.last().map(|event| event.seq) else {
                break Seq(0);
            };
            for event in &told {
                if history.fold_event(event) {
                    break 'back event.seq;
                }
            }
            end = Seq(earliest.0 - 1);
        };
        let open: BTreeMap<TurnId, Seq> = journal.open_turns(Seq(0)).await?.into_iter().collect();
        let mut unfinished = UnfinishedWork {
            turns: BTreeMap::new(),
            queued: BTreeMap::new(),
            joined: Vec::new(),
            operator_switches: history.operator_switches,
            outbox,
        };
        for (turn, progress) in self.turn_progress(&open, first).await? {
            let Some((channel, message, received)) = progress.message else {
                continue;
            };
            if let Some((into, how)) = progress.joined {
                unfinished.joined.push(JoinedTurn {
                    turn,
                    channel: message.channel,
                    into,
                    how,
                });
            } else if progress.begun {
                unfinished.turns.insert(turn, channel);
            } else {
                let waiting = QueuedMessage {
                    message: *message,
                    counted: progress.counted,
                    received,
                    cause: progress.cause,
                };
                unfinished.queued.insert(turn, waiting);
            }
        }
        for entry in &unfinished.outbox {
            if open.contains_key(&entry.turn) {
                // What it sends may go to another channel than its own.
                let own = unfinished
                    .queued
                    .remove(&entry.turn)
                    .map(|waiting| waiting.message.channel);
                let own = own.unwrap_or_else(|| entry.channel.clone());
                unfinished.turns.entry(entry.turn).or_insert(Some(own));
            }
        }
        Ok(unfinished)
    }

    /// Progress of the turns that are open and came in after this place.
    async fn turn_progress(
        &self,
        open: &BTreeMap<TurnId, Seq>,
        first: Seq,
    ) -> Result<BTreeMap<TurnId, TurnProgress>, StoreError> {
        let turns = open.iter().filter(|(_, received)| **received > first);
        let wanted = Selection {
            turns: Some(turns.map(|(turn, _)| *turn).collect()),
            ..Selection::kinds(PROGRESS)
        };
        let journal = &self.context.recorder.journal;
        let mut all: BTreeMap<TurnId, TurnProgress> = BTreeMap::new();
        for event in journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX)
            .await?
        {
            if let Some(turn) = event.turn {
                all.entry(turn).or_default().fold_event(event);
            }
        }
        Ok(all)
    }
}
