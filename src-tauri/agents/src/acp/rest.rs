//! A process between two runs: what it still says reaches nobody, and when nobody comes back it is stopped.

use super::{
    failure::Failure,
    message::Message,
    peer::{Peer, QUIET, tells},
};
use crate::emitter::{Emitter, Interrupt};
use agent_client_protocol::v1::schema::RequestId;
use foldback_wire::{SteadyTime, Timestamp};
use tokio::sync::{mpsc, oneshot};

/// Who wants a process back, to be handed to them.
type Asker = oneshot::Sender<Peer>;

/// A process at rest. Dropped, it stops.
pub(super) struct Resting {
    since: Timestamp,
    askers: mpsc::UnboundedSender<Asker>,
}

impl Resting {
    /// Lets a process rest. `owed` are the prompts of a cancelled run that it has not ended yet.
    pub(super) fn begin(peer: Peer, owed: Vec<RequestId>) -> Self {
        let since = peer.clock.now();
        // As many ask as runs are cancelled while it still ends one.
        let (askers, asked) = mpsc::unbounded_channel();
        tokio::spawn(rest(peer, owed, asked));
        Self { since, askers }
    }

    /// Since when.
    pub(super) fn since(&self) -> Timestamp {
        self.since
    }

    /// Wants the process back for a run; `None` when it has ended. A run that is interrupted meanwhile leaves it at rest.
    pub(super) async fn ready(&mut self, out: &Emitter) -> Result<Option<Peer>, Interrupt> {
        let (asker, mut peer) = oneshot::channel();
        // It has ended: then the other end of this goes, too.
        let _ = self.askers.send(asker);
        match out.until(&mut peer).await {
            Ok(peer) => Ok(peer.ok()),
            Err(interrupt) => {
                peer.close();
                // It may have been handed over in this very moment.
                if let Ok(peer) = peer.try_recv() {
                    *self = Self::begin(peer, Vec::new());
                }
                Err(interrupt)
            }
        }
    }
}

async fn rest(mut peer: Peer, owed: Vec<RequestId>, mut asked: mpsc::UnboundedReceiver<Asker>) {
    if !owed.is_empty() && !settled_in_time(&mut peer, owed).await {
        return peer.stop().await;
    }
    let mut tired = peer
        .clock
        .sleep_until(peer.clock.now().plus(peer.config.limits.idle));
    // When the last piece of a conversation came that belongs to no run.
    let mut told = None;
    loop {
        let asker = tokio::select! {
            biased;
            asker = asked.recv() => asker,
            () = &mut tired => None,
            _ended = drain(&mut peer, &mut told) => None,
        };
        let Some(asker) = asker else { break };
        // Words from before the prompt are no part of its answer, nor are words that follow those closely.
        let talks = told.is_some_and(|told: SteadyTime| peer.clock.steady() < told.plus(QUIET));
        if (talks || peer.has_unread()) && !settled_in_time(&mut peer, Vec::new()).await {
            peer.stop().await;
            // Two processes at work on one session would spoil it: only now another one may start.
            drop(asker);
            return;
        }
        match asker.send(peer) {
            Ok(()) => return,
            // Cancelled before it came so far: somebody has to hear what the process still says.
            Err(back) => peer = back,
        }
    }
    peer.stop().await;
}

/// True once nothing more comes of the runs before; false where the process has not come to that within the time that a
/// cancelled run has to end.
async fn settled_in_time(peer: &mut Peer, owed: Vec<RequestId>) -> bool {
    let late = peer
        .clock
        .sleep_until(peer.clock.now().plus(peer.config.limits.cancel));
    tokio::select! {
        // Time first: an agent that talks without an end is always ready.
        biased;
        () = late => false,
        settled = settle(peer, owed) => settled.is_ok(),
    }
}

/// Waits until a cancelled run has ended, where prompts of it are owed, and nothing more comes of the runs before.
async fn settle(peer: &mut Peer, mut owed: Vec<RequestId>) -> Result<(), Failure> {
    while !owed.is_empty() {
        match peer.next().await? {
            Message::Response { id, .. } if owed.contains(&id) => owed.retain(|other| *other != id),
            other => peer.outside(other).await?,
        }
    }
    peer.quiet(QUIET, QUIET).await
}

/// Hears what belongs to no run, until the process ends; `told` is when the last piece of a conversation was among it.
async fn drain(peer: &mut Peer, told: &mut Option<SteadyTime>) -> Failure {
    loop {
        let heard = match peer.next().await {
            Ok(message) => {
                if tells(&message) {
                    *told = Some(peer.clock.steady());
                }
                peer.outside(message).await
            }
            Err(failure) => return failure,
        };
        if let Err(failure) = heard {
            return failure;
        }
    }
}
