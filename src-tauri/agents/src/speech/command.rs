//! The backend `command`: a program on this machine that writes WAV or Ogg/Opus to its output.

use super::{
    fault::SpeechError,
    voice::{MAX_SOUND, Voice},
};
use async_trait::async_trait;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::{
    io,
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

/// The program where none is named. `--` ends its options: a text that begins with `-` is still a text.
pub const DEFAULT_COMMAND: [&str; 4] = ["espeak-ng", "--stdout", "--", "{text}"];

/// What stands for the text in an argument of its own. Without it the text goes to the program's input.
const TEXT: &str = "{text}";
/// What stands for the voice's name.
const VOICE: &str = "{voice}";
/// What the program finds of the environment: no key of the bot's.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR"];
/// Bytes of the program's complaint that are told.
const COMPLAINT: u64 = 2_000;

/// Runs a program for each text, in a process group of its own, without a shell.
#[derive(Debug, Clone)]
pub struct CommandVoice {
    program: String,
    arguments: Vec<String>,
}

impl CommandVoice {
    /// A program with its arguments; `{text}` and `{voice}` stand for text and voice. Empty is the default.
    ///
    /// # Errors
    /// Where `voice` is set and the program has no place for it.
    pub fn new(command: &[String], voice: Option<&str>) -> Result<Self, SpeechError> {
        let mut command = command.to_vec();
        if command.is_empty() {
            command = DEFAULT_COMMAND.map(str::to_owned).to_vec();
            if voice.is_some() {
                command.splice(1..1, ["-v".to_owned(), VOICE.to_owned()]);
            }
        } else if voice.is_some() && !command.iter().any(|argument| argument.contains(VOICE)) {
            let why = "voice is set, but no argument of command has {voice} in it";
            return Err(SpeechError::Setting(why.to_owned()));
        }
        let filled = |argument: &String| argument.replace(VOICE, voice.unwrap_or_default());
        let mut filled = command.iter().map(filled);
        Ok(Self {
            program: filled.next().unwrap_or_default(),
            arguments: filled.collect(),
        })
    }

    /// The program's name.
    pub fn program(&self) -> &str {
        &self.program
    }

    fn fault(&self, detail: impl Into<String>) -> SpeechError {
        SpeechError::Command {
            program: self.program.clone(),
            detail: detail.into(),
        }
    }

    fn start(&self, text: &str) -> Result<Group, SpeechError> {
        let arguments = self.arguments.iter().map(|argument| {
            // Only as a whole argument: the text never becomes part of an option.
            if argument == TEXT { text } else { argument }
        });
        let kept = ENVIRONMENT
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .envs(kept)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let child = command
            .spawn()
            .map_err(|error| self.fault(format!("it cannot be started: {error}")))?;
        Ok(Group { child })
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

    /// Waits until the program has ended, ends what it left running, and tells how it ended.
    async fn end(mut self) -> io::Result<ExitStatus> {
        if let Some(leader) = self.leader() {
            // Looked at and left where it is, it keeps the group's number: nobody else is ended in its place. Should
            // this be dropped, the group is killed, and the thread is done.
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let ended = tokio::task::spawn_blocking(move || waitid(WaitId::Pid(leader), look));
            ended.await.map_err(io::Error::other)??;
        }
        self.kill();
        self.child.wait().await
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

#[async_trait]
impl Voice for CommandVoice {
    fn backend(&self) -> &'static str {
        "command"
    }

    async fn say(&self, text: &str) -> Result<Vec<u8>, SpeechError> {
        let mut group = self.start(text)?;
        let Child {
            stdin,
            stdout,
            stderr,
            ..
        } = &mut group.child;
        let (input, output, complaint) = (stdin.take(), stdout.take(), stderr.take());
        let to_input = !self.arguments.iter().any(|argument| argument == TEXT);
        let write = async {
            if let Some(mut input) = input
                && to_input
            {
                // One that does not read all of it may still have said something.
                let _ = input.write_all(text.as_bytes()).await;
            }
            Ok::<_, SpeechError>(())
        };
        let read = async {
            let mut sound = Vec::new();
            if let Some(output) = output {
                let mut output = output.take(MAX_SOUND as u64 + 1);
                let read = output.read_to_end(&mut sound).await;
                read.map_err(|error| self.fault(error.to_string()))?;
            }
            if sound.len() > MAX_SOUND {
                return Err(SpeechError::TooLarge {
                    what: "the program's sound",
                    limit: MAX_SOUND,
                });
            }
            Ok(sound)
        };
        let complain = async { Ok(complaint_of(complaint).await) };
        // One that writes without an end is not waited for.
        let ((), sound, complaint) = tokio::try_join!(write, read, complain)?;
        let status = group.end().await.map_err(|error| self.fault(error.to_string()))?;
        if !status.success() {
            let said = if complaint.is_empty() {
                "it said nothing"
            } else {
                &complaint
            };
            return Err(self.fault(format!("{status}: {said}")));
        }
        Ok(sound)
    }
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
