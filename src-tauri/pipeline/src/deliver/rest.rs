//! Text of an answer that has no message in its chat any more.

/// The text of a turn beyond the messages that its chat may have of it.
#[derive(Debug, Default)]
pub(super) struct RestOfText {
    pub(super) text: String,
    /// Only one person may see some of it.
    pub(super) private: bool,
    /// An earlier process told the chat of it.
    pub(super) told: bool,
}

impl RestOfText {
    /// Adds text that has no message to stand in. Assistant messages stay apart by an empty line. Text that only one
    /// person may see keeps all of it out of a file that everybody in the chat sees.
    pub(super) fn push(&mut self, text: &str, private: bool) {
        self.private |= private;
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
    }
}
