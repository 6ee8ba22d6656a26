//! The ways in which commands fail: a stable code, what happened, and what to do about it.

mod files;
mod orders;
mod reading;
mod start;

pub(crate) use files::*;
pub(crate) use orders::*;
pub(crate) use reading::*;
pub(crate) use start::*;

use foldback_wire::rpc::Failure;
use std::fmt::Display;

/// Declares failures with their texts.
fn failure(code: &str, message: String, hint: Option<&str>) -> Failure {
    Failure {
        code: code.to_owned(),
        message,
        hint: hint.map(str::to_owned),
    }
}

/// The beginning of a sentence: errors of Rust begin in lower case, and people read sentences.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// No command has this name.
pub(crate) fn unknown_command(name: &str) -> Failure {
    failure(
        "unknown_command",
        format!("There is no command `{name}`."),
        Some("`foldback schema commands` lists them."),
    )
}

/// The arguments of a command do not have its shape.
pub(crate) fn bad_arguments(name: &str, error: &serde_json::Error) -> Failure {
    failure(
        "bad_arguments",
        format!("`{name}` cannot read its arguments: {error}."),
        None,
    )
}

/// Something that only a defect of Foldback itself can cause.
pub(crate) fn internal(error: &impl Display) -> Failure {
    failure(
        "internal",
        format!("Foldback made a mistake: {error}."),
        Some("Everything else still works. The log has more; please report it."),
    )
}
