//! Messages with flags, for the platforms that have some.

use foldback_wire::{MessageFlags, Operation};

/// Puts these flags on an operation.
pub(crate) fn flagged(mut operation: Operation, with: &MessageFlags) -> Operation {
    match &mut operation {
        Operation::SendText { flags, .. }
        | Operation::EditText { flags, .. }
        | Operation::SendFile { flags, .. }
        | Operation::SendVoice { flags, .. } => flags.clone_from(with),
        other => panic!("{other:?} has no flags"),
    }
    operation
}
