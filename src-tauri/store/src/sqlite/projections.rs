//! What is written beside events so that a question need not read them: how long things lasted, and which events are
//! errors. Both follow from the events alone, so a journal of an earlier version gets them from what it has.

use super::{
    rows::{COLUMNS, StoredRow, list, number, selecting},
    script::Script,
};
use crate::{EventDuration, HeldBytes, Selection, duration::DurationTracker, row};
use foldback_wire::{Event, HoldReason, Seq};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

/// Events that are read at once where a journal gets its projections.
const BLOCK: usize = 4_096;

/// Rows of the projections that belong to some events.
#[derive(Debug, Default)]
pub(super) struct Projections {
    durations: Vec<EventDuration>,
    errors: Vec<Seq>,
}

impl Projections {
    /// Those of the next events, in the order of the journal.
    pub(super) fn of<'a>(tracker: &mut DurationTracker, events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut all = Self::default();
        for event in events {
            tracker.see(event, &mut all.durations);
            if row::is_error(&event.kind) {
                all.errors.push(event.seq);
            }
        }
        all
    }

    /// Adds their writing to a script.
    pub(super) fn insert(&self, script: &mut Script<'_>) {
        if !self.durations.is_empty() {
            let rows: Vec<_> = self.durations.iter().map(stored).collect();
            script.add(
                "INSERT OR REPLACE INTO durations
                SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)",
                [list(rows).into()],
            );
        }
        if !self.errors.is_empty() {
            script.add(
                "INSERT OR REPLACE INTO errors SELECT value FROM json_each(?)",
                [list(&self.errors).into()],
            );
        }
    }
}

/// A row of the table `durations`: place, place of the end, milliseconds, and reason and bytes of a hold.
type StoredDuration = (i64, i64, i64, Option<String>, Option<i64>);

fn stored(of: &EventDuration) -> StoredDuration {
    (
        number(of.seq.0),
        number(of.until.0),
        number(of.ms),
        of.held.map(|held| held.reason.code().to_owned()),
        of.held.map(|held| number(held.bytes)),
    )
}

pub(super) fn duration((seq, until, ms, reason, bytes): StoredDuration) -> EventDuration {
    let reason = reason.as_deref().and_then(HoldReason::from_code);
    EventDuration {
        seq: Seq(seq as u64),
        until: Seq(until as u64),
        ms: ms as u64,
        held: reason.zip(bytes).map(|(reason, bytes)| HeldBytes {
            reason,
            bytes: bytes as u64,
        }),
    }
}

/// The durations of the events at these places.
pub(super) fn durations(places: &[Seq]) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new("SELECT seq, until, ms, reason, bytes FROM durations");
    sql.push(" WHERE seq IN (SELECT value FROM json_each(")
        .push_bind(list(places))
        .push("))");
    sql
}

/// The events at `after` or before that began what ended among `after + 1 ..= until`.
pub(super) fn ended_between(after: Seq, until: Seq) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(COLUMNS);
    sql.push(" WHERE e.seq IN (SELECT seq FROM durations WHERE until > seq AND until > ")
        .push_bind(number(after.0));
    sql.push(" AND until <= ").push_bind(number(until.0));
    sql.push(" AND seq <= ").push_bind(number(after.0));
    sql.push(") ORDER BY e.seq");
    sql
}

/// The tracker as the events of these turns leave it: what of them is open.
pub(super) async fn open_of(
    conn: &mut SqliteConnection,
    turns: impl IntoIterator<Item = foldback_wire::TurnId>,
) -> Result<DurationTracker, sqlx::Error> {
    let wanted = Selection {
        turns: Some(turns.into_iter().collect()),
        ..Selection::kinds(DurationTracker::KINDS)
    };
    let mut tracker = DurationTracker::default();
    if wanted.turns.as_ref().is_some_and(|turns| !turns.is_empty()) {
        let mut after = Seq(0);
        while let Some(block) = block_behind(conn, &wanted, after).await? {
            Projections::of(&mut tracker, &block.events);
            after = block.last;
        }
    }
    Ok(tracker)
}

/// Writes the projections of all events there are.
pub(super) async fn project_all(conn: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let wanted = Selection::kinds(DurationTracker::KINDS.into_iter().chain(row::MAY_BE_ERRORS));
    let mut tracker = DurationTracker::default();
    let mut after = Seq(0);
    while let Some(block) = block_behind(conn, &wanted, after).await? {
        let mut script = Script::default();
        Projections::of(&mut tracker, &block.events).insert(&mut script);
        script.execute(conn).await?;
        after = block.last;
    }
    Ok(())
}

/// Some events, in order, and the last place among them. A damaged one tells nothing: it must keep nobody from opening the
/// journal.
struct Block {
    last: Seq,
    events: Vec<Event>,
}

/// The next admitted events behind a place; `None` where there are none.
async fn block_behind(
    conn: &mut SqliteConnection,
    wanted: &Selection,
    after: Seq,
) -> Result<Option<Block>, sqlx::Error> {
    let rows: Vec<StoredRow> = selecting(COLUMNS, wanted, after, Seq(u64::MAX), BLOCK)
        .build_query_as()
        .fetch_all(conn)
        .await?;
    let last = rows.last().map(StoredRow::place);
    let events = rows.into_iter().filter_map(|row| row.event().ok()).collect();
    Ok(last.map(|last| Block { last, events }))
}
