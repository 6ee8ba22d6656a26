//! Finding and reading files.

use foldback_transcripts::{ReadLimits, Refusal, Transcript, TranscriptFormat, join_cron, join_slack, read};
use serde::Serialize;
use std::{
    fmt,
    fs::{self, File},
    path::{Path, PathBuf},
};

/// Deepest folder that is walked.
const DEEPEST: usize = 8;

/// A transcript with where it came from.
#[derive(Debug)]
pub struct ImportedFile {
    /// Where it came from.
    pub source: ImportSource,
    /// What stands in it.
    pub transcript: Transcript,
    /// Files of a folder that are no transcript.
    pub others: usize,
}

/// Origin of a transcript.
#[derive(Debug)]
pub enum ImportSource {
    /// One file.
    File(PathBuf),
    /// Several files of a folder.
    Folder(PathBuf),
}

impl ImportSource {
    /// The file or folder.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Folder(path) => path,
        }
    }
}

/// A file that is not read, and why; nothing of its content.
#[derive(Debug, Serialize)]
pub struct RefusedFile {
    /// Its path.
    pub file: String,
    /// One sentence without a capital and a full stop.
    pub error: String,
    /// What refused it, where it was the reader and not the system.
    #[serde(skip)]
    pub refusal: Option<Refusal>,
}

impl fmt::Display for RefusedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.error)
    }
}

fn refused(path: &Path, refusal: Refusal) -> RefusedFile {
    RefusedFile {
        file: path.display().to_string(),
        error: refusal.to_string(),
        refusal: Some(refusal),
    }
}

/// Reads all files, and those of folders. The files of a Slack export in one folder become one transcript.
pub fn read_files(paths: &[PathBuf], limits: &ReadLimits) -> (Vec<ImportedFile>, Vec<RefusedFile>) {
    let (mut imported, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            read_folder(path, limits, &mut imported, &mut failed);
            continue;
        }
        match read_file(path, limits) {
            Ok(transcript) => imported.push(ImportedFile {
                source: ImportSource::File(path.clone()),
                transcript: alone(path, transcript),
                others: 0,
            }),
            Err(refusal) => failed.push(refused(path, refusal)),
        }
    }
    (imported, failed)
}

/// Gives the turns of schedules the chats that a log of jobs among the files names.
pub fn join_job_logs(imported: &mut [ImportedFile]) {
    let logs: Vec<_> = imported
        .iter()
        .filter(|one| one.transcript.format == TranscriptFormat::LettaBotCron)
        .flat_map(|one| one.transcript.log.clone())
        .collect();
    for one in imported {
        join_cron(&mut one.transcript, &logs);
    }
}

/// A day of a Slack export that comes without its folder: the folder's name is that of the channel.
fn alone(path: &Path, transcript: Transcript) -> Transcript {
    if transcript.format != TranscriptFormat::Slack {
        return transcript;
    }
    let whole = transcript.clone();
    join_slack(vec![(folder_name(path), transcript)]).unwrap_or(whole)
}

fn folder_name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    folder
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn read_file(path: &Path, limits: &ReadLimits) -> Result<Transcript, Refusal> {
    let about = fs::metadata(path)?;
    // Reading a pipe or a device may never end.
    if !about.is_file() {
        return Err(Refusal::Input("this is no regular file".to_owned()));
    }
    limits.check_size(about.len())?;
    read(File::open(path)?, limits)
}

fn read_folder(
    folder: &Path,
    limits: &ReadLimits,
    imported: &mut Vec<ImportedFile>,
    failed: &mut Vec<RefusedFile>,
) {
    let mut paths = Vec::new();
    if let Err(error) = walk(folder, 0, &mut paths) {
        failed.push(refused(folder, error.into()));
    }
    let (mut slack, mut others) = (Vec::new(), 0);
    let before = imported.len();
    for path in paths {
        match read_file(&path, limits) {
            Ok(transcript) if transcript.format == TranscriptFormat::Slack => {
                slack.push((folder_name(&path), transcript));
            }
            Ok(transcript) => imported.push(ImportedFile {
                source: ImportSource::File(path),
                transcript,
                others: 0,
            }),
            // A folder holds other files too.
            Err(Refusal::Unrecognised | Refusal::Empty | Refusal::Packed(_)) => others += 1,
            Err(refusal) => failed.push(refused(&path, refusal)),
        }
    }
    imported.extend(join_slack(slack).map(|transcript| ImportedFile {
        source: ImportSource::Folder(folder.to_owned()),
        transcript,
        others: 0,
    }));
    if let Some(last) = imported[before..].last_mut() {
        last.others = others;
    }
}

/// Files below a folder, by path. Links and hidden files are left out.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let kind = entry.file_type()?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if hidden {
            continue;
        }
        if kind.is_dir() && depth < DEEPEST {
            walk(&entry.path(), depth + 1, found)?;
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    Ok(())
}
