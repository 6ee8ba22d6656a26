//! A guard that runs, with its program and everything that started.
//!
//! As long as the guard is not waited for, its number cannot become that of another process, so that a signal never hits
//! a stranger.
//!
//! A guard may itself be killed by what it guards (`kill -9 $PPID`). What it leaves has then another parent and no guard. It is
//! found by two marks that it did not choose: the session, which the guard made and which has its number, and the terminal,
//! where there is one. Whoever is in it is killed, with all descendants, before the guard is waited for. What left the
//! session *and* lost its parent bears no mark; it goes on, as no other sign tells it from a stranger.

use crate::{
    PseudoTerminal,
    descent::{Awaited, descendants_of_child, is_child, members, reap, reap_orphans},
};
use rustix::{
    fs::fstat,
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};
use std::{
    collections::BTreeSet,
    io,
    os::fd::OwnedFd,
    pin::pin,
    process::ExitStatus,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::{net::unix::pipe, process::Child};

/// The time between two looks for orphans that have ended.
const REAP: Duration = Duration::from_secs(30);
/// The time between two looks whether a guard has ended that nobody waits for any more.
const LOOK: Duration = Duration::from_millis(20);
/// The time after which a process that SIGKILL does not end is left to the system.
const UNKILLABLE: Duration = Duration::from_secs(10);

/// The guard's process, until it is waited for.
#[derive(Debug)]
pub struct Guarded {
    pid: Mutex<Option<i32>>,
    /// Its number stays its own until it is waited for here.
    awaited: Mutex<Option<Awaited>>,
    /// The terminal of its program, where it has one.
    terminal: Option<OwnedFd>,
}

impl Guarded {
    /// The guard that was just started.
    ///
    /// # Errors
    /// It was waited for already.
    pub fn of(guard: &Child) -> io::Result<Self> {
        let pid = guard.id().and_then(|id| i32::try_from(id).ok());
        let pid = pid.ok_or_else(|| io::Error::other("the guard ended at once"))?;
        Ok(Self {
            pid: Mutex::new(Some(pid)),
            awaited: Mutex::new(Some(Awaited::new(pid))),
            terminal: None,
        })
    }

    /// The guard that was just started of a program on a terminal.
    ///
    /// # Errors
    /// It was waited for already, or the terminal is gone.
    pub fn on_terminal(guard: &Child, terminal: &PseudoTerminal) -> io::Result<Self> {
        Ok(Self {
            terminal: Some(terminal.hold()?),
            ..Self::of(guard)?
        })
    }

    fn pid(&self) -> MutexGuard<'_, Option<i32>> {
        self.pid.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True while the guard runs.
    pub fn runs(&self) -> bool {
        self.pid().is_some_and(is_child)
    }

    /// Sends a signal to the program and everything it started. The guard ends what begins meanwhile.
    pub fn signal(&self, signal: Signal) {
        let pid = self.pid();
        let Some(guard) = pid.filter(|pid| is_child(*pid)) else {
            return;
        };
        // It starts nothing while somebody looks at what it has started.
        send(guard, Signal::STOP);
        let all = descendants_of_child(guard);
        for pid in &all {
            send(*pid, signal);
        }
        // Without any, it has not started the program yet, or ends itself.
        let none = all.is_empty() && signal == Signal::KILL;
        send(guard, if none { Signal::KILL } else { Signal::CONT });
    }

    /// Ends it in order, where its input is closed: grace, SIGTERM, grace, SIGKILL. Blocks the thread meanwhile.
    pub fn end(&self, grace: Duration) {
        for signal in [Signal::TERM, Signal::KILL] {
            let begun = Instant::now();
            while begun.elapsed() < grace {
                if !self.runs() {
                    return;
                }
                thread::sleep(LOOK);
            }
            self.signal(signal);
        }
    }

    /// Waits for the guard, which ends when its program and everything that started has ended. What one that was killed left
    /// behind is killed. Gives its status; `None` where the system does not tell it.
    pub async fn wait(&self, mut guard: Child) -> Option<ExitStatus> {
        let mut reap = tokio::time::interval(REAP);
        let status = {
            let mut ended = pin!(async {
                let pid = *self.pid();
                if let Some(pid) = pid
                    && until_ended(pid).await.is_ok()
                {
                    self.kill_members(pid).await;
                }
                guard.wait().await
            });
            loop {
                tokio::select! {
                    status = &mut ended => break status,
                    _ = reap.tick() => drop(reap_orphans()),
                }
            }
        };
        *self.pid() = None;
        *self.awaited.lock().unwrap_or_else(PoisonError::into_inner) = None;
        status.ok()
    }

    /// Kills what is left in the session of a guard that has ended and was not waited for, and on the terminal.
    async fn kill_members(&self, guard: i32) {
        let terminal = self.terminal.as_ref().and_then(|side| {
            // The system's table has the same number.
            i32::try_from(fstat(side).ok()?.st_rdev).ok()
        });
        let (begun, mut killed) = (Instant::now(), BTreeSet::new());
        loop {
            let left = members(guard, terminal);
            if left.is_empty() || begun.elapsed() >= UNKILLABLE {
                break;
            }
            for pid in &left {
                send(*pid, Signal::KILL);
            }
            killed.extend(left);
            tokio::time::sleep(LOOK).await;
        }
        reap(&killed);
    }
}

fn send(pid: i32, signal: Signal) {
    // It may have ended meanwhile.
    let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, signal));
}

/// Waits until a child of ours has ended, and leaves it in the system's table.
///
/// # Errors
/// The system does not tell it so.
async fn until_ended(child: i32) -> io::Result<()> {
    let child = Pid::from_raw(child).ok_or(io::ErrorKind::InvalidInput)?;
    let handle = pidfd_open(child, PidfdFlags::NONBLOCK)?;
    // It is no pipe, and tells of an end as one tells of bytes.
    let handle = pipe::Receiver::from_owned_fd_unchecked(handle)?;
    handle.readable().await
}
