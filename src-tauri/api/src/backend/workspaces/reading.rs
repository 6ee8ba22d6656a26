//! Reading what is opened: files and folders are recognised by their content, and made into events.

use crate::failure;
use foldback_pipeline::config::{Config, embedded};
use foldback_replay::{
    fixture::{self, Fixture},
    import::{
        ImportSource, ImportedEvents, ImportedFile, ImportedRun, RefusedFile, TranscriptLint, fixture_events,
        imported_events, join_job_logs, lint_transcript, read_files, read_fixture,
    },
};
use foldback_transcripts::{ReadLimits, Refusal, Transcript};
use foldback_wire::{Platform, rpc::Failure};
use std::path::{Path, PathBuf};

/// What was read of a source.
pub(super) struct ReadSource {
    pub(super) name: String,
    pub(super) files: Vec<ReadFile>,
    /// Files that were not read, a sentence each.
    pub(super) refused: Vec<String>,
    /// The configuration that its channels follow.
    pub(super) config: Config,
}

/// A file with its events.
pub(super) struct ReadFile {
    pub(super) path: PathBuf,
    pub(super) content: FileContent,
    pub(super) runs: Vec<ImportedRun>,
    /// What a person should know about it, a sentence each.
    pub(super) notes: Vec<String>,
}

/// What a file was recognised as.
pub(super) enum FileContent {
    /// A fixture, with how many of its channels were run.
    Fixture { channels: usize },
    /// A recording, log or export, with what the scanner says of its raw output.
    Transcript(Box<Transcript>, TranscriptLint),
}

/// Reads files and folders. What cannot be read is told beside the rest.
///
/// # Errors
/// `cannot_open`, where nothing of it can be read.
pub(super) fn read_paths(paths: &[String], bot: Option<&str>) -> Result<ReadSource, Failure> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| resolved(path)).collect();
    let mut source = ReadSource {
        name: paths.first().map_or_else(String::new, |path| name_of(path)),
        files: Vec::new(),
        refused: Vec::new(),
        config: embedded(),
    };
    if paths.len() > 1 {
        source.name = format!("{} and {} more", source.name, paths.len() - 1);
    }
    let mut others = Vec::new();
    for path in &paths {
        match read_fixture(path) {
            Some(read) => {
                let events = read
                    .map_err(|error| in_fixture(&error))
                    .and_then(|fixture| fixture_events(path, &fixture, fixture.channel.platforms()));
                source.take(path, events, |runs| FileContent::Fixture { channels: runs });
            }
            None => others.push(path.clone()),
        }
    }
    let (mut imported, refused) = read_files(&others, &ReadLimits::default());
    join_job_logs(&mut imported);
    source.refused.extend(refused.iter().map(sentence));
    for file in imported {
        let events = imported_events(&file, None, bot);
        let ImportedFile {
            source: from,
            transcript,
            others,
        } = file;
        let path = match from {
            ImportSource::File(path) | ImportSource::Folder(path) => path,
        };
        let lint = lint_transcript(&transcript, &source.config.output.settings());
        source.take(&path, events, |_| {
            FileContent::Transcript(Box::new(transcript), lint)
        });
        if let Some(last) = source.files.last_mut().filter(|_| others > 0) {
            last.notes.push(format!(
                "Other files in the folder that are no transcript: {others}."
            ));
        }
    }
    if source.files.is_empty() {
        let why = source.refused.into_iter().next();
        return Err(why.map_or_else(
            || {
                failure::cannot_open(
                    &source.name,
                    "no recording, fixture or transcript is in this folder",
                )
            },
            |why| failure::refused_file(&why),
        ));
    }
    Ok(source)
}

/// Runs one case of a fixture.
///
/// # Errors
/// `cannot_open`, where it cannot be read or run on this channel.
pub(super) fn read_case(name: &str, file: &Path, channel: &str) -> Result<ReadSource, Failure> {
    let refused = |why: String| failure::cannot_open(name, &why);
    let fixture: Fixture = fixture::load(file).map_err(|error| refused(in_fixture(&error)))?;
    let platforms = fixture.channel.platforms();
    let platform: Platform = platforms
        .iter()
        .copied()
        .find(|platform| platform.code() == channel)
        .ok_or_else(|| refused(format!("the fixture does not run on {channel}")))?;
    let events = fixture_events(file, &fixture, &[platform]).map_err(refused)?;
    Ok(ReadSource {
        name: format!("{} on {channel}", fixture.name),
        refused: Vec::new(),
        config: events.config,
        files: vec![ReadFile {
            path: PathBuf::from(name),
            content: FileContent::Fixture { channels: 1 },
            runs: events.runs,
            notes: events.notes,
        }],
    })
}

impl ReadSource {
    /// Takes in a file whose events were made, or the reason why not.
    fn take(
        &mut self,
        path: &Path,
        events: Result<ImportedEvents, String>,
        content: impl FnOnce(usize) -> FileContent,
    ) {
        match events {
            Ok(events) => {
                let mut notes = events.notes;
                if events.bot_unknown {
                    notes.push(
                        "The format does not say who the bot is, so every message counts as one that came in."
                            .to_owned(),
                    );
                }
                self.config.channels.extend(events.config.channels);
                self.config.output = events.config.output;
                self.files.push(ReadFile {
                    path: path.to_owned(),
                    content: content(events.runs.len()),
                    runs: events.runs,
                    notes,
                });
            }
            Err(why) => self
                .refused
                .push(format!("{} is not opened: {why}.", name_of(path))),
        }
    }
}

/// What is wrong with a fixture, to stand after the file's name.
fn in_fixture(error: &fixture::Unreadable) -> String {
    match error.place {
        Some((line, _)) => format!("the fixture is wrong at line {line}: {}", error.detail),
        None => format!("the fixture is wrong: {}", error.detail),
    }
}

/// Why a file is not read, as one sentence.
fn sentence(refused: &RefusedFile) -> String {
    let name = name_of(Path::new(&refused.file));
    let why = match &refused.refusal {
        Some(Refusal::TooLarge { limit }) => format!(
            "it is larger than {} MB; split it, or read it with `foldback import --max-file`",
            limit / 1_000_000
        ),
        Some(Refusal::Unrecognised) => {
            "it is no recording, fixture or transcript of a known format (`foldback import --formats` lists them)"
                .to_owned()
        }
        _ => refused.error.clone(),
    };
    format!("{name} is not opened: {why}.")
}

/// The last part of a path.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A path as people write it.
fn resolved(path: &str) -> PathBuf {
    let path = path.trim();
    match path.strip_prefix("~/").zip(dirs::home_dir()) {
        Some((rest, home)) => home.join(rest),
        None => PathBuf::from(path),
    }
}
