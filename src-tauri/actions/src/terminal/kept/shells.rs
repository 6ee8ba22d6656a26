//! All kept shells: one for each owner and chat.

use super::{
    record::ShellRecord,
    shell_process::ShellProcess,
    shell_task::{KeptRun, ShellOrder, ShellTask},
};
use crate::terminal::ShellSettings;
use foldback_wire::{
    Clock, SessionId, TurnId, UserId,
    rpc::{ShellLine, ShellScreen, ShellState},
};
use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::{mpsc, oneshot, watch};

/// Shells that have ended and are still shown.
const ENDED: usize = 16;
/// Commands that may wait for one of a shell.
const WAITING: usize = 8;

/// Limits of kept shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellLimits {
    /// The time after which a shell ends in which nothing runs.
    pub idle: Duration,
    /// Most shells at once; the one that waited longest makes room for another.
    pub most: usize,
}

/// The kept shells of a bot. Dropped, all of them end.
pub struct Shells {
    settings: ShellSettings,
    limits: ShellLimits,
    clock: Arc<dyn Clock>,
    kept: Mutex<Kept>,
    /// Held while one is started, so that an owner gets one shell in a chat, and the list can be read meanwhile.
    starting: tokio::sync::Mutex<()>,
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Kept {
    last: u32,
    all: BTreeMap<u32, KeptShell>,
}

#[derive(Clone)]
struct KeptShell {
    record: Arc<ShellRecord>,
    orders: mpsc::Sender<ShellOrder>,
    to_end: mpsc::Sender<&'static str>,
    /// It was told to end, whether or not its task heard of it yet.
    is_ending: Arc<AtomicBool>,
}

impl KeptShell {
    fn goes_on(&self) -> bool {
        let is_ending = self.is_ending.load(Ordering::Relaxed);
        !is_ending && !self.orders.is_closed() && self.record.state() != ShellState::Ended
    }

    fn end(&self, why: &'static str) {
        self.is_ending.store(true, Ordering::Relaxed);
        // One reason is enough.
        let _ = self.to_end.try_send(why);
    }
}

/// A command for the shell of an owner in a chat.
pub(super) struct CommandOf {
    pub(super) owner: UserId,
    pub(super) session: SessionId,
    pub(super) turn: TurnId,
    pub(super) command: String,
    pub(super) timeout: Duration,
}

impl Shells {
    /// No shell yet. None is started before its first command.
    pub fn new(settings: ShellSettings, limits: ShellLimits, clock: Arc<dyn Clock>) -> Self {
        Self {
            settings,
            limits,
            clock,
            kept: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            changed: watch::Sender::new(0),
        }
    }

    /// The shells, those that have ended lately included, in the order in which they began.
    pub fn list(&self) -> Vec<ShellLine> {
        self.kept()
            .all
            .values()
            .map(|shell| shell.record.line())
            .collect()
    }

    /// The screen of a shell; `None` where there is no such shell.
    pub fn screen(&self, number: u32) -> Option<ShellScreen> {
        let record = Arc::clone(&self.kept().all.get(&number)?.record);
        Some(record.screen())
    }

    /// Ends a shell, with everything that it started. False where there is none, or it has ended.
    pub fn end(&self, number: u32) -> bool {
        let kept = self.kept();
        let shell = kept.all.get(&number).filter(|shell| shell.goes_on());
        shell
            .map(|shell| shell.end("an operator ended the shell"))
            .is_some()
    }

    /// A count that grows with every change of a shell.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(super) const fn settings(&self) -> &ShellSettings {
        &self.settings
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// Runs a command in the shell of its owner and chat, behind those that came before it. Dropped, the shell of a command
    /// that runs ends.
    ///
    /// # Errors
    /// It cannot be started, or its end is not known.
    pub(super) async fn run(&self, wanted: CommandOf) -> io::Result<KeptRun> {
        // A shell may end on its own just before the command would begin in it.
        loop {
            let shell = self.shell_of(&wanted.owner, &wanted.session).await?;
            let (reply, answer) = oneshot::channel();
            let order = ShellOrder {
                turn: wanted.turn,
                command: wanted.command.clone(),
                timeout: wanted.timeout,
                reply,
            };
            if shell.orders.send(order).await.is_err() {
                continue;
            }
            match answer.await {
                Ok(Some(run)) => return Ok(run),
                Ok(None) => {}
                // Begun or not, it is not begun again.
                Err(_) => {
                    return Err(io::Error::other("its end is not known: its terminal is lost"));
                }
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shell of an owner in a chat, which is begun where there is none.
    async fn shell_of(&self, owner: &UserId, session: &SessionId) -> io::Result<KeptShell> {
        let is_theirs = |shell: &&KeptShell| {
            shell.record.owner == *owner && shell.record.session == *session && shell.goes_on()
        };
        let find = || self.kept().all.values().find(is_theirs).cloned();
        if let Some(shell) = find() {
            return Ok(shell);
        }
        let _starting = self.starting.lock().await;
        if let Some(shell) = find() {
            return Ok(shell);
        }
        let number = {
            let mut kept = self.kept();
            self.make_room(&mut kept)?;
            kept.last += 1;
            kept.last
        };
        let process = ShellProcess::start(&self.settings)?;
        let shell = self.begin(process, number, (owner.clone(), session.clone()));
        self.kept().all.insert(number, shell.clone());
        Ok(shell)
    }

    fn begin(&self, process: ShellProcess, number: u32, of: (UserId, SessionId)) -> KeptShell {
        let times = (self.clock.now(), self.clock.steady());
        let record = Arc::new(ShellRecord::new(
            number,
            of,
            times,
            self.changed.clone(),
            self.settings.redaction.clone(),
        ));
        let (orders, receiver) = mpsc::channel(WAITING);
        let (to_end, ends) = mpsc::channel(1);
        let task = ShellTask {
            process,
            record: Arc::clone(&record),
            orders: receiver,
            to_end: ends,
            clock: Arc::clone(&self.clock),
            idle: self.limits.idle,
            most_output: self.settings.max_output,
            redaction: self.settings.redaction.clone(),
        };
        tokio::spawn(task.run());
        KeptShell {
            record,
            orders,
            to_end,
            is_ending: Arc::default(),
        }
    }

    /// Lets the shell go that waited longest, where there are as many as may be, and forgets those that ended long ago.
    fn make_room(&self, kept: &mut Kept) -> io::Result<()> {
        let ended: Vec<_> = kept
            .all
            .iter()
            .filter(|(_, shell)| !shell.goes_on())
            .map(|(number, _)| *number)
            .collect();
        for number in ended.iter().take(ended.len().saturating_sub(ENDED - 1)) {
            kept.all.remove(number);
        }
        let living = kept.all.values().filter(|shell| shell.goes_on());
        if living.clone().count() < self.limits.most {
            return Ok(());
        }
        let longest = living
            .filter_map(|shell| Some((shell.record.idle_since()?, shell)))
            .min_by_key(|(since, _)| *since);
        let Some((_, longest)) = longest else {
            let why = format!("{} shells are open, and a command runs in each", self.limits.most);
            return Err(io::Error::other(why));
        };
        longest.end("another shell needed its place");
        Ok(())
    }
}

impl fmt::Debug for Shells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shells")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
