//! Reads a conversation out of the journal, from its end.

use super::turn::{ReadTurn, read_turn};
use foldback_agents::{History, HistoryEntry, estimated_tokens};
use foldback_store::{Journal, StoreError};
use foldback_wire::{Kind, Seq, SessionId, TurnId};
use std::collections::BTreeSet;

/// Prompts that are read at once.
const PAGE: usize = 16;
/// Turns that are read at most, however short they are.
const MOST_TURNS: u32 = 1_000;

/// A conversation as the journal has it.
pub(super) struct ReadHistory {
    pub(super) history: History,
    /// Turns that it has.
    pub(super) turns: u32,
    /// Its tokens, estimated.
    pub(super) tokens: u64,
    /// True where older turns do not fit.
    pub(super) left_out: bool,
}

/// A compaction that was met on the way back.
struct MetCompaction {
    at: Seq,
    summary: String,
    /// Answers before it that are still to be told.
    kept: u32,
}

/// The conversation of a session since it last began anew, without the turn `but`, as many of the latest turns as have at
/// most `most` tokens.
pub(super) async fn history_of(
    journal: &dyn Journal,
    session: &SessionId,
    but: TurnId,
    most: u64,
) -> Result<ReadHistory, StoreError> {
    // The latest turn first.
    let mut told: Vec<Vec<HistoryEntry>> = Vec::new();
    let mut compaction: Option<MetCompaction> = None;
    // A turn is prepared again after a kill: it is told once.
    let mut seen = BTreeSet::new();
    let (mut turns, mut tokens, mut left_out) = (0, 0, false);
    let mut until = journal.head();
    'pages: loop {
        let page = journal.conversation(session, until, PAGE).await?;
        let Some(last) = page.last() else { break };
        until = Seq(last.seq.0.saturating_sub(1));
        let is_last_page = page.len() < PAGE;
        for event in page {
            match (event.kind, event.turn) {
                (Kind::SessionReset { .. }, _) => break 'pages,
                // It says what the ones before it said.
                (Kind::HistoryCompacted { .. }, _) if compaction.is_some() => {}
                (Kind::HistoryCompacted { summary, kept, .. }, _) => {
                    tokens += estimated_tokens(&summary);
                    let at = event.seq;
                    compaction = Some(MetCompaction { at, summary, kept });
                }
                (Kind::Prepared { .. }, Some(turn)) if turn != but && seen.insert(turn) => {
                    let read = read_turn(journal, turn, most).await?;
                    if let Some(met) = &mut compaction
                        && read.was_remembered_at(met.at)
                    {
                        let Some(kept) = met.kept.checked_sub(1) else {
                            break 'pages;
                        };
                        met.kept = kept;
                    }
                    let ReadTurn { entries, .. } = read;
                    let size: u64 = entries.iter().map(|entry| estimated_tokens(entry.text())).sum();
                    if tokens + size > most || turns == MOST_TURNS {
                        left_out = true;
                        break 'pages;
                    }
                    tokens += size;
                    turns += 1;
                    told.push(entries);
                }
                _ => {}
            }
        }
        if is_last_page {
            break;
        }
    }
    Ok(ReadHistory {
        history: History {
            summary: compaction.map(|met| met.summary),
            entries: told.into_iter().rev().flatten().collect(),
        },
        turns,
        tokens,
        left_out,
    })
}
