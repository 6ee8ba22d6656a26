//! The incremental scanner of one assistant message.

use crate::{Settings, Sink};

/// Reads one assistant message, chunk by chunk, and decides for every byte.
#[derive(Debug)]
pub struct Scanner {
    settings: Settings,
    inbound: Option<String>,
    seen: usize,
}

impl Scanner {
    /// A scanner at the start of a message. `inbound` is the text of the user's message that triggered the
    /// turn: what merely repeats it is not executed.
    pub fn new(settings: &Settings, inbound: Option<&str>) -> Self {
        Self {
            settings: settings.clone(),
            inbound: inbound.map(str::to_owned),
            seen: 0,
        }
    }

    /// Reads the next chunk and tells `sink` everything that is now decided.
    pub fn push(&mut self, chunk: &str, sink: &mut impl Sink) {
        let _ = (&self.settings, &self.inbound, sink);
        self.seen += chunk.len();
    }

    /// Ends the message: everything still open is decided.
    pub fn finish(self, sink: &mut impl Sink) {
        let _ = sink;
    }
}
