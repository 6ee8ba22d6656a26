//! The journal of a replay: it forgets. No thread, no wait, no file, so that a virtual clock alone decides
//! what happens next.

use crate::{
    EventDuration, Journal, KnownChat, MOST_CHATS, Mention, Numbers, OutboxEntry, Selection, SessionRecord,
    StoreError, TurnOutline, UsageTotals, duration::DurationTracker, ledger::Ledger, outline::OutlineParts,
};
use async_trait::async_trait;
use foldback_wire::{
    ChannelId, ChatId, Draft, Event, Kind, OpId, Outcome, Seq, SessionId, Timestamp, TurnId,
    rpc::AgentSession,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{Notify, watch};

/// A journal in memory. Every method is done when it returns; no call ever waits.
#[derive(Debug)]
pub struct MemoryJournal {
    state: Mutex<State>,
    head: watch::Sender<Seq>,
    /// Wakes those who wait for the end.
    end: Notify,
}

#[derive(Debug, Default)]
struct State {
    ledger: Ledger,
    events: Vec<Event>,
    /// Where each message is told of.
    mentions: HashMap<Mention, Vec<Seq>>,
    began: DurationTracker,
    durations: BTreeMap<Seq, EventDuration>,
    sessions: HashMap<SessionId, SessionRecord>,
    chats: HashMap<(ChannelId, ChatId), KnownChat>,
    agent_sessions: HashMap<SessionId, HashMap<String, AgentSession>>,
    closed: bool,
}

impl State {
    /// The events at the places `after + 1 ..= until`. Place n is at index n - 1: places have no holes.
    fn between(&self, after: Seq, until: Seq) -> impl Iterator<Item = &Event> {
        let index = |seq: Seq| usize::try_from(seq.0).map_or(self.events.len(), |n| n.min(self.events.len()));
        self.events[index(after)..index(until).max(index(after))].iter()
    }

    /// The events at these places that are admitted.
    fn admitted(&self, wanted: &Selection, after: Seq, until: Seq) -> impl Iterator<Item = &Event> {
        self.between(after, until)
            .filter(move |event| wanted.admits(event, self.durations.get(&event.seq)))
    }

    fn open(&self) -> Result<(), StoreError> {
        if self.closed {
            Err(StoreError::Closed)
        } else {
            Ok(())
        }
    }
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            head: watch::Sender::new(Seq(0)),
            end: Notify::new(),
        }
    }
}

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing in here panics half way through a change, so a poisoned lock still guards a whole state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the book first, then writes the events that tell of it: a refused change leaves no trace.
    fn write(
        &self,
        drafts: Vec<Draft>,
        change: impl FnOnce(&mut Ledger) -> Result<(), StoreError>,
    ) -> Result<Vec<Seq>, StoreError> {
        let mut state = self.state();
        state.open()?;
        change(&mut state.ledger)?;
        let events = state.ledger.number(drafts);
        let places = events.iter().map(|event| event.seq).collect();
        let mut over = Vec::new();
        for event in &events {
            state.began.see(event, &mut over);
            for mention in Mention::all(event.channel.as_ref(), &event.kind) {
                state.mentions.entry(mention).or_default().push(event.seq);
            }
        }
        state
            .durations
            .extend(over.into_iter().map(|over| (over.seq, over)));
        state.events.extend(events);
        // Under the lock, so that the head never steps back.
        let head = state.ledger.head();
        self.head
            .send_if_modified(|at| std::mem::replace(at, head) != head);
        Ok(places)
    }
}

#[async_trait]
impl Journal for MemoryJournal {
    fn append(&self, events: Vec<Draft>) -> Result<Vec<Seq>, StoreError> {
        self.write(events, |_| Ok(()))
    }

    async fn flush(&self) -> Result<(), StoreError> {
        self.state().open()
    }

    async fn intend_all(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.intend_ahead(entries, events)
    }

    fn intend_ahead(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.write(events, |ledger| ledger.intend(entries)).map(drop)
    }

    async fn attempt(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        self.write(events, |ledger| ledger.in_flight(op, true)).map(drop)
    }

    async fn retry(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        self.write(events, |ledger| ledger.in_flight(op, false)).map(drop)
    }

    async fn settle(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.settle_ahead(op, outcome, events)
    }

    fn settle_ahead(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.write(events, |ledger| ledger.settle(op, &outcome)).map(drop)
    }

    async fn settle_and_intend(
        &self,
        op: OpId,
        outcome: Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        self.write(events, |ledger| ledger.settle_and_intend(op, &outcome, next))
            .map(drop)
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        Ok(self.state().ledger.outbox())
    }

    async fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(self.state().sessions.get(id).cloned())
    }

    async fn sessions(&self, limit: usize) -> Result<(Vec<SessionRecord>, u64), StoreError> {
        let mut all: Vec<_> = self.state().sessions.values().cloned().collect();
        let total = all.len() as u64;
        all.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.id.cmp(&b.id)));
        all.truncate(limit);
        Ok((all, total))
    }

    async fn agent_sessions(&self, of: &SessionId) -> Result<Vec<AgentSession>, StoreError> {
        let state = self.state();
        let kept = state.agent_sessions.get(of).into_iter().flat_map(HashMap::values);
        let mut kept: Vec<_> = kept.cloned().collect();
        kept.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| a.backend.cmp(&b.backend)));
        Ok(kept)
    }

    async fn put_agent_session(
        &self,
        of: &SessionId,
        kept: Option<AgentSession>,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        self.write(events, |_| Ok(()))?;
        let sessions = &mut self.state().agent_sessions;
        if let Some(kept) = kept {
            let of = sessions.entry(of.clone()).or_default();
            of.insert(kept.backend.clone(), kept);
        } else {
            sessions.remove(of);
        }
        Ok(())
    }

    async fn put_session(&self, record: SessionRecord, events: Vec<Draft>) -> Result<(), StoreError> {
        self.write(events, |_| Ok(()))?;
        self.state().sessions.insert(record.id.clone(), record);
        Ok(())
    }

    fn put_chat(&self, chat: KnownChat) -> Result<(), StoreError> {
        self.write(vec![], |_| Ok(()))?;
        let chats = &mut self.state().chats;
        chats.insert((chat.channel.clone(), chat.chat.clone()), chat);
        if chats.len() > MOST_CHATS {
            let oldest = chats.iter().min_by_key(|(_, chat)| chat.used);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.map(|key| chats.remove(&key));
        }
        Ok(())
    }

    async fn chat(&self, channel: &ChannelId, chat: &ChatId) -> Result<Option<KnownChat>, StoreError> {
        let key = (channel.clone(), chat.clone());
        Ok(self.state().chats.get(&key).cloned())
    }

    async fn chats(&self) -> Result<Vec<KnownChat>, StoreError> {
        let mut chats: Vec<_> = self.state().chats.values().cloned().collect();
        chats.sort_by(|a, b| {
            let place = |chat: &KnownChat| (chat.channel.clone(), chat.chat.clone());
            b.used.cmp(&a.used).then_with(|| place(a).cmp(&place(b)))
        });
        Ok(chats)
    }

    async fn reserve(&self) -> Result<Numbers, StoreError> {
        Ok(self.state().ledger.numbers())
    }

    async fn read(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        // The event at place n is at index n - 1, because places begin at 1 and have no holes.
        let first = usize::try_from(from.0.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(self
            .state()
            .events
            .iter()
            .skip(first)
            .take(limit)
            .cloned()
            .collect())
    }

    async fn turn(&self, turn: TurnId) -> Result<Vec<Event>, StoreError> {
        let state = self.state();
        Ok(state
            .events
            .iter()
            .filter(|event| event.turn == Some(turn))
            .cloned()
            .collect())
    }

    async fn outlines(&self, turns: &BTreeSet<TurnId>, texts: usize) -> Result<Vec<TurnOutline>, StoreError> {
        let mut all: BTreeMap<TurnId, Vec<Event>> = BTreeMap::new();
        let state = self.state();
        for event in &state.events {
            if let Some(turn) = event.turn.filter(|turn| turns.contains(turn)) {
                all.entry(turn).or_default().push(event.clone());
            }
        }
        let mut parts = OutlineParts::default();
        for (turn, events) in all {
            parts.add(turn, events, texts, |seq| state.durations.get(&seq).copied());
        }
        Ok(parts.outlines(texts))
    }

    async fn select(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        Ok(self
            .state()
            .admitted(wanted, after, until)
            .take(limit)
            .cloned()
            .collect())
    }

    async fn places(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Seq>, StoreError> {
        let state = self.state();
        let admitted = state.admitted(wanted, after, until);
        Ok(admitted.take(limit).map(|event| event.seq).collect())
    }

    async fn turns(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
    ) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        let state = self.state();
        let admitted = state.admitted(wanted, after, until);
        let of_turns = admitted.filter_map(|event| Some((event.turn?, event.seq)));
        Ok(of_turns.collect::<BTreeMap<_, _>>().into_iter().collect())
    }

    async fn pick(&self, places: &[Seq]) -> Result<Vec<Event>, StoreError> {
        let places: BTreeSet<Seq> = places.iter().copied().collect();
        let state = self.state();
        let event = |place: &Seq| {
            state
                .events
                .get(usize::try_from(place.0.checked_sub(1)?).ok()?)
                .cloned()
        };
        Ok(places.iter().filter_map(event).collect())
    }

    async fn durations(&self, places: &[Seq]) -> Result<Vec<EventDuration>, StoreError> {
        let state = self.state();
        let known = places.iter().filter_map(|seq| state.durations.get(seq).copied());
        Ok(known.collect())
    }

    async fn ended_between(&self, after: Seq, until: Seq) -> Result<Vec<Event>, StoreError> {
        let places: Vec<_> = {
            let state = self.state();
            let before = state.durations.range(..=after);
            before
                .filter(|(_, lasted)| lasted.until > after && lasted.until <= until)
                .map(|(seq, _)| *seq)
                .collect()
        };
        self.pick(&places).await
    }

    async fn mentions(&self, of: &Mention, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        let places = self.state().mentions.get(of).cloned().unwrap_or_default();
        let mut events = self.pick(&places).await?;
        events.retain(|event| event.at >= since);
        Ok(events)
    }

    async fn open_turns(&self, after: Seq) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        let state = self.state();
        let mut open = BTreeMap::new();
        for event in &state.events {
            match (event.turn, &event.kind) {
                (Some(turn), Kind::Received { .. }) => drop(open.entry(turn).or_insert(event.seq)),
                (Some(turn), Kind::TurnEnded { .. }) => drop(open.remove(&turn)),
                _ => {}
            }
        }
        Ok(open.into_iter().filter(|(_, seq)| *seq > after).collect())
    }

    async fn unknown_turns(&self) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        let state = self.state();
        let mut unknown = BTreeMap::new();
        for event in &state.events {
            match (event.turn, &event.kind) {
                (Some(turn), Kind::Ended { outcome, .. }) if outcome.is_in_doubt() => {
                    unknown.entry(turn).or_insert(event.seq);
                }
                (Some(turn), Kind::Reviewed { .. }) => drop(unknown.remove(&turn)),
                _ => {}
            }
        }
        Ok(unknown.into_iter().collect())
    }

    async fn pairings(&self, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        let is_wanted = |event: &&Event| match &event.kind {
            Kind::Pairing { step, .. } => step.decides_approval() || event.at >= since,
            _ => false,
        };
        let state = self.state();
        Ok(state.events.iter().filter(is_wanted).cloned().collect())
    }

    async fn of_process(&self, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let state = self.state();
        let own = state.between(Seq(0), until).filter(|event| event.turn.is_none());
        let mut own: Vec<_> = own.cloned().collect();
        own.reverse();
        own.truncate(limit);
        Ok(own)
    }

    async fn conversation(&self, of: &SessionId, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let state = self.state();
        let told = state.between(Seq(0), until).filter(|event| {
            let tells = matches!(
                event.kind,
                Kind::Prepared { .. } | Kind::SessionReset { .. } | Kind::HistoryCompacted { .. }
            );
            tells && event.session.as_ref() == Some(of)
        });
        let mut told: Vec<_> = told.cloned().collect();
        told.reverse();
        told.truncate(limit);
        Ok(told)
    }

    async fn usage(&self, of: &SessionId) -> Result<UsageTotals, StoreError> {
        let state = self.state();
        let own = state
            .events
            .iter()
            .filter(|event| event.session.as_ref() == Some(of));
        Ok(own.fold(UsageTotals::default(), |totals, event| totals.fold(&event.kind)))
    }

    async fn last_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let state = self.state();
        let mut times = state.events.iter().rev().map(|event| event.at);
        Ok(times.find(|at| *at < before))
    }

    /// It is gone with the process; nothing is deleted before.
    async fn prune(&self, _: Timestamp, _: Timestamp) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn whole_from(&self) -> Seq {
        Seq(1)
    }

    fn deleted_before(&self) -> Timestamp {
        Timestamp(0)
    }

    fn deleted(&self) -> u64 {
        0
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.state().closed = true;
        self.end.notify_waiters();
        Ok(())
    }

    async fn ended(&self) -> StoreError {
        loop {
            // Waits from its making on, so that an end after the look below is not missed.
            let end = self.end.notified();
            if let Err(why) = self.state().open() {
                return why;
            }
            end.await;
        }
    }

    fn kept_in(&self) -> Option<&Path> {
        None
    }

    fn head(&self) -> Seq {
        *self.head.borrow()
    }

    fn watch(&self) -> watch::Receiver<Seq> {
        self.head.subscribe()
    }
}
