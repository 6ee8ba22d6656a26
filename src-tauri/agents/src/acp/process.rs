//! A program with everything it starts, behind a guard.
//!
//! What runs is the guard ([`foldback_programs::guard`]); the program is its child, with our pipes.

use super::{config::AcpConfig, turn};
use foldback_programs::{
    ConfinedProgram, Guarded, PASSED_ON,
    descent::{adopt_orphans, reap_orphans},
    guard,
};
use foldback_wire::Clock;
use rustix::process::Signal;
use std::{
    collections::VecDeque,
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{ChildStderr, ChildStdin, ChildStdout, Command},
    sync::{mpsc, mpsc::error::TrySendError, watch},
};

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

/// The program does not read what it is told.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the agent does not read its input")]
pub(super) struct Deaf;

/// A running program. Dropped, it ends in the background, in the order of [`stop`](Self::stop).
pub(super) struct Process {
    guard: Arc<Guarded>,
    /// Lines for its standard input; `None` once that is closed.
    input: Option<mpsc::Sender<String>>,
    ended: watch::Receiver<Option<Ended>>,
    words: Arc<Words>,
    grace: Duration,
}

/// The end of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was never started; its last words say why.
    NotStarted,
    /// With this status, where the system told it.
    With(Option<ExitStatus>),
}

impl Process {
    /// Starts the program. Gives its standard output, to be read line by line. `files` is the folder of what users
    /// sent, where one that is confined is to see it.
    pub(super) fn start(
        config: &AcpConfig,
        clock: &Arc<dyn Clock>,
        files: Option<&Path>,
    ) -> io::Result<(Self, BufReader<ChildStdout>)> {
        std::fs::create_dir_all(&config.directory)?;
        // For what a guard leaves behind that is killed itself.
        if let Err(error) = adopt_orphans() {
            tracing::debug!(%error, "what an agent leaves behind cannot be told from a stranger's processes");
        }
        let mut child = command(config, files)?.spawn()?;
        let guard = Arc::new(Guarded::of(&child)?);
        let words = Arc::new(Words::default());
        let (input, messages) = mpsc::channel(UNREAD);
        let (tell, ended) = watch::channel(None);
        let output = child.stdout.take();
        let errors = tokio::spawn(listen(child.stderr.take(), Arc::clone(&words)));
        if let Some(stdin) = child.stdin.take() {
            tokio::spawn(write(stdin, messages));
        }
        let late = Arc::clone(clock);
        let kept = Arc::clone(&guard);
        tokio::spawn(async move {
            let status = kept.wait(child).await;
            reap_orphans();
            // Its last words are in the pipe; only a process that left the guard can hold that open.
            tokio::select! {
                _ = errors => {}
                () = late.sleep_until(late.now().plus(LAST_WORDS)) => {}
            }
            let ended = match status.map(guard::program_status) {
                Some(None) => Ended::NotStarted,
                status => Ended::With(status.flatten()),
            };
            // Nobody may want to know any more.
            let _ = tell.send(Some(ended));
        });
        let process = Self {
            guard,
            input: Some(input),
            ended,
            words,
            grace: config.limits.stop,
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

    /// The program's end. Everything it started is dead by then.
    pub(super) async fn ended(&self) -> Ended {
        let mut ended = self.ended.clone();
        let ended = ended.wait_for(Option::is_some).await;
        ended.ok().and_then(|ended| *ended).unwrap_or(Ended::With(None))
    }

    /// What it said last on standard error, or in place of the protocol.
    pub(super) fn last_words(&self) -> Option<String> {
        self.words.last()
    }

    /// Remembers a line that is not of the protocol.
    pub(super) fn noise(&self, line: &[u8]) {
        self.words.add(line);
    }

    /// Ends it: its input, then SIGTERM, then SIGKILL to it and everything it started, with the grace in between.
    pub(super) async fn stop(mut self, clock: &dyn Clock) {
        self.input = None;
        for signal in [Signal::TERM, Signal::KILL] {
            let late = clock.sleep_until(clock.now().plus(self.grace));
            tokio::select! {
                _ = self.ended() => return,
                () = late => self.guard.signal(signal),
            }
        }
        self.ended().await;
    }

    /// Ends it at once.
    pub(super) fn kill(self) {
        self.guard.signal(Signal::KILL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        if !self.guard.runs() {
            return;
        }
        let (guard, grace) = (Arc::clone(&self.guard), self.grace);
        // There may be no runtime any more, and where this process ends first, the guard sees to the rest by itself.
        let ending = thread::Builder::new().spawn(move || guard.end(grace));
        if ending.is_err() {
            self.guard.signal(Signal::KILL);
        }
    }
}

fn command(config: &AcpConfig, files: Option<&Path>) -> io::Result<Command> {
    let ours = PASSED_ON
        .iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut words = Vec::new();
    if let Some(space) = &config.confinement {
        words.push(space.bubblewrap.clone().into_os_string());
        words.extend(space.arguments(&ConfinedProgram {
            program: &config.program,
            folder: &config.directory,
            readable: files,
            own_home: !config.env.contains_key("HOME"),
            keeps_terminal: false,
        })?);
    }
    words.push(config.program.clone().into_os_string());
    let mut command = guard::command(config.guard.as_deref(), config.limits.stop)?;
    command
        .args(words)
        .args(&config.args)
        .env_clear()
        .envs(ours)
        .envs(&config.env)
        .current_dir(&config.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command.into())
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
