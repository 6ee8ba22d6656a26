//! Writing events as rows, with what is kept of certain events beside them.

use super::{
    rows::number,
    script::{Script, Value, bound},
};
use crate::{Mention, StoreError, kind, session_usage::usage_of};
use foldback_wire::{ChannelId, ChatId, Draft, Event, Kind, Seq, SessionId, Usage};
use sqlx::{AssertSqlSafe, SqliteConnection, query};

/// An event as it is written.
#[derive(Debug)]
pub(super) struct EventRow {
    pub(super) event: Event,
    pub(super) body: String,
}

/// Content of an event as JSON; about a microsecond's work, done by whoever appends.
pub(super) fn body(draft: &Draft) -> Result<String, StoreError> {
    serde_json::to_string(&draft.kind).map_err(|error| StoreError::Database(error.to_string()))
}

/// Rows that are written in statements which stay prepared.
const BLOCK: usize = 64;

const EVENT: &str = "(?, ?, ?, ?, ?, ?)";
const BODY: &str = "(?, ?)";

/// Writes the full blocks of rows, behind what the script has so far, and adds the rest to the script, with what is kept
/// of certain events beside them.
pub(super) async fn insert<'a>(
    conn: &mut SqliteConnection,
    script: &mut Script<'a>,
    rows: &[&'a EventRow],
) -> Result<(), sqlx::Error> {
    let (blocks, rest) = rows.as_chunks::<BLOCK>();
    if !blocks.is_empty() {
        script.execute(conn).await?;
        let sql = format!(
            "{}; {}",
            inserting("events", EVENT, BLOCK),
            inserting("bodies", BODY, BLOCK)
        );
        for block in blocks {
            let block = block.iter().copied();
            let values = block.clone().flat_map(event).chain(block.flat_map(body_of));
            bound(query(AssertSqlSafe(sql.as_str())), values)
                .execute(&mut *conn)
                .await?;
        }
    }
    if !rest.is_empty() {
        let rest = rest.iter().copied();
        script.add_all(
            &inserting("events", EVENT, rest.len()),
            rest.clone().flat_map(event),
        );
        script.add_all(&inserting("bodies", BODY, rest.len()), rest.flat_map(body_of));
    }
    for EventRow { event, .. } in rows {
        keep_beside(script, event);
    }
    Ok(())
}

fn inserting(table: &str, row: &str, count: usize) -> String {
    format!("INSERT INTO {table} VALUES {}", vec![row; count].join(", "))
}

fn event(EventRow { event, .. }: &EventRow) -> [Value<'_>; 6] {
    [
        number(event.seq.0).into(),
        event.at.0.into(),
        event.turn.map(|turn| number(turn.0)).into(),
        event.session.as_ref().map(SessionId::as_str).into(),
        event.channel.as_ref().map(ChannelId::as_str).into(),
        kind::code(&event.kind).into(),
    ]
}

fn body_of(EventRow { event, body }: &EventRow) -> [Value<'_>; 2] {
    [number(event.seq.0).into(), body.as_str().into()]
}

/// Adds what a start asks for: which turns are open or in doubt, and where messages are told of; the tokens of
/// sessions; and who was let in.
fn keep_beside<'a>(script: &mut Script<'a>, event: &'a Event) {
    if let Some(turn) = event.turn {
        let (turn, seq) = (Value::from(number(turn.0)), Value::from(number(event.seq.0)));
        match &event.kind {
            Kind::Received { .. } => {
                script.add("INSERT OR IGNORE INTO open_turns VALUES (?, ?)", [turn, seq]);
            }
            Kind::TurnEnded { .. } => script.add("DELETE FROM open_turns WHERE turn = ?", [turn]),
            Kind::Ended { outcome, .. } if outcome.is_in_doubt() => {
                script.add("INSERT OR IGNORE INTO unknown_turns VALUES (?, ?)", [turn, seq]);
            }
            Kind::Reviewed { .. } => script.add("DELETE FROM unknown_turns WHERE turn = ?", [turn]),
            _ => {}
        }
    }
    if let Some(session) = &event.session {
        if matches!(event.kind, Kind::SessionReset { .. }) {
            script.add(
                "DELETE FROM session_usage WHERE session = ?",
                [session.as_str().into()],
            );
        }
        if let Some(Usage { input, output }) = usage_of(&event.kind) {
            script.add(
                "INSERT INTO session_usage VALUES (?, ?, ?, 1) ON CONFLICT (session) DO UPDATE
                SET input = input + excluded.input, output = output + excluded.output, counted = counted + 1",
                [
                    session.as_str().into(),
                    number(input).into(),
                    number(output).into(),
                ],
            );
        }
    }
    if let Kind::Pairing { step, .. } = &event.kind
        && step.decides_approval()
    {
        let seq = [number(event.seq.0).into()];
        script.add("INSERT OR IGNORE INTO approvals VALUES (?)", seq);
    }
    for mention in Mention::all(event.channel.as_ref(), &event.kind) {
        script.add(
            "INSERT INTO mentions VALUES (?, ?, ?, ?)",
            place_of(&mention, event.seq),
        );
    }
}

/// Channel, message, chat and place: the key of a row of `mentions`.
pub(super) fn place_of<'a>(mention: &Mention, at: Seq) -> [Value<'a>; 4] {
    [
        mention.channel.as_str().to_owned().into(),
        mention.message.as_str().to_owned().into(),
        mention.chat.as_ref().map_or("", ChatId::as_str).to_owned().into(),
        number(at.0).into(),
    ]
}
