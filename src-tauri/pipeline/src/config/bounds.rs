//! Bounds that settings must keep and no type has.

use super::Config;
use std::time::Duration;

/// Most processes of `acp` that may be allowed: each is a program of its own.
const MOST_PROCESSES: usize = 1024;

/// Most runs at once that may be allowed: each needs a connection or a process.
const MOST_RUNS: usize = 10_000;

/// Least time between two showings of typing: platforms show it for 5 seconds and more
/// (<https://core.telegram.org/bots/api#sendchataction>), and each is a call that counts against their limits.
const SHORTEST_TYPING: Duration = Duration::from_secs(1);

/// A setting that is out of its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct OutOfBounds {
    /// The field's full name.
    pub field: &'static str,
    /// Which values would do.
    pub message: String,
}

impl Config {
    /// Checks the settings that have bounds.
    ///
    /// # Errors
    /// With the first one that is out of its bounds.
    pub fn check_bounds(&self) -> Result<(), OutOfBounds> {
        let Self {
            agent,
            queue,
            outbox,
            typing,
            ..
        } = self;
        let at_least_1 = || "must be at least 1".to_owned();
        let from_1_to = |most: usize| format!("must be from 1 to {most}");
        let bounds = [
            ("queue.cap", queue.cap > 0, at_least_1()),
            ("outbox.attempts", outbox.attempts > 0, at_least_1()),
            (
                "agent.acp.max_processes",
                (1..=MOST_PROCESSES).contains(&agent.acp.max_processes),
                from_1_to(MOST_PROCESSES),
            ),
            (
                "agent.max_runs",
                (1..=MOST_RUNS).contains(&agent.max_runs),
                from_1_to(MOST_RUNS),
            ),
            (
                "typing.every",
                typing.every.0 >= SHORTEST_TYPING,
                "must be at least 1s; platforms show it for 5 seconds and more".to_owned(),
            ),
        ];
        match bounds.into_iter().find(|(_, kept, _)| !kept) {
            Some((field, _, message)) => Err(OutOfBounds { field, message }),
            None => Ok(()),
        }
    }
}
