//! A file that somebody sent to the bot.

use foldback_wire::Attachment;

/// A picture that its platform hands over by this handle.
pub(crate) fn sent_file(source: &str) -> Attachment {
    Attachment {
        name: "a.png".into(),
        media_type: "image/png".into(),
        size: None,
        source: Some(source.into()),
    }
}
