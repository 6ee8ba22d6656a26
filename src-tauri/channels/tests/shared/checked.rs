//! Operations whose file was checked when they were made.

use foldback_channels::Folder;
use foldback_wire::{FileKind, Operation};
use std::path::Path;

/// What sends `a.ogg` as a file and as a voice note, as it is now.
pub(crate) fn checked(dir: &Path) -> [Operation; 2] {
    let checked = Some(Folder::new(dir, u64::MAX).open("a.ogg").unwrap().identity);
    let path = || "a.ogg".to_owned();
    [
        Operation::SendFile {
            path: path(),
            kind: FileKind::File,
            caption: None,
            reply_to: None,
            checked,
        },
        Operation::SendVoice {
            path: path(),
            text: "hello".into(),
            checked,
        },
    ]
}

/// Somebody writes over the file.
pub(crate) fn change(dir: &Path) {
    std::fs::write(dir.join("a.ogg"), "OggS of somebody else").unwrap();
}
