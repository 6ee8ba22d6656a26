//! One channel of a running bot: its handle, and how it is switched.

use super::Shared;
use super::faults::Faults;
use super::line::Line;
use super::run::Run;
use super::state::Status;
use crate::{ChannelAdapter, Rates};
use foldback_wire::{Actor, Capabilities, ChannelId, ChannelState, Kind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio_util::task::TaskTracker;

/// How long an operation that a platform was handed may keep its channel from disconnecting. It can still
/// finish afterwards: what it needs it holds itself.
const DRAIN: Duration = Duration::from_secs(30);

/// A handle on one channel. Cheap to clone.
#[derive(Clone)]
pub struct Channel {
    pub(super) line: Arc<Line>,
}

impl Channel {
    pub(super) fn new(
        id: ChannelId,
        adapter: Arc<dyn ChannelAdapter>,
        armed: bool,
        muted: bool,
        shared: Arc<Shared>,
    ) -> Self {
        let busy = TaskTracker::new();
        busy.close(); // only then can it be waited for
        let status = watch::Sender::new(Status {
            state: ChannelState::Off,
            since: shared.clock.now(),
            why: "not switched on yet".into(),
            until: None,
            limited_until: None,
            armed,
            muted,
            failures: 0,
            trouble: None,
        });
        let connection = Mutex::default();
        Self {
            line: Arc::new(Line {
                id,
                adapter,
                shared,
                status,
                busy,
                connection,
                faults: Faults::default(),
            }),
        }
    }

    /// Its name.
    pub fn id(&self) -> &ChannelId {
        &self.line.id
    }

    /// What it can do.
    pub fn capabilities(&self) -> &Capabilities {
        self.line.adapter.capabilities()
    }

    /// The rates that its calls are to keep.
    pub fn rates(&self) -> Rates {
        self.line.adapter.rates()
    }

    /// As it is now.
    pub fn status(&self) -> Status {
        self.line.status.borrow().clone()
    }

    /// Follows its status: the latest one, not each one. Each one is told to the witness.
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.line.status.subscribe()
    }

    /// Operations that the platform was handed and has not answered.
    pub fn in_flight(&self) -> usize {
        self.line.busy.len()
    }

    /// Switches it on; waits for a switch-off that is under way. False when it was on.
    pub async fn switch_on(&self, by: Actor, why: impl Into<String> + Send) -> bool {
        let line = &self.line;
        let mut connection = line.connection.lock().await;
        if line.state() != ChannelState::Off {
            return false;
        }
        connection.hang_up().await;
        line.faults.mend();
        line.enter(ChannelState::Connecting, &by, &why.into());
        let left = std::mem::take(&mut connection.left);
        connection.run = Some(Run::start(Arc::clone(line), left));
        true
    }

    /// Switches it off: nothing comes in any more and later operations are refused at once; then waits until
    /// the operations under way have finished (30 s at most) and disconnects. False when it was off.
    pub async fn switch_off(&self, by: Actor, why: impl Into<String> + Send) -> bool {
        let line = &self.line;
        let mut connection = line.connection.lock().await;
        if let Some(run) = &connection.run {
            run.hush();
        }
        let changed = line.enter(ChannelState::Off, &by, &why.into());
        let clock = &line.shared.clock;
        tokio::select! {
            biased;
            () = line.busy.wait() => {}
            () = clock.sleep_until(clock.now().plus(DRAIN)) => {}
        }
        connection.hang_up().await;
        changed
    }

    /// Stays off, as it was left before this start, and says so. False when it is on.
    pub fn stay_off(&self, by: Actor, why: impl Into<String>) -> bool {
        let why = why.into();
        self.line.status.send_if_modified(|status| {
            if status.state != ChannelState::Off {
                return false;
            }
            status.since = self.line.shared.clock.now();
            status.why.clone_from(&why);
            let (from, to) = (ChannelState::Off, ChannelState::Off);
            self.line
                .shared
                .tell(Some(&self.line.id), Kind::ChannelState { from, to, by, why });
            true
        })
    }

    pub(super) async fn let_in_rest(&self) {
        let mut connection = self.line.connection.lock().await;
        while !connection.left.is_empty() {
            // Without a bot nobody could take it.
            let Ok(place) = self.line.shared.inbound.reserve().await else {
                return;
            };
            if let Some(arrival) = connection.left.pop_front() {
                self.line.let_in(place, arrival);
            }
        }
    }

    /// Arms it, or sends it back to dry runs. Operations under way finish as they began. False when it was
    /// so already.
    pub fn arm(&self, armed: bool, by: Actor) -> bool {
        self.line.status.send_if_modified(|status| {
            if status.armed == armed {
                return false;
            }
            status.armed = armed;
            self.line
                .shared
                .tell(Some(&self.line.id), Kind::Armed { armed, by });
            true
        })
    }

    pub(super) fn mute(&self, muted: bool) {
        self.line.status.send_modify(|status| status.muted = muted);
    }
}
