//! One command in a shell, to its end, and what every shell gets.

use super::{capture::Capture, plain_text::PlainText};
use foldback_programs::{
    ConfinedProgram, Confinement, Guarded, PASSED_ON,
    descent::{adopt_orphans, reap_orphans},
    guard,
};
use foldback_wire::{Clock, redact::Redaction};
use rustix::process::Signal;
use std::{
    ffi::OsString,
    fs, io,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    pin::pin,
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    task::JoinHandle,
};

/// The shell, by its places on systems.
const SHELLS: [&str; 2] = ["/bin/bash", "/usr/bin/bash"];
/// The time between SIGTERM and SIGKILL.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// Longest wait for the last words of a command after its end. Only what left the guard can hold them up.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// Settings of commands.
#[derive(Debug, Clone)]
pub struct ShellSettings {
    /// Their working folder, absolute; made when it does not exist.
    pub folder: PathBuf,
    /// Longest time that one may take.
    pub timeout: Duration,
    /// Most bytes that are kept of its output, and as many of its error output.
    pub max_output: usize,
    /// The space that they are confined to; they can do whatever our user can when absent.
    pub confinement: Option<Confinement>,
    /// The program that guards them, which asks [`guard::run_if_asked`]; this program when absent.
    pub guard: Option<PathBuf>,
    /// The patterns that mask secrets in output, before it is cut, and on screens; nothing when absent.
    pub redaction: Option<Redaction>,
}

impl ShellSettings {
    /// The time of a command that asks for so many seconds: never more than the settings give.
    pub(super) fn timeout_of(&self, seconds: Option<u64>) -> Duration {
        seconds.map_or(self.timeout, |seconds| {
            Duration::from_secs(seconds).min(self.timeout)
        })
    }
}

/// The result of a command.
#[derive(Debug)]
pub(super) struct CommandRun {
    pub(super) output: Capture,
    pub(super) errors: Capture,
    pub(super) end: CommandEnd,
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandEnd {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was stopped after this time.
    TimedOut(Duration),
    /// The system does not tell.
    Untold,
}

/// Runs a command to its end or to that of its time. Dropped, it kills the command and everything that started.
///
/// # Errors
/// It cannot be started.
pub(super) async fn run_command(
    settings: &ShellSettings,
    command: &str,
    timeout: Duration,
    clock: &dyn Clock,
) -> io::Result<CommandRun> {
    fs::create_dir_all(&settings.folder)?;
    // For what a guard leaves behind that is killed itself.
    if let Err(error) = adopt_orphans() {
        tracing::debug!(%error, "what a command leaves behind cannot be told from a stranger's processes");
    }
    let mut child = single_command(settings, command)?.spawn()?;
    let guarded = KilledByDrop(Arc::new(Guarded::of(&child)?));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = wait_for(&guarded.0, child);
    let (mut output, mut errors) = (
        PlainText::new(settings.max_output, settings.redaction.as_ref()),
        PlainText::new(settings.max_output, settings.redaction.as_ref()),
    );
    let end = {
        let mut reading = pin!(async { tokio::join!(output.read(stdout), errors.read(stderr)) });
        let mut waiting = pin!(async { wait_or_stop(&guarded.0, ended, timeout, clock).await });
        let mut is_read = false;
        let end = loop {
            tokio::select! {
                end = &mut waiting => break end,
                _ = &mut reading, if !is_read => is_read = true,
            }
        };
        if !is_read {
            tokio::select! {
                _ = &mut reading => {}
                () = after(clock, LAST_WORDS) => {}
            }
        }
        end
    };
    Ok(CommandRun {
        output: output.finish(),
        errors: errors.finish(),
        end,
    })
}

/// Waits for the end of a command, and ends it after its time: SIGTERM, two seconds, SIGKILL.
async fn wait_or_stop(
    guarded: &Guarded,
    ended: JoinHandle<Option<ExitStatus>>,
    timeout: Duration,
    clock: &dyn Clock,
) -> CommandEnd {
    let mut ended = pin!(ended);
    tokio::select! {
        biased;
        status = &mut ended => return status.map_or(CommandEnd::Untold, command_end),
        () = after(clock, timeout) => guarded.signal(Signal::TERM),
    }
    tokio::select! {
        biased;
        _ = &mut ended => return CommandEnd::TimedOut(timeout),
        () = after(clock, GRACE) => guarded.signal(Signal::KILL),
    }
    // Its guard kills what began meanwhile.
    let _ = ended.await;
    CommandEnd::TimedOut(timeout)
}

/// Waits for a guard also where nobody does any more, so that it leaves the system's table.
pub(super) fn wait_for(guarded: &Arc<Guarded>, child: Child) -> JoinHandle<Option<ExitStatus>> {
    let waited = Arc::clone(guarded);
    tokio::spawn(async move {
        let status = waited.wait(child).await;
        reap_orphans();
        status
    })
}

pub(super) fn command_end(status: Option<ExitStatus>) -> CommandEnd {
    let Some(status) = status else {
        return CommandEnd::Untold;
    };
    let exited = status.code().map(CommandEnd::Exited);
    let signalled = || status.signal().map(CommandEnd::Signalled);
    exited.or_else(signalled).unwrap_or(CommandEnd::Untold)
}

pub(super) async fn after(clock: &dyn Clock, time: Duration) {
    clock.sleep_until_steady(clock.steady().plus(time)).await;
}

/// The place of the shell in the file system, where there is one.
pub fn shell_path() -> Option<&'static Path> {
    SHELLS.map(Path::new).into_iter().find(|shell| shell.exists())
}

/// The guard with the shell of one command: no input, and output and error output apart.
fn single_command(settings: &ShellSettings, command: &str) -> io::Result<Command> {
    // Nothing that begins with `-` is an option of the shell's.
    let words = shell_words(settings, false, &["-c", "--", command])?;
    let guard = guard::command(settings.guard.as_deref(), GRACE)?;
    let mut guard = guarded_command(settings, guard, words);
    guard
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(guard)
}

/// The shell with its arguments, within its space where it has one.
///
/// # Errors
/// There is no shell, or its space cannot be made.
pub(super) fn shell_words(
    settings: &ShellSettings,
    keeps_terminal: bool,
    arguments: &[&str],
) -> io::Result<Vec<OsString>> {
    let shell = shell_path().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no bash"))?;
    let mut words: Vec<OsString> = Vec::new();
    if let Some(space) = &settings.confinement {
        if !space.bubblewrap.exists() {
            let why = format!("{} does not exist", space.bubblewrap.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        words.push(space.bubblewrap.clone().into_os_string());
        words.extend(space.arguments(&ConfinedProgram {
            program: shell,
            folder: &settings.folder,
            readable: None,
            own_home: true,
            keeps_terminal,
        })?);
    }
    words.push(shell.as_os_str().to_owned());
    words.extend(arguments.iter().map(OsString::from));
    Ok(words)
}

/// A guard with the shell, which gets none of ours: a fixed list of variables, and its own folder.
pub(super) fn guarded_command(
    settings: &ShellSettings,
    mut guard: std::process::Command,
    words: Vec<OsString>,
) -> Command {
    let ours = PASSED_ON
        .iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    guard
        .args(words)
        .env_clear()
        .envs(ours)
        .current_dir(&settings.folder);
    guard.into()
}

/// A command that nobody waits for any more is killed, with everything it started.
pub(super) struct KilledByDrop(pub(super) Arc<Guarded>);

impl Drop for KilledByDrop {
    fn drop(&mut self) {
        if self.0.runs() {
            self.0.signal(Signal::KILL);
        }
    }
}
