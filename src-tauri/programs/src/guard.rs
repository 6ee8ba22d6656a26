//! A small process between Foldback and a program (an agent, a command), which outlives both and leaves nobody behind.
//!
//! The guard adopts the orphans of its program ([`descent`](crate::descent)), so that everything a program starts stays
//! its descendant, also in a session of its own and after its parent has ended. It waits for two things: for the end of
//! the program, whose descendants it ends then, and for the end of Foldback, however that comes, also by SIGKILL: then
//! the program, whose input has ended with Foldback, gets its grace, SIGTERM and SIGKILL, with all its descendants.
//!
//! The guard is the very program that starts it, under another name: `main` asks [`run_if_asked`] before anything
//! else.

mod ending;

use crate::{descent::adopt_orphans, pseudo_terminal};
use ending::{end_all, patient};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
        pidfd_open, prlimit, setrlimit, setsid, wait,
    },
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
};
use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io,
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::Path,
    process::{Child, Command, ExitStatus},
    sync::OnceLock,
    thread,
    time::Duration,
};

/// The name under which a program is its own guard.
const NAME: &str = "foldback-guard";
/// Its name in the system's table, which takes 15 bytes.
const SHORT_NAME: &str = "foldback-guard";
/// The exit code of a guard whose program cannot be started. Why stands on its standard error.
const NOT_STARTED: i32 = 121;
/// The guard's words between a program that cannot be started and the folder.
const NOT_STARTED_IN: &str = " cannot be started in ";
/// The word for a program that leads a process group of its own.
const IN_A_GROUP: &str = "group";
/// The word for a program that leads a session of its own, on the terminal that is the guard's standard error.
const ON_A_TERMINAL: &str = "terminal";
/// The bytes of memory of a program that has no bound.
const UNBOUNDED: u64 = u64::MAX;
/// Added to the number of a signal that ended the program and cannot end the guard: the guard's exit code, as a shell
/// has it.
const SIGNALLED: i32 = 128;
/// The time between SIGTERM and SIGKILL for what a program leaves behind that ended by itself.
const LEFT_BEHIND: Duration = Duration::from_millis(500);
/// The time between two looks for the end of Foldback, where the system does not tell of it.
const PARENT: Duration = Duration::from_secs(1);

static READY: OnceLock<()> = OnceLock::new();

/// Becomes the guard of a program where this process was started as one; gives the exit code then. Otherwise notes that
/// this program can be a guard. To be called first in `main`, while there is one thread.
pub fn run_if_asked() -> Option<i32> {
    let mut args = env::args_os();
    match args.next() {
        Some(name) if name == NAME => return Some(guard(args)),
        Some(name) if name == pseudo_terminal::NAME => {
            eprintln!("{}", pseudo_terminal::lead(args));
            return Some(NOT_STARTED);
        }
        _ => {}
    }
    // Asked twice, it is as ready as before.
    let _ = READY.set(());
    None
}

/// The start of a guard for the program whose path and arguments follow. `by` is a program that asks [`run_if_asked`];
/// this one when absent. The guard makes a session of its own, so that it must not be started as the leader of a group.
///
/// # Errors
/// This program is none.
pub fn command(by: Option<&Path>, grace: Duration) -> io::Result<Command> {
    guard_command(by, grace, None, IN_A_GROUP)
}

/// The start of a guard as [`command`] gives it, for a program that has so many bytes of memory at most where that is
/// given. The guard itself is not bounded.
///
/// # Errors
/// This program is none.
pub(crate) fn command_within(by: Option<&Path>, grace: Duration, memory: Option<u64>) -> io::Result<Command> {
    guard_command(by, grace, memory, IN_A_GROUP)
}

/// The start of a guard as [`command`] gives it, for a program that leads a session of its own on the terminal that is the
/// guard's standard error ([`PseudoTerminal::program_end`](crate::PseudoTerminal::program_end)). The guard itself stands
/// outside of that session: what hangs the terminal up does not end it.
///
/// # Errors
/// This program is none.
pub fn command_on_terminal(by: Option<&Path>, grace: Duration) -> io::Result<Command> {
    guard_command(by, grace, None, ON_A_TERMINAL)
}

fn guard_command(
    by: Option<&Path>,
    grace: Duration,
    memory: Option<u64>,
    place: &str,
) -> io::Result<Command> {
    let by = match by {
        Some(by) => by,
        None if READY.get().is_some() => Path::new("/proc/self/exe"),
        None => return Err(io::Error::other("this program cannot guard another")),
    };
    let mut command = Command::new(by);
    command
        .arg0(NAME)
        .arg(std::process::id().to_string())
        .arg(grace.as_millis().to_string())
        .arg(memory.unwrap_or(UNBOUNDED).to_string())
        .arg(place);
    Ok(command)
}

/// Why a guard of a program could not start it, from its status and what stands on its standard error; `None` where the
/// program was started, and ended with the same exit code.
pub(crate) fn why_not_started<'a>(guard: ExitStatus, program: &str, said: &'a str) -> Option<&'a str> {
    if guard.code() != Some(NOT_STARTED) {
        return None;
    }
    let said = said.strip_prefix(program)?;
    let (_, why) = said.strip_prefix(NOT_STARTED_IN)?.rsplit_once(": ")?;
    Some(why)
}

/// The program's status, from that of its guard; `None` where it was never started.
pub fn program_status(guard: ExitStatus) -> Option<ExitStatus> {
    match guard.code() {
        Some(NOT_STARTED) => None,
        Some(code) if code > SIGNALLED => Some(ExitStatus::from_raw(code - SIGNALLED)),
        _ => Some(guard),
    }
}

/// Guards a program to its end. The arguments: the process that wants it, the grace in milliseconds, the program's bytes
/// of memory, its place, the program and its arguments.
fn guard(mut args: impl Iterator<Item = OsString>) -> i32 {
    let mut number = || args.next()?.to_str()?.parse::<u64>().ok();
    let (Some(parent), Some(grace), Some(memory)) = (number(), number(), number()) else {
        return NOT_STARTED;
    };
    let (Some(place), Some(program)) = (args.next(), args.next()) else {
        return NOT_STARTED;
    };
    let grace = Duration::from_millis(grace);
    // Without any of them, it does what it can. By its session Foldback finds what it leaves behind when it is killed.
    let _ = setsid();
    let _ = adopt_orphans();
    let _ = fs::write("/proc/self/comm", SHORT_NAME);
    let mut start = if place == ON_A_TERMINAL {
        pseudo_terminal::command(&program)
    } else {
        Command::new(&program)
    };
    if place == IN_A_GROUP {
        // Signals to the terminal's group or to the guard's do not reach it.
        start.process_group(0);
    }
    let guarded = match start
        .args(args)
        .spawn()
        .and_then(|guarded| bounded(guarded, memory))
    {
        Ok(guarded) => guarded,
        Err(error) => {
            let here = env::current_dir().unwrap_or_default();
            let program = Path::new(&program).display();
            eprintln!("{program}{NOT_STARTED_IN}{}: {error}", here.display());
            return NOT_STARTED;
        }
    };
    if let Err(error) = let_go() {
        eprintln!("the guard keeps the program's pipes open: {error}");
    }
    thread::spawn(move || {
        parent_ended(parent);
        if !patient(grace, || {}) {
            end_all(grace);
        }
    });
    let status = ended(guarded);
    end_all(LEFT_BEHIND);
    end_alike(status)
}

/// The number of a program that was just started, once it has no more memory than its bytes. One that cannot be bounded
/// is ended.
fn bounded(mut guarded: Child, memory: u64) -> io::Result<u32> {
    let id = guarded.id();
    if memory == UNBOUNDED {
        return Ok(id);
    }
    let limit = Rlimit {
        current: Some(memory),
        maximum: Some(memory),
    };
    // Not the guard's own before the start, which the program would inherit: the guard is as large as Foldback, and would
    // have nothing left to start a program with.
    if let Err(error) = prlimit(Pid::from_raw(id.cast_signed()), Resource::As, limit) {
        guarded.kill()?;
        return Err(io::Error::other(format!("its memory has no bound ({error})")));
    }
    Ok(id)
}

/// Lets the pipes go that are the program's: only it holds them open.
fn let_go() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits for the program, and takes adopted processes that end meanwhile out of the system's table; `None` where the
/// system does not tell how it ended.
fn ended(guarded: u32) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((child, status))) if child.as_raw_pid().cast_unsigned() == guarded => {
                return Some(status);
            }
            Ok(_) | Err(Errno::INTR) => {}
            // No child is left, which cannot be while the program was not waited for.
            Err(_) => return None,
        }
    }
}

/// Ends the guard as its program ended: by the same signal, so that it is told from an exit code, or with the same exit
/// code, which is given.
fn end_alike(status: Option<WaitStatus>) -> i32 {
    let Some(status) = status else { return NOT_STARTED };
    if let Some(number) = status.terminating_signal() {
        // Whoever looks at its memory looks for that of the program.
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        if let Some(signal) = Signal::from_named_raw(number)
            && setrlimit(Resource::Core, none).is_ok()
        {
            // This ends it, but for a signal that it ignores (SIGPIPE). The first SIGSEGV and SIGBUS go to the handler that
            // tells of a stack that overflowed, and which is gone then.
            for _ in 0..2 {
                let _ = kill_process(getpid(), signal);
            }
        }
        return SIGNALLED + number;
    }
    status.exit_status().unwrap_or(NOT_STARTED)
}

/// Waits until the process that started this one has ended.
fn parent_ended(parent: u64) {
    let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
    let lives = || parent.is_some() && getppid() == parent;
    if let Some(parent) = parent
        && let Ok(process) = pidfd_open(parent, PidfdFlags::empty())
    {
        // Asked after it was opened: the number may have become another's before.
        while lives() {
            let _ = poll(&mut [PollFd::new(&process, PollFlags::IN)], None);
        }
    }
    while lives() {
        thread::sleep(PARENT);
    }
}
