//! The running host that desktop, command line and server share: configuration, journal, channels, agents
//! and pipeline, put together; and the answers to all commands.

mod acp;
mod actions;
mod adapters;
mod agents;
mod app;
mod book;
mod card;
mod commands;
mod compose;
#[cfg(unix)]
mod control;
mod dead_letter;
mod deliver;
mod demo;
mod descriptors;
mod endpoint;
mod exports;
mod exposed;
mod faults;
mod fixtures;
mod follow;
mod from_cut;
mod hooks;
mod naming;
mod open;
mod pairing;
#[cfg(unix)]
mod peers;
mod prepare;
mod preview;
mod queue;
mod queue_lab;
mod quotes;
mod reach;
mod reminders;
mod renewed;
mod resends;
mod retention;
mod reviews;
mod run_again;
mod runs;
mod schedules;
mod secrets;
mod sessions;
mod setup;
mod shells;
mod speech;
mod stops;
mod summaries;
mod tasks;
mod tray;
mod trials;
mod turns;
mod typed;
mod unasked;
mod views;
mod window;
mod workspaces;

#[cfg(unix)]
pub(crate) use control::ask;
pub(crate) use dead_letter::again;
pub use demo::DemoStart;
pub use exposed::{Exposed, check_send_dir};
pub use open::OpenError;
pub use prepare::prepare_message;
pub use queue_lab::run as run_queue_lab;
pub(crate) use resends::Resends;
pub use setup::{ReplayedFiles, Setup, SetupError};
pub use tray::{TRAY_ITEMS, TrayItem};
pub use turns::explain;
pub use window::{ProgramRequest, WindowOrder, order_window};

use crate::{
    Shelf, failure,
    live::{Digest, Subscription},
    log::LogBook,
};
use demo::DemoPlayer;
use foldback_actions::terminal::Shells;
use foldback_agents::Faulty;
use foldback_channels::Loopback;
use foldback_hooks::{HookStatuses, HooksStop};
use foldback_pipeline::{Engine, Speech, config::Config};
use foldback_store::{Journal, StoreError};
use foldback_wire::{
    Actor, ChannelId, Clock,
    redact::Redaction,
    rpc::{Alarm, Failure, FixtureProgress, RecutProgress, Topic},
};
use runs::Runs;
use std::{
    collections::BTreeMap,
    future::Future,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, atomic::AtomicU64},
    time::Duration,
};
use tasks::Tasks;
use tokio::sync::{Notify, broadcast};
use turns::Turns;
use typed::Typed;
use views::Views;
use window::WindowRequests;
use workspaces::Workspaces;

/// How long running turns get to finish when the host ends.
const GRACE: Duration = Duration::from_secs(5);

/// A running host. Cheap to clone.
#[derive(Clone)]
pub struct Backend {
    shared: Arc<Shared>,
}

struct Shared {
    workspace: String,
    /// The configuration's file; `None` for the embedded default.
    configuration: Option<PathBuf>,
    actor: Actor,
    config: Arc<Config>,
    /// What is masked; `None` when redaction is off.
    secrets: Option<Redaction>,
    /// The folder that relative paths of the configuration lie below.
    base: PathBuf,
    /// The folder for exports; made when the first one is written.
    exports: PathBuf,
    fixtures: Shelf,
    clock: Arc<dyn Clock>,
    journal: Arc<dyn Journal>,
    /// The journal is that of files that were opened: nothing is added to it.
    replayed: bool,
    /// The files that are open beside this bot.
    workspaces: Workspaces,
    /// Requests to the window from outside.
    window: WindowRequests,
    /// Wakes the shell, which brings the window to the front.
    window_asked: Notify,
    engine: Engine,
    loopbacks: BTreeMap<ChannelId, Arc<Loopback>>,
    typed: Typed,
    /// What speaks, and where what was spoken is kept.
    speech: Speech,
    /// The agents, by backend, with what is planned for them.
    faulty: BTreeMap<&'static str, Arc<Faulty>>,
    /// The shells that are kept between commands of the agent, where that is on.
    shells: Option<Arc<Shells>>,
    /// The number of the fault that was planned last.
    last_fault: AtomicU64,
    /// What becomes of the configuration's hooks, in its order.
    hooks: HookStatuses,
    hooks_stop: HooksStop,
    /// Telling the hooks, which goes on while the turns end.
    hook_work: Tasks,
    log: LogBook,
    digest: Mutex<Digest>,
    turns: Turns,
    views: Views,
    runs: Runs,
    /// What cannot wait for a tick, to every subscriber of the app.
    urgent: broadcast::Sender<Urgent>,
    /// Why the journal takes nothing more, once the disk has refused for good.
    stopped: OnceLock<StoreError>,
    /// The demonstration; `None` where a channel is not simulated.
    demo: Option<DemoPlayer>,
    tasks: Tasks,
}

/// What is pushed at once.
#[derive(Debug, Clone)]
enum Urgent {
    Alarm(Alarm),
    Fixtures(FixtureProgress),
    Recut(Box<RecutProgress>),
}

impl Backend {
    /// The engine below, for shells that need more than the commands.
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    /// The journal.
    pub fn journal(&self) -> &Arc<dyn Journal> {
        &self.shared.journal
    }

    /// The simulated platform behind a channel, to look at it, to write to it, or to plan faults.
    pub fn loopback(&self, channel: &ChannelId) -> Option<&Arc<Loopback>> {
        self.shared.loopbacks.get(channel)
    }

    /// Hears what is pushed about a topic. A view has one subscriber: it is closed when the subscription ends.
    ///
    /// # Errors
    /// `not_found` when there is no such view.
    pub fn subscribe(&self, topic: &Topic) -> Result<Subscription, Failure> {
        match topic {
            Topic::View { view } => self.frames(*view),
            Topic::App => Ok(self.app()),
        }
    }

    /// Ends in order: running turns get a few seconds, what is held stays in the outbox, the journal is
    /// written and closed.
    ///
    /// # Errors
    /// When the last events cannot be written.
    pub async fn shutdown(&self) -> Result<(), StoreError> {
        self.close_all_workspaces().await;
        self.end().await
    }

    /// Ends this one bot in order.
    async fn end(&self) -> Result<(), StoreError> {
        self.shared.tasks.abort_all();
        self.shared.views.close_all();
        self.shared.engine.shutdown(GRACE).await?;
        // Behind the turns: that they ended is told, too.
        self.shared.hooks_stop.stop().await;
        self.shared.journal.close().await
    }

    /// A file that is open beside this bot; 0 is this bot itself.
    ///
    /// # Errors
    /// `no_workspace` where none has this number.
    pub fn workspace(&self, number: u32) -> Result<Self, Failure> {
        if number == 0 {
            return Ok(self.clone());
        }
        let found = self.shared.workspaces.get(number);
        found.ok_or_else(|| failure::no_workspace(number))
    }

    /// Refuses what only a live bot can do.
    fn check_live(&self) -> Result<(), Failure> {
        if self.shared.replayed {
            return Err(failure::replayed(&self.shared.workspace));
        }
        Ok(())
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.shared.tasks.spawn(work);
    }

    fn digest(&self) -> MutexGuard<'_, Digest> {
        lock(&self.shared.digest)
    }

    fn known(&self, channel: &ChannelId) -> Result<foldback_channels::Channel, Failure> {
        self.shared
            .engine
            .channels()
            .channel(channel)
            .ok_or_else(|| failure::no_channel(channel))
    }
}

/// Every change behind these locks leaves whole values, so that a panic elsewhere does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
