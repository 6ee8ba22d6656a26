//! Pauses of the methods that an operation calls beside its own. Slack counts each method apart
//! (<https://docs.slack.dev/apis/web-api/rate-limits>), and the pipeline knows only the one by which it names an operation's
//! route: a limit of `chat.getPermalink`, which a reply asks first, must not stop messages that are none.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Methods that want no call, and until when.
#[derive(Debug, Default)]
pub(super) struct MethodLimits(Mutex<HashMap<&'static str, Instant>>);

impl MethodLimits {
    /// The time for which a method wants no call; `None` where it takes one.
    pub(super) fn left(&self, method: &str) -> Option<Duration> {
        let until = *self.lock().get(method)?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Takes a limit of a method.
    pub(super) fn note(&self, method: &'static str, wait: Option<Duration>) {
        if let Some(until) = wait.and_then(|wait| Instant::now().checked_add(wait)) {
            self.lock().insert(method, until);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<&'static str, Instant>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
