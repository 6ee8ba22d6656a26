//! What the pipeline needs of a store. Two implementations, one contract suite: SQLite, and memory for
//! replays, whose virtual clock must not race a database's threads.

use crate::{
    EventDuration, KnownChat, Mention, Selection, SessionSettings, SystemNotice, Then, TurnOutline,
    UsageTotals,
};
use async_trait::async_trait;
use foldback_wire::{
    ChannelId, ChatId, Draft, Event, OpId, Operation, Outcome, Seq, SessionId, Target, Timestamp, TurnId,
    rpc::AgentSession,
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// An intended operation in the outbox, with everything needed to perform it after a restart.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutboxEntry {
    /// The operation.
    pub op: OpId,
    /// The turn it belongs to.
    pub turn: TurnId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The channel it goes to.
    pub channel: ChannelId,
    /// Where.
    pub target: Target,
    /// What.
    pub operation: Operation,
    /// The idempotency key of every attempt.
    pub key: String,
    /// When it was intended.
    pub at: Timestamp,
    /// Whether a platform call was begun and its outcome is not recorded.
    pub in_flight: bool,
    /// Whether it must not reach the platform although the channel is armed.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether it is a live frame or a placeholder, which no restart sends.
    #[serde(default)]
    pub live: bool,
    /// No platform call is made before: the message that it edits was edited too recently, or the platform asked for
    /// the pause. `None` where nothing has to be waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// The first message of the answer, or of what a directive says, where that takes several and this is a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<OpId>,
    /// When the operation in whose place it is done was intended, or the first one of several; `None` where it takes no
    /// place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What follows from how it ends.
    #[serde(default, skip_serializing_if = "Then::is_nothing")]
    pub then: Then,
}

impl OutboxEntry {
    /// The time from which its age counts, which decides whether a person is asked: what takes the place of another
    /// operation is as old as that one.
    pub fn age_from(&self) -> Timestamp {
        self.since.unwrap_or(self.at)
    }
}

/// A conversation's stored state.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SessionRecord {
    /// Its key.
    pub id: SessionId,
    /// The channel it lives on.
    pub channel: ChannelId,
    /// Turns so far.
    pub turns: u64,
    /// When it began.
    pub created: Timestamp,
    /// When it was last used.
    pub used: Timestamp,
    /// The chat of its latest message; earlier versions did not keep it.
    #[serde(default)]
    pub chat: Option<ChatId>,
    /// Who wrote that, as they call themselves.
    #[serde(default)]
    pub sender: String,
    /// The turn of its latest message for the agent; earlier versions did not keep it.
    #[serde(default)]
    pub latest_turn: Option<TurnId>,
    /// The settings that people changed; earlier versions kept none.
    #[serde(default)]
    pub settings: SessionSettings,
    /// When it last began anew; none where it never did, or in an earlier version.
    #[serde(default)]
    pub began: Option<Timestamp>,
    /// When something was last said in it: a message for the agent, or one that sets something. A question to the bot
    /// itself is none. Earlier versions did not keep it.
    #[serde(default)]
    pub said: Option<Timestamp>,
    /// What its agent is told with the next prompt, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<SystemNotice>,
}

/// What went wrong with the store. What was acknowledged before is safe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the journal cannot be written: {0}")]
    Database(String),
    /// Another process has the file.
    #[error("the journal {0} is in use by another process; close that one, or choose another file")]
    Locked(PathBuf),
    /// The file has another name, a hard link. Two writers under two names would not know of each other: what is locked,
    /// and what SQLite puts beside the file, goes by the name
    /// (<https://www.sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use>).
    #[error(
        "the journal {0} has another name (a hard link), and each could get a writer of its own; remove one of the names"
    )]
    HardLinked(PathBuf),
    /// The file, or its folder, may only be read.
    #[error("the journal {0} may only be read; check the rights of the file and its folder")]
    ReadOnly(PathBuf),
    /// The disk, or the limit that was set, is full.
    #[error("there is no room left for the journal {0}; free some space")]
    Full(PathBuf),
    /// The file is no database, or a broken one.
    #[error("the journal {path} is damaged ({detail}); move it away to begin a new one")]
    DamagedFile {
        /// Which file.
        path: PathBuf,
        /// What the database says.
        detail: String,
    },
    /// The file is a database of something else.
    #[error("{0} is a database, but not a journal of Foldback; choose another file")]
    Foreign(PathBuf),
    /// A newer Foldback wrote the file.
    #[error("the journal {path} has format {found}, and this version knows {known}; use a newer Foldback")]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// An older Foldback wrote the file, which lacks what is asked for.
    #[error(
        "the journal {0} is of an earlier version, which did not keep how long things lasted; start Foldback on it once"
    )]
    Older(PathBuf),
    /// The disk cannot keep up, and no more events fit into memory.
    #[error("the disk is too slow: {0} events wait to be written")]
    Behind(usize),
    /// A stored value cannot be read; the file was changed from outside or is damaged.
    #[error("entry {seq} of the journal cannot be read: {detail}")]
    Damaged {
        /// Which one.
        seq: u64,
        /// Why.
        detail: String,
    },
    /// The operation stands in the outbox already; its id was given out twice.
    #[error("operation {0} is in the outbox already")]
    IntendedTwice(OpId),
    /// The operation was never intended, or is settled.
    #[error("operation {0} is not in the outbox: it was never intended, or is settled")]
    NotInOutbox(OpId),
    /// The store is closed.
    #[error("the journal is closed")]
    Closed,
}

/// The journal and the outbox. Events are numbered in the order of the calls.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Puts events into the journal; returns at once with their places. They are durable a few
    /// milliseconds later, and before anything that `intend` or `settle` confirms afterwards.
    fn append(&self, events: Vec<Draft>) -> Result<Vec<Seq>, StoreError>;

    /// Waits until everything appended so far is durable.
    async fn flush(&self) -> Result<(), StoreError>;

    /// Puts operations into the outbox together with the events that tell of them, all or nothing; durable when it
    /// returns.
    async fn intend_all(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError>;

    /// Puts one operation into the outbox, as [`Self::intend_all`] does.
    async fn intend(&self, entry: OutboxEntry, events: Vec<Draft>) -> Result<(), StoreError> {
        self.intend_all(vec![entry], events).await
    }

    /// Puts operations into the outbox as [`Self::intend_all`] does, and returns at once: durable as what is appended, so
    /// before the attempt that follows. For what may be lost as long as it was not tried.
    fn intend_ahead(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError>;

    /// Marks that the platform is about to be called; durable when it returns, so that after a crash this
    /// operation counts as `unknown` and any other as not sent.
    async fn attempt(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError>;

    /// Records that the attempt certainly changed nothing, so that the operation may be tried again.
    async fn retry(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError>;

    /// Records the outcome and takes the operation out of the outbox; durable when it returns.
    async fn settle(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError>;

    /// Records an outcome as [`Self::settle`] does, and returns at once: durable as what is appended, so before the next
    /// attempt. A crash before that leaves an operation in flight.
    fn settle_ahead(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError>;

    /// Records an outcome as [`Self::settle`] does, and puts what follows from it into the outbox: after a crash both happened or
    /// neither.
    async fn settle_and_intend(
        &self,
        op: OpId,
        outcome: Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<(), StoreError>;

    /// What is left in the outbox, in order.
    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError>;

    /// A session's record.
    async fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// Writes a session's record, together with the events that tell of its change; durable when it returns.
    async fn put_session(&self, record: SessionRecord, events: Vec<Draft>) -> Result<(), StoreError>;

    /// The conversations used last, the latest first, at most `limit`; and how many there are.
    async fn sessions(&self, limit: usize) -> Result<(Vec<SessionRecord>, u64), StoreError>;

    /// Keeps a chat in the place of what was known of it, and forgets the oldest beyond [`MOST_CHATS`](crate::MOST_CHATS). Durable with whatever
    /// is confirmed next.
    fn put_chat(&self, chat: KnownChat) -> Result<(), StoreError>;

    /// The names and the kind that are known of a chat. Costs a look-up by key.
    async fn chat(&self, channel: &ChannelId, chat: &ChatId) -> Result<Option<KnownChat>, StoreError>;

    /// The chats that are known, in which somebody wrote last first: at most [`MOST_CHATS`](crate::MOST_CHATS).
    async fn chats(&self) -> Result<Vec<KnownChat>, StoreError>;

    /// The tokens that a session took since it last began anew. Costs a look-up by key, however long the journal is; what
    /// [`Self::prune`] deletes stays counted.
    async fn usage(&self, of: &SessionId) -> Result<UsageTotals, StoreError>;

    /// The agents' own sessions of a conversation, the latest first: one of a backend, and several where others stepped
    /// in. Costs a look-up by key, however long the journal is.
    async fn agent_sessions(&self, of: &SessionId) -> Result<Vec<AgentSession>, StoreError>;

    /// Keeps one in the place of its backend's before, or forgets all of them, together with the events that tell of it;
    /// durable when it returns.
    async fn put_agent_session(
        &self,
        of: &SessionId,
        kept: Option<AgentSession>,
        events: Vec<Draft>,
    ) -> Result<(), StoreError>;

    /// The next free numbers for turns, operations and runs; never reused, also not after a crash.
    async fn reserve(&self) -> Result<Numbers, StoreError>;

    /// Events from a place on, in order, at most `limit`.
    async fn read(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// Durable events as [`Self::read`] gives them, for whoever follows the head: as this process wrote them where they are still
    /// in memory, whatever became of the file since.
    async fn read_recent(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.read(from, limit).await
    }

    /// All events of a turn, in order.
    async fn turn(&self, turn: TurnId) -> Result<Vec<Event>, StoreError>;

    /// The outlines of those of these turns that have one, by number; of the text of an answer each has at most `texts`
    /// events. Looks at no other turn, and asks as often for many turns as for one.
    async fn outlines(&self, turns: &BTreeSet<TurnId>, texts: usize) -> Result<Vec<TurnOutline>, StoreError>;

    /// Events among `after + 1 ..= until` that `wanted` admits, in order, at most `limit`.
    async fn select(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError>;

    /// Places of the events that [`Self::select`] would return, without reading the events.
    async fn places(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Seq>, StoreError>;

    /// The turns of the events that [`Self::select`] would return, in the order of their numbers, each once and with the
    /// place of the last of those events. Reads no event; of `received` alone, from the first place on, it costs as much
    /// as there are turns.
    async fn turns(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
    ) -> Result<Vec<(TurnId, Seq)>, StoreError>;

    /// The events at these places, in the order of the journal.
    async fn pick(&self, places: &[Seq]) -> Result<Vec<Event>, StoreError>;

    /// How long lasted what began or ended with the events at these places, as far as it is over. Costs a look-up by
    /// key each.
    async fn durations(&self, places: &[Seq]) -> Result<Vec<EventDuration>, StoreError>;

    /// The events at `after` or before that began what ended among `after + 1 ..= until`, in order: at most as many as
    /// were open at `after`.
    async fn ended_between(&self, after: Seq, until: Seq) -> Result<Vec<Event>, StoreError>;

    /// The durable events about a message that were decided at `since` or later, in order. Looks at no other
    /// message's: it costs as much in a journal of a year as in one of a minute.
    async fn mentions(&self, of: &Mention, since: Timestamp) -> Result<Vec<Event>, StoreError>;

    /// The turns whose message came in after this place and that have not ended, with the place of the message. Costs
    /// as much as there are.
    async fn open_turns(&self, after: Seq) -> Result<Vec<(TurnId, Seq)>, StoreError>;

    /// The turns with an operation that nothing was done in the place of and whose outcome is unknown, as long as no person
    /// looked at the turn since; with the place of the first such end. Costs as much as there are, however old they are.
    async fn unknown_turns(&self) -> Result<Vec<(TurnId, Seq)>, StoreError>;

    /// The events of pairing that tell who was let in and who no more, however old; and of who asked, what was decided at
    /// `since` or later. In order; looks at no others.
    async fn pairings(&self, since: Timestamp) -> Result<Vec<Event>, StoreError>;

    /// The events that belong to no turn, at `until` or before, the latest first, at most `limit`. Looks at no others.
    async fn of_process(&self, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// The events that a session's conversation is rebuilt from, at `until` or before, the latest first, at most `limit`:
    /// prompts, resets and compactions. Looks at no others.
    async fn conversation(&self, of: &SessionId, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// Deletes what was decided before this time, and says how many events that were. Whole turns go. What is still
    /// needed stays: turns that are open, or have an operation in the outbox; who was let in or waits for it; and what
    /// the processes told since the last one that had nothing left to do. An event that is later than `now` was stamped by
    /// a clock that was wrong: it stays with its turn, and keeps nothing behind it.
    async fn prune(&self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError>;

    /// The time of the last event, in the order of the journal, that was decided before this time.
    async fn last_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError>;

    /// The first place from which on nothing was ever deleted.
    fn whole_from(&self) -> Seq;

    /// The time before which events were deleted, at the Unix epoch where none ever was. A message that was written
    /// before it may have been answered although nothing tells of it any more.
    fn deleted_before(&self) -> Timestamp;

    /// Events that [`Self::prune`] deleted since the journal was opened. Who watches the head is woken when it grows.
    fn deleted(&self) -> u64;

    /// What is to be done with the outbox after a start.
    async fn resume(&self) -> Result<Resumed, StoreError> {
        let (in_flight, unsent) = self
            .outbox()
            .await?
            .into_iter()
            .partition(|entry| entry.in_flight);
        Ok(Resumed { unsent, in_flight })
    }

    /// Writes what is left and lets go of the file. Every later change is refused with
    /// [`StoreError::Closed`]; closing again does nothing.
    async fn close(&self) -> Result<(), StoreError>;

    /// Waits until nothing more is taken and says why: [`StoreError::Closed`], or what made the disk refuse for
    /// good. What was confirmed is safe, and reading goes on.
    async fn ended(&self) -> StoreError;

    /// The file it is kept in, by its real path, which is what tells journals of one machine apart; `None` for one that
    /// forgets.
    fn kept_in(&self) -> Option<&Path>;

    /// The last place written.
    fn head(&self) -> Seq;

    /// Wakes whenever `head` grows.
    fn watch(&self) -> tokio::sync::watch::Receiver<Seq>;
}

/// The outbox as a start finds it, each part in the order of intention.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resumed {
    /// No platform call was begun: safe to send.
    pub unsent: Vec<OutboxEntry>,
    /// A call was begun, and nobody knows how it ended. Sent again where the platform recognises the key,
    /// else settled as `unknown`.
    pub in_flight: Vec<OutboxEntry>,
}

/// First free numbers after a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    /// For turns.
    pub turn: u64,
    /// For operations.
    pub op: u64,
    /// For runs.
    pub run: u64,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            turn: 1,
            op: 1,
            run: 1,
        }
    }
}
