//! Programs that a person configured: started without a shell, in a process group of their own, with little of the
//! environment, and read to a bound.
//!
//! What must hold: dropped or ended, a program is gone with all that it started.

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, prlimit, waitid,
};
use std::{
    io,
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

/// What the program finds of the environment: no key of the bot's.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR"];
/// Bytes of the program's complaint that are told.
const COMPLAINT: u64 = 2_000;

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    name: String,
    arguments: Vec<String>,
    memory: Option<u64>,
}

/// How a program ended.
#[derive(Debug)]
pub struct ProgramEnd {
    /// How it exited.
    pub status: ExitStatus,
    /// Its output, up to the bound.
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
        }
    }

    /// The same with so many bytes of memory at most.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
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
    /// long as the program does; dropped meanwhile, it ends the program.
    ///
    /// # Errors
    /// Where it cannot be started, read or waited for.
    pub async fn run(&self, input: &[u8], most: usize) -> io::Result<ProgramEnd> {
        let mut group = self.start()?;
        let Child {
            stdin,
            stdout,
            stderr,
            ..
        } = &mut group.child;
        let (stdin, stdout, stderr) = (stdin.take(), stdout.take(), stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // One that does not read all of it may still do what it is for.
                let _ = stdin.write_all(input).await;
            }
        };
        let read = async {
            let output = output_of(stdout, most).await;
            if matches!(output, Ok((_, true))) {
                group.kill();
            }
            output
        };
        // What it left running is ended with it, and keeps nobody waiting for the end of the output.
        let ((), output, complaint, ended) =
            tokio::join!(write, read, complaint_of(stderr), group.until_ended());
        ended?;
        let (output, cut) = output?;
        Ok(ProgramEnd {
            status: group.child.wait().await?,
            output,
            cut,
            complaint,
        })
    }

    fn start(&self) -> io::Result<Group> {
        let kept = ENVIRONMENT
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut command = Command::new(&self.name);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(kept)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let child = command
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("it cannot be started: {error}")))?;
        let group = Group { child };
        if let Some(bytes) = self.memory
            && let Some(leader) = group.leader()
        {
            // It has not been given a byte of its input yet.
            let limit = Rlimit {
                current: Some(bytes),
                maximum: Some(bytes),
            };
            prlimit(Some(leader), Resource::As, limit)?;
        }
        Ok(group)
    }
}

/// A program with all it started. Dropped, all of them are gone.
struct Group {
    child: Child,
}

impl Group {
    /// The program, until it was waited for: it leads the group and lends it its number.
    fn leader(&self) -> Option<Pid> {
        self.child.id().and_then(|id| Pid::from_raw(id.cast_signed()))
    }

    /// Waits until the program has ended, and ends what it left running.
    async fn until_ended(&self) -> io::Result<()> {
        if let Some(leader) = self.leader() {
            // Looked at and left where it is, it keeps the group's number: nobody else is ended in its place. Should
            // this be dropped, the group is killed, and the thread is done.
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let ended = tokio::task::spawn_blocking(move || waitid(WaitId::Pid(leader), look));
            ended.await.map_err(io::Error::other)??;
        }
        self.kill();
        Ok(())
    }

    fn kill(&self) {
        if let Some(group) = self.leader() {
            // It may be gone already; then there is nobody to end.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Output up to a bound, and whether there was more.
async fn output_of(from: Option<impl AsyncRead + Unpin>, most: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut output = Vec::new();
    if let Some(from) = from {
        from.take(most as u64 + 1).read_to_end(&mut output).await?;
    }
    let cut = output.len() > most;
    output.truncate(most);
    Ok((output, cut))
}

/// What a program complains about, shortened; the rest is read and dropped, so that it can go on.
async fn complaint_of(from: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut from) = from else {
        return String::new();
    };
    let mut kept = Vec::new();
    let _ = (&mut from).take(COMPLAINT).read_to_end(&mut kept).await;
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).trim().to_owned()
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
