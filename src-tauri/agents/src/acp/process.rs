//! A program as a process group that nobody forgets.
//!
//! The group's leader is no agent but a guard: a shell that waits for the end of its input and then kills the group.
//! Its input is a pipe that we hold and that the system closes when Foldback ends, however it ends; so even after
//! SIGKILL of Foldback no agent remains. As long as the guard is not waited for, its number cannot become that of
//! another group, so that a signal never hits a stranger. A program that leaves its group (`setsid`) is killed by
//! itself; what it began stays a descendant of ours ([`descent`](crate::descent)), so that the control socket knows it.

use super::{
    config::{AcpConfig, PASSED_ON},
    turn,
};
use crate::descent::{Awaited, adopt_orphans, reap_orphans};
use foldback_wire::Clock;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::VecDeque,
    io,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::{Notify, mpsc, mpsc::error::TrySendError, watch},
};

/// Waits for the end of its input, then kills the group, itself included. Deaf to what ends the others politely.
const GUARD: &str = "trap '' TERM INT HUP; read -r _; kill -KILL 0";
/// Lines of standard error that are kept.
const LAST_LINES: usize = 20;
/// Bytes kept of one of them.
const LAST_LINE_BYTES: usize = 500;
/// How long after the end of a program its last words are waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Messages that may wait for a program which does not read: the answers to all the permissions that may be open, and
/// more.
const UNREAD: usize = turn::OPEN + 64;
/// How long room is waited for. A program may ask faster than it reads, but not for ever.
const READS: Duration = Duration::from_secs(5);
/// How often orphans of a program that runs are looked for that have ended.
const REAP: Duration = Duration::from_secs(30);

/// The program does not read what it is told.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the agent does not read its input")]
pub(super) struct Deaf;

/// A running program. Dropped, it is killed with its whole group at once.
pub(super) struct Process {
    group: Arc<Group>,
    /// Kills the program itself, which may have left its group.
    kill: Arc<Notify>,
    /// Lines for its standard input; `None` once that is closed.
    input: Option<mpsc::Sender<String>>,
    ended: watch::Receiver<Option<ExitStatus>>,
    words: Arc<Words>,
}

impl Process {
    /// Starts the program. Gives its standard output, to be read line by line.
    pub(super) fn start(
        config: &AcpConfig,
        clock: &Arc<dyn Clock>,
    ) -> io::Result<(Self, BufReader<ChildStdout>)> {
        std::fs::create_dir_all(&config.directory)?;
        if let Err(error) = adopt_orphans() {
            tracing::debug!(%error, "what an agent leaves behind cannot be told from a stranger's processes");
        }
        let mut guard = Command::new("/bin/sh")
            .args(["-c", GUARD])
            .env_clear()
            .current_dir(&config.directory)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let leader = guard.id().and_then(|id| i32::try_from(id).ok());
        let leader = leader.ok_or_else(|| io::Error::other("the guard ended at once"))?;
        let group = Arc::new(Group(Mutex::new(Pid::from_raw(leader))));
        // The end of the guard's input, and with it of the group, is the end of this.
        let leash = guard.stdin.take();
        let mut child = match command(config).process_group(leader).spawn() {
            Ok(child) => child,
            Err(error) => {
                group.end();
                return Err(error);
            }
        };
        let words = Arc::new(Words::default());
        let (input, messages) = mpsc::channel(UNREAD);
        let (tell, ended) = watch::channel(None);
        let output = child.stdout.take();
        let errors = child.stderr.take();
        let errors = tokio::spawn(listen(errors, Arc::clone(&words)));
        if let Some(stdin) = child.stdin.take() {
            tokio::spawn(write(stdin, messages));
        }
        let late = Arc::clone(clock);
        let hold = (Arc::clone(&group), leash);
        let kill = Arc::new(Notify::new());
        let killed = Arc::clone(&kill);
        // Their numbers stay theirs until they are waited for here.
        let awaited = [Some(leader), child.id().and_then(|id| i32::try_from(id).ok())];
        let awaited = awaited.map(|pid| pid.map(Awaited::new));
        tokio::spawn(async move {
            let status = keep(child, guard, hold, &killed).await;
            drop(awaited);
            reap_orphans();
            // Its last words are in the pipe; only a process that left the group can hold that open.
            tokio::select! {
                _ = errors => {}
                () = late.sleep_until(late.now().plus(LAST_WORDS)) => {}
            }
            // Nobody may want to know any more.
            let _ = tell.send(status);
        });
        let process = Self {
            group,
            kill,
            input: Some(input),
            ended,
            words,
        };
        let output = output.ok_or_else(|| io::Error::other("the agent has no output"))?;
        Ok((process, BufReader::with_capacity(64 * 1024, output)))
    }

    /// Sends a line, without waiting.
    pub(super) fn tell_now(&self, line: String) -> Result<(), Deaf> {
        let input = self.input.as_ref().ok_or(Deaf)?;
        input.try_send(line).map_err(|_| Deaf)
    }

    /// Sends a line. Whoever reads what a program says faster than it hears the answers waits a moment for it.
    pub(super) async fn tell(&self, line: String, clock: &dyn Clock) -> Result<(), Deaf> {
        let input = self.input.as_ref().ok_or(Deaf)?;
        let line = match input.try_send(line) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Closed(_)) => return Err(Deaf),
            Err(TrySendError::Full(line)) => line,
        };
        tokio::select! {
            sent = input.send(line) => sent.map_err(|_| Deaf),
            () = clock.sleep_until(clock.now().plus(READS)) => Err(Deaf),
        }
    }

    /// How the program ended. The rest of its group is dead by then.
    pub(super) async fn ended(&self) -> Option<ExitStatus> {
        let mut ended = self.ended.clone();
        let status = ended.wait_for(Option::is_some).await.ok()?;
        *status
    }

    /// What it said last on standard error, or in place of the protocol.
    pub(super) fn last_words(&self) -> Option<String> {
        self.words.last()
    }

    /// Remembers a line that is not of the protocol.
    pub(super) fn noise(&self, line: &[u8]) {
        self.words.add(line);
    }

    /// Ends it: its input, then SIGTERM, then SIGKILL to the whole group, with `grace` in between.
    pub(super) async fn stop(mut self, clock: &dyn Clock, grace: Duration) {
        self.input = None;
        for signal in [Signal::TERM, Signal::KILL] {
            let late = clock.sleep_until(clock.now().plus(grace));
            tokio::select! {
                _ = self.ended() => return,
                () = late => self.group.signal(signal),
            }
        }
        self.kill.notify_one();
        self.ended().await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill.notify_one();
        self.group.end();
    }
}

fn command(config: &AcpConfig) -> Command {
    let mut command = Command::new(&config.program);
    let ours = PASSED_ON
        .iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    command
        .args(&config.args)
        .env_clear()
        .envs(ours)
        .envs(&config.env)
        .current_dir(&config.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A process group, until its leader is waited for.
struct Group(Mutex<Option<Pid>>);

impl Group {
    fn leader(&self) -> MutexGuard<'_, Option<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a signal to all of it.
    fn signal(&self, signal: Signal) {
        if let Some(leader) = *self.leader() {
            // Nobody is left, or nobody may be signalled: either way there is no more to do.
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Kills what is left, the guard included, and lets go of the number.
    fn end(&self) {
        self.signal(Signal::KILL);
        *self.leader() = None;
    }
}

/// Waits for the program, or kills it, then ends its group: a wrapper that dies leaves nobody behind.
async fn keep(
    mut child: Child,
    mut guard: Child,
    hold: (Arc<Group>, Option<ChildStdin>),
    kill: &Notify,
) -> Option<ExitStatus> {
    let mut reap = tokio::time::interval(REAP);
    let ended = loop {
        tokio::select! {
            status = child.wait() => break Some(status),
            () = kill.notified() => break None,
            _ = reap.tick() => drop(reap_orphans()),
        }
    };
    let status = if let Some(status) = ended {
        status
    } else {
        // It has ended already, or now it does.
        let _ = child.start_kill();
        child.wait().await
    };
    hold.0.end();
    drop(hold);
    // It is dead already; this takes it out of the system's table.
    let _ = guard.wait().await;
    status.ok()
}

async fn write(mut stdin: ChildStdin, mut messages: mpsc::Receiver<String>) {
    while let Some(mut line) = messages.recv().await {
        line.push('\n');
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            // Its output tells the rest.
            return;
        }
    }
}

async fn listen(errors: Option<ChildStderr>, words: Arc<Words>) {
    let Some(mut errors) = errors else { return };
    let mut buffer = vec![0; 8 * 1024];
    let mut line = Vec::new();
    while let Ok(read @ 1..) = errors.read(&mut buffer).await {
        for byte in &buffer[..read] {
            match byte {
                b'\n' => words.add(&std::mem::take(&mut line)),
                // What is beyond the limit is read and let go.
                byte if line.len() < LAST_LINE_BYTES => line.push(*byte),
                _ => {}
            }
        }
    }
    words.add(&line);
}

/// The last lines a program said beside the protocol.
#[derive(Default)]
struct Words(Mutex<VecDeque<String>>);

impl Words {
    fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &[u8]) {
        let line = String::from_utf8_lossy(&line[..line.len().min(LAST_LINE_BYTES)]);
        if line.trim().is_empty() {
            return;
        }
        let mut lines = self.lines();
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(line.trim().to_owned());
    }

    fn last(&self) -> Option<String> {
        self.lines().back().cloned()
    }
}
