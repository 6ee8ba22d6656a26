//! Every shipped sample with its expected import, files that are damaged in every way, and bounds.

mod bounds;
mod damage;
mod samples;

use foldback_transcripts::{ReadLimits, Refusal, Transcript, join_slack, read};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The shipped samples.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts")
}

/// Paths of all samples below the folder, by name.
fn samples() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_none_or(|name| name != "README.md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(folder().join(name)).unwrap()
}

fn import(bytes: &[u8]) -> Result<Transcript, Refusal> {
    read(bytes, &ReadLimits::default())
}

/// The Slack export as one transcript.
fn slack_export() -> Transcript {
    let files = [
        "channels.json",
        "users.json",
        "general/2026-03-02.json",
        "general/2026-03-03.json",
    ];
    let files = files.map(|name| {
        let folder = name.split_once('/').map_or("", |(folder, _)| folder);
        (
            folder.to_owned(),
            import(&sample(&format!("slack-export/{name}"))).unwrap(),
        )
    });
    join_slack(files.into()).unwrap()
}
