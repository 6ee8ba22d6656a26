//! JSON actions (dialect `json`).

use super::{Next, Scanner};
use crate::Sink;

/// What the dialect remembers over a message.
#[derive(Debug, Default)]
pub(super) struct Json {}

impl Scanner {
    pub(super) fn brace(&mut self, sink: &mut dyn Sink) -> Next {
        self.show_one(sink)
    }

    pub(super) fn finish_json(&mut self, sink: &mut dyn Sink) {
        let _ = (&self.json, sink);
    }
}
