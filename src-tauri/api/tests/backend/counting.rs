//! A journal that counts what is read from it.

use async_trait::async_trait;
use foldback_store::{
    EventDuration, Journal, MemoryJournal, Mention, Numbers, OutboxEntry, Selection, SessionRecord,
    StoreError,
};
use foldback_wire::{Draft, Event, OpId, Outcome, Seq, SessionId, Timestamp, TurnId, rpc::AgentSession};
use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

pub(crate) struct Counting {
    inner: MemoryJournal,
    read: AtomicUsize,
}

impl Counting {
    pub(crate) fn of(inner: MemoryJournal) -> Self {
        Self {
            inner,
            read: AtomicUsize::new(0),
        }
    }

    /// Events that were read so far.
    pub(crate) fn read_so_far(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    fn count(&self, events: Vec<Event>) -> Vec<Event> {
        self.read.fetch_add(events.len(), Ordering::Relaxed);
        events
    }
}

#[async_trait]
impl Journal for Counting {
    async fn put_session(&self, record: SessionRecord) -> Result<(), StoreError> {
        self.inner.put_session(record).await
    }
    fn append(&self, events: Vec<Draft>) -> Result<Vec<Seq>, StoreError> {
        self.inner.append(events)
    }
    async fn flush(&self) -> Result<(), StoreError> {
        self.inner.flush().await
    }
    async fn intend_all(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.inner.intend_all(entries, events).await
    }
    async fn attempt(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        self.inner.attempt(op, events).await
    }
    async fn retry(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        self.inner.retry(op, events).await
    }
    async fn settle(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.inner.settle(op, outcome, events).await
    }
    async fn settle_and_intend(
        &self,
        op: OpId,
        outcome: Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        self.inner.settle_and_intend(op, outcome, next, events).await
    }
    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        self.inner.outbox().await
    }
    async fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        self.inner.session(id).await
    }
    async fn sessions(&self, limit: usize) -> Result<(Vec<SessionRecord>, u64), StoreError> {
        self.inner.sessions(limit).await
    }
    async fn agent_sessions(&self, of: &SessionId) -> Result<Vec<AgentSession>, StoreError> {
        self.inner.agent_sessions(of).await
    }
    async fn put_agent_session(
        &self,
        of: &SessionId,
        kept: Option<AgentSession>,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        self.inner.put_agent_session(of, kept, events).await
    }
    async fn reserve(&self) -> Result<Numbers, StoreError> {
        self.inner.reserve().await
    }
    async fn read(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        Ok(self.count(self.inner.read(from, limit).await?))
    }
    async fn turn(&self, turn: TurnId) -> Result<Vec<Event>, StoreError> {
        Ok(self.count(self.inner.turn(turn).await?))
    }
    async fn select(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        Ok(self.count(self.inner.select(wanted, after, until, limit).await?))
    }
    async fn places(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Seq>, StoreError> {
        self.inner.places(wanted, after, until, limit).await
    }
    async fn turns(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
    ) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        self.inner.turns(wanted, after, until).await
    }
    async fn pick(&self, places: &[Seq]) -> Result<Vec<Event>, StoreError> {
        Ok(self.count(self.inner.pick(places).await?))
    }
    async fn durations(&self, places: &[Seq]) -> Result<Vec<EventDuration>, StoreError> {
        self.inner.durations(places).await
    }
    async fn ended_between(&self, after: Seq, until: Seq) -> Result<Vec<Event>, StoreError> {
        self.inner.ended_between(after, until).await
    }
    async fn mentions(&self, of: &Mention, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        Ok(self.count(self.inner.mentions(of, since).await?))
    }
    async fn open_turns(&self, after: Seq) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        self.inner.open_turns(after).await
    }
    async fn unknown_turns(&self) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        self.inner.unknown_turns().await
    }
    async fn last_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.inner.last_before(before).await
    }
    async fn of_process(&self, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        Ok(self.count(self.inner.of_process(until, limit).await?))
    }
    async fn prune(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.inner.prune(before).await
    }
    fn deleted(&self) -> u64 {
        self.inner.deleted()
    }
    fn whole_from(&self) -> Seq {
        self.inner.whole_from()
    }
    fn deleted_before(&self) -> Timestamp {
        self.inner.deleted_before()
    }
    async fn close(&self) -> Result<(), StoreError> {
        self.inner.close().await
    }
    async fn ended(&self) -> StoreError {
        self.inner.ended().await
    }
    fn kept_in(&self) -> Option<&Path> {
        self.inner.kept_in()
    }
    fn head(&self) -> Seq {
        self.inner.head()
    }
    fn watch(&self) -> tokio::sync::watch::Receiver<Seq> {
        self.inner.watch()
    }
}
