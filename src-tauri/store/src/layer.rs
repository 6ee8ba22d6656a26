//! A journal over another one. Each call goes to the one below; a layer counts what is read, and delays or refuses what is
//! written: so a test sees how much a question costs, and a disk that fails in the middle of a turn.

use crate::{
    EventDuration, Journal, KnownChat, Mention, Numbers, OutboxEntry, Selection, SessionRecord, StoreError,
    TurnOutline, UsageTotals,
};
use async_trait::async_trait;
use foldback_wire::{
    ChannelId, ChatId, Draft, Event, OpId, Outcome, Seq, SessionId, Timestamp, TurnId, rpc::AgentSession,
};
use std::{collections::BTreeSet, path::Path};
use tokio::sync::watch;

/// A layer over a journal, which is a journal itself.
#[async_trait]
pub trait JournalLayer: Send + Sync {
    /// The journal below.
    fn below(&self) -> &dyn Journal;

    /// Hears that a call has read so many events whole.
    fn note_read(&self, _events: usize) {}

    /// Runs before each write.
    ///
    /// # Errors
    /// Fails where nothing is to be written.
    fn before_write(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Runs before the record of a session is written.
    ///
    /// # Errors
    /// Fails where the record is not to be written.
    async fn before_session(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Runs before an agent's own session is kept, or all of a conversation are forgotten (`None`).
    ///
    /// # Errors
    /// Fails where nothing is to be written.
    async fn before_agent_session(&self, _kept: Option<&AgentSession>) -> Result<(), StoreError> {
        Ok(())
    }
}

fn counted(layer: &impl JournalLayer, events: Vec<Event>) -> Vec<Event> {
    layer.note_read(events.len());
    events
}

#[async_trait]
impl<L: JournalLayer> Journal for L {
    async fn put_session(&self, record: SessionRecord, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_session().await?;
        self.before_write()?;
        self.below().put_session(record, events).await
    }
    fn append(&self, events: Vec<Draft>) -> Result<Vec<Seq>, StoreError> {
        self.before_write()?;
        self.below().append(events)
    }
    async fn flush(&self) -> Result<(), StoreError> {
        self.below().flush().await
    }
    async fn intend_all(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().intend_all(entries, events).await
    }
    fn intend_ahead(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().intend_ahead(entries, events)
    }
    async fn attempt(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().attempt(op, events).await
    }
    async fn retry(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().retry(op, events).await
    }
    async fn settle(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().settle(op, outcome, events).await
    }
    fn settle_ahead(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().settle_ahead(op, outcome, events)
    }
    async fn settle_and_intend(
        &self,
        op: OpId,
        outcome: Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        self.before_write()?;
        self.below().settle_and_intend(op, outcome, next, events).await
    }
    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        self.below().outbox().await
    }
    async fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        self.below().session(id).await
    }
    async fn sessions(&self, limit: usize) -> Result<(Vec<SessionRecord>, u64), StoreError> {
        self.below().sessions(limit).await
    }
    fn put_chat(&self, chat: KnownChat) -> Result<(), StoreError> {
        self.below().put_chat(chat)
    }
    async fn chat(&self, channel: &ChannelId, chat: &ChatId) -> Result<Option<KnownChat>, StoreError> {
        self.below().chat(channel, chat).await
    }
    async fn chats(&self) -> Result<Vec<KnownChat>, StoreError> {
        self.below().chats().await
    }
    async fn agent_sessions(&self, of: &SessionId) -> Result<Vec<AgentSession>, StoreError> {
        self.below().agent_sessions(of).await
    }
    async fn put_agent_session(
        &self,
        of: &SessionId,
        kept: Option<AgentSession>,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        self.before_agent_session(kept.as_ref()).await?;
        self.below().put_agent_session(of, kept, events).await
    }
    async fn reserve(&self) -> Result<Numbers, StoreError> {
        self.below().reserve().await
    }
    async fn read(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().read(from, limit).await?))
    }
    async fn read_recent(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().read_recent(from, limit).await?))
    }
    async fn turn(&self, turn: TurnId) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().turn(turn).await?))
    }
    async fn outlines(&self, turns: &BTreeSet<TurnId>, texts: usize) -> Result<Vec<TurnOutline>, StoreError> {
        let outlines = self.below().outlines(turns, texts).await?;
        self.note_read(outlines.iter().map(|outline| outline.events.len()).sum());
        Ok(outlines)
    }
    async fn select(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        Ok(counted(
            self,
            self.below().select(wanted, after, until, limit).await?,
        ))
    }
    async fn places(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Seq>, StoreError> {
        self.below().places(wanted, after, until, limit).await
    }
    async fn turns(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
    ) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        self.below().turns(wanted, after, until).await
    }
    async fn pick(&self, places: &[Seq]) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().pick(places).await?))
    }
    async fn durations(&self, places: &[Seq]) -> Result<Vec<EventDuration>, StoreError> {
        self.below().durations(places).await
    }
    async fn ended_between(&self, after: Seq, until: Seq) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().ended_between(after, until).await?))
    }
    async fn mentions(&self, of: &Mention, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().mentions(of, since).await?))
    }
    async fn open_turns(&self, after: Seq) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        self.below().open_turns(after).await
    }
    async fn unknown_turns(&self) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        self.below().unknown_turns().await
    }
    async fn last_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.below().last_before(before).await
    }
    async fn pairings(&self, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().pairings(since).await?))
    }
    async fn of_process(&self, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().of_process(until, limit).await?))
    }

    async fn usage(&self, of: &SessionId) -> Result<UsageTotals, StoreError> {
        self.below().usage(of).await
    }
    async fn conversation(&self, of: &SessionId, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        Ok(counted(self, self.below().conversation(of, until, limit).await?))
    }
    async fn prune(&self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        self.below().prune(before, now).await
    }
    fn deleted(&self) -> u64 {
        self.below().deleted()
    }
    fn whole_from(&self) -> Seq {
        self.below().whole_from()
    }
    fn deleted_before(&self) -> Timestamp {
        self.below().deleted_before()
    }
    async fn close(&self) -> Result<(), StoreError> {
        self.below().close().await
    }
    async fn ended(&self) -> StoreError {
        self.below().ended().await
    }
    fn kept_in(&self) -> Option<&Path> {
        self.below().kept_in()
    }
    fn head(&self) -> Seq {
        self.below().head()
    }
    fn watch(&self) -> watch::Receiver<Seq> {
        self.below().watch()
    }
}
