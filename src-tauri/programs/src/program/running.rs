//! A program that runs, behind a guard or alone.

use crate::{
    Guarded,
    descent::{adopt_orphans, reap_orphans},
    guard,
};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, prlimit, waitid,
};
use std::{io, process::ExitStatus, sync::Arc};
use tokio::{
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

/// The three pipes of a program.
type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

/// A program with all it started. Dropped, all of them are gone.
pub(super) struct Running {
    pipes: Pipes,
    by: By,
}

enum By {
    Guard {
        guarded: Arc<Guarded>,
        /// The wait for the guard, which goes on where nobody waits here any more, so that it leaves the system's table.
        ended: JoinHandle<Option<ExitStatus>>,
    },
    /// Nobody: the program leads a process group, which is killed.
    Group {
        child: Child,
        /// The wait for its end, which leaves it in the system's table; `None` once it has ended.
        ended: Option<JoinHandle<rustix::io::Result<()>>>,
    },
}

impl Running {
    /// Starts a program's guard.
    pub(super) fn guarded(mut command: Command) -> io::Result<Self> {
        // For what a guard leaves behind that is killed itself. Without it, the guard does what it can.
        let _ = adopt_orphans();
        let mut child = command.spawn()?;
        let guarded = Arc::new(Guarded::of(&child)?);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let waited = Arc::clone(&guarded);
        let ended = tokio::spawn(async move {
            let status = waited.wait(child).await;
            reap_orphans();
            status
        });
        let by = By::Guard { guarded, ended };
        Ok(Self { pipes, by })
    }

    /// Starts a program without a guard, with so many bytes of memory at most where that is given.
    pub(super) fn alone(mut command: Command, memory: Option<u64>) -> io::Result<Self> {
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let leader = leader(&child);
        // Looked at and left where it is, it keeps the group's number: nobody else is ended in its place. Should this be
        // dropped, the group is killed, and the thread is done.
        let ended = leader.map(|leader| {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            tokio::task::spawn_blocking(move || waitid(WaitId::Pid(leader), look).map(drop))
        });
        let by = By::Group { child, ended };
        let running = Self { pipes, by };
        if let Some(bytes) = memory
            && leader.is_some()
        {
            // It has not been given a byte of its input yet.
            let limit = Rlimit {
                current: Some(bytes),
                maximum: Some(bytes),
            };
            prlimit(leader, Resource::As, limit)?;
        }
        Ok(running)
    }

    /// Its input, output and error output, the first time.
    pub(super) fn pipes(&mut self) -> Pipes {
        std::mem::take(&mut self.pipes)
    }

    /// Waits until the program has ended, and ends what it left running. Dropped meanwhile, it may be asked again; once it
    /// was told, not.
    pub(super) async fn until_ended(&mut self) -> io::Result<ExitStatus> {
        match &mut self.by {
            By::Guard { ended, .. } => {
                let status = ended.await.map_err(io::Error::other)?;
                status.ok_or_else(|| io::Error::other("the system does not tell how it ended"))
            }
            By::Group { child, ended } => {
                if let Some(wait) = ended {
                    let seen = wait.await.map_err(io::Error::other)?;
                    *ended = None;
                    seen?;
                    kill_group(child);
                }
                child.wait().await
            }
        }
    }

    /// Why the program never began, where that is why its guard ended so; `None` where it did begin.
    pub(super) fn why_not_started<'a>(
        &self,
        status: ExitStatus,
        program: &str,
        said: &'a str,
    ) -> Option<&'a str> {
        match self.by {
            By::Guard { .. } => guard::why_not_started(status, program, said),
            By::Group { .. } => None,
        }
    }

    /// Kills the program and all that it started.
    pub(super) fn kill(&self) {
        match &self.by {
            By::Guard { guarded, .. } => {
                if guarded.runs() {
                    guarded.signal(Signal::KILL);
                }
            }
            By::Group { child, .. } => kill_group(child),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The program, until it was waited for: it leads the group and lends it its number.
fn leader(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| Pid::from_raw(id.cast_signed()))
}

fn kill_group(child: &Child) {
    if let Some(group) = leader(child) {
        // It may be gone already; then there is nobody to end.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
