//! Files that people sent to the bot, as a platform keeps them.

use std::collections::BTreeMap;

/// A file.
#[derive(Debug, Clone, Default)]
pub(super) struct Sent {
    pub(super) bytes: Vec<u8>,
    /// Where it is said to be, where that is not its own place.
    pub(super) elsewhere: Option<String>,
}

/// All of them, by their handles.
#[derive(Debug, Default)]
pub(super) struct SentFiles {
    files: BTreeMap<String, Sent>,
    given: u64,
}

impl SentFiles {
    /// Keeps a file; gives its handle, which begins so.
    pub(super) fn keep(&mut self, beginning: &str, bytes: &[u8]) -> String {
        self.given += 1;
        let handle = format!("{beginning}{}", self.given);
        let file = Sent {
            bytes: bytes.to_vec(),
            elsewhere: None,
        };
        self.files.insert(handle.clone(), file);
        handle
    }

    pub(super) fn get(&self, handle: &str) -> Option<&Sent> {
        self.files.get(handle)
    }

    pub(super) fn point(&mut self, handle: &str, elsewhere: &str) {
        if let Some(file) = self.files.get_mut(handle) {
            file.elsewhere = Some(elsewhere.to_owned());
        }
    }
}
