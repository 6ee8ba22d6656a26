//! An operation as the journal keeps it.

use super::OutgoingOperation;
use foldback_wire::{CallFault, Fault, Intent, Kind, MessageFlags, OpId, Operation, Target};

/// The intent of an operation that goes to this target.
pub(crate) fn intent(target: &Target, outgoing: OutgoingOperation) -> Intent {
    let OutgoingOperation {
        operation,
        body,
        directive,
        live,
        block,
        shows: _,
        then,
        question: _,
        parts: _,
        delay: _,
    } = outgoing;
    let mut intent = Intent {
        kind: operation.kind(),
        channel: None,
        target: target.clone(),
        message: None,
        reply_to: None,
        body,
        emoji: None,
        emoji_sent: None,
        path: None,
        file_kind: None,
        cleanup: then.cleans_up,
        directive,
        part_of: None,
        block,
        flags: MessageFlags::default(),
        live,
    };
    match operation {
        Operation::SendText { reply_to, flags, .. } => {
            intent.reply_to = reply_to;
            intent.flags = flags;
        }
        Operation::EditText { message, flags, .. } => {
            intent.message = Some(message);
            intent.flags = flags;
        }
        Operation::Delete { message } => intent.message = Some(message),
        Operation::React {
            message,
            emoji,
            emoji_sent,
        } => {
            intent.message = Some(message);
            intent.emoji = Some(emoji);
            intent.emoji_sent = Some(emoji_sent);
        }
        Operation::SendFile {
            path,
            kind,
            reply_to,
            flags,
            ..
        } => {
            intent.path = Some(path);
            intent.file_kind = Some(kind);
            intent.reply_to = reply_to;
            intent.flags = flags;
        }
        Operation::SendVoice {
            path,
            reply_to,
            flags,
            ..
        } => {
            intent.path = Some(path);
            intent.reply_to = reply_to;
            intent.flags = flags;
        }
        Operation::Typing => {}
    }
    intent
}

/// The mark of a planned fault that hits a call.
pub(crate) fn faulted(number: u64, op: OpId, fault: &CallFault) -> Kind {
    Kind::Faulted {
        number,
        op: Some(op),
        fault: Fault::Call(fault.clone()),
    }
}
