//! A fixture as a file that is opened: its run on each of its channels.

use super::{ImportedEvents, ImportedRun};
use crate::{
    Options,
    fixture::{self, Fixture, Unreadable, fixture_config},
    run,
};
use foldback_pipeline::config::embedded;
use foldback_wire::{
    ChannelId, Platform,
    rpc::{Mismatch, Verdict},
};
use std::{fs, path::Path};

/// Largest file that may be a fixture, in bytes; longer ones are logs.
const LARGEST: u64 = 1_000_000;

/// Reads a file as a fixture where it is one: a text with `steps:` at the beginning of a line. `None` for every other
/// file, and for one that cannot be read.
pub fn read_fixture(path: &Path) -> Option<Result<Fixture, Unreadable>> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > LARGEST {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let has_steps = text.lines().any(|line| line.starts_with("steps:"));
    has_steps.then(|| fixture::parse(path, &text))
}

/// The events of a fixture's runs on these platforms, each in a run of its own. Blocks, as [`crate::run()`] does.
///
/// # Errors
/// In words that stand after the file's name, where it cannot be run.
pub fn fixture_events(
    path: &Path,
    fixture: &Fixture,
    platforms: &[Platform],
) -> Result<ImportedEvents, String> {
    let mut imported = ImportedEvents {
        runs: Vec::new(),
        bot_unknown: false,
        notes: Vec::new(),
        config: embedded(),
    };
    let first = |mismatches: Vec<Mismatch>| mismatches.into_iter().next();
    for platform in platforms {
        let played = run(path, fixture, *platform, &Options::default()).map_err(|case| {
            first(case.mismatches)
                .map_or_else(|| "it could not be run".to_owned(), |mismatch| mismatch.message)
        })?;
        let case = played.case;
        if case.verdict != Verdict::Pass {
            let why = first(case.mismatches).map_or_else(String::new, |mismatch| {
                format!(": {} at {}", mismatch.message, mismatch.at)
            });
            imported
                .notes
                .push(format!("It does not hold on {platform}{why}."));
        }
        let config = fixture_config(fixture, &ChannelId::from(platform.code()));
        let config = config.map_err(|why| format!("config: {why}"))?;
        imported.config.channels.extend(config.channels);
        imported.config.output = config.output;
        imported.runs.push(ImportedRun {
            conversation: None,
            events: played.events,
        });
    }
    Ok(imported)
}
