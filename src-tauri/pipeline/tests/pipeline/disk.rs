//! A disk that fails in the middle of a message's way.

use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_agents::ScriptAgent;
use foldback_pipeline::{Engine, Parts, Rules};
use foldback_store::{
    Journal, MemoryJournal, Mention, Numbers, OutboxEntry, Selection, SessionRecord, StoreError,
};
use foldback_wire::{
    Draft, Event, OpId, Outcome, Platform, Seq, SessionId, Terminal, Timestamp, TurnId, rpc::AgentSession,
};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// A journal that refuses to write the first session.
struct Refusing {
    inner: Arc<MemoryJournal>,
    refused: AtomicBool,
}

#[async_trait]
impl Journal for Refusing {
    async fn put_session(&self, record: SessionRecord) -> Result<(), StoreError> {
        if !self.refused.swap(true, Ordering::SeqCst) {
            return Err(StoreError::Database("on purpose".to_owned()));
        }
        self.inner.put_session(record).await
    }

    fn append(&self, events: Vec<Draft>) -> Result<Vec<Seq>, StoreError> {
        self.inner.append(events)
    }
    async fn flush(&self) -> Result<(), StoreError> {
        self.inner.flush().await
    }
    async fn intend(&self, entry: OutboxEntry, events: Vec<Draft>) -> Result<(), StoreError> {
        self.inner.intend(entry, events).await
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
        self.inner.read(from, limit).await
    }
    async fn turn(&self, turn: TurnId) -> Result<Vec<Event>, StoreError> {
        self.inner.turn(turn).await
    }
    async fn select(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        self.inner.select(wanted, after, until, limit).await
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
    async fn pick(&self, places: &[Seq]) -> Result<Vec<Event>, StoreError> {
        self.inner.pick(places).await
    }
    async fn mentions(&self, of: &Mention, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        self.inner.mentions(of, since).await
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

#[tokio::test(start_paused = true)]
async fn a_message_that_could_not_be_written_down_is_no_duplicate_of_itself() {
    let world = World::new();
    let message = Bot::in_world(World::new(), "", Rules::all())
        .await
        .message(Platform::Signal, "hi");
    let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    agent.queue(None, vec![text("Here.")]);
    let journal = Arc::new(Refusing {
        inner: Arc::clone(&world.journal),
        refused: AtomicBool::new(false),
    });
    let parts = Parts {
        journal,
        ..parts(&world, "", Rules::all(), agent)
    };
    let engine = Engine::start(parts).await.unwrap();
    assert!(engine.submit(message.clone()).await.is_err());
    let again = engine.submit(message).await.unwrap();
    assert_eq!(
        again.ended().await,
        Some(Terminal::Replied),
        "it comes again, and is answered"
    );
}
