//! The tables, how a file comes to have them, and what else a file can be.

use super::{fault, projections::project_all};
use crate::StoreError;
use sqlx::{AssertSqlSafe, SqliteConnection, query_scalar, raw_sql};
use std::path::Path;

/// "FOLD": tells a journal from other databases, also for `file(1)`.
const APPLICATION_ID: i64 = 0x464F_4C44;

/// Each step leads from the format of its index to the next one. Steps are only ever added.
///
/// What filters ask for stands in `events`, small enough (about 60 bytes an event) that a million of them
/// are looked through in a fraction of a second without an index; what they say stands in `bodies`.
const STEPS: &[&str] = &[
    "
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        turn INTEGER,
        session TEXT,
        channel TEXT,
        kind TEXT NOT NULL
    ) STRICT;
    CREATE INDEX events_turn ON events (turn) WHERE turn IS NOT NULL;
    CREATE TABLE bodies (seq INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE TABLE outbox (op INTEGER PRIMARY KEY, in_flight INTEGER NOT NULL, entry TEXT NOT NULL) STRICT;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE numbers (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        turn INTEGER NOT NULL,
        op INTEGER NOT NULL,
        run INTEGER NOT NULL
    ) STRICT;
    INSERT INTO numbers VALUES (1, 1, 1, 1);
",
    // Which events are about which message; `chat` is empty where `Mention` has none. A damaged body is about none: it
    // must keep nobody from opening the journal.
    "
    CREATE TABLE mentions (
        channel TEXT NOT NULL,
        message TEXT NOT NULL,
        chat TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (channel, message, chat, seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO mentions
        SELECT channel, body ->> '$.message.message', body ->> '$.message.chat', seq
        FROM (
            SELECT e.channel, CASE WHEN json_valid(b.body) THEN b.body END AS body, e.seq
            FROM events e JOIN bodies b ON b.seq = e.seq WHERE e.kind = 'received'
        )
        WHERE channel IS NOT NULL AND body ->> '$.message.message' IS NOT NULL
            AND body ->> '$.message.chat' IS NOT NULL;
    INSERT INTO mentions
        SELECT channel, body ->> '$.outcome.message', '', seq
        FROM (
            SELECT e.channel, CASE WHEN json_valid(b.body) THEN b.body END AS body, e.seq
            FROM events e JOIN bodies b ON b.seq = e.seq WHERE e.kind = 'ended'
        )
        WHERE channel IS NOT NULL AND body ->> '$.outcome.message' IS NOT NULL;
",
    // Apart from `sessions`: a message that comes in rewrites that record while a run may be writing this one.
    "
    CREATE TABLE agent_sessions (
        session TEXT NOT NULL,
        backend TEXT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (session, backend)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_used ON sessions (CASE WHEN json_valid(record) THEN record ->> '$.used' END DESC, id);
",
    // A start asks which turns are open, what the processes before it told, and who was let in; it must not read
    // everything for that. `whole_from` is the first place after which nothing was ever deleted.
    "
    CREATE TABLE open_turns (turn INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
    INSERT INTO open_turns
        SELECT turn, min(seq) FROM events
        WHERE kind = 'received' AND turn IS NOT NULL
            AND turn NOT IN (SELECT turn FROM events WHERE kind = 'turn_ended' AND turn IS NOT NULL)
        GROUP BY turn;
    CREATE INDEX events_process ON events (turn) WHERE turn IS NULL;
    CREATE INDEX events_pairing ON events (kind) WHERE kind = 'pairing';
    CREATE TABLE whole_from (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
    INSERT INTO whole_from VALUES (1, 1);
",
    // `before` is the time up to which events were deleted, 0 where none ever was. What an earlier version deleted is
    // older than the first event that it left behind.
    "
    ALTER TABLE whole_from ADD COLUMN before INTEGER NOT NULL DEFAULT 0;
    UPDATE whole_from
        SET before = coalesce((SELECT at FROM events WHERE events.seq >= whole_from.seq ORDER BY events.seq LIMIT 1), 0)
        WHERE seq > 1;
",
    // A start asks which turns have an operation of unknown outcome that no person looked at, however long ago.
    "
    CREATE TABLE unknown_turns (turn INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
    INSERT INTO unknown_turns
        SELECT turn, min(seq)
        FROM (
            SELECT e.turn, e.seq, CASE WHEN json_valid(b.body) THEN b.body END AS body
            FROM events e JOIN bodies b ON b.seq = e.seq WHERE e.kind = 'ended' AND e.turn IS NOT NULL
        ) AS ended
        WHERE body ->> '$.outcome.code' = 'unknown' AND body ->> '$.outcome.replaced_by' IS NULL
            AND NOT EXISTS (
                SELECT 1 FROM events looked
                WHERE looked.turn = ended.turn AND looked.kind = 'reviewed' AND looked.seq > ended.seq
            )
        GROUP BY turn;
",
    // How long things lasted, by the events that began and ended them, and the events that are errors. They are filled
    // from the events (`projections`). Every view asks what was
    // armed, stopped and started. Earlier versions told what people wrote before its session was known.
    "
    CREATE TABLE durations (
        seq INTEGER PRIMARY KEY,
        until INTEGER NOT NULL,
        ms INTEGER NOT NULL,
        reason TEXT,
        bytes INTEGER
    ) STRICT;
    CREATE INDEX durations_until ON durations (until) WHERE until > seq;
    CREATE TABLE errors (seq INTEGER PRIMARY KEY) STRICT;
    CREATE INDEX events_scene ON events (kind) WHERE kind IN ('armed', 'run_cancelled', 'started');
    UPDATE events SET session = known.session
        FROM (
            SELECT turn, min(session) AS session FROM events
            WHERE turn IS NOT NULL AND session IS NOT NULL GROUP BY turn
        ) AS known
        WHERE events.session IS NULL AND events.turn = known.turn;
",
    // Which turns there are, by number: one entry of 15 events or so, so that they are counted and the one of a number is
    // found without looking through the journal. An index, and no table, as nothing else has to be written and deleted.
    "
    CREATE INDEX events_received ON events (turn) WHERE kind = 'received';
",
    // What a session's conversation is rebuilt from after a restart, the latest first.
    "
    CREATE INDEX events_conversation ON events (session, seq)
        WHERE kind IN ('history_compacted', 'prepared', 'session_reset');
",
    // The tokens of each session since it last began anew. What is deleted from the journal stays counted.
    "
    CREATE TABLE session_usage (
        session TEXT PRIMARY KEY,
        input INTEGER NOT NULL,
        output INTEGER NOT NULL,
        counted INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO session_usage
        SELECT session, sum(body ->> '$.usage.input'), sum(body ->> '$.usage.output'), count(*)
        FROM (
            SELECT e.session, CASE WHEN json_valid(b.body) THEN b.body END AS body
            FROM events e JOIN bodies b ON b.seq = e.seq
            LEFT JOIN (
                SELECT session, max(seq) AS seq FROM events WHERE kind = 'session_reset' GROUP BY session
            ) AS reset ON reset.session = e.session
            WHERE e.kind IN ('history_compacted', 'used') AND e.session IS NOT NULL
                AND e.seq > coalesce(reset.seq, 0)
        )
        WHERE body ->> '$.usage.input' IS NOT NULL AND body ->> '$.usage.output' IS NOT NULL
        GROUP BY session;
",
    // Who was let in, and who no more, which is kept for good; and what else of pairing is recent enough to matter to a
    // start: anybody may ask, so that there may be any number of old requests.
    "
    CREATE TABLE approvals (seq INTEGER PRIMARY KEY) STRICT;
    INSERT INTO approvals
        SELECT seq
        FROM (
            SELECT e.seq, CASE WHEN json_valid(b.body) THEN b.body END AS body
            FROM events e JOIN bodies b ON b.seq = e.seq WHERE e.kind = 'pairing'
        )
        WHERE body ->> '$.step' IN ('approved', 'revoked');
    CREATE INDEX events_asked ON events (at) WHERE kind = 'pairing';
",
    // The chats in which people wrote to the bot, with the names by which an agent may ask for one. They stay when events
    // are deleted; of a new one beyond the bound (`MOST_CHATS`) the oldest is forgotten.
    "
    CREATE TABLE chats (
        channel TEXT NOT NULL,
        chat TEXT NOT NULL,
        used INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (channel, chat)
    ) STRICT;
    CREATE INDEX chats_used ON chats (used);
    CREATE TRIGGER chats_most AFTER INSERT ON chats BEGIN
        DELETE FROM chats WHERE rowid IN (SELECT rowid FROM chats ORDER BY used DESC, rowid DESC LIMIT -1 OFFSET 5000);
    END;
",
    // How dead chats, deliveries, reminders and schedules stand: a start reads these kinds from all of the journal
    // (`START_KINDS`). Of a hundred events hardly one has an entry.
    "
    CREATE INDEX events_start ON events (kind)
        WHERE kind IN ('delivery_due', 'reminder_cancelled', 'reminder_due', 'reminder_set', 'schedule_due',
            'schedule_paused', 'schedule_set', 'schedule_skipped', 'target_dead', 'target_revived');
",
];

/// The first format with projections.
const PROJECTED: i64 = 7;

/// The first format with a list of approvals.
const WITH_APPROVALS: i64 = 11;

/// The newest format.
const FORMAT: i64 = STEPS.len() as i64;

/// Brings an open file to the newest format, or says why it cannot be.
pub(super) async fn prepare(conn: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let fault = |error| fault::of(path, &error);
    let found = format(conn, path).await?;
    if found == FORMAT {
        return Ok(());
    }
    // One transaction: a file has one format or the other, also after a power cut.
    let steps = STEPS
        .iter()
        .skip(usize::try_from(found).unwrap_or(usize::MAX))
        .copied();
    let script = ["BEGIN IMMEDIATE;"].into_iter().chain(steps).collect::<String>();
    raw_sql(AssertSqlSafe(script))
        .execute(&mut *conn)
        .await
        .map_err(fault)?;
    if (1..PROJECTED).contains(&found) {
        project_all(&mut *conn).await.map_err(fault)?;
    }
    let marks = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; COMMIT;");
    raw_sql(AssertSqlSafe(marks)).execute(conn).await.map_err(fault)?;
    Ok(())
}

/// True for a format whose files have projections.
pub(super) const fn has_projections(format: i64) -> bool {
    format >= PROJECTED
}

/// True for a format whose files have a list of approvals.
pub(super) const fn has_approvals(format: i64) -> bool {
    format >= WITH_APPROVALS
}

/// The format of a file that is a journal, or has nothing in it yet.
pub(super) async fn format(conn: &mut SqliteConnection, path: &Path) -> Result<i64, StoreError> {
    let fault = |error| fault::of(path, &error);
    let application: i64 = query_scalar("PRAGMA application_id")
        .fetch_one(&mut *conn)
        .await
        .map_err(fault)?;
    let found: i64 = query_scalar("PRAGMA user_version")
        .fetch_one(&mut *conn)
        .await
        .map_err(fault)?;
    let tables: i64 = query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut *conn)
        .await
        .map_err(fault)?;
    if application != APPLICATION_ID && (application != 0 || tables > 0) {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    if found > FORMAT {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known: FORMAT,
        });
    }
    Ok(found.max(0))
}
