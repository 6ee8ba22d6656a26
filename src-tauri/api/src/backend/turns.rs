//! Turns: lists, details, moments, and why.

use super::{Backend, lock};
use crate::{
    TurnFold,
    action_chain::read_action_chain,
    doors::Doors,
    export::capabilities_of,
    failure,
    live::SummaryReader,
    why::{TurnNow, is_in_run, why_now},
};
use foldback_pipeline::NamedSettings;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{
    Capabilities, ChannelId, Event, Kind, MessageId, Seq, TurnId,
    rpc::{ActionChain, Failure, Moment, MomentAt, Ruler, TurnDetail, TurnList, TurnSummary, Why},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

/// Folds kept: those a person looks at and those that run. A fold holds its turn's text, mostly some kB.
const FOLDS: usize = 64;
/// Most turns in a list.
const MOST: u32 = 500;

/// Folds and summaries of turns.
#[derive(Default)]
pub(super) struct Turns {
    folds: Mutex<BTreeMap<TurnId, TurnFold>>,
    /// Of turns that cannot change any more.
    pub(super) summaries: Mutex<BTreeMap<TurnId, TurnSummary>>,
    growth: watch::Sender<Growth>,
}

/// How far both are kept up with the journal.
#[derive(Debug, Clone, Copy, Default)]
struct Growth {
    /// The last place up to which both are as the journal says.
    grown: Seq,
    /// Whether the journal is followed from there on.
    follows: bool,
}

/// Says that turns are kept up with the journal, until it is dropped.
pub(super) struct Following<'a>(&'a Turns);

impl Drop for Following<'_> {
    fn drop(&mut self) {
        self.0.growth.send_modify(|growth| growth.follows = false);
    }
}

impl Turns {
    /// What is kept is as the journal says up to this place, and will be told of what comes.
    pub(super) fn follow_from(&self, grown: Seq) -> Following<'_> {
        let follows = true;
        self.growth.send_replace(Growth { grown, follows });
        Following(self)
    }

    /// The last place up to which the events are folded.
    pub(super) fn grown(&self) -> Seq {
        self.growth.borrow().grown
    }

    /// Waits until the events up to a place are folded, or no more will be.
    pub(super) async fn grow_to(&self, until: Seq) {
        let is_there = |growth: &Growth| growth.grown >= until || !growth.follows;
        // Fails only when the turns are dropped, which are borrowed here.
        let _ = self.growth.subscribe().wait_for(is_there).await;
    }

    /// Folds new events into the turns kept.
    pub(super) fn grow(&self, events: &[Event]) {
        self.fold(events);
        if let Some(last) = events.last() {
            self.growth.send_modify(|growth| growth.grown = last.seq);
        }
    }

    fn fold(&self, events: &[Event]) {
        let mut folds = lock(&self.folds);
        for event in events {
            let Some(turn) = event.turn else { continue };
            if matches!(event.kind, Kind::Undelivered { .. }) {
                lock(&self.summaries).remove(&turn);
            }
            if matches!(event.kind, Kind::Received { .. }) {
                folds.entry(turn).or_insert_with(|| TurnFold::new(turn));
            }
            if let Some(fold) = folds.get_mut(&turn) {
                fold.push(event);
            }
        }
        // The oldest settled ones go first; a turn that still runs is kept.
        while folds.len() > FOLDS {
            let Some(oldest) = folds
                .iter()
                .find(|(_, fold)| fold.settled())
                .map(|(turn, _)| *turn)
            else {
                break;
            };
            folds.remove(&oldest);
        }
    }

    /// Result of `read` on the fold of a turn; `None` where no fold is kept or its message is not known.
    pub(super) fn with<T>(&self, turn: TurnId, read: impl FnOnce(&TurnFold) -> T) -> Option<T> {
        lock(&self.folds)
            .get(&turn)
            .filter(|fold| fold.inbound().is_some())
            .map(read)
    }
}

impl Backend {
    pub(super) async fn list(&self, list: TurnList) -> Result<Vec<TurnSummary>, Failure> {
        let limit = list.limit.min(MOST) as usize;
        let journal = &self.shared.journal;
        let head = journal.head();
        let received = Selection::kinds(["received"]);
        let all = journal
            .turns(&received, Seq(0), head)
            .await
            .map_err(failure::journal)?;
        let turns = all.into_iter().rev().map(|(turn, _)| turn);
        let wanted = turns.filter(|turn| list.before.is_none_or(|before| *turn < before));
        let wanted: Vec<_> = wanted.take(limit).map(|turn| (turn, head)).collect();
        let found = self.read_summaries(&wanted).await.map_err(failure::journal)?;
        Ok(found.into_values().rev().collect())
    }

    pub(super) async fn detail(&self, turn: TurnId) -> Result<TurnDetail, Failure> {
        // A file that is looked at stays as it is.
        if !self.shared.replayed && self.digest().looked_at(turn) {
            self.note_review(turn)?;
        }
        if let Some(detail) = self.shared.turns.with(turn, TurnFold::detail) {
            let mut detail = detail.ok_or_else(|| failure::no_turn(turn))?;
            detail.summary.replayed = self.shared.replayed;
            return Ok(detail);
        }
        let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
        let detail = TurnFold::of(turn, &events).detail();
        let mut detail = detail.ok_or_else(|| failure::no_turn(turn))?;
        let replayed = self.is_replayed(&events).await;
        detail.summary.replayed = replayed.map_err(failure::journal)?;
        Ok(detail)
    }

    /// True where a turn is that of a file, opened or imported: the start before it is that of a replay. What comes in
    /// while this process runs is none.
    async fn is_replayed(&self, events: &[Event]) -> Result<bool, StoreError> {
        let Some(first) = events.first().filter(|_| !self.shared.replayed) else {
            return Ok(self.shared.replayed);
        };
        let starts = Selection::kinds(["started"]);
        let journal = &self.shared.journal;
        let before = journal.select(&starts, Seq(0), first.seq, usize::MAX).await?;
        Ok(before
            .last()
            .is_some_and(|event| matches!(event.kind, Kind::Started { replayed: true, .. })))
    }

    pub(super) async fn moment(&self, at: MomentAt) -> Result<Moment, Failure> {
        let events = self
            .shared
            .journal
            .turn(at.turn)
            .await
            .map_err(failure::journal)?;
        let fold = TurnFold::until(at.turn, &events, at.seq);
        let (channel, chat) = fold
            .inbound()
            .map(|m| (m.channel.clone(), m.chat.clone()))
            .ok_or_else(|| failure::no_turn(at.turn))?;
        let can = self.capabilities(&channel);
        let moment = match at.byte {
            None => fold.moment(&can),
            Some(byte) => {
                let settings = self.shared.config.settings_of(&channel);
                fold.moment_at_byte(&can, &events, byte, &settings)
            }
        };
        let mut moment = moment.ok_or_else(|| failure::no_turn(at.turn))?;
        self.quote_earlier(&mut moment, &channel, &chat).await?;
        Ok(moment)
    }

    /// How the messages of a turn fill what its channel takes.
    pub(super) async fn rule(&self, turn: TurnId) -> Result<Ruler, Failure> {
        let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
        let fold = TurnFold::of(turn, &events);
        let channel = fold.inbound().map(|m| m.channel.clone());
        let channel = channel.ok_or_else(|| failure::no_turn(turn))?;
        Ok(fold.ruler(&channel, &self.capabilities(&channel)))
    }

    /// The chain of turns that actions link with a turn.
    pub(super) async fn chain(&self, turn: TurnId) -> Result<ActionChain, Failure> {
        let chain = read_action_chain(self.shared.journal.as_ref(), turn).await;
        chain
            .map_err(failure::journal)?
            .ok_or_else(|| failure::no_turn(turn))
    }

    /// What a channel can do. One that is not configured any more is measured by the platform of its name.
    pub(super) fn capabilities(&self, channel: &ChannelId) -> Capabilities {
        capabilities_of(&self.shared.config, channel)
    }

    pub(super) async fn explain(&self, about: &str) -> Result<Why, Failure> {
        let settings = NamedSettings::new(Arc::clone(&self.shared.config));
        explain(self.shared.journal.as_ref(), about, Some(&settings), || true).await
    }
}

/// Why the turn of this number (`12`, `#12`) went as it did, or the latest turn that a platform's message
/// of this id belongs to. Of a turn without an end, `has_writer` tells whether a process writes the journal: where none
/// does, the turn does not run. What it waits for is decided by `settings`, where they are known.
///
/// # Errors
/// `not_found` when there is neither; `journal` when it cannot be read.
pub async fn explain(
    journal: &dyn Journal,
    about: &str,
    settings: Option<&NamedSettings>,
    has_writer: impl Fn() -> bool,
) -> Result<Why, Failure> {
    let text = about.trim();
    if let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse()
        && let Some(answer) = explain_turn(journal, TurnId(number), settings, &has_writer).await?
    {
        return Ok(answer);
    }
    // A bare number can be a message's id as well.
    let turn = turn_of(journal, &MessageId::new(text))
        .await?
        .ok_or_else(|| failure::nothing_about(text))?;
    explain_turn(journal, turn, settings, &has_writer)
        .await?
        .ok_or_else(|| failure::nothing_about(text))
}

/// Why a turn went as it did; for what waits, what keeps its channel from sending now.
async fn explain_turn(
    journal: &dyn Journal,
    turn: TurnId,
    settings: Option<&NamedSettings>,
    has_writer: &impl Fn() -> bool,
) -> Result<Option<Why>, Failure> {
    let events = journal.turn(turn).await.map_err(failure::journal)?;
    let waits = |event: &Event| matches!(event.kind, Kind::Waiting { .. });
    let doors = if events.iter().any(waits) {
        let channels = events.iter().filter_map(|event| event.channel.clone()).collect();
        Doors::read(journal, channels).await.map_err(failure::journal)?
    } else {
        Doors::default()
    };
    let is_done = events
        .iter()
        .any(|event| matches!(event.kind, Kind::TurnEnded { .. }));
    let is_gone = !is_done && (!has_writer() || is_before_start(journal, &events).await?);
    let now = TurnNow {
        doors,
        is_gone,
        settings,
    };
    Ok(why_now(turn, &events, &now))
}

/// True where a process began behind all that is known of a turn whose run was under way: it was another's.
async fn is_before_start(journal: &dyn Journal, events: &[Event]) -> Result<bool, Failure> {
    let Some(last) = events.last().filter(|_| is_in_run(events)) else {
        return Ok(false);
    };
    let later = journal
        .select(&Selection::kinds(["started"]), last.seq, journal.head(), 1)
        .await
        .map_err(failure::journal)?;
    Ok(!later.is_empty())
}

/// The latest turn that a platform's message belongs to.
async fn turn_of(journal: &dyn Journal, id: &MessageId) -> Result<Option<TurnId>, Failure> {
    let naming = Selection::kinds(["received", "ended"]);
    for (after, until) in strides(journal.head()) {
        let events = journal
            .select(&naming, after, until, usize::MAX)
            .await
            .map_err(failure::journal)?;
        if let Some(found) = events.iter().rev().find(|event| names(event, id)) {
            return Ok(found.turn);
        }
    }
    Ok(None)
}

/// Whether an event tells that a message belongs to its turn.
fn names(event: &Event, id: &MessageId) -> bool {
    match &event.kind {
        Kind::Received { message } => message.message == *id,
        Kind::Ended { outcome, .. } => outcome.message.as_ref() == Some(id),
        _ => false,
    }
}

/// Places searched at a time when looking backwards.
const STRIDE: u64 = 20_000;

/// The stretches of the journal up to `head`, last first, each without its first place.
fn strides(head: Seq) -> impl Iterator<Item = (Seq, Seq)> {
    (0..=head.0 / STRIDE)
        .rev()
        .map(move |n| (Seq(n * STRIDE), Seq(((n + 1) * STRIDE).min(head.0))))
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
