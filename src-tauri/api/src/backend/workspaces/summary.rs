//! What the window says of a file that was opened. Nothing of its content stands in it but names of conversations and
//! types.

use super::reading::{FileContent, ReadFile};
use foldback_replay::import::{FoundTurn, TranscriptLint};
use foldback_transcripts::{Damage, FormatContent, Transcript};
use foldback_wire::{
    RangeReason, TurnId,
    rpc::{DamagedPlace, EntryCount, LeakingTurn, OpenedFile, WouldBeLeaks},
};
use std::collections::{BTreeMap, BTreeSet};

/// Most places and turns that are listed; all are counted.
const LISTED: usize = 100;

/// A file in words and counts. `turns` has the turns that its conversations became.
pub(super) fn opened_file(file: ReadFile, turns: &BTreeMap<usize, Vec<TurnId>>) -> OpenedFile {
    let path = file.path.display().to_string();
    match file.content {
        FileContent::Fixture { channels } => OpenedFile {
            path,
            format: "fixture".to_owned(),
            format_name: "Foldback fixture".to_owned(),
            holds: "a scenario with its expectations".to_owned(),
            conversations: channels as u32,
            turns: file
                .runs
                .iter()
                .map(|run| super::received(&run.events).count() as u32)
                .sum(),
            messages: 0,
            log_lines: 0,
            losses: Vec::new(),
            notes: file.notes,
            left_out: Vec::new(),
            unknown: Vec::new(),
            damaged: Vec::new(),
            damaged_places: 0,
            leaks: None,
        },
        FileContent::Transcript(transcript, lint) => {
            of_transcript(path, &transcript, &lint, file.notes, turns)
        }
    }
}

fn of_transcript(
    path: String,
    transcript: &Transcript,
    lint: &TranscriptLint,
    notes: Vec<String>,
    turns: &BTreeMap<usize, Vec<TurnId>>,
) -> OpenedFile {
    let row = transcript.format.row();
    let holds = match row.content {
        FormatContent::Raw => "raw output",
        FormatContent::Delivered => "delivered text only",
        FormatContent::Log => "no texts",
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    OpenedFile {
        path,
        format: row.code.to_owned(),
        format_name: row.name.to_owned(),
        holds: holds.to_owned(),
        conversations: transcript.conversations.len() as u32,
        turns: transcript.turns() as u32,
        messages: transcript.messages() as u32,
        log_lines: transcript.log.len() as u32,
        losses: owned(transcript.losses),
        notes: [transcript.notes.clone(), notes].concat(),
        left_out: counts(&transcript.aside),
        unknown: counts(&transcript.unknown),
        damaged: transcript.damaged.iter().take(LISTED).map(place).collect(),
        damaged_places: transcript.damaged_places,
        leaks: transcript.is_raw().then(|| leaks(lint, turns)),
    }
}

fn counts(counts: &BTreeMap<String, u64>) -> Vec<EntryCount> {
    let entry = |(name, count): (&String, &u64)| EntryCount {
        name: name.clone(),
        count: *count,
    };
    counts.iter().map(entry).collect()
}

fn place(damage: &Damage) -> DamagedPlace {
    DamagedPlace {
        line: damage.line,
        offset: damage.offset,
        about: damage.reason.about().to_owned(),
    }
}

fn leaks(lint: &TranscriptLint, turns: &BTreeMap<usize, Vec<TurnId>>) -> WouldBeLeaks {
    let found = |found: &FoundTurn| {
        let leaks = found.lint.messages.iter().flat_map(|message| &message.leaks);
        let reasons: BTreeSet<&str> = leaks
            .filter_map(|leak| leak.reason)
            .map(RangeReason::code)
            .collect();
        let findings = found.lint.messages.iter();
        let codes: BTreeSet<&str> = findings
            .flat_map(|message| &message.diagnostics)
            .map(|diagnostic| diagnostic.code.code())
            .collect();
        LeakingTurn {
            turn: turns
                .get(&found.place)
                .and_then(|own| own.get(found.turn - 1))
                .copied(),
            conversation: found.conversation.clone(),
            bytes: found.lint.leaked_bytes() as u64,
            codes: reasons.into_iter().chain(codes).map(str::to_owned).collect(),
        }
    };
    WouldBeLeaks {
        turns: lint.turns as u32,
        leaking_turns: lint.leaking_turns as u32,
        bytes: lint.leaked_bytes as u64,
        findings: lint.findings as u32,
        found: lint.found.iter().take(LISTED).map(found).collect(),
    }
}
