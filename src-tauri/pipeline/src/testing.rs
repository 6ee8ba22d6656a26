//! Words for unit tests.

use foldback_wire::{ChatType, Inbound, Sender, Timestamp};

/// A direct message of Alice on the channel `telegram`.
pub(crate) fn inbound(text: &str) -> Inbound {
    Inbound {
        channel: "telegram".into(),
        account: None,
        chat: "c1".into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: "m1".into(),
        reply_to: None,
        sender: Sender {
            id: "alice".into(),
            name: "alice".into(),
            display_name: "Alice Example".into(),
            is_bot: false,
        },
        text: text.to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: Timestamp(0),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}
