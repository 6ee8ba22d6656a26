//! Events as rows that are read, and the queries for them.

use crate::{Mention, SCENE_KINDS, START_KINDS, Selection, StoreError};
use foldback_wire::{ChatId, Event, Seq, SessionId, Timestamp, TurnId};
use serde::Serialize;
use sqlx::{FromRow, QueryBuilder, Row, Sqlite, sqlite::SqliteRow};
use std::collections::BTreeSet;

/// An event as it is read.
pub(super) struct StoredRow {
    seq: i64,
    at: i64,
    turn: Option<i64>,
    session: Option<String>,
    channel: Option<String>,
    body: String,
}

/// What a query must return for it, in any order of rows.
pub(super) const COLUMNS: &str = "SELECT e.seq, e.at, e.turn, e.session, e.channel, b.body
    FROM events e JOIN bodies b ON b.seq = e.seq";

impl<'r> FromRow<'r, SqliteRow> for StoredRow {
    fn from_row(row: &'r SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            seq: row.try_get(0)?,
            at: row.try_get(1)?,
            turn: row.try_get(2)?,
            session: row.try_get(3)?,
            channel: row.try_get(4)?,
            body: row.try_get(5)?,
        })
    }
}

impl StoredRow {
    /// The event's place.
    pub(super) fn place(&self) -> Seq {
        Seq(self.seq as u64)
    }

    /// The event; an error when the file was changed from outside.
    pub(super) fn event(self) -> Result<Event, StoreError> {
        let seq = self.seq as u64;
        Ok(Event {
            seq: Seq(seq),
            at: Timestamp(self.at),
            turn: self.turn.map(|turn| TurnId(turn as u64)),
            session: self.session.map(Into::into),
            channel: self.channel.map(Into::into),
            kind: serde_json::from_str(&self.body).map_err(|error| StoreError::Damaged {
                seq,
                detail: error.to_string(),
            })?,
        })
    }
}

/// A number as SQLite has it: what lies beyond its range lies beyond every event, too.
pub(super) fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A list as one parameter, so that the statement is the same for every length.
pub(super) fn list(values: impl Serialize) -> String {
    // Strings and numbers only: this cannot fail, and an empty list would be a wrong answer, not a wrong query.
    serde_json::to_string(&values).unwrap_or_default()
}

/// `columns` of the events among `after + 1 ..= until` that `wanted` admits, in order.
pub(super) fn selecting(
    columns: &str,
    wanted: &Selection,
    after: Seq,
    until: Seq,
    limit: usize,
) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(columns);
    push_selecting(&mut sql, wanted, after, until, limit);
    sql
}

/// The places of those events in one text, between commas; no text where there are none.
pub(super) fn placing(wanted: &Selection, after: Seq, until: Seq, limit: usize) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new("SELECT group_concat(seq) FROM (SELECT e.seq FROM events e");
    push_selecting(&mut sql, wanted, after, until, limit);
    sql.push(")");
    sql
}

fn push_selecting(sql: &mut QueryBuilder<Sqlite>, wanted: &Selection, after: Seq, until: Seq, limit: usize) {
    // The sign keeps the planner from walking through all places where an index leads to a few.
    // It needs none for what a start reads, whose index has the places, too.
    let indexed = wanted.turns.is_some()
        || only_kind(wanted) == Some("pairing")
        || listed_kinds(wanted) == Some(&SCENE_KINDS[..]);
    push_conditions(sql, wanted, after, until, indexed);
    sql.push(" ORDER BY e.seq LIMIT ").push_bind(number(limit as u64));
}

/// The turns of the events among `after + 1 ..= until` that `wanted` admits, with the last place of each, by number.
pub(super) fn turns_of(wanted: &Selection, after: Seq, until: Seq) -> QueryBuilder<Sqlite> {
    // All turns stand in an index of their messages. Behind a place, the events behind it are fewer than all turns.
    let all = only_kind(wanted) == Some("received") && after == Seq(0);
    let indexed = all || wanted.turns.is_some();
    let mut sql = QueryBuilder::new("SELECT e.turn, max(e.seq) FROM events e");
    if !indexed {
        // Else the order of the groups tempts the planner into an index that leads back to every event.
        sql.push(" NOT INDEXED");
    }
    push_conditions(&mut sql, wanted, after, until, indexed);
    sql.push(" AND e.turn IS NOT NULL GROUP BY e.turn ORDER BY e.turn");
    sql
}

/// The type of the events that it wants, where that is one.
fn only_kind(wanted: &Selection) -> Option<&'static str> {
    let mut kinds = wanted.kinds.as_ref()?.iter();
    kinds.next().copied().filter(|_| kinds.next().is_none())
}

/// The kinds of an index that has several, where it wants nothing but them; all of them, or some: what every view asks
/// for, or what a start reads. The turns of a selection lead to fewer events than their kinds.
fn listed_kinds(wanted: &Selection) -> Option<&'static [&'static str]> {
    let kinds = wanted.kinds.as_ref()?;
    let has_all = |listed: &[&str]| kinds.iter().all(|kind| listed.contains(kind));
    if has_all(&SCENE_KINDS) {
        Some(&SCENE_KINDS)
    } else {
        (wanted.turns.is_none() && has_all(&START_KINDS)).then_some(&START_KINDS)
    }
}

/// What must hold of the events among `after + 1 ..= until` that `wanted` admits; by an index of something else than
/// places where there is one.
fn push_conditions(
    sql: &mut QueryBuilder<Sqlite>,
    wanted: &Selection,
    after: Seq,
    until: Seq,
    indexed: bool,
) {
    let place = if indexed { "+e.seq" } else { "e.seq" };
    sql.push(format_args!(" WHERE {place} > "))
        .push_bind(number(after.0));
    sql.push(format_args!(" AND {place} <= "))
        .push_bind(number(until.0));
    let (only_kind, listed) = (only_kind(wanted), listed_kinds(wanted));
    let mut among = |column: &str, values: Option<String>| {
        if let Some(values) = values {
            sql.push(format_args!(" AND e.{column} IN (SELECT value FROM json_each("));
            sql.push_bind(values).push("))");
        }
    };
    among(
        "kind",
        wanted
            .kinds
            .as_ref()
            .filter(|kinds| only_kind.is_none() && !listed.is_some_and(|listed| kinds.iter().eq(listed)))
            .map(list),
    );
    among("channel", wanted.channels.as_ref().map(list));
    among("session", wanted.sessions.as_ref().map(list));
    among("turn", wanted.turns.as_ref().map(list));
    if let Some(listed) = listed {
        // In the words of the index.
        sql.push(format_args!(" AND e.kind IN ('{}')", listed.join("', '")));
    }
    if let Some(kind) = only_kind {
        // Not bound: the indexes of pairing and of messages are those of one word. The words are the table's, without a
        // quote in them.
        sql.push(format_args!(" AND e.kind = '{kind}'"));
    }
    if let Some(lasted) = &wanted.lasted {
        sql.push(" AND e.seq IN (SELECT seq FROM durations WHERE ms BETWEEN ")
            .push_bind(number(*lasted.start()));
        sql.push(" AND ").push_bind(number(*lasted.end())).push(")");
    }
    if wanted.has_reasons() {
        push_reasons(sql, wanted);
    }
    if wanted.errors {
        sql.push(" AND e.seq IN (SELECT seq FROM errors)");
    }
    if let Some(since) = wanted.since {
        sql.push(" AND e.at >= ").push_bind(since.0);
    }
    if let Some(before) = wanted.before {
        sql.push(" AND e.at < ").push_bind(before.0);
    }
}

/// The reason of the event `e`. That of a hold which is over, and of its release, stands beside its duration; only of what
/// waits, or goes on, must the body be looked at. A damaged body has none.
const REASON: &str = "CASE WHEN e.kind IN ('held', 'released', 'waiting') THEN coalesce(
        (SELECT d.reason FROM durations d WHERE d.seq = e.seq),
        (SELECT CASE WHEN json_valid(b.body)
            THEN CASE e.kind WHEN 'held' THEN b.body ->> '$.hold.reason' ELSE b.body ->> '$.reason' END END
            FROM bodies b WHERE b.seq = e.seq)
    ) END";

fn push_reasons(sql: &mut QueryBuilder<Sqlite>, wanted: &Selection) {
    let mut among = |not: &str, reasons: &BTreeSet<&'static str>| {
        sql.push(format_args!(
            " AND coalesce({REASON}, '') {not} IN (SELECT value FROM json_each("
        ));
        sql.push_bind(list(reasons)).push("))");
    };
    if let Some(reasons) = &wanted.reasons {
        among("", reasons);
    }
    if let Some(reasons) = &wanted.but_reasons {
        among("NOT", reasons);
    }
}

/// `columns` of the events about a message that were decided at `since` or later, in order.
pub(super) fn mentioning(columns: &str, of: &Mention, since: Timestamp) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(columns);
    sql.push(" WHERE e.seq IN (SELECT seq FROM mentions WHERE channel = ")
        .push_bind(of.channel.to_string());
    sql.push(" AND message = ").push_bind(of.message.to_string());
    sql.push(" AND chat = ")
        .push_bind(of.chat.as_ref().map_or_else(String::new, ChatId::to_string));
    sql.push(") AND e.at >= ")
        .push_bind(since.0)
        .push(" ORDER BY e.seq");
    sql
}

/// The events of no turn at `until` or before, the latest first.
pub(super) fn of_process(until: Seq, limit: usize) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(COLUMNS);
    sql.push(" WHERE e.turn IS NULL AND e.seq <= ")
        .push_bind(number(until.0));
    sql.push(" ORDER BY e.seq DESC LIMIT ")
        .push_bind(number(limit as u64));
    sql
}

/// Who was let in, and what else of pairing was decided at `since` or later, in the words of the index `events_asked`.
pub(super) fn pairings(since: Timestamp) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(COLUMNS);
    // Not left to the planner, which takes a word for rarer than a time.
    sql.push(
        " WHERE e.seq IN (SELECT seq FROM approvals UNION SELECT seq FROM events INDEXED BY events_asked
        WHERE kind = 'pairing' AND at >= ",
    )
    .push_bind(since.0);
    sql.push(") ORDER BY e.seq");
    sql
}

/// The events that a session's conversation is rebuilt from, in the words of the index `events_conversation`.
pub(super) fn of_conversation(session: &SessionId, until: Seq, limit: usize) -> QueryBuilder<Sqlite> {
    let mut sql = QueryBuilder::new(COLUMNS);
    sql.push(" WHERE e.kind IN ('history_compacted', 'prepared', 'session_reset') AND e.session = ")
        .push_bind(session.as_str().to_owned());
    sql.push(" AND e.seq <= ").push_bind(number(until.0));
    sql.push(" ORDER BY e.seq DESC LIMIT ")
        .push_bind(number(limit as u64));
    sql
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DEAD_TARGET_KINDS, DELIVERY_KINDS, REMINDER_KINDS, SCHEDULE_KINDS};
    use sqlx::{Connection, SqliteConnection};

    /// A row of `EXPLAIN QUERY PLAN`.
    type Step = (i64, i64, i64, String);

    /// The steps that SQLite takes for a query.
    async fn plan(mut sql: QueryBuilder<Sqlite>) -> Vec<String> {
        let mut conn = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        super::super::schema::prepare(&mut conn, std::path::Path::new("memory"))
            .await
            .unwrap();
        let plan: Vec<Step> = sql.build_query_as().fetch_all(&mut conn).await.unwrap();
        plan.into_iter().map(|(.., words)| words).collect()
    }

    fn explained(sql: &QueryBuilder<Sqlite>) -> QueryBuilder<Sqlite> {
        QueryBuilder::new(format!("EXPLAIN QUERY PLAN {}", sql.sql().as_str()))
    }

    #[tokio::test]
    async fn a_message_is_found_without_looking_at_others() {
        let of = Mention {
            channel: "a".into(),
            chat: Some("b".into()),
            message: "c".into(),
        };
        let words = plan(explained(&mentioning(COLUMNS, &of, Timestamp(0)))).await;
        assert!(
            words
                .iter()
                .any(|w| w.contains("mentions") && w.contains("(channel=? AND message=? AND chat=?)")),
            "{words:?}"
        );
        assert!(words.iter().all(|words| !words.starts_with("SCAN")), "{words:?}");
    }

    #[tokio::test]
    async fn what_a_view_asks_for_is_found_without_looking_at_everything() {
        let errors = Selection {
            errors: true,
            ..Selection::ALL
        };
        for (wanted, index) in [
            (Selection::kinds(SCENE_KINDS), "events_scene"),
            // The list of turns asks for each of its lines whether a replay began before.
            (Selection::kinds(["started"]), "events_scene"),
            (Selection::kinds(["armed", "started"]), "events_scene"),
            (errors, "e USING INTEGER PRIMARY KEY (rowid=?)"),
        ] {
            let words = plan(explained(&selecting(COLUMNS, &wanted, Seq(0), Seq(9), 9))).await;
            assert!(words.iter().any(|words| words.contains(index)), "{words:?}");
            assert!(
                !words.iter().any(|words| words.starts_with("SCAN e")),
                "{words:?}"
            );
        }
        let ended = super::super::projections::ended_between(Seq(5), Seq(9));
        let words = plan(explained(&ended)).await;
        assert!(
            words.iter().any(|words| words.contains("durations_until")),
            "{words:?}"
        );
    }

    #[tokio::test]
    async fn a_start_looks_at_nothing_but_what_it_asks_for() {
        let pairing = selecting(COLUMNS, &Selection::kinds(["pairing"]), Seq(0), Seq(9), 9);
        let in_doubt = Selection {
            turns: Some([TurnId(7)].into()),
            ..Selection::kinds(["intended", "ended"])
        };
        let in_doubt = selecting(COLUMNS, &in_doubt, Seq(0), Seq(9), 9);
        let words = plan(explained(&in_doubt)).await;
        assert!(
            words.iter().any(|words| words.contains("events_turn")),
            "{words:?}"
        );
        assert!(
            !words.iter().any(|words| words.starts_with("SCAN e")),
            "{words:?}"
        );
        let words = plan(explained(&pairings(Timestamp(5)))).await;
        assert!(
            words.iter().any(|words| words.contains("events_asked (at>?)")),
            "{words:?}"
        );
        assert!(
            !words.iter().any(|words| words.starts_with("SCAN e")),
            "{words:?}"
        );
        for (index, sql) in [
            ("events_pairing", pairing),
            ("events_process", of_process(Seq(9), 9)),
            ("events_conversation", of_conversation(&"s".into(), Seq(9), 9)),
        ] {
            let words = plan(explained(&sql)).await;
            assert!(
                words.iter().any(|words| words.contains(index)),
                "{index}: {words:?}"
            );
            let walks = |words: &String| words.starts_with("SCAN") || words.contains("TEMP B-TREE");
            assert!(!words.iter().any(walks), "{index}: {words:?}");
        }
    }

    #[tokio::test]
    async fn what_a_start_reads_from_all_of_the_journal_is_found_by_an_index() {
        let reads = [
            &DEAD_TARGET_KINDS[..],
            &DELIVERY_KINDS,
            &REMINDER_KINDS,
            &SCHEDULE_KINDS,
        ];
        let mut all: Vec<_> = reads.concat();
        all.sort_unstable();
        assert_eq!(all, START_KINDS);
        for kinds in reads.into_iter().chain([&START_KINDS[..], &["reminder_set"]]) {
            for since in [None, Some(Timestamp(5))] {
                let wanted = Selection {
                    since,
                    ..Selection::kinds(kinds.iter().copied())
                };
                let words = plan(explained(&selecting(COLUMNS, &wanted, Seq(7), Seq(9), 9))).await;
                assert!(
                    words
                        .iter()
                        .any(|words| words.contains("INDEX events_start (kind=?")),
                    "{kinds:?}: {words:?}"
                );
                let walks = |words: &&String| words.starts_with("SCAN") && !words.contains("VIRTUAL TABLE");
                assert_eq!(words.iter().find(walks), None, "{kinds:?}: {words:?}");
            }
        }
        let of_turn = Selection {
            turns: Some([TurnId(3)].into()),
            ..Selection::kinds(["delivery_due"])
        };
        let words = plan(explained(&selecting(COLUMNS, &of_turn, Seq(0), Seq(9), 9))).await;
        assert!(
            words.iter().any(|words| words.contains("events_turn (turn=?")),
            "{words:?}"
        );
    }

    #[tokio::test]
    async fn turns_are_counted_by_an_index_and_followed_by_place() {
        let received = Selection::kinds(["received"]);
        let all = plan(explained(&turns_of(&received, Seq(0), Seq(9)))).await;
        let [all] = &all[..] else { panic!("{all:?}") };
        assert!(all.contains("INDEX events_received"), "{all}");
        let telegram = Selection {
            channels: Some(["telegram".into()].into()),
            ..Selection::ALL
        };
        for wanted in [&received, &telegram, &Selection::ALL] {
            let words = plan(explained(&turns_of(wanted, Seq(7), Seq(9)))).await;
            assert!(
                words[0].contains("INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
                "{words:?}"
            );
        }
        let of_turns = Selection {
            turns: Some([TurnId(3)].into()),
            ..Selection::ALL
        };
        let words = plan(explained(&turns_of(&of_turns, Seq(0), Seq(9)))).await;
        assert!(words[0].contains("events_turn (turn=?)"), "{words:?}");
    }

    #[tokio::test]
    async fn outlines_look_at_the_turns_that_are_asked_for() {
        use super::super::outlines;
        let turns = [TurnId(3), TurnId(4)].into();
        for sql in [
            outlines::bounds(&turns),
            outlines::events(&turns, 9),
            outlines::held(&turns),
        ] {
            let words = plan(explained(&sql)).await;
            assert!(
                words.iter().any(|words| words.contains("events_turn (turn=?")),
                "{words:?}"
            );
            let walks = |words: &&String| words.starts_with("SCAN") && !words.contains("VIRTUAL TABLE");
            assert_eq!(words.iter().find(walks), None, "{words:?}");
        }
    }

    #[tokio::test]
    async fn a_stretch_of_messages_is_walked_in_the_order_of_the_journal() {
        let received = Selection::kinds(["received"]);
        let words = plan(explained(&selecting(COLUMNS, &received, Seq(7), Seq(9), 9))).await;
        assert!(
            !words.iter().any(|words| words.contains("TEMP B-TREE")),
            "{words:?}"
        );
    }
}
