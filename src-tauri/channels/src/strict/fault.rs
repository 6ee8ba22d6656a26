//! Misbehaviour of a platform that a test asks for.

use std::time::Duration;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// Too many requests: wait so long.
    RateLimited(Duration),
    /// The server fails, and has done nothing.
    Failed,
    /// The server fails, though it has done what was asked.
    FailedAfter,
    /// It is done, but the connection breaks before the answer.
    Lost,
    /// The connection breaks before the call arrives.
    Broken,
    /// The answer comes so much later.
    Late(Duration),
}

/// A mishap of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The method; empty for any.
    pub method: String,
    /// What goes wrong.
    pub mishap: Mishap,
}

/// The faults still to come, in order.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn plan(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// The next mishap of this method.
    pub(super) fn next(&mut self, method: &str) -> Option<Mishap> {
        let hits = |fault: &Fault| fault.method.is_empty() || fault.method == method;
        let at = self.0.iter().position(hits)?;
        Some(self.0.remove(at).mishap)
    }
}
