//! One life of a bot whose moments a test chooses.

use crate::life::start;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, Command},
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

/// A bot that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_mins(2);

pub(super) struct BotLife {
    child: Child,
    lines: Receiver<Value>,
}

impl BotLife {
    /// A bot that is killed at `crash`, unless it is before.
    pub(super) fn begin(home: &Path, crash: Option<&str>) -> Self {
        let (child, lines) = start(home, &[], crash);
        Self { child, lines }
    }

    /// Waits until it has read its journal; false where it was killed before.
    pub(super) fn starts(&self) -> bool {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(event) if event["kind"]["type"] == "started" => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => panic!("the bot does not start"),
            }
        }
    }

    /// Lets it live on for so long; false where it was killed before.
    pub(super) fn goes_on_for(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            match self
                .lines
                .recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => return true,
            }
        }
    }

    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// Tells it to end in order.
    pub(super) fn terminate(&self) {
        let pid = self.child.id().to_string();
        // It may just have been killed.
        let _ = Command::new("kill").args(["-s", "TERM", &pid]).status();
    }

    /// Waits for its end; true where it was killed.
    pub(super) fn end(mut self) -> bool {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the bot does not end"),
            }
        }
        let status = self.child.wait().unwrap();
        let is_killed = status.signal() == Some(9);
        assert!(is_killed || status.success(), "a bot ended with {status}");
        is_killed
    }

    /// Waits until what earlier lives left is closed, these messages have come in, now or before, and no turn is open; then
    /// ends it.
    pub(super) fn live_on(self, mut messages: BTreeSet<String>) {
        let mut open: BTreeSet<u64> = BTreeSet::new();
        let mut closed = false;
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(event) => {
                    let kind = &event["kind"];
                    messages.remove(kind["message"]["message"].as_str().unwrap_or_default());
                    match (kind["type"].as_str(), event["turn"].as_u64()) {
                        (Some("turn_ended"), Some(turn)) => drop(open.remove(&turn)),
                        (Some("idle"), None) => closed = true,
                        (_, Some(turn)) => drop(open.insert(turn)),
                        _ => {}
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the bot hangs: closed {closed}, open {open:?}, it waits for {messages:?}")
                }
                Err(RecvTimeoutError::Disconnected) => panic!("the bot ended by itself"),
            }
            if closed && open.is_empty() && messages.is_empty() {
                break;
            }
        }
        self.terminate();
        assert!(!self.end(), "the last lives end by themselves");
    }
}
