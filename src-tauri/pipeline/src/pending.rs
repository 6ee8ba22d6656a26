//! A message that passed the gates and waits for its turn.

use crate::{recorder::Recorder, stages::dedupe::Claim};
use foldback_store::{SessionSettings, StoreError};
use foldback_wire::{Inbound, Kind, MessageId, SessionId, Terminal, Timestamp, TurnId};
use tokio::sync::oneshot;

/// A message that passed the gates and waits for its turn.
pub(crate) struct Pending {
    pub(crate) id: TurnId,
    pub(crate) message: Inbound,
    pub(crate) session: SessionId,
    pub(crate) claim: Claim,
    pub(crate) recorder: Recorder,
    pub(crate) ended: oneshot::Sender<Terminal>,
    /// The time at which its wait began: for one that waited over a stop too long, when it was received.
    pub(crate) since: Timestamp,
    /// The message of the bot that its answer is written into.
    pub(crate) into: Option<MessageId>,
    /// Most messages that wait in its conversation, where the message or its session sets that.
    pub(crate) queue_cap: Option<usize>,
    /// The settings that its directives set for this turn alone.
    pub(crate) overrides: SessionSettings,
}

impl Pending {
    pub(crate) const fn id(&self) -> TurnId {
        self.id
    }

    /// Notes that its turn has come, and how long it waited.
    pub(crate) fn tell_wait_is_over(&self) -> Result<(), StoreError> {
        let waited_ms = u64::try_from(self.recorder.now().since(self.since).as_millis());
        self.recorder.note(Kind::Dequeued {
            waited_ms: waited_ms.unwrap_or(u64::MAX),
        })
    }
}
