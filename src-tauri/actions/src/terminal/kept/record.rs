//! The record of a shell: for the window, and for whoever looks for one.

use super::screen::{COLUMNS, Screen};
use foldback_wire::{
    SessionId, SteadyTime, Timestamp, TurnId, UserId,
    redact::Redaction,
    rpc::{ShellCommand, ShellLine, ShellScreen, ShellState},
};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// Commands of a shell that are remembered.
const COMMANDS: usize = 50;
/// Bytes of a command that are remembered; its turn has all of it.
const MOST_COMMAND: usize = 1_024;

/// A shell, as it is known outside of its task.
pub(super) struct ShellRecord {
    pub(super) number: u32,
    pub(super) owner: UserId,
    pub(super) session: SessionId,
    started: Timestamp,
    inner: Mutex<Inner>,
    redaction: Option<Redaction>,
    /// Tells of a change of any shell.
    changed: watch::Sender<u64>,
}

struct Inner {
    state: ShellState,
    why_ended: Option<String>,
    commands: VecDeque<ShellCommand>,
    earlier: u32,
    screen: Screen,
    revision: u64,
    idle_since: SteadyTime,
}

impl ShellRecord {
    pub(super) fn new(
        number: u32,
        (owner, session): (UserId, SessionId),
        (started, now): (Timestamp, SteadyTime),
        changed: watch::Sender<u64>,
        redaction: Option<Redaction>,
    ) -> Self {
        Self {
            number,
            owner,
            session,
            started,
            inner: Mutex::new(Inner {
                state: ShellState::Idle,
                why_ended: None,
                commands: VecDeque::new(),
                earlier: 0,
                screen: Screen::new(),
                revision: 0,
                idle_since: now,
            }),
            redaction,
            changed,
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Inner)) {
        {
            let mut inner = self.inner();
            change(&mut inner);
            inner.revision += 1;
        }
        self.changed.send_modify(|count| *count += 1);
    }

    pub(super) fn begin(&self, turn: TurnId, command: &str, now: Timestamp) {
        // Before it is cut: half a secret is not recognised.
        let masked = self.redaction.as_ref().map(|secrets| secrets.text(command));
        let kept = beginning(masked.as_deref().unwrap_or(command));
        self.change(|inner| {
            inner.state = ShellState::Running;
            inner.screen.tell("$", command);
            if inner.commands.len() == COMMANDS {
                inner.commands.pop_front();
                inner.earlier += 1;
            }
            inner.commands.push_back(ShellCommand {
                turn,
                command: kept,
                started: now,
                ended: None,
                exit: None,
                note: None,
            });
        });
    }

    pub(super) fn add(&self, bytes: &[u8]) {
        self.change(|inner| inner.screen.add(bytes));
    }

    pub(super) fn end_command(
        &self,
        (exit, note): (Option<i32>, Option<String>),
        (now, steady): (Timestamp, SteadyTime),
    ) {
        self.change(|inner| {
            inner.state = ShellState::Idle;
            inner.idle_since = steady;
            if let Some(command) = inner.commands.back_mut() {
                command.ended = Some(now);
                command.exit = exit;
                command.note = note;
            }
        });
    }

    pub(super) fn end(&self, why: &str) {
        self.change(|inner| {
            inner.state = ShellState::Ended;
            inner.why_ended = Some(why.to_owned());
            inner.screen.tell("-", &format!("the shell has ended: {why}"));
        });
    }

    pub(super) fn state(&self) -> ShellState {
        self.inner().state
    }

    /// The time since which it waits for a command, where it does.
    pub(super) fn idle_since(&self) -> Option<SteadyTime> {
        let inner = self.inner();
        (inner.state == ShellState::Idle).then_some(inner.idle_since)
    }

    pub(super) fn line(&self) -> ShellLine {
        let inner = self.inner();
        ShellLine {
            number: self.number,
            owner: self.owner.clone(),
            session: self.session.clone(),
            started: self.started,
            state: inner.state,
            why_ended: inner.why_ended.clone(),
            commands: inner.commands.iter().cloned().collect(),
            earlier: inner.earlier,
            revision: inner.revision,
        }
    }

    pub(super) fn screen(&self) -> ShellScreen {
        let mut inner = self.inner();
        ShellScreen {
            number: self.number,
            revision: inner.revision,
            columns: COLUMNS.get().into(),
            lines: inner.screen.lines(self.redaction.as_ref()),
        }
    }
}

fn beginning(command: &str) -> String {
    let end = command.floor_char_boundary(MOST_COMMAND);
    let cut = if end < command.len() { "…" } else { "" };
    format!("{}{cut}", &command[..end])
}
