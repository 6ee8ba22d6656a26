//! What the platforms show in the end.

use super::{
    super::{
        CHANNELS,
        marks::{marks, place_of},
    },
    TurnStory,
};
use foldback_channels::sim::Record;
use foldback_wire::{JoinKind, MessageId, Operation, Terminal, TurnId};
use std::collections::BTreeMap;

/// Each chat shows its own answers: whole ones of the runs that ended, none more often than it was given.
pub(super) fn are_on_the_screens(logs: &[Vec<Record>], turns: &BTreeMap<TurnId, TurnStory>) {
    let mut answers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((channel, _), log) in CHANNELS.iter().zip(logs) {
        for (chat, text) in screen(log) {
            let place = format!("{channel}.{chat}");
            for mark in marks(&text) {
                assert_eq!(place_of(mark), place, "{mark} was said in {place}");
                if text.starts_with("answer to") {
                    answers.entry(mark.to_owned()).or_default().push(text.clone());
                }
            }
        }
    }
    let mut given: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for turn in turns.values() {
        let Some(mark) = turn.mark() else { continue };
        let (times, unsure) = given.entry(mark).or_default();
        *times += usize::from(turn.run_started);
        *unsure |= turn.unsure;
        for (into, how) in &turn.joined {
            *times += usize::from(matches!(how, JoinKind::Steered | JoinKind::SteeredToo));
            *unsure |= turns[into].unsure;
        }
    }
    for (mark, (times, unsure)) in &given {
        let there = answers.get(*mark).map_or(0, Vec::len);
        assert!(
            *unsure || there <= *times,
            "{mark} was answered {times} times, and is there {there} times: {:#?}",
            answers[*mark]
        );
    }
    for (id, turn) in turns {
        let by = match &turn.terminal {
            Some(Terminal::Replied) => turn,
            Some(Terminal::Steered { into }) => &turns[into],
            _ => continue,
        };
        let Some(mark) = turn.mark().filter(|_| !turn.text.contains("quiet")) else {
            continue;
        };
        if !by.answered || by.unsure || turn.unsure {
            continue;
        }
        let named = format!("[{mark}]");
        let is_whole = |text: &String| {
            let behind = text.split_once(&named).map_or("", |(_, behind)| behind);
            behind.contains(" more.") || behind.contains(", signed.")
        };
        let texts = answers.get(mark).cloned().unwrap_or_default();
        assert!(
            texts.iter().any(is_whole),
            "turn {id}: the answer to {mark} is not there whole: {texts:#?}"
        );
    }
}

/// The texts that a platform shows in the end, with their chats, the oldest first.
fn screen(log: &[Record]) -> Vec<(String, String)> {
    let mut shown: Vec<(Option<MessageId>, String, String)> = Vec::new();
    for record in log.iter().filter(|record| record.applied && !record.repeated) {
        let chat = record.call.target.chat.to_string();
        match &record.call.operation {
            Operation::SendText { text, .. } => {
                let id = record.answer.as_ref().ok().and_then(|ack| ack.message.clone());
                shown.push((id, chat, text.clone()));
            }
            Operation::EditText { message, text, .. } => {
                let edited = |(id, at, _): &&mut (Option<MessageId>, String, String)| {
                    id.as_ref() == Some(message) && *at == chat
                };
                if let Some((_, _, shown)) = shown.iter_mut().find(edited) {
                    shown.clone_from(text);
                }
            }
            Operation::Delete { message } => {
                shown.retain(|(id, at, _)| id.as_ref() != Some(message) || *at != chat);
            }
            _ => {}
        }
    }
    shown.into_iter().map(|(_, chat, text)| (chat, text)).collect()
}
