//! What an import leaves behind: fixtures in a folder, events in a journal.

use super::{files::Imported, shown};
use crate::{
    end::{Stop, complain},
    format::Format,
    running::{runtime, wrong},
};
use foldback_replay::{
    Options, Replacement,
    recording::{self, play},
    transcript::{conversation_fixture, delivered_events, play_conversation},
};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_transcripts::TranscriptFormat;
use foldback_wire::{Event, Platform};
use indicatif::ProgressBar;
use std::{fs, io::Write, path::Path};

/// Writes a fixture for each conversation with raw output. A file that is there already is never replaced.
pub(super) fn write_fixtures(
    out: &mut impl Write,
    format: Format,
    folder: &Path,
    imported: &[Imported],
    channel: Option<Platform>,
) -> Result<(), Stop> {
    let at = |path: &Path, error: &dyn std::fmt::Display| Stop::Wrong(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    let bar = ProgressBar::new(
        imported
            .iter()
            .map(|one| one.transcript.conversations.len() as u64)
            .sum(),
    );
    let mut written = 0_usize;
    for one in imported {
        for (index, conversation) in one.transcript.conversations.iter().enumerate() {
            bar.inc(1);
            let Some(fixture) = conversation_fixture(&one.transcript, conversation, channel) else {
                continue;
            };
            let path = folder.join(format!("{}-{}.yaml", stem(one), index + 1));
            if path.exists() {
                return Err(at(
                    &path,
                    &"this file is there already; name another folder with --out",
                ));
            }
            if let Some(why) = &fixture.without_expectations {
                complain(format_args!("{}: expects nothing yet: {why}", path.display()));
            }
            // Messages of people are for the owner of the file alone.
            let mut file = Replacement::private(&path).map_err(|error| at(&path, &error))?;
            file.write_all(fixture.text.as_bytes())
                .map_err(|error| at(&path, &error))?;
            file.done().map_err(|error| at(&path, &error))?;
            written += 1;
            if format == Format::Text {
                let turns = if fixture.turns == 1 { "turn" } else { "turns" };
                writeln!(out, "wrote {} ({} {turns})", path.display(), fixture.turns)?;
            }
        }
    }
    bar.finish_and_clear();
    if written == 0 {
        complain("no fixture is written: nothing here holds raw output");
    }
    Ok(())
}

/// The file's name without its ending, as a part of a name.
fn stem(imported: &Imported) -> String {
    let stem = imported.source.path().file_stem().unwrap_or_default();
    let plain = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    stem.to_string_lossy().chars().map(plain).collect()
}

/// Puts everything into a journal, which is begun if need be; a journal in which nothing is to be put is left alone.
pub(super) fn write_journal(
    out: &mut impl Write,
    format: Format,
    db: &Path,
    imported: &[Imported],
    channel: Option<Platform>,
    bot: Option<&str>,
) -> Result<(), Stop> {
    let mut runs: Vec<Vec<Event>> = Vec::new();
    let bar = ProgressBar::new(imported.len() as u64);
    for one in imported {
        bar.inc(1);
        runs.extend(events(one, channel, bot)?);
    }
    bar.finish_and_clear();
    runs.retain(|events| events.len() > 1);
    if runs.is_empty() {
        complain("nothing is put into the journal: no conversation was read");
        return Ok(());
    }
    runtime()?.block_on(async {
        let journal = SqliteJournal::open(db).await.map_err(wrong)?;
        for events in &runs {
            foldback_replay::keep(&journal, events).await.map_err(wrong)?;
        }
        journal.close().await.map_err(wrong)
    })?;
    if format == Format::Text {
        let events: usize = runs.iter().map(Vec::len).sum();
        writeln!(
            out,
            "put {events} events into {}, marked as replayed",
            db.display()
        )?;
    }
    Ok(())
}

/// The events of everything in a transcript, a list for each bot that was started.
fn events(one: &Imported, channel: Option<Platform>, bot: Option<&str>) -> Result<Vec<Vec<Event>>, Stop> {
    let transcript = &one.transcript;
    if transcript.format == TranscriptFormat::Recording {
        return recorded(one.source.path());
    }
    let failed = |why: String| Stop::Wrong(format!("{}: {why}", shown(&one.source)));
    let mut runs = Vec::new();
    let mut without_bot = false;
    for conversation in &transcript.conversations {
        if transcript.is_raw() {
            runs.extend(play_conversation(conversation, channel).map_err(failed)?);
        } else {
            without_bot |= bot.is_none()
                && conversation
                    .messages
                    .iter()
                    .all(|message| message.from_bot != Some(true));
            runs.push(delivered_events(conversation, channel, bot));
        }
    }
    if without_bot {
        complain(format_args!(
            "{}: the format does not say who the bot is, so every message counts as one that came in; name it with --bot",
            shown(&one.source)
        ));
    }
    Ok(runs)
}

/// A recording of our own is played as `foldback replay` plays it.
fn recorded(path: &Path) -> Result<Vec<Vec<Event>>, Stop> {
    let recording = recording::read(path).map_err(wrong)?;
    let channels = recording.channels();
    let played =
        channels.into_iter().map(
            |channel| match play(path, &recording, channel, &Options::default()) {
                Ok((_, events)) => Ok(events),
                Err(case) => {
                    let first = case.mismatches.first().map(|mismatch| mismatch.message.clone());
                    let why = first.unwrap_or_else(|| "it could not be played".to_owned());
                    Err(Stop::Wrong(format!("{}: {why}", path.display())))
                }
            },
        );
    played.collect()
}
