//! What a transaction changes in the outbox: its net effect, in as many statements as there are kinds of change.
//!
//! A live edit is intended and attempted in one transaction and settled in a later one. Statement by statement that is three
//! for each edit, and SQLite compiles every one of them.

use super::{
    rows::list,
    script::{Script, Value},
};
use crate::OutboxEntry;
use foldback_wire::OpId;
use std::collections::BTreeMap;

/// State of an operation in the outbox after a transaction.
enum Row<'a> {
    /// It was put there, and is in flight or not.
    Put(&'a OutboxEntry, bool),
    /// One that stood there is in flight or not.
    InFlight(bool),
    Removed,
}

/// The changes of a transaction, by operation, each told in its order.
#[derive(Default)]
pub(super) struct OutboxChanges<'a>(BTreeMap<OpId, Row<'a>>);

impl<'a> OutboxChanges<'a> {
    /// Puts an operation there.
    pub(super) fn put(&mut self, entry: &'a OutboxEntry) {
        self.0.insert(entry.op, Row::Put(entry, entry.in_flight));
    }

    /// Marks whether a call of one is under way.
    pub(super) fn mark(&mut self, op: OpId, now: bool) {
        match self.0.entry(op).or_insert(Row::InFlight(now)) {
            Row::Put(_, in_flight) | Row::InFlight(in_flight) => *in_flight = now,
            // The ledger refuses it.
            Row::Removed => {}
        }
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, op: OpId) {
        // Also one that was put there just now: its number may have stood there before.
        self.0.insert(op, Row::Removed);
    }

    /// Adds their writing to a script.
    pub(super) fn write(&self, script: &mut Script<'_>) {
        let listed = |wanted: fn(&Row<'_>) -> bool| {
            let ops = self.0.iter().filter(move |(_, row)| wanted(row));
            let ops: Vec<_> = ops.map(|(op, _)| op.0 as i64).collect();
            (!ops.is_empty()).then(|| list(ops))
        };
        for (sql, ops) in [
            (
                "DELETE FROM outbox WHERE op IN (SELECT value FROM json_each(?))",
                listed(|row| matches!(row, Row::Removed)),
            ),
            (
                "UPDATE outbox SET in_flight = 1 WHERE op IN (SELECT value FROM json_each(?))",
                listed(|row| matches!(row, Row::InFlight(true))),
            ),
            (
                "UPDATE outbox SET in_flight = 0 WHERE op IN (SELECT value FROM json_each(?))",
                listed(|row| matches!(row, Row::InFlight(false))),
            ),
        ] {
            if let Some(ops) = ops {
                script.add(sql, [ops.into()]);
            }
        }
        let put: Vec<_> = self
            .0
            .iter()
            .filter_map(|(op, row)| put_values(*op, row))
            .collect();
        if !put.is_empty() {
            let rows = vec!["(?, ?, ?)"; put.len()].join(", ");
            script.add_all(
                &format!("INSERT OR REPLACE INTO outbox VALUES {rows}"),
                put.into_iter().flatten(),
            );
        }
    }
}

/// Number, state and content of an operation that was put into the outbox.
fn put_values(op: OpId, row: &Row<'_>) -> Option<[Value<'static>; 3]> {
    let Row::Put(entry, in_flight) = row else {
        return None;
    };
    Some([
        (op.0 as i64).into(),
        i64::from(*in_flight).into(),
        list(entry).into(),
    ])
}
