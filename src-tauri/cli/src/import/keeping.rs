//! What an import leaves behind: fixtures in a folder, events in a journal.

use super::shown;
use crate::{
    end::{Stop, complain},
    format::Format,
    running::{runtime, wrong},
};
use foldback_replay::{
    Replacement,
    import::{ImportedFile, ImportedRun, imported_events},
    transcript::conversation_fixture,
};
use foldback_store::{Journal as _, SqliteJournal};
use foldback_wire::Platform;
use indicatif::ProgressBar;
use std::{fs, io::Write, path::Path};

/// Writes a fixture for each conversation with raw output. A file that is there already is never replaced.
pub(super) fn write_fixtures(
    out: &mut impl Write,
    format: Format,
    folder: &Path,
    imported: &[ImportedFile],
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
fn stem(imported: &ImportedFile) -> String {
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
    imported: &[ImportedFile],
    channel: Option<Platform>,
    bot: Option<&str>,
) -> Result<(), Stop> {
    let mut runs: Vec<ImportedRun> = Vec::new();
    let bar = ProgressBar::new(imported.len() as u64);
    for one in imported {
        bar.inc(1);
        let file = shown(&one.source);
        let came = imported_events(one, channel, bot).map_err(|why| Stop::Wrong(format!("{file}: {why}")))?;
        if came.bot_unknown {
            complain(format_args!(
                "{file}: the format does not say who the bot is, so every message counts as one that came in; name it with --bot",
            ));
        }
        for note in came.notes {
            complain(format_args!("{file}: {note}"));
        }
        runs.extend(came.runs);
    }
    bar.finish_and_clear();
    if runs.is_empty() {
        complain("nothing is put into the journal: no conversation was read");
        return Ok(());
    }
    runtime()?.block_on(async {
        let journal = SqliteJournal::open(db).await.map_err(wrong)?;
        for run in &runs {
            foldback_replay::keep(&journal, &run.events)
                .await
                .map_err(wrong)?;
        }
        journal.close().await.map_err(wrong)
    })?;
    if format == Format::Text {
        let events: usize = runs.iter().map(|run| run.events.len()).sum();
        writeln!(
            out,
            "put {events} events into {}, marked as replayed",
            db.display()
        )?;
    }
    Ok(())
}
