//! Programs that a person configured: started without a shell, in a process group of their own, with little of the
//! environment, and read to a bound.
//!
//! `/bash setsid daemon &`: the shell ends at once, and the daemon, in a session of its own, would hold the shell's output
//! for hours. So the end of the program is waited for, not that of its output, and what it wrote until then is its output.
//!
//! What must hold: dropped or ended, a program is gone with all that it started, and so it is when Foldback is killed. For
//! that it runs behind a [`guard`]. Only where neither this program nor another [can guard](Program::with_guard) (a
//! test), it runs without one; then what left its process group goes on.

mod output;
mod running;

use crate::guard;
use output::Output;
use running::Running;
use std::{
    io,
    path::PathBuf,
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{io::AsyncWriteExt, process::Command};

/// What the program finds of the environment: no key of the bot's.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR"];
/// Bytes of the program's complaint that are told.
const COMPLAINT: usize = 2_000;
/// The time that it has to end with its input after Foldback has ended, and again between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    name: String,
    arguments: Vec<String>,
    memory: Option<u64>,
    guard: Option<PathBuf>,
}

/// How a program ended.
#[derive(Debug)]
pub struct ProgramEnd {
    /// How it exited.
    pub status: ExitStatus,
    /// Its output until it ended, up to the bound.
    pub output: Vec<u8>,
    /// True where it wrote more than the bound and was ended for that.
    pub cut: bool,
    /// What it wrote to its error output, the first 2,000 bytes without white space around them.
    pub complaint: String,
}

impl Program {
    /// A program by its name or path, and its arguments.
    pub fn new(name: impl Into<String>, arguments: Vec<String>) -> Self {
        Self {
            name: name.into(),
            arguments,
            memory: None,
            guard: None,
        }
    }

    /// The same with so many bytes of memory at most.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// This program with a guard of its own: an executable that asks [`guard::run_if_asked`], in place of the running one.
    #[must_use]
    pub fn with_guard(mut self, guard: PathBuf) -> Self {
        self.guard = Some(guard);
        self
    }

    /// The program of a command line that was split already; `None` where it is empty.
    pub fn of(command: &[String]) -> Option<Self> {
        let (name, arguments) = command.split_first()?;
        Some(Self::new(name, arguments.to_vec()))
    }

    /// Its name or path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its arguments.
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Runs it with this input, and reads at most `most` bytes of its output. One that writes more is ended. Takes as
    /// long as the program itself does: what it left running is ended with it. Dropped meanwhile, it ends the program.
    ///
    /// # Errors
    /// Where it cannot be started, read or waited for.
    pub async fn run(&self, input: &[u8], most: usize) -> io::Result<ProgramEnd> {
        let mut running = self.start()?;
        let (stdin, stdout, stderr) = running.pipes();
        let (mut output, mut complaint) = (Output::new(stdout, most), Output::new(stderr, COMPLAINT));
        let mut write = pin!(async {
            if let Some(mut stdin) = stdin {
                // One that does not read all of it may still do what it is for.
                let _ = stdin.write_all(input).await;
            }
        });
        let (mut is_written, mut is_read, mut is_told) = (false, false, false);
        let status = loop {
            tokio::select! {
                status = running.until_ended() => break status?,
                () = &mut write, if !is_written => is_written = true,
                read = output.read(), if !is_read => {
                    read?;
                    is_read = true;
                    if output.is_cut() {
                        running.kill();
                    }
                }
                _ = complaint.read_all(), if !is_told => is_told = true,
            }
        };
        output.read_what_is_there()?;
        // The program did what it did, whatever it says of it.
        let _ = complaint.read_what_is_there();
        let complaint = String::from_utf8_lossy(&complaint.finish()).trim().to_owned();
        if let Some(why) = running.why_not_started(status, &self.name, &complaint) {
            return Err(io::Error::other(format!("it cannot be started: {why}")));
        }
        Ok(ProgramEnd {
            status,
            cut: output.is_cut(),
            output: output.finish(),
            complaint,
        })
    }

    fn start(&self) -> io::Result<Running> {
        let guard = guard::command_within(self.guard.as_deref(), GRACE, self.memory).ok();
        let is_guarded = guard.is_some();
        let mut command = match guard {
            Some(mut guard) => {
                guard.arg(&self.name);
                Command::from(guard)
            }
            None => Command::new(&self.name),
        };
        let kept = ENVIRONMENT
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        command
            .args(&self.arguments)
            .env_clear()
            .envs(kept)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let running = if is_guarded {
            Running::guarded(command)
        } else {
            Running::alone(command, self.memory)
        };
        running.map_err(|error| io::Error::new(error.kind(), format!("it cannot be started: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Program {
        Program::new("/bin/sh", vec!["-c".to_owned(), script.to_owned()])
    }

    #[tokio::test]
    async fn input_output_complaint_and_status_are_its_own() {
        let end = shell("read line; echo \"got $line\"; echo why >&2; exit 3")
            .run(b"hi\n", 100)
            .await
            .unwrap();
        assert_eq!(String::from_utf8(end.output).unwrap(), "got hi\n");
        assert_eq!(
            (end.status.code(), end.cut, end.complaint.as_str()),
            (Some(3), false, "why")
        );
    }

    #[tokio::test]
    async fn one_that_writes_without_an_end_is_ended() {
        let end = shell("yes").run(b"", 10).await.unwrap();
        assert_eq!(
            (end.output.len(), end.cut, end.status.success()),
            (10, true, false)
        );
    }

    #[tokio::test]
    async fn what_left_its_group_without_a_guard_does_not_keep_its_output_back() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let mark = mark.display();
        let script = format!(
            "setsid sh -c 'touch {mark}; sleep 10; echo late' & \
             while ! test -e {mark}; do sleep 0.01; done; echo said; echo why >&2; exit 3"
        );
        let end = shell(&script).run(b"", 100).await.unwrap();
        assert_eq!(String::from_utf8(end.output).unwrap(), "said\n");
        assert_eq!(
            (end.status.code(), end.cut, end.complaint.as_str()),
            (Some(3), false, "why")
        );
    }

    #[tokio::test]
    async fn what_it_left_running_is_ended_with_it_and_no_key_of_the_bot_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("mark");
        let script = format!(
            "(sleep 1; echo late > {}) & env | cut -d= -f1 | sort",
            mark.display()
        );
        let end = shell(&script).run(b"", 10_000).await.unwrap();
        let names = String::from_utf8(end.output).unwrap();
        let known =
            |name: &str| ENVIRONMENT.contains(&name) || ["PWD", "SHLVL", "_", "OLDPWD"].contains(&name);
        assert!(names.lines().all(known), "{names}");
        tokio::time::sleep(std::time::Duration::from_millis(1_300)).await;
        assert!(!mark.exists());
    }
}
