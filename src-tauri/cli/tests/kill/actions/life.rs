//! One life of a bot whose agent acts.

use crate::life::{message as message_from, start};
use foldback_wire::{Inbound, Platform};
use std::{
    collections::BTreeSet,
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::Command,
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

/// A bot that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_mins(2);

/// The end of a life.
pub(super) enum Kill {
    /// At the `POINT:N` of the program.
    At(String),
    /// From outside, so long after the nth command began.
    InCommand { nth: u64, by: Duration },
    /// In order, once everything has its answer.
    Never,
}

/// A message of an owner; its text is its id.
pub(super) fn message(platform: Platform, owner: u64, id: &str) -> Inbound {
    let mut message = message_from(platform, owner, id);
    message.sender.id = format!("owner{owner}").into();
    id.clone_into(&mut message.text);
    message
}

/// A bot that takes up what earlier lives left and answers these messages. True where it was killed before it was done.
pub(super) fn live(home: &Path, mut messages: BTreeSet<String>, kill: &Kill) -> bool {
    let crash = match kill {
        Kill::At(crash) => Some(crash.as_str()),
        Kill::InCommand { .. } | Kill::Never => None,
    };
    let (mut child, lines) = start(home, &[], crash);
    let mut open: BTreeSet<u64> = BTreeSet::new();
    let (mut closed, mut told, mut begun) = (false, false, 0);
    let mut at: Option<Instant> = None;
    loop {
        let left = at.map_or(PATIENCE, |at| at.saturating_duration_since(Instant::now()));
        let event = match lines.recv_timeout(left) {
            Ok(event) => event,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if at.is_some() => {
                child.kill().unwrap();
                break;
            }
            Err(RecvTimeoutError::Timeout) => {
                panic!("the bot hangs: closed {closed}, open {open:?}, it waits for {messages:?}")
            }
        };
        let kind = &event["kind"];
        messages.remove(kind["message"]["message"].as_str().unwrap_or_default());
        match (kind["type"].as_str(), event["turn"].as_u64()) {
            (Some("turn_ended"), Some(turn)) => drop(open.remove(&turn)),
            (Some("idle"), None) => closed = true,
            (of, Some(turn)) => {
                open.insert(turn);
                begun += u64::from(of == Some("action_started"));
            }
            _ => {}
        }
        if let Kill::InCommand { nth, by } = kill
            && begun >= *nth
        {
            at.get_or_insert_with(|| Instant::now() + *by);
        }
        if closed && open.is_empty() && messages.is_empty() && !told {
            told = true;
            let pid = child.id().to_string();
            let asked = Command::new("kill").args(["-s", "TERM", &pid]).status();
            assert!(asked.unwrap().success());
        }
    }
    let status = child.wait().unwrap();
    let killed = status.signal() == Some(9);
    assert!(killed || status.success(), "a bot ended with {status}");
    killed
}
