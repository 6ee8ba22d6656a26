//! Failures about files: workspaces, fixtures, exports, links.

use super::failure;
use foldback_wire::{LinkError, rpc::Failure};
use std::fmt::Display;

/// No workspace has this number.
pub(crate) fn no_workspace(number: u32) -> Failure {
    failure(
        "no_workspace",
        format!("The file of workspace {number} is not open any more."),
        Some("Open it again."),
    )
}

/// Something that only a live bot can do, asked of a file.
pub(crate) fn replayed(name: &str) -> Failure {
    failure(
        "replayed",
        format!("{name} is a file: what is in it has happened, and nothing can be sent or switched here."),
        Some("Go back to the live bot."),
    )
}

/// As many files are open as can be.
pub(crate) fn too_many_workspaces(most: usize) -> Failure {
    failure(
        "too_many_workspaces",
        format!("{most} files are open, which is as many as can be."),
        Some("Close one of them first."),
    )
}

/// A file cannot be opened; `why` is a sentence without a capital.
pub(crate) fn cannot_open(name: &str, why: &str) -> Failure {
    let end = if why.ends_with(['.', '?']) { "" } else { "." };
    failure("cannot_open", format!("{name} is not opened: {why}{end}"), None)
}

/// A file cannot be opened, in a sentence of its own.
pub(crate) fn refused_file(sentence: &str) -> Failure {
    failure("cannot_open", sentence.to_owned(), None)
}

/// A link leads nowhere.
pub(crate) fn bad_link(error: LinkError) -> Failure {
    failure("bad_link", error.to_string(), None)
}

/// A file of a message written by hand cannot be read.
pub(crate) fn no_file(name: &str, error: &impl Display) -> Failure {
    failure("no_file", format!("{name} is not in base64: {error}."), None)
}

pub(crate) fn bad_cut() -> Failure {
    failure(
        "bad_cut",
        "This text cannot be cut there.".to_owned(),
        Some("Give byte offsets that rise and lie between two characters."),
    )
}

/// The form of an export cannot hold what is asked for.
pub(crate) fn cannot_export(why: &str) -> Failure {
    failure(
        "cannot_export",
        why.to_owned(),
        Some("Choose fewer turns, or another format."),
    )
}

/// A report of a range without a moment in it.
pub(crate) fn cannot_report() -> Failure {
    failure(
        "cannot_export",
        "The time range ends before it begins.".to_owned(),
        Some("Choose an end that is later than the beginning."),
    )
}

/// No turn is in what is to be exported.
pub(crate) fn nothing_to_export() -> Failure {
    failure(
        "not_found",
        "No turn matches, so there is nothing to export.".to_owned(),
        None,
    )
}

pub(crate) fn bad_path(path: &str) -> Failure {
    failure(
        "bad_path",
        format!("`{path}` is no path of a fixture."),
        Some("Give a path below the fixtures folder that ends in .yaml, without `..`."),
    )
}

pub(crate) fn cannot_read(path: &str, error: &impl Display) -> Failure {
    failure("unreadable", format!("{path} cannot be read: {error}."), None)
}

pub(crate) fn cannot_write(path: &str, error: &impl Display) -> Failure {
    failure(
        "unwritable",
        format!("{path} cannot be written: {error}."),
        Some("Nothing was changed."),
    )
}

pub(crate) fn bad_fixture(error: &impl Display) -> Failure {
    failure(
        "bad_fixture",
        format!("This is no fixture: {error}."),
        Some("Nothing was changed. `foldback schema fixture` has the words."),
    )
}

pub(crate) fn no_run(run: u32) -> Failure {
    failure(
        "not_found",
        format!("Run {run} is over, or was never begun."),
        None,
    )
}

pub(crate) fn cannot_run(path: &str, case: &foldback_replay::Case) -> Failure {
    let why = case
        .mismatches
        .first()
        .map_or("no reason was given", |m| m.message.as_str());
    failure(
        "cannot_run",
        format!("{path} cannot be run on {}: {why}.", case.channel),
        Some("Nothing was changed."),
    )
}
