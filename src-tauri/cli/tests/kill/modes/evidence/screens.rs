//! What the platforms show in the end.

use super::{
    super::{
        CHANNELS,
        marks::{marks, place_of},
    },
    Evidence, TurnStory,
};
use foldback_channels::sim::Record;
use foldback_wire::{JoinKind, MessageId, Operation, Terminal, TurnId};
use std::collections::BTreeMap;

/// Each chat shows its own answers: whole ones of the runs that ended, none more often than it was given.
pub(super) fn are_on_the_screens(evidence: &Evidence, turns: &BTreeMap<TurnId, TurnStory>) {
    let mut answers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((channel, _), log) in CHANNELS.iter().zip(&evidence.logs) {
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
        let (by, given_with) = match &turn.terminal {
            Some(Terminal::Replied) => (turn, turn),
            Some(Terminal::Steered { into }) => (&turns[into], given_with(turn, *into, turns)),
            _ => continue,
        };
        if !by.answered || by.unsure || turn.unsure {
            continue;
        }
        let Some(mark) = given_with.mark().filter(|_| !given_with.text.contains("quiet")) else {
            continue;
        };
        let named = format!("[{mark}]");
        let is_whole = |text: &String| {
            let behind = text.split_once(&named).map_or("", |(_, behind)| behind);
            behind.contains(" more.") || behind.contains(", signed.")
        };
        let texts = answers.get(mark).cloned().unwrap_or_default();
        assert!(
            texts.iter().any(is_whole),
            "turn {id}: the answer to {mark} is not there whole: {texts:#?}\n{}",
            evidence.story(*id)
        );
    }
}

/// The turn with whose message the agent was given that of a turn which came into a run: its own, or that of the last of
/// some that came right after one another, which agents are given as one and the script answers by the last alone.
fn given_with<'a>(
    turn: &'a TurnStory,
    into: TurnId,
    turns: &'a BTreeMap<TurnId, TurnStory>,
) -> &'a TurnStory {
    let Some(mark) = turn.mark().filter(|_| turn.goes_with_a_later) else {
        return turn;
    };
    let named = format!("[{mark}]");
    let came_in = |other: &&TurnStory| other.joined.iter().any(|(run, _)| *run == into);
    let mut others = turns.values().filter(came_in);
    others
        .find(|other| !other.goes_with_a_later && other.prompts.iter().any(|prompt| prompt.contains(&named)))
        .unwrap_or_else(|| panic!("the agent of turn {into} was not given {mark}"))
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
