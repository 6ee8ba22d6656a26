//! The switchboard: the channels of a running bot. They are switched on and off, armed and muted while
//! messages flow, and every change is told with who and why.

mod calls;
mod channel;
mod dry;
mod faults;
mod line;
mod run;
mod state;

pub use calls::{Delivered, NotDelivered};
pub use channel::Channel;
pub use dry::is_dry;
pub use state::{Closed, Status};

use crate::{Arrival, ChannelAdapter, Late};
use dry::DryRun;
use foldback_wire::{Actor, ChannelId, Clock, Draft, Kind, Rng};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// What all channels share.
struct Shared {
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    witness: Box<dyn Fn(Draft) + Send + Sync>,
    inbound: mpsc::Sender<Arrival>,
    late: mpsc::Sender<Late>,
    dry_run: DryRun,
}

impl Shared {
    fn tell(&self, channel: Option<&ChannelId>, kind: Kind) {
        let at = self.clock.now();
        (self.witness)(Draft {
            at,
            turn: None,
            session: None,
            channel: channel.cloned(),
            kind,
        });
    }
}

/// The channels, and whether all outbound is muted.
#[derive(Default)]
struct Board {
    channels: BTreeMap<ChannelId, Channel>,
    muted: bool,
}

/// The channels of a running bot.
pub struct Switchboard {
    shared: Arc<Shared>,
    board: RwLock<Board>,
}

/// There is a channel of this name already.
#[derive(Debug, thiserror::Error)]
#[error("there is a channel {0} already")]
pub struct NameTaken(pub ChannelId);

impl Switchboard {
    /// A switchboard without channels. What comes in on any of them goes to `inbound`; while that is full
    /// the channels wait. What became known of what was acknowledged goes to `late`; what finds that full stays with
    /// its platform.
    ///
    /// `witness` is told of every change, in order, while the change is made, so that it must return at once
    /// and not call back. Appending to the journal is what it is for.
    pub fn new(
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        inbound: mpsc::Sender<Arrival>,
        late: mpsc::Sender<Late>,
        witness: impl Fn(Draft) + Send + Sync + 'static,
    ) -> Self {
        let witness = Box::new(witness);
        let shared = Shared {
            clock,
            rng,
            witness,
            inbound,
            late,
            dry_run: DryRun::default(),
        };
        Self {
            shared: Arc::new(shared),
            board: RwLock::default(),
        }
    }

    /// Takes a channel in. It is off; a channel that is not armed makes dry runs.
    pub fn add(
        &self,
        id: ChannelId,
        adapter: Arc<dyn ChannelAdapter>,
        armed: bool,
    ) -> Result<Channel, NameTaken> {
        let mut board = self.write();
        if board.channels.contains_key(&id) {
            return Err(NameTaken(id));
        }
        let channel = Channel::new(id.clone(), adapter, armed, board.muted, Arc::clone(&self.shared));
        board.channels.insert(id, channel.clone());
        Ok(channel)
    }

    /// The channel of this name.
    pub fn channel(&self, id: &ChannelId) -> Option<Channel> {
        self.read().channels.get(id).cloned()
    }

    /// Every channel, by name.
    pub fn channels(&self) -> Vec<Channel> {
        self.read().channels.values().cloned().collect()
    }

    /// Mutes or unmutes all outbound. What a platform was handed already finishes; what comes later is
    /// refused as `Closed::Muted`. Messages still come in. False when it was so already.
    pub fn mute(&self, muted: bool, by: Actor) -> bool {
        let mut board = self.write();
        if board.muted == muted {
            return false;
        }
        board.muted = muted;
        for channel in board.channels.values() {
            channel.mute(muted);
        }
        self.shared.tell(None, Kind::Muted { muted, by });
        true
    }

    /// Switches every channel off and waits until all are disconnected.
    pub async fn switch_all_off(&self, by: &Actor, why: &str) {
        let mut offs = JoinSet::new();
        for channel in self.channels() {
            let (by, why) = (by.clone(), why.to_owned());
            offs.spawn(async move { channel.switch_off(by, why).await });
        }
        offs.join_all().await;
    }

    /// Lets in what the adapters of channels that are off had handed over: nobody will switch those on again.
    pub async fn let_in_rest(&self) {
        for channel in self.channels() {
            channel.let_in_rest().await;
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Board> {
        // Every write leaves the board whole, so that a panic elsewhere does not matter here.
        self.board.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Board> {
        self.board.write().unwrap_or_else(PoisonError::into_inner)
    }
}
