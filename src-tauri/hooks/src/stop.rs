//! The end of the hooks.

use tokio_util::sync::{CancellationToken, DropGuard};

/// Ends the hooks in order. Clones end the same.
#[derive(Debug, Clone)]
pub struct HooksStop {
    asked: CancellationToken,
    ended: CancellationToken,
}

impl HooksStop {
    /// One for hooks that have ended once the guard is dropped.
    pub(crate) fn new() -> (Self, DropGuard) {
        let stop = Self {
            asked: CancellationToken::new(),
            ended: CancellationToken::new(),
        };
        let ended = stop.ended.clone().drop_guard();
        (stop, ended)
    }

    /// Has them told of what the journal has so far, as far as two seconds are enough for that, and waits until the journal
    /// has what they are not told of.
    pub async fn stop(&self) {
        self.asked.cancel();
        self.ended.cancelled().await;
    }

    /// That they are to end.
    pub(crate) const fn asked(&self) -> &CancellationToken {
        &self.asked
    }
}
