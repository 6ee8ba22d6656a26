//! Keeping the events of runs in a journal, where `foldback journal` and the console can look at them.

use foldback_store::{Journal, Numbers, StoreError};
use foldback_wire::{Draft, Event, Kind, OpId, RunId, TurnId};

/// Puts the events of one run at the end of a journal, marked as a replay. Turns, runs and operations get numbers of their own:
/// every run counts from 1. Answers the numbers that its first turn, run and operation got.
pub async fn keep(journal: &dyn Journal, events: &[Event]) -> Result<Numbers, StoreError> {
    let first = journal.reserve().await?;
    let turn = |turn: TurnId| TurnId(first.turn - 1 + turn.0);
    let op = |op: OpId| OpId(first.op - 1 + op.0);
    let run = |run: RunId| RunId(first.run - 1 + run.0);
    let draft = |event: &Event| {
        let mut event = event.clone();
        match &mut event.kind {
            Kind::RunStarted { run: number, .. } | Kind::RunEnded { run: number, .. } => {
                *number = run(*number);
            }
            Kind::Intended { op: number, .. }
            | Kind::Attempted { op: number, .. }
            | Kind::Refused { op: number, .. }
            | Kind::Ended { op: number, .. }
            | Kind::Undelivered { op: number, .. }
            | Kind::Receipt { op: number, .. }
            | Kind::Leaked { op: number, .. }
            | Kind::Faulted { op: Some(number), .. }
            | Kind::Waiting { op: Some(number), .. } => *number = op(*number),
            Kind::Started { replayed, .. } => *replayed = true,
            _ => {}
        }
        Draft {
            at: event.at,
            turn: event.turn.map(turn),
            session: event.session,
            channel: event.channel,
            kind: event.kind,
        }
    };
    journal.append(events.iter().map(draft).collect())?;
    journal.flush().await?;
    Ok(first)
}
