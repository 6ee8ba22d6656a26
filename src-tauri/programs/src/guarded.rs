//! A guard that runs, with its program and everything that started.
//!
//! As long as the guard is not waited for, its number cannot become that of another process, so that a signal never hits
//! a stranger.

use crate::descent::{Awaited, descendants_of_child, is_child, reap_orphans};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io,
    process::ExitStatus,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::process::Child;

/// The time between two looks for orphans that have ended.
const REAP: Duration = Duration::from_secs(30);
/// The time between two looks whether a guard has ended that nobody waits for any more.
const LOOK: Duration = Duration::from_millis(20);

/// The guard's process, until it is waited for.
#[derive(Debug)]
pub struct Guarded {
    pid: Mutex<Option<i32>>,
    /// Its number stays its own until it is waited for here.
    awaited: Mutex<Option<Awaited>>,
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
        let send = |pid: i32, signal| {
            // It may have ended meanwhile.
            let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, signal));
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

    /// Waits for the guard, which ends when its program and everything that started has ended. Gives its status; `None`
    /// where the system does not tell it.
    pub async fn wait(&self, mut guard: Child) -> Option<ExitStatus> {
        let mut reap = tokio::time::interval(REAP);
        let status = loop {
            tokio::select! {
                status = guard.wait() => break status,
                _ = reap.tick() => drop(reap_orphans()),
            }
        };
        *self.pid() = None;
        *self.awaited.lock().unwrap_or_else(PoisonError::into_inner) = None;
        status.ok()
    }
}
