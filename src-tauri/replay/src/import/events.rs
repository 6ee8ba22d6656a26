//! The events of a file that was read: raw output is played through the whole pipeline, delivered text becomes messages
//! in and messages out, and a recording of our own is played as `foldback replay` plays it.

use super::ImportedFile;
use crate::{
    Options,
    recording::{self, play, simulated_channel},
    transcript::{delivered_events, play_conversation},
};
use foldback_pipeline::config::{Config, embedded};
use foldback_transcripts::{Transcript, TranscriptFormat};
use foldback_wire::{Event, Platform, rpc::Verdict};
use std::path::Path;

/// What is put into a journal.
#[derive(Debug)]
pub struct ImportedEvents {
    /// The events, a run for each bot that was started for them.
    pub runs: Vec<ImportedRun>,
    /// Somewhere it is not known who the bot is, so that all its messages count as ones that came in.
    pub bot_unknown: bool,
    /// What a person should know about them, a sentence each.
    pub notes: Vec<String>,
    /// The configuration they follow: simulated channels, and how output is read.
    pub config: Config,
}

/// Events of one bot, in order; their numbers count from 1.
#[derive(Debug)]
pub struct ImportedRun {
    /// The conversation of the file that they belong to; `None` for a recording or a fixture.
    pub conversation: Option<usize>,
    /// The events.
    pub events: Vec<Event>,
}

/// The events of everything in a file. Without a platform each conversation is played by the rules of the one that it
/// names, else Telegram; `bot` names the bot among the people of an export. Blocks, as [`crate::run()`] does.
///
/// # Errors
/// In words that stand after the file's name, where a recording is damaged or nothing can be played.
pub fn imported_events(
    file: &ImportedFile,
    platform: Option<Platform>,
    bot: Option<&str>,
) -> Result<ImportedEvents, String> {
    let transcript = &file.transcript;
    if transcript.format == TranscriptFormat::Recording {
        check_whole(transcript)?;
        return recorded_events(file.source.path());
    }
    let mut imported = ImportedEvents {
        runs: Vec::new(),
        bot_unknown: false,
        notes: Vec::new(),
        config: embedded(),
    };
    for (index, conversation) in transcript.conversations.iter().enumerate() {
        let runs = if transcript.is_raw() {
            play_conversation(conversation, platform)?
        } else {
            imported.bot_unknown |= bot.is_none()
                && conversation
                    .messages
                    .iter()
                    .all(|message| message.from_bot != Some(true));
            vec![delivered_events(conversation, platform, bot)]
        };
        // A start alone tells nothing.
        let told = runs.into_iter().filter(|events| events.len() > 1);
        imported.runs.extend(told.map(|events| ImportedRun {
            conversation: Some(index),
            events,
        }));
    }
    Ok(imported)
}

/// Refuses a recording of which a part is missing or unknown: played, it would tell another story.
fn check_whole(transcript: &Transcript) -> Result<(), String> {
    if let Some(damage) = transcript.damaged.first() {
        return Err(format!(
            "the recording is damaged at line {}, byte {}; export it again",
            damage.line, damage.offset
        ));
    }
    if let Some(kind) = transcript.unknown.keys().next() {
        return Err(format!(
            "the recording has {kind}, which this program does not know; use a newer Foldback"
        ));
    }
    Ok(())
}

fn recorded_events(path: &Path) -> Result<ImportedEvents, String> {
    let recording = recording::read(path).map_err(|error| match error.place {
        Some((line, _)) => format!("line {line}: {}", error.detail),
        None => error.detail,
    })?;
    let mut imported = ImportedEvents {
        runs: Vec::new(),
        bot_unknown: false,
        notes: Vec::new(),
        config: embedded(),
    };
    if let Some(config) = &recording.head.config {
        imported.config.output.clone_from(&config.output);
    }
    for channel in recording.channels() {
        let (case, events) = play(path, &recording, channel, &Options::default()).map_err(|case| {
            let first = case.mismatches.first().map(|mismatch| mismatch.message.clone());
            first.unwrap_or_else(|| "it could not be played".to_owned())
        })?;
        if let Some(first) = case.mismatches.first().filter(|_| case.verdict != Verdict::Pass) {
            imported.notes.push(format!(
                "On {channel} this version does something else than the recording says, first at {}: {}.",
                first.at, first.message
            ));
        }
        imported.notes.extend(case.notes);
        let settings = simulated_channel(&recording, channel)?;
        imported.config.channels.insert(channel.clone(), settings);
        imported.runs.push(ImportedRun {
            conversation: None,
            events,
        });
    }
    Ok(imported)
}
