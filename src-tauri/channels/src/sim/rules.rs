//! What a platform takes, as its capabilities tell.

use crate::platform::{row, takes_caption};
use crate::{Refusal, emoji::accepted, rendered_length, size_limit};
use foldback_wire::{Capabilities, FileKind, MessageFlag, MessageFlags, RefusalCode};

pub(super) fn text(can: &Capabilities, text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::new(RefusalCode::Rejected, "the text is empty"));
    }
    length(can, text, can.text_limit)
}

pub(super) fn caption(can: &Capabilities, path: &str, caption: &str) -> Result<(), Refusal> {
    if !caption.is_empty() && !takes_caption(can.platform, path) {
        return Err(unsupported("caption on audio"));
    }
    length(can, caption, can.caption_limit)
}

fn length(can: &Capabilities, text: &str, limit: usize) -> Result<(), Refusal> {
    let unit = can.unit;
    // As written and as the real platform would be sent it.
    let length = unit.measure(text).max(rendered_length(text, unit, can.markup));
    if length > limit {
        return Err(Refusal::new(
            RefusalCode::TooLong,
            format!("{length} {unit} of at most {limit}"),
        ));
    }
    Ok(())
}

/// A platform that lacks a flag has no field for it.
pub(super) fn flags(can: &Capabilities, flags: &MessageFlags) -> Result<(), Refusal> {
    let asked = [
        (MessageFlag::Silent, flags.silent),
        (MessageFlag::SuppressEmbeds, flags.suppress_embeds),
        (MessageFlag::Ephemeral, flags.only_for.is_some()),
    ];
    match asked
        .iter()
        .find(|(flag, asked)| *asked && !can.flags.contains(flag))
    {
        Some((flag, _)) => Err(unsupported(flag.code())),
        None => Ok(()),
    }
}

/// A file is shown to all of a chat.
pub(super) fn for_all(flags: &MessageFlags) -> Result<(), Refusal> {
    match flags.only_for {
        Some(_) => Err(unsupported("file for one person only")),
        None => Ok(()),
    }
}

pub(super) fn file(
    can: &Capabilities,
    path: &str,
    kind: FileKind,
    bytes: Option<u64>,
) -> Result<(), Refusal> {
    let limit = file_limit(can, kind).ok_or_else(|| unsupported("files"))?;
    (row(can.platform).files.check)(path, bytes)?;
    size(bytes, limit)
}

/// A voice note is as large as an audio file may be, also where a configuration took the files away.
pub(super) fn voice(can: &Capabilities, path: &str, bytes: Option<u64>) -> Result<(), Refusal> {
    if can.voice.is_none() {
        return Err(unsupported("voice"));
    }
    (row(can.platform).files.check)(path, bytes)?;
    size(bytes, size_limit(can, FileKind::Audio))
}

fn size(bytes: Option<u64>, limit: u64) -> Result<(), Refusal> {
    match bytes {
        Some(bytes) if bytes > limit => Err(Refusal::new(
            RefusalCode::TooLong,
            format!("{bytes} bytes of at most {limit}"),
        )),
        _ => Ok(()),
    }
}

pub(super) fn reaction(can: &Capabilities, emoji: &str, sent: &str) -> Result<(), Refusal> {
    let form = can.react.ok_or_else(|| unsupported("reactions"))?;
    if accepted(form, emoji, sent) {
        Ok(())
    } else {
        Err(Refusal::new(
            RefusalCode::Rejected,
            format!("{sent} is no reaction here"),
        ))
    }
}

pub(super) fn unsupported(what: &str) -> Refusal {
    Refusal::new(RefusalCode::Unsupported, format!("there is no {what} here"))
}

/// Largest file of a kind, in bytes; `None` where files cannot be sent.
pub fn file_limit(can: &Capabilities, kind: FileKind) -> Option<u64> {
    can.file_limit.map(|_| size_limit(can, kind))
}
