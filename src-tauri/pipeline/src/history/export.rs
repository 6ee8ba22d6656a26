//! A conversation as Markdown, for the person who had it.

use super::turn::{ReadTurn, read_turn};
use foldback_agents::HistoryEntry;
use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{Inbound, Kind, Seq, SessionId, TurnId, visible};
use std::{collections::BTreeSet, fmt::Write as _};

/// Events that are read at once.
const PAGE: usize = 16;
/// Most bytes of an export; the oldest messages of a longer conversation are left out.
const LONGEST: usize = 1_000_000;

/// A conversation as Markdown.
pub(crate) struct ExportedConversation {
    pub(crate) markdown: String,
    /// Messages for the agent that it has.
    pub(crate) turns: usize,
    /// True where older ones are left out.
    pub(crate) left_out: bool,
}

/// The conversation of a session since it last began anew, without the turn `but`; the agent's tools and what went wrong
/// only `with_work`.
pub(crate) async fn export_conversation(
    journal: &dyn Journal,
    session: &SessionId,
    but: TurnId,
    with_work: bool,
) -> Result<ExportedConversation, StoreError> {
    // The latest first.
    let mut told = Vec::new();
    let (mut size, mut left_out) = (0, false);
    // A turn is prepared again after a kill, and where its message was steered before it had a run.
    let mut seen = BTreeSet::new();
    let mut until = journal.head();
    'pages: loop {
        let page = journal.conversation(session, until, PAGE).await?;
        let Some(last) = page.last() else { break };
        until = Seq(last.seq.0.saturating_sub(1));
        let is_last_page = page.len() < PAGE;
        for event in page {
            match (event.kind, event.turn) {
                (Kind::SessionReset { .. }, _) => break 'pages,
                (Kind::Prepared { .. }, Some(turn)) if turn != but && seen.insert(turn) => {
                    let text = turn_as_markdown(journal, turn, with_work).await?;
                    size += text.len();
                    if size > LONGEST {
                        left_out = true;
                        break 'pages;
                    }
                    told.push(text);
                }
                _ => {}
            }
        }
        if is_last_page {
            break;
        }
    }
    let turns = told.len();
    let told: String = told.into_iter().rev().collect();
    Ok(ExportedConversation {
        markdown: format!("# Conversation `{session}`\n\n{told}"),
        turns,
        left_out,
    })
}

async fn turn_as_markdown(
    journal: &dyn Journal,
    turn: TurnId,
    with_work: bool,
) -> Result<String, StoreError> {
    let wanted = Selection {
        turns: Some([turn].into()),
        ..Selection::kinds(["received", "taken_in"])
    };
    let mut text = String::new();
    for event in journal
        .select(&wanted, Seq(0), journal.head(), usize::MAX)
        .await?
    {
        match event.kind {
            Kind::Received { message } => message_as_markdown(&mut text, &message),
            Kind::TakenIn {
                sender, text: said, ..
            } => {
                let _ = write!(text, "### {}\n\n{said}\n\n", visible(&sender));
            }
            _ => {}
        }
    }
    let ReadTurn { entries, .. } = read_turn(journal, turn, u64::MAX).await?;
    for entry in entries {
        // Writing into a string cannot fail.
        let _ = match entry {
            HistoryEntry::User(_) => Ok(()),
            HistoryEntry::Tool(_) | HistoryEntry::Note(_) if !with_work => Ok(()),
            HistoryEntry::Assistant(said) => write!(text, "### Agent\n\n{}\n\n", said.trim()),
            HistoryEntry::Tool(line) => write!(text, "- 🔧 {line}\n\n"),
            HistoryEntry::Note(note) => write!(text, "*{note}*\n\n"),
        };
    }
    Ok(text)
}

fn message_as_markdown(text: &mut String, message: &Inbound) {
    let name = visible(message.sender.readable_name());
    // Writing into a string cannot fail.
    let _ = write!(text, "### {name}, {}\n\n{}\n\n", message.at, message.text);
    for file in &message.files {
        let _ = write!(text, "- 📎 {}\n\n", visible(&file.name));
    }
}
