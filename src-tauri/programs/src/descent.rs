//! Processes that descend from this one, also after they left their parent, their group or their session.
//!
//! A process whose parent ends is given to the nearest ancestor that adopts orphans (a *subreaper*), else to the
//! system's first process. Without a subreaper a program that forks twice is nobody's child: its line to
//! Foldback is lost. So Foldback becomes a subreaper before it starts a program. From then on the chain of parents of
//! everything that the program starts ends at Foldback, whatever it clears from its environment and whichever group or
//! session it makes: only a process that is asked for elsewhere (`systemd-run`, `at`, a terminal multiplexer that ran
//! before) stands outside of it.
//!
//! Whoever adopts has to take what has ended out of the system's table. [`reap_orphans`] does that for adopted
//! processes alone: a child that we started is waited for where it was started, and one that is waited for is named
//! with [`Awaited`]. Another child (of a library, say) is left alone for five seconds.

use rustix::process::{Pid, WaitOptions, getpid, waitpid};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// The time that a child that has ended is left to whoever may be about to wait for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Steps up a chain of parents: more than any system nests, and an end where ids go round meanwhile.
const GENERATIONS: usize = 4_096;

static REAPER: Mutex<Reaper> = Mutex::new(Reaper {
    awaited: BTreeSet::new(),
    ended: BTreeMap::new(),
});

struct Reaper {
    /// Children that somebody waits for.
    awaited: BTreeSet<i32>,
    /// Other children that have ended, and since when that is known.
    ended: BTreeMap<i32, Instant>,
}

fn reaper() -> MutexGuard<'static, Reaper> {
    // Whole after every change, so that a panic elsewhere does not matter here.
    REAPER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process adopt the orphans among its descendants, where the system can do that. Once is enough, and more
/// does no harm.
///
/// # Errors
/// The system knows no such thing.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::process::set_child_subreaper(Some(getpid()))?);
    #[cfg(not(target_os = "linux"))]
    return Err(io::ErrorKind::Unsupported.into());
}

/// A child whose end is waited for: [`reap_orphans`] leaves it alone until this is dropped.
#[derive(Debug)]
pub struct Awaited(i32);

impl Awaited {
    /// Names a child.
    pub fn new(child: i32) -> Self {
        reaper().awaited.insert(child);
        Self(child)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        reaper().awaited.remove(&self.0);
    }
}

/// Takes adopted processes that have ended out of the system's table; gives how many. To be called every few seconds
/// while there may be some.
pub fn reap_orphans() -> usize {
    reap_orphans_at(Instant::now())
}

fn reap_orphans_at(now: Instant) -> usize {
    let ended: BTreeSet<i32> = children()
        .into_iter()
        .filter(|child| child.ended)
        .map(|child| child.pid)
        .collect();
    let mut reaper = reaper();
    let Reaper {
        awaited,
        ended: since,
    } = &mut *reaper;
    since.retain(|pid, _| ended.contains(pid));
    let mut reaped = 0;
    for pid in ended.difference(awaited) {
        let known = *since.entry(*pid).or_insert(now);
        if now.saturating_duration_since(known) < PATIENCE {
            continue;
        }
        // Somebody was faster, or it is taken out now.
        if let Some(child) = Pid::from_raw(*pid)
            && matches!(waitpid(Some(child), WaitOptions::NOHANG), Ok(Some(_)))
        {
            reaped += 1;
        }
        since.remove(pid);
    }
    reaped
}

/// True for a process that descends from this one; this one itself does not.
///
/// # Errors
/// It cannot be told: the process has ended, or the system does not say who its parents are.
pub fn descends_from_us(pid: i32) -> io::Result<bool> {
    let us = getpid().as_raw_pid();
    if pid == us {
        return Ok(false);
    }
    let mut at = pid;
    for _ in 0..GENERATIONS {
        at = match stat(at) {
            Ok(process) => process.parent,
            // Its parent ended between two looks, so that it has another one now.
            Err(_) if at != pid => pid,
            Err(error) => return Err(error),
        };
        if at == us {
            return Ok(true);
        }
        // The first process, or one outside of what we may see.
        if at <= 1 {
            return Ok(false);
        }
    }
    Err(io::Error::other("its parents cannot be followed"))
}

/// The processes that descend from this one, nearest first, those that have ended left out.
pub fn descendants() -> Vec<i32> {
    descendants_of(getpid().as_raw_pid())
}

/// The processes that descend from a child of ours, nearest first, those that have ended left out; none where `child`
/// is no child of ours, because it has ended and another process has its number by now.
pub(crate) fn descendants_of_child(child: i32) -> Vec<i32> {
    if is_child(child) {
        descendants_of(child)
    } else {
        Vec::new()
    }
}

/// True for a child of ours that has not ended.
pub(crate) fn is_child(pid: i32) -> bool {
    let us = getpid().as_raw_pid();
    stat(pid).is_ok_and(|process| process.parent == us && !process.ended)
}

fn descendants_of(ancestor: i32) -> Vec<i32> {
    let mut found = Vec::new();
    add_descendants(&processes(), vec![ancestor], &mut found);
    found
}

/// Adds what descends from processes and is not there yet, nearest first, those that have ended left out.
fn add_descendants(all: &[Process], mut parents: Vec<i32>, found: &mut Vec<i32>) {
    while let Some(parent) = parents.pop() {
        let children = all.iter().filter(|one| one.parent == parent && !one.ended);
        for child in children {
            if !found.contains(&child.pid) {
                found.push(child.pid);
                parents.insert(0, child.pid);
            }
        }
    }
}

/// The processes of a session and those on a terminal, with what descends from them, those that have ended left out.
pub(crate) fn members(session: i32, terminal: Option<i32>) -> Vec<i32> {
    let all = processes();
    let is_member =
        |one: &&Process| one.session == session || terminal.is_some_and(|device| device == one.terminal);
    let members = all.iter().filter(is_member).filter(|one| !one.ended);
    let mut found: Vec<i32> = members.map(|one| one.pid).collect();
    add_descendants(&all, found.clone(), &mut found);
    found
}

/// Takes those out of the system's table that have ended and are children of ours.
pub(crate) fn reap(pids: &BTreeSet<i32>) {
    for pid in pids.iter().copied().filter_map(Pid::from_raw) {
        // That of another parent is left to it.
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// A process as the system's table has it.
struct Process {
    pid: i32,
    parent: i32,
    /// The process that made its session.
    session: i32,
    /// The device of its terminal; 0 without one.
    terminal: i32,
    ended: bool,
}

fn children() -> Vec<Process> {
    let us = getpid().as_raw_pid();
    let mut all = processes();
    all.retain(|process| process.parent == us);
    all
}

fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| stat(pid).ok()).collect()
}

/// Reads `/proc/PID/stat` (<https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>).
fn stat(pid: i32) -> io::Result<Process> {
    let text = fs::read(format!("/proc/{pid}/stat"))?;
    let text = String::from_utf8_lossy(&text);
    // The program's name, in brackets, may hold brackets and spaces itself.
    let fields = text.rsplit_once(") ").map(|(_, fields)| fields.split(' '));
    let mut fields = fields.ok_or(io::ErrorKind::InvalidData)?;
    let ended = matches!(fields.next(), Some("Z" | "X"));
    let mut number = || fields.next().and_then(|number| number.parse().ok());
    let [parent, _group, session, terminal] = [number(), number(), number(), number()];
    let read = || {
        Some(Process {
            pid,
            parent: parent?,
            session: session?,
            terminal: terminal?,
            ended,
        })
    };
    Ok(read().ok_or(io::ErrorKind::InvalidData)?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::process::{Signal, kill_process};
    use std::{
        process::{Command, Stdio},
        thread,
    };

    /// A process whose parent has ended, in a session of its own and with nothing of our environment.
    fn orphan() -> i32 {
        let run = Command::new("/bin/sh")
            .args(["-c", "env -i setsid sleep 600 >/dev/null 2>&1 & echo $!"])
            .stderr(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(run.stdout).unwrap().trim().parse().unwrap()
    }

    #[test]
    fn an_orphan_that_left_its_session_is_still_ours_and_is_reaped_once_it_ended() {
        adopt_orphans().unwrap();
        let pid = orphan();
        assert!(descends_from_us(pid).unwrap());
        assert!(descendants().contains(&pid));
        assert!(!descends_from_us(getpid().as_raw_pid()).unwrap());
        let parent = rustix::process::getppid().map_or(0, Pid::as_raw_pid);
        assert!(!descends_from_us(parent).unwrap_or_default());
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
        while stat(pid).is_ok_and(|process| !process.ended) {
            thread::yield_now();
        }
        let now = Instant::now();
        reap_orphans_at(now);
        assert!(stat(pid).is_ok(), "somebody may be about to wait for it");
        {
            let _awaited = Awaited::new(pid);
            reap_orphans_at(now + 2 * PATIENCE);
            assert!(stat(pid).is_ok(), "somebody waits for it");
        }
        assert!(reap_orphans_at(now + 2 * PATIENCE) >= 1);
        assert!(stat(pid).is_err(), "it is gone from the system's table");
        assert!(descends_from_us(pid).is_err(), "of what is gone nobody knows");
    }
}
