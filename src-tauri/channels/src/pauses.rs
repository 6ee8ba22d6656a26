//! Pauses of calls that the pipeline does not pace: those that an operation needs beside its own, and those that only ask.
//! A platform counts them apart, and the pipeline knows only the route by which it names an operation: a limit of Slack's
//! `chat.getPermalink`, which a reply asks first, must not stop messages that are none.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Calls that a platform does not want now, and until when.
#[derive(Debug)]
pub(crate) struct Pauses<K>(Mutex<HashMap<K, Instant>>);

impl<K> Default for Pauses<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Pauses<K> {
    /// The time for which calls of this kind are not wanted; `None` where one is taken.
    pub(crate) fn left(&self, call: &K) -> Option<Duration> {
        let until = *self.lock().get(call)?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Takes a pause of calls of this kind.
    pub(crate) fn note(&self, call: K, wait: Option<Duration>) {
        let now = Instant::now();
        if let Some(until) = wait.and_then(|wait| now.checked_add(wait)) {
            let mut pauses = self.lock();
            // Kinds may be as many as there are chats: those that are over go.
            pauses.retain(|_, until| *until > now);
            pauses.insert(call, until);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Instant>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Pauses;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_of_its_kind_and_ends() {
        let pauses = Pauses::default();
        pauses.note("a", Some(Duration::from_secs(2)));
        pauses.note("b", None);
        assert_eq!(
            (pauses.left(&"a"), pauses.left(&"b")),
            (Some(Duration::from_secs(2)), None)
        );
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(pauses.left(&"a"), None);
        pauses.note("c", Some(Duration::from_secs(1)));
        assert_eq!(pauses.lock().len(), 1, "what is over is forgotten");
    }
}
