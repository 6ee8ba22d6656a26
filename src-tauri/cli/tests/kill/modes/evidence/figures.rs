//! What the lives came to.

use std::{collections::BTreeMap, fmt};

/// What can come of messages; two hundred kills meet all of it.
const ALL: [&str; 19] = [
    "replied",
    "silent",
    "command",
    "directive_ack",
    "dropped",
    "summarised",
    "collected",
    "steered",
    "blocked",
    "failed",
    "unknown",
    "joined: steered_too",
    "not steered",
    "interrupted",
    "debounced",
    "taken up",
    "finished",
    "cut off",
    "settings changed",
];

/// What the run came to, by name.
#[derive(Debug, Default)]
pub(crate) struct Figures(BTreeMap<String, usize>);

impl Figures {
    pub(super) fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// What never happened, though it can.
    pub(crate) fn missing(&self) -> Vec<&str> {
        let never = |what: &&str| !self.0.keys().any(|seen| seen.starts_with(what));
        ALL.into_iter().filter(never).collect()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.0.iter().map(|(what, times)| format!("{times} {what}"));
        f.write_str(&told.collect::<Vec<_>>().join(", "))
    }
}
