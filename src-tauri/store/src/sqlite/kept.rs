//! The events that stay for a reason of their own, however old: found once for a pruning, over all of the journal.
//!
//! An example, of a schedule that ran every hour and was skipped twice:
//!
//! ```text
//!   schedule_set       stays: the configuration has it since
//!   schedule_due ...   of these the latest stays: the times before it are accounted for by it
//!   schedule_skipped   goes
//!   schedule_skipped   stays: the latest
//! ```
//!
//! What is kept is the state that a start folds, and never a history: a thousand events of one schedule, one reminder or
//! one channel are a handful afterwards. A body that cannot be read is that of no schedule, and keeps at most one event.

use foldback_wire::Timestamp;
use sqlx::{SqlitePool, query_scalar};

/// The events of reminders that stay. A reminder is open until it was cancelled or, due once, has come due, both before `?1`.
/// The `reminder_set` of an open one stays, and that of the highest number, which is not used again. The cancellation of a
/// reminder, its latest delivery and the end of that delivery stay as long as its `reminder_set` does: without them it would
/// be due again.
const REMINDERS: &str = "
    WITH told AS MATERIALIZED (
        SELECT e.seq, e.at, e.turn, e.kind,
            CASE WHEN json_valid(b.body) THEN coalesce(b.body ->> '$.reminder', b.body ->> '$.id') END AS id,
            CASE WHEN json_valid(b.body) THEN b.body ->> '$.repeat' END AS repeated
        FROM events e JOIN bodies b ON b.seq = e.seq
        WHERE e.kind IN ('reminder_cancelled', 'reminder_due', 'reminder_set')),
    known AS (SELECT id, seq, repeated FROM told WHERE kind = 'reminder_set'),
    latest AS (
        SELECT max(seq) AS seq FROM told
        WHERE kind = 'reminder_due' AND id IN (SELECT id FROM known) GROUP BY id)
    SELECT seq FROM known s
        WHERE id = (SELECT max(id) FROM known) OR NOT EXISTS (
            SELECT 1 FROM told c WHERE c.id = s.id AND c.at < ?1
                AND (c.kind = 'reminder_cancelled' OR c.kind = 'reminder_due' AND s.repeated = 'none'))
    UNION SELECT seq FROM told WHERE kind = 'reminder_cancelled' AND id IN (SELECT id FROM known)
    UNION SELECT seq FROM latest
    UNION SELECT e.seq FROM events e
        WHERE e.kind = 'turn_ended' AND e.turn IN (
            SELECT turn FROM told WHERE seq IN (SELECT seq FROM latest))";

/// The latest event of each kind of each schedule, as a start folds them. A run that a person began stands for no time:
/// the latest of each author.
const SCHEDULES: &str = "
    SELECT max(seq) FROM (
        SELECT e.seq, e.kind, CASE WHEN json_valid(b.body) THEN b.body END AS body
        FROM events e JOIN bodies b ON b.seq = e.seq
        WHERE e.kind IN ('schedule_due', 'schedule_paused', 'schedule_set', 'schedule_skipped'))
    GROUP BY kind, body ->> '$.schedule', CASE kind WHEN 'schedule_due' THEN body ->> '$.by' END";

/// The latest change of a channel from one state to another by the same author, of those at `?1` and behind it. Among
/// them is each channel's state with what led to it, and the latest switch by a person.
const CHANNELS: &str = "
    SELECT max(seq) FROM (
        SELECT e.seq, e.channel, CASE WHEN json_valid(b.body) THEN b.body END AS body
        FROM events e JOIN bodies b ON b.seq = e.seq
        WHERE e.turn IS NULL AND e.seq >= ?1 AND e.kind = 'channel_state')
    GROUP BY channel, body ->> '$.from', body ->> '$.to', body ->> '$.by'";

/// What revived a chat last, as long as one of the events is there that it was dead: one may stay with a younger event of
/// its turn, and the next start would take the chat for dead again.
const REVIVED: &str = "
    SELECT max(seq) FILTER (WHERE kind = 'target_revived') AS revived FROM (
        SELECT e.seq, e.kind, e.channel, CASE WHEN json_valid(b.body) THEN b.body ->> '$.target' END AS target
        FROM events e JOIN bodies b ON b.seq = e.seq WHERE e.kind IN ('target_dead', 'target_revived'))
    GROUP BY channel, target
    HAVING revived > min(seq) FILTER (WHERE kind = 'target_dead')";

/// The places of what stays. What closes a reminder `before` closes it; `started` is the first place of processes that are
/// still asked about.
pub(super) async fn kept(
    readers: &SqlitePool,
    before: Timestamp,
    started: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    let mut kept: Vec<i64> = query_scalar(REMINDERS).bind(before.0).fetch_all(readers).await?;
    kept.extend(query_scalar::<_, i64>(SCHEDULES).fetch_all(readers).await?);
    kept.extend(query_scalar::<_, i64>(REVIVED).fetch_all(readers).await?);
    let channels = query_scalar::<_, i64>(CHANNELS).bind(started);
    kept.extend(channels.fetch_all(readers).await?);
    Ok(kept)
}
