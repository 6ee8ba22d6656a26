//! The journal on disk. One task writes, in transactions shared by whoever wants something written in the
//! same few milliseconds; readers have connections of their own and see what is written. All of SQLite runs
//! on threads of its own, so that a busy disk makes callers wait and nobody else.
//!
//! `synchronous = FULL` in WAL mode: a transaction that was confirmed survives a power cut
//! (<https://www.sqlite.org/pragma.html#pragma_synchronous>).

mod checkpoints;
mod desk;
mod fault;
mod insert;
mod kept;
mod open;
mod outbox;
mod outlines;
mod private;
mod projections;
mod prune;
mod recent;
mod rows;
mod schema;
mod script;
mod writer;

pub use open::Limits;
pub use private::{
    check_links, close_to_others, has_writer, journal_files, make_private_folder, real_journal,
};

use crate::{
    EventDuration, Journal, KnownChat, Mention, Numbers, OutboxEntry, Selection, SessionRecord, StoreError,
    TurnOutline, UsageTotals, ledger::Ledger, outline::OutlineParts,
};
use async_trait::async_trait;
use desk::{Change, Desk};
use foldback_wire::{
    ChannelId, ChatId, Draft, Event, OpId, Outcome, Seq, SessionId, Timestamp, TurnId, rpc::AgentSession,
};
use prune::DeletedBounds;
use recent::RecentEvents;
use rows::{
    COLUMNS, StoredRow, list, mentioning, number, of_conversation, of_process, pairings, placing, selecting,
    turns_of,
};
use sqlx::{QueryBuilder, Sqlite, SqlitePool, query_as, query_scalar};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};
use tokio::{
    sync::{oneshot, watch},
    task::spawn_blocking,
};

/// Events that are decoded at once, in about half a millisecond; more go to a thread for such work.
const FEW: usize = 256;

/// Places that are read at once, as a text of some ten megabytes.
const PLACES: usize = 1 << 20;

/// In the words of the index `sessions_used`.
const LATEST_SESSIONS: &str = "SELECT id, record FROM sessions
    ORDER BY CASE WHEN json_valid(record) THEN record ->> '$.used' END DESC, id LIMIT ?";

/// A journal in an SQLite file.
///
/// Readers see what is durable; [`Journal::flush`] makes what this process appended visible to it.
/// Dropping the journal writes what is left in the background; [`Journal::close`] waits for that.
#[derive(Debug)]
pub struct SqliteJournal {
    /// As it was named.
    path: PathBuf,
    /// As it really is.
    real: PathBuf,
    desk: Arc<Desk>,
    readers: SqlitePool,
    /// The events that this process wrote last.
    recent: Arc<RecentEvents>,
    /// Ends when the writer has let go of the file.
    writer: watch::Receiver<()>,
    deleted: DeletedBounds,
    /// True where the file has what is written beside events; one of an earlier version, opened for reading, has not.
    projected: bool,
    /// True where the file has a list of approvals, likewise.
    has_approvals: bool,
    /// Damaged records that were told of.
    damaged: Mutex<BTreeSet<String>>,
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        self.desk.close();
    }
}

impl SqliteJournal {
    fn fault(&self, error: &sqlx::Error) -> StoreError {
        fault::of(&self.path, error)
    }

    /// A record as it was stored; `what` names it where it is damaged.
    fn stored<T: serde::de::DeserializeOwned>(&self, record: &str, what: &str) -> Result<T, StoreError> {
        serde_json::from_str(record).map_err(|error| StoreError::DamagedFile {
            path: self.path.clone(),
            detail: format!("{what}: {error}"),
        })
    }

    /// One record of a list, which a damaged one must not hide. That is said once: lists are read every second.
    fn whole<T: serde::de::DeserializeOwned>(&self, record: &str, what: &str) -> Option<T> {
        let error = match self.stored(record, what) {
            Ok(whole) => return Some(whole),
            Err(error) => error,
        };
        let mut said = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(what.to_owned()) {
            tracing::warn!(%error, "a damaged record is passed over");
        }
        None
    }

    /// What the file can answer of a selection. One of an earlier version that is opened for reading admits every event
    /// where errors or reasons are asked for, and cannot say how long things lasted.
    fn answerable<'a>(&self, wanted: &'a Selection) -> Result<Cow<'a, Selection>, StoreError> {
        if self.projected || wanted.lasted.is_none() && !wanted.errors && !wanted.has_reasons() {
            return Ok(Cow::Borrowed(wanted));
        }
        if wanted.lasted.is_some() {
            return Err(StoreError::Older(self.path.clone()));
        }
        Ok(Cow::Owned(Selection {
            errors: false,
            reasons: None,
            but_reasons: None,
            ..wanted.clone()
        }))
    }

    /// Leaves something on the desk and waits until it is written.
    async fn confirmed(
        &self,
        events: Vec<Draft>,
        change: impl FnOnce(&mut Ledger) -> Result<Option<Change>, StoreError>,
    ) -> Result<(), StoreError> {
        let (confirm, confirmed) = oneshot::channel();
        self.desk.take(events, Some(confirm), change)?;
        // The writer answers everything it takes; it only vanishes together with the runtime.
        confirmed.await.unwrap_or(Err(StoreError::Closed))
    }

    async fn events(&self, mut sql: QueryBuilder<Sqlite>) -> Result<Vec<Event>, StoreError> {
        let rows: Vec<StoredRow> = sql
            .build_query_as()
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        let few = rows.len() <= FEW;
        let decode = move || rows.into_iter().map(StoredRow::event).collect();
        if few {
            return decode();
        }
        // Fails only when the runtime ends.
        spawn_blocking(decode).await.unwrap_or(Err(StoreError::Closed))
    }
}

/// A row of a table that has a place for each of some turns.
const fn place_of_turn((turn, seq): (i64, i64)) -> (TurnId, Seq) {
    (TurnId(turn as u64), Seq(seq as u64))
}

/// Operations that go into the outbox.
fn intended(entries: Vec<OutboxEntry>) -> impl FnOnce(&mut Ledger) -> Result<Option<Change>, StoreError> {
    |ledger| {
        ledger.intend(entries.clone())?;
        Ok(Some(Change::Intend(entries)))
    }
}

/// An operation that leaves the outbox with its outcome.
fn settled(op: OpId, outcome: Outcome) -> impl FnOnce(&mut Ledger) -> Result<Option<Change>, StoreError> {
    move |ledger| {
        ledger.settle(op, &outcome)?;
        Ok(Some(Change::Settle(op)))
    }
}

#[async_trait]
impl Journal for SqliteJournal {
    fn append(&self, events: Vec<Draft>) -> Result<Vec<Seq>, StoreError> {
        self.desk.take(events, None, |_| Ok(None))
    }

    async fn flush(&self) -> Result<(), StoreError> {
        self.confirmed(vec![], |_| Ok(None)).await
    }

    async fn intend_all(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.confirmed(events, intended(entries)).await
    }

    fn intend_ahead(&self, entries: Vec<OutboxEntry>, events: Vec<Draft>) -> Result<(), StoreError> {
        self.desk.take(events, None, intended(entries)).map(drop)
    }

    async fn attempt(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        let attempt = |ledger: &mut Ledger| {
            ledger.in_flight(op, true)?;
            Ok(Some(Change::InFlight(op, true)))
        };
        self.confirmed(events, attempt).await
    }

    async fn retry(&self, op: OpId, events: Vec<Draft>) -> Result<(), StoreError> {
        let retry = |ledger: &mut Ledger| {
            ledger.in_flight(op, false)?;
            Ok(Some(Change::InFlight(op, false)))
        };
        self.confirmed(events, retry).await
    }

    async fn settle(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.confirmed(events, settled(op, outcome)).await
    }

    fn settle_ahead(&self, op: OpId, outcome: Outcome, events: Vec<Draft>) -> Result<(), StoreError> {
        self.desk.take(events, None, settled(op, outcome)).map(drop)
    }

    async fn settle_and_intend(
        &self,
        op: OpId,
        outcome: Outcome,
        next: OutboxEntry,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        let settle = |ledger: &mut Ledger| {
            ledger.settle_and_intend(op, &outcome, next.clone())?;
            Ok(Some(Change::SettleAndIntend(op, Box::new(next))))
        };
        self.confirmed(events, settle).await
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        Ok(self.desk.ledger(Ledger::outbox))
    }

    async fn session(&self, id: &SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let record: Option<String> = query_scalar("SELECT record FROM sessions WHERE id = ?")
            .bind(id.as_str())
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        record
            .map(|record| self.stored(&record, &format!("session {id}")))
            .transpose()
    }

    async fn sessions(&self, limit: usize) -> Result<(Vec<SessionRecord>, u64), StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let records: Vec<(String, String)> = query_as(LATEST_SESSIONS)
            .bind(limit)
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        let total: i64 = query_scalar("SELECT count(*) FROM sessions")
            .fetch_one(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        let whole = records
            .iter()
            .filter_map(|(id, record)| self.whole(record, &format!("session {id}")));
        Ok((whole.collect(), total as u64))
    }

    async fn agent_sessions(&self, of: &SessionId) -> Result<Vec<AgentSession>, StoreError> {
        let records: Vec<String> = query_scalar("SELECT record FROM agent_sessions WHERE session = ?")
            .bind(of.as_str())
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        let what = format!("the agent's session of {of}");
        let mut kept: Vec<AgentSession> = records
            .iter()
            .filter_map(|record| self.whole(record, &what))
            .collect();
        kept.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| a.backend.cmp(&b.backend)));
        Ok(kept)
    }

    async fn put_agent_session(
        &self,
        of: &SessionId,
        kept: Option<AgentSession>,
        events: Vec<Draft>,
    ) -> Result<(), StoreError> {
        let change = Change::AgentSession(of.clone(), kept);
        self.confirmed(events, |_| Ok(Some(change))).await
    }

    async fn put_session(&self, record: SessionRecord, events: Vec<Draft>) -> Result<(), StoreError> {
        self.confirmed(events, |_| Ok(Some(Change::Session(Box::new(record)))))
            .await
    }

    fn put_chat(&self, chat: KnownChat) -> Result<(), StoreError> {
        let change = Change::Chat(Box::new(chat));
        self.desk.take(vec![], None, |_| Ok(Some(change))).map(drop)
    }

    async fn chat(&self, channel: &ChannelId, chat: &ChatId) -> Result<Option<KnownChat>, StoreError> {
        let record: Option<String> = query_scalar("SELECT record FROM chats WHERE channel = ? AND chat = ?")
            .bind(channel.as_str())
            .bind(chat.as_str())
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        // A damaged one is one that is not known: the next message there mends it.
        Ok(record.and_then(|record| self.whole(&record, &format!("chat {chat} of {channel}"))))
    }

    async fn chats(&self) -> Result<Vec<KnownChat>, StoreError> {
        let records: Vec<String> = query_scalar("SELECT record FROM chats ORDER BY used DESC, channel, chat")
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        let whole = records.iter().filter_map(|record| self.whole(record, "a chat"));
        Ok(whole.collect())
    }

    async fn reserve(&self) -> Result<Numbers, StoreError> {
        Ok(self.desk.ledger(Ledger::numbers))
    }

    async fn read(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let after = Seq(from.0.saturating_sub(1));
        self.select(&Selection::ALL, after, Seq(u64::MAX), limit).await
    }

    async fn read_recent(&self, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        match self.recent.read(from, limit) {
            Some(recent) => Ok(recent),
            None => self.read(from, limit).await,
        }
    }

    async fn turn(&self, turn: TurnId) -> Result<Vec<Event>, StoreError> {
        let mut sql = QueryBuilder::new(COLUMNS);
        sql.push(" WHERE e.turn = ")
            .push_bind(number(turn.0))
            .push(" ORDER BY e.seq");
        self.events(sql).await
    }

    async fn outlines(&self, turns: &BTreeSet<TurnId>, texts: usize) -> Result<Vec<TurnOutline>, StoreError> {
        if !self.projected {
            return Ok(vec![]);
        }
        let fault = |error| self.fault(&error);
        let bounds: Vec<outlines::StoredBounds> = outlines::bounds(turns)
            .build_query_as()
            .fetch_all(&self.readers)
            .await
            .map_err(fault)?;
        let held: Vec<outlines::StoredHeld> = outlines::held(turns)
            .build_query_as()
            .fetch_all(&self.readers)
            .await
            .map_err(fault)?;
        let parts = OutlineParts {
            bounds: bounds.into_iter().map(outlines::turn_bounds).collect(),
            events: self.events(outlines::events(turns, texts)).await?,
            held: held.into_iter().map(outlines::held_event).collect(),
        };
        Ok(parts.outlines(texts))
    }

    async fn select(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        let wanted = self.answerable(wanted)?;
        self.events(selecting(COLUMNS, &wanted, after, until, limit))
            .await
    }

    async fn places(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
        limit: usize,
    ) -> Result<Vec<Seq>, StoreError> {
        let wanted = self.answerable(wanted)?;
        let mut found = Vec::new();
        let mut after = after;
        while found.len() < limit {
            let most = (limit - found.len()).min(PLACES);
            // As one text: a row for each place costs several times what it takes to find the place.
            let text: Option<String> = placing(&wanted, after, until, most)
                .build_query_scalar()
                .fetch_one(&self.readers)
                .await
                .map_err(|error| self.fault(&error))?;
            let text = text.unwrap_or_default();
            let begin = found.len();
            found.extend(text.split(',').filter_map(|place| place.parse().ok()).map(Seq));
            // An aggregate promises no order, and keeps it.
            found[begin..].sort_unstable();
            if found.len() - begin < most {
                break;
            }
            after = found.last().copied().unwrap_or(until);
        }
        Ok(found)
    }

    async fn turns(
        &self,
        wanted: &Selection,
        after: Seq,
        until: Seq,
    ) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        let turns: Vec<(i64, i64)> = turns_of(wanted, after, until)
            .build_query_as()
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        let place = |(turn, seq)| (TurnId(turn as u64), Seq(seq as u64));
        Ok(turns.into_iter().map(place).collect())
    }

    async fn pick(&self, places: &[Seq]) -> Result<Vec<Event>, StoreError> {
        let mut sql = QueryBuilder::new(COLUMNS);
        sql.push(" WHERE e.seq IN (SELECT value FROM json_each(")
            .push_bind(list(places));
        sql.push(")) ORDER BY e.seq");
        self.events(sql).await
    }

    async fn durations(&self, places: &[Seq]) -> Result<Vec<EventDuration>, StoreError> {
        if !self.projected {
            return Ok(vec![]);
        }
        let mut sql = projections::durations(places);
        let known = sql
            .build_query_as()
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        Ok(known.into_iter().map(projections::duration).collect())
    }

    async fn ended_between(&self, after: Seq, until: Seq) -> Result<Vec<Event>, StoreError> {
        if !self.projected {
            return Ok(vec![]);
        }
        self.events(projections::ended_between(after, until)).await
    }

    async fn mentions(&self, of: &Mention, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        self.events(mentioning(COLUMNS, of, since)).await
    }

    async fn open_turns(&self, after: Seq) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        let open: Vec<(i64, i64)> = query_as("SELECT turn, seq FROM open_turns WHERE seq > ? ORDER BY turn")
            .bind(number(after.0))
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        Ok(open.into_iter().map(place_of_turn).collect())
    }

    async fn unknown_turns(&self) -> Result<Vec<(TurnId, Seq)>, StoreError> {
        let unknown: Vec<(i64, i64)> = query_as("SELECT turn, seq FROM unknown_turns ORDER BY turn")
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        Ok(unknown.into_iter().map(place_of_turn).collect())
    }

    async fn pairings(&self, since: Timestamp) -> Result<Vec<Event>, StoreError> {
        if self.has_approvals {
            return self.events(pairings(since)).await;
        }
        let all = Selection::kinds(["pairing"]);
        self.select(&all, Seq(0), self.head(), usize::MAX).await
    }

    async fn of_process(&self, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.events(of_process(until, limit)).await
    }

    async fn conversation(&self, of: &SessionId, until: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.events(of_conversation(of, until, limit)).await
    }

    async fn usage(&self, of: &SessionId) -> Result<UsageTotals, StoreError> {
        self.flush().await?;
        let totals: Option<(i64, i64, i64)> =
            query_as("SELECT input, output, counted FROM session_usage WHERE session = ?")
                .bind(of.as_str())
                .fetch_optional(&self.readers)
                .await
                .map_err(|error| self.fault(&error))?;
        let (input, output, counted) = totals.unwrap_or_default();
        Ok(UsageTotals {
            input: input as u64,
            output: output as u64,
            counted: counted as u64,
        })
    }

    async fn last_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        self.flush().await?;
        let at: Option<i64> = query_scalar("SELECT at FROM events WHERE at < ? ORDER BY seq DESC LIMIT 1")
            .bind(before.0)
            .fetch_optional(&self.readers)
            .await
            .map_err(|error| self.fault(&error))?;
        Ok(at.map(Timestamp))
    }

    async fn prune(&self, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        self.delete_before(before, now).await
    }

    fn whole_from(&self) -> Seq {
        Seq(self.deleted.whole_from.load(Ordering::Relaxed))
    }

    fn deleted_before(&self) -> Timestamp {
        Timestamp(self.deleted.before.load(Ordering::Relaxed))
    }

    fn deleted(&self) -> u64 {
        self.deleted.events.load(Ordering::Relaxed)
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.desk.close();
        let mut writer = self.writer.clone();
        while writer.changed().await.is_ok() {}
        self.readers.close().await;
        match self.desk.ended() {
            None | Some(StoreError::Closed) => Ok(()),
            Some(why) => Err(why),
        }
    }

    async fn ended(&self) -> StoreError {
        self.desk.until_ended().await
    }

    fn kept_in(&self) -> Option<&Path> {
        Some(&self.real)
    }

    fn head(&self) -> Seq {
        *self.desk.head.borrow()
    }

    fn watch(&self) -> watch::Receiver<Seq> {
        self.desk.head.subscribe()
    }
}
