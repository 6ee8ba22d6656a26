//! Calls, as tests make them.

use foldback_channels::Call;
use foldback_wire::{FileKind, MessageFlags, Operation, Target};
use std::fmt::Display;
use std::sync::atomic::{AtomicU32, Ordering};

/// A chat, or a thread in it.
pub(crate) fn target(chat: impl Display, thread: Option<&str>) -> Target {
    Target {
        chat: chat.to_string().into(),
        thread: thread.map(Into::into),
    }
}

/// A call under a key that no other call has.
pub(crate) fn call(target: Target, operation: Operation) -> Call {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    Call {
        target,
        operation,
        key: format!("k{}", CALLS.fetch_add(1, Ordering::Relaxed)),
    }
}

pub(crate) fn said(text: &str) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: None,
        flags: MessageFlags::default(),
    }
}

pub(crate) fn reply(text: &str, to: &str) -> Operation {
    Operation::SendText {
        text: text.into(),
        reply_to: Some(to.into()),
        flags: MessageFlags::default(),
    }
}

pub(crate) fn file(path: &str, kind: FileKind, caption: Option<&str>) -> Operation {
    Operation::SendFile {
        path: path.into(),
        kind,
        caption: caption.map(str::to_owned),
        reply_to: None,
        checked: None,
        flags: MessageFlags::default(),
    }
}

pub(crate) fn voice(path: &str) -> Operation {
    voice_to(path, None)
}

/// A voice note that answers this message.
pub(crate) fn voice_reply(path: &str, to: &str) -> Operation {
    voice_to(path, Some(to))
}

fn voice_to(path: &str, reply_to: Option<&str>) -> Operation {
    Operation::SendVoice {
        path: path.into(),
        text: "hello".into(),
        reply_to: reply_to.map(Into::into),
        checked: None,
        flags: MessageFlags::default(),
    }
}
