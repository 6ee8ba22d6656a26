//! The process of a kept shell: bash behind its guard, on a terminal, reading its script from a pipe.

use super::{
    screen::{COLUMNS, ROWS},
    script,
};
use crate::terminal::shell::{GRACE, KilledByDrop, ShellSettings, guarded_command, shell_words, wait_for};
use foldback_programs::{Guarded, PseudoTerminal, descent::adopt_orphans, guard};
use std::{
    fs, io,
    process::{ExitStatus, Stdio},
    sync::Arc,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStdin, ChildStdout},
    task::JoinHandle,
};

/// Variables for programs that show a text page by page, as nobody turns pages here.
const PAGERS: [&str; 4] = ["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"];
/// Longest report. What is longer is none.
const MOST_REPORT: usize = 64;

/// A shell that runs. Dropped, it is killed with everything that it started.
pub(super) struct ShellProcess {
    pub(super) terminal: PseudoTerminal,
    pub(super) script: ScriptPipe,
    pub(super) reports: Reports,
    pub(super) guarded: KilledByDrop,
    pub(super) ended: JoinHandle<Option<ExitStatus>>,
}

impl ShellProcess {
    /// Starts one in its folder, with nothing of our environment.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(settings: &ShellSettings) -> io::Result<Self> {
        fs::create_dir_all(&settings.folder)?;
        // For what a guard leaves behind that is killed itself.
        if let Err(error) = adopt_orphans() {
            tracing::debug!(%error, "what a shell leaves behind cannot be told from a stranger's processes");
        }
        let terminal = PseudoTerminal::open(COLUMNS.get(), ROWS.get())?;
        let words = shell_words(settings, true, &["--noprofile", "--norc", "/dev/stdin"])?;
        let guard = guard::command_on_terminal(settings.guard.as_deref(), GRACE)?;
        let mut guard = guarded_command(settings, guard, words);
        guard
            .env("TERM", "xterm-256color")
            .envs(PAGERS.map(|pager| (pager, "cat")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(terminal.program_end()?);
        let mut child = guard.spawn()?;
        // Its end of the terminal is the program's alone.
        drop(guard);
        let guarded = KilledByDrop(Arc::new(Guarded::on_terminal(&child, &terminal)?));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Ok(Self {
            terminal,
            script: ScriptPipe {
                pipe: stdin,
                waiting: script::FIRST.into(),
            },
            reports: Reports {
                pipe: stdout,
                held: Vec::new(),
            },
            ended: wait_for(&guarded.0, child),
            guarded,
        })
    }
}

/// The way of the script into the shell.
pub(super) struct ScriptPipe {
    pipe: Option<ChildStdin>,
    /// Bytes that it has not taken yet.
    waiting: Vec<u8>,
}

impl ScriptPipe {
    pub(super) fn push(&mut self, lines: &str) {
        self.waiting.extend(lines.as_bytes());
    }

    /// Writes what waits; never ends once nothing does. Dropped, it goes on with the next call where it was.
    pub(super) async fn write(&mut self) {
        while let Some(pipe) = &mut self.pipe
            && !self.waiting.is_empty()
        {
            match pipe.write(&self.waiting).await {
                Ok(written) => drop(self.waiting.drain(..written)),
                // The shell has ended, which is told elsewhere.
                Err(_) => self.pipe = None,
            }
        }
        std::future::pending::<()>().await;
    }
}

/// The reports of exit statuses.
pub(super) struct Reports {
    pipe: Option<ChildStdout>,
    held: Vec<u8>,
}

impl Reports {
    /// The exit status that is reported with this nonce; never ends where there is none. Dropped, it goes on with the next
    /// call where it was.
    pub(super) async fn status(&mut self, nonce: &str) -> i32 {
        loop {
            while let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let report: Vec<u8> = self.held.drain(..=end).collect();
                let report = String::from_utf8_lossy(&report);
                if let Some(status) = script::status(report.trim_end_matches('\n'), nonce) {
                    return status;
                }
            }
            if self.held.len() > MOST_REPORT {
                self.held.clear();
            }
            let mut part = [0; 256];
            let read = match &mut self.pipe {
                Some(pipe) => pipe.read(&mut part).await,
                None => return std::future::pending().await,
            };
            match read {
                Ok(read @ 1..) => self.held.extend(&part[..read]),
                // The shell has ended, which is told elsewhere.
                _ => self.pipe = None,
            }
        }
    }
}
