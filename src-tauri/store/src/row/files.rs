//! The files of a message, in one line of words.

use super::words::{lasting, said};
use foldback_wire::{Kind, UnderstoodFile};

/// The outcome of a file, or what was understood of it.
pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::Gathered {
            name,
            fate,
            why,
            heard,
            ..
        } => said(format_args!("{name}: {fate}"), heard.as_ref().unwrap_or(why)),
        Kind::Understood(file) => understood(file),
        _ => String::new(),
    }
}

/// What was understood of a file, in which way and by whom.
fn understood(file: &UnderstoodFile) -> String {
    let UnderstoodFile {
        name,
        how,
        by,
        took_ms,
        text,
        cut,
        why,
        ..
    } = file;
    let by = if by.is_empty() {
        String::new()
    } else {
        format!(" by {by}")
    };
    let time = lasting(*took_ms);
    match text {
        Some(text) => {
            let cut = if *cut { ", cut" } else { "" };
            said(format_args!("{name}: {how}{by} in {time}{cut}"), text)
        }
        None => said(format_args!("{name}: no {how}{by} after {time}"), why),
    }
}
