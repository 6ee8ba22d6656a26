//! What older journals tell of a file's words.

use foldback_wire::{Understanding, UnderstoodFile, visible};

/// A voice message as journals have it that tell its words with the file.
pub(super) fn transcript(index: u32, name: &str, heard: &str) -> UnderstoodFile {
    UnderstoodFile {
        index,
        name: visible(name).into_owned(),
        how: Understanding::Transcript,
        by: String::new(),
        took_ms: 0,
        text: Some(heard.to_owned()),
        bytes: heard.len() as u64,
        cut: false,
        why: String::new(),
    }
}
