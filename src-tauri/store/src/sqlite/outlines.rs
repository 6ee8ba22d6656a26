//! The queries for outlines of turns. Each is about all turns that are asked for, and looks at no other.

use super::rows::{COLUMNS, list};
use crate::outline::{
    HeldEvent, HoldEnd, LATE_KINDS, OPERATION_KINDS, TEXT_KINDS, THOUGHT_ENDS, THOUGHT_KIND, TurnBounds,
    WHOLE_KINDS,
};
use foldback_wire::{HoldReason, Seq, Timestamp, TurnId};
use sqlx::{QueryBuilder, Sqlite};
use std::collections::BTreeSet;

/// A turn, its first place, and the latest time of its events.
pub(super) type StoredBounds = (i64, i64, Option<i64>);

/// An event that tells of a hold: its turn, place and time; and of the hold that it began the place of the end,
/// milliseconds and the reason.
pub(super) type StoredHeld = (i64, i64, i64, Option<i64>, Option<i64>, Option<String>);

/// The words of a list of kinds. They are those of the table of kinds, without a quote in them.
fn words<'a>(kinds: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = kinds.into_iter().map(|kind| format!("'{kind}'")).collect();
    quoted.join(", ")
}

/// Turns as a parameter.
fn push_turns(sql: &mut QueryBuilder<Sqlite>, turns: &BTreeSet<TurnId>) {
    sql.push("(SELECT value FROM json_each(")
        .push_bind(list(turns))
        .push("))");
}

/// First place and latest time of these turns.
pub(super) fn bounds(turns: &BTreeSet<TurnId>) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new("SELECT e.turn, min(e.seq), max(CASE WHEN e.kind NOT IN (");
    sql.push(words(LATE_KINDS))
        .push(") THEN e.at END) FROM events e WHERE e.turn IN ");
    push_turns(&mut sql, turns);
    sql.push(" GROUP BY e.turn");
    sql
}

pub(super) const fn turn_bounds((turn, first, last): StoredBounds) -> (TurnId, TurnBounds) {
    let last = match last {
        Some(last) => last,
        None => 0,
    };
    let bounds = TurnBounds {
        first: Seq(first as u64),
        last: Timestamp(last),
    };
    (TurnId(turn as u64), bounds)
}

/// The events of these turns that their outlines have, in order; of each at most `texts` of the answer's text.
pub(super) fn events(turns: &BTreeSet<TurnId>, texts: usize) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(COLUMNS);
    sql.push(" WHERE e.seq IN (SELECT w.seq FROM events w WHERE w.turn IN ");
    push_turns(&mut sql, turns);
    let whole = words(WHOLE_KINDS.into_iter().chain(OPERATION_KINDS));
    sql.push(format_args!(" AND w.kind IN ({whole})"));
    // The first texts, turn by turn: what is behind them is not looked at.
    sql.push(" UNION ALL SELECT t.seq FROM json_each(")
        .push_bind(list(turns))
        .push(") AS asked JOIN events t ON t.seq IN (SELECT f.seq FROM events f WHERE f.turn = asked.value");
    sql.push(format_args!(
        " AND f.kind IN ({}) ORDER BY f.seq LIMIT ",
        words(TEXT_KINDS)
    ));
    sql.push_bind(super::rows::number(texts as u64));
    sql.push(") UNION ALL ");
    push_thoughts(&mut sql, turns, "r.seq");
    let end = format!(
        "(SELECT n.seq FROM events n WHERE n.turn = r.turn AND n.seq > r.seq AND n.kind IN ({})
            ORDER BY n.seq LIMIT 1)",
        words(THOUGHT_ENDS)
    );
    sql.push(" UNION ALL ");
    push_thoughts(&mut sql, turns, &end);
    sql.push(") ORDER BY e.seq");
    sql
}

/// Something of each event `r` that began a thought: what comes before it among such events is none of them.
fn push_thoughts(sql: &mut QueryBuilder<Sqlite>, turns: &BTreeSet<TurnId>, of: &str) {
    sql.push(format_args!(
        "SELECT {of} FROM events r WHERE r.kind = '{THOUGHT_KIND}' AND r.turn IN "
    ));
    push_turns(sql, turns);
    let around = words(THOUGHT_ENDS.into_iter().chain([THOUGHT_KIND]));
    sql.push(format_args!(
        " AND '{THOUGHT_KIND}' IS NOT (SELECT p.kind FROM events p WHERE p.turn = r.turn AND p.seq < r.seq
            AND p.kind IN ({around}) ORDER BY p.seq DESC LIMIT 1)"
    ));
}

/// The events of these turns that tell of a hold, in order.
pub(super) fn held(turns: &BTreeSet<TurnId>) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(
        "SELECT e.turn, e.seq, e.at, d.until, d.ms, d.reason
        FROM events e LEFT JOIN durations d ON d.seq = e.seq WHERE e.kind = 'held' AND e.turn IN ",
    );
    push_turns(&mut sql, turns);
    sql.push(" ORDER BY e.seq");
    sql
}

pub(super) fn held_event((turn, seq, at, until, ms, reason): StoredHeld) -> (TurnId, HeldEvent) {
    let reason = reason.as_deref().and_then(HoldReason::from_code);
    let over = until.zip(ms).zip(reason).map(|((until, ms), reason)| HoldEnd {
        until: Seq(until as u64),
        ms: ms as u64,
        reason,
    });
    let event = HeldEvent {
        seq: Seq(seq as u64),
        at: Timestamp(at),
        over,
    };
    (TurnId(turn as u64), event)
}
