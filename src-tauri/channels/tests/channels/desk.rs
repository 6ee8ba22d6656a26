//! A switchboard with one channel.

use crate::stage::{TestClock, call};
use foldback_channels::{
    Arrival, Channel, ChannelAdapter, Delivered, Late, Loopback, NotDelivered, Switchboard, profile,
};
use foldback_wire::{Actor, ChannelState, Draft, Kind, Operation, Platform, Rng};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// No chance at all: every wait is the shortest one.
pub(crate) struct NoChance;

impl Rng for NoChance {
    fn next(&self) -> u64 {
        0
    }
}

/// A switchboard with one channel, and everything that was told.
pub(crate) struct Desk {
    pub(crate) clock: TestClock,
    pub(crate) board: Switchboard,
    pub(crate) channel: Channel,
    pub(crate) inbound: mpsc::Receiver<Arrival>,
    pub(crate) late: mpsc::Receiver<Late>,
    pub(crate) told: Arc<Mutex<Vec<Draft>>>,
}

impl Desk {
    pub(crate) fn with(adapter: Arc<dyn ChannelAdapter>, clock: TestClock, armed: bool) -> Self {
        let (sink, inbound) = mpsc::channel(1);
        let (telling, late) = mpsc::channel(1);
        let told = Arc::new(Mutex::new(Vec::new()));
        let board = Switchboard::new(Arc::new(clock.clone()), Arc::new(NoChance), sink, telling, {
            let told = Arc::clone(&told);
            move |draft| told.lock().unwrap().push(draft)
        });
        let channel = board.add("telegram".into(), adapter, armed).unwrap();
        Self {
            clock,
            board,
            channel,
            inbound,
            late,
            told,
        }
    }

    pub(crate) fn loopback(platform: Platform, armed: bool) -> (Self, Arc<Loopback>) {
        let clock = TestClock::new();
        let loopback = Arc::new(Loopback::new(profile(platform), Arc::new(clock.clone()), None));
        (Self::with(loopback.clone(), clock, armed), loopback)
    }

    pub(crate) async fn on(&self) {
        assert!(self.channel.switch_on(Actor::Console, "asked to").await);
        self.reach(ChannelState::Up).await;
    }

    pub(crate) async fn off(&self) {
        assert!(self.channel.switch_off(Actor::Console, "asked to").await);
    }

    pub(crate) async fn reach(&self, state: ChannelState) {
        self.channel.watch().wait_for(|s| s.state == state).await.unwrap();
    }

    pub(crate) async fn perform(&self, operation: Operation) -> Result<Delivered, NotDelivered> {
        self.channel.perform(call("key", operation), None).await
    }

    /// The states it went through, with who caused them.
    pub(crate) fn states(&self) -> Vec<(ChannelState, Actor)> {
        let told = self.told.lock().unwrap();
        let mut at = ChannelState::Off;
        let changes = told.iter().filter_map(|draft| match &draft.kind {
            Kind::ChannelState { from, to, by, why } => {
                assert_eq!(
                    (*from, why.is_empty()),
                    (at, false),
                    "each change begins where the last one ended"
                );
                at = *to;
                Some((*to, by.clone()))
            }
            _ => None,
        });
        changes.collect()
    }
}
