//! A message that passed the gates and waits for its turn.

use crate::{
    config::Config, queue_settings::QueueSettings, recorder::Recorder, route::Route,
    session_settings::TurnOverrides, stages::dedupe::Claim, turn_cause::TurnCause,
};
use foldback_directives::inbound::Queue;
use foldback_store::StoreError;
use foldback_wire::{Inbound, JoinKind, Kind, MessageId, SessionId, SteadyTime, Terminal, Timestamp, TurnId};
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
    /// The moment at which it passed the gates.
    pub(crate) came: SteadyTime,
    /// The message of the bot that its answer is written into.
    pub(crate) into: Option<MessageId>,
    /// The turn whose agent was given it, where it waits for a run of its own, too.
    pub(crate) steered: Option<TurnId>,
    /// Messages of its sender that came right before it and are answered with it.
    pub(crate) parts: Vec<JoinedMessage>,
    /// It was written as a command, and waits for nothing more of its sender.
    pub(crate) is_command: bool,
    /// An earlier process received it.
    pub(crate) resumed: bool,
    /// The cause of its turn.
    pub(crate) cause: TurnCause,
    /// The settings of the queue that count for it.
    pub(crate) queue: QueueSettings,
    /// The place that its answer goes to.
    pub(crate) route: Route,
    /// The settings that its directives set for this turn alone.
    pub(crate) overrides: TurnOverrides,
    /// The same without those of the queue.
    pub(crate) own_settings: TurnOverrides,
}

/// A message that came into the run of another turn, and ends with that one.
pub(crate) struct JoinedMessage {
    pub(crate) pending: Pending,
    pub(crate) how: JoinKind,
}

impl Pending {
    pub(crate) const fn id(&self) -> TurnId {
        self.id
    }

    /// Has these settings of its session count for it and for those that came right before it, where they have none of
    /// their own.
    pub(crate) fn change_session_queue(&mut self, config: &Config, stored: &Queue) {
        let own = &self.overrides.set.queue;
        let left = self.overrides.uncleared_queue(stored);
        self.queue = QueueSettings::resolve(config, &self.message.channel, &left, own);
        for part in &mut self.parts {
            part.pending.change_session_queue(config, stored);
        }
    }

    /// The messages that came right before it and it, in order, which join another turn in this way.
    pub(crate) fn into_messages(mut self, how: JoinKind) -> Vec<JoinedMessage> {
        let parts = std::mem::take(&mut self.parts).into_iter();
        let mut all: Vec<_> = parts
            .map(|part| JoinedMessage {
                pending: part.pending,
                how,
            })
            .collect();
        all.push(JoinedMessage { pending: self, how });
        all
    }

    /// The claim of each of these messages.
    pub(crate) fn claims(&self) -> impl Iterator<Item = &Claim> {
        let parts = self.parts.iter().map(|part| &part.pending.claim);
        parts.chain([&self.claim])
    }

    /// The recorder of each of these messages.
    pub(crate) fn recorders(&self) -> impl Iterator<Item = &Recorder> {
        let parts = self.parts.iter().map(|part| &part.pending.recorder);
        parts.chain([&self.recorder])
    }

    /// Notes that its turn has come, and how long it waited.
    pub(crate) fn tell_wait_is_over(&self) -> Result<(), StoreError> {
        let waited_ms = u64::try_from(self.recorder.now().since(self.since).as_millis());
        self.recorder.note(Kind::Dequeued {
            waited_ms: waited_ms.unwrap_or(u64::MAX),
        })
    }

    /// The event of the turn that this message comes into.
    pub(crate) fn taken_in(&self, how: JoinKind) -> Kind {
        Kind::TakenIn {
            turn: self.id,
            how,
            message: self.message.message.clone(),
            sender: self.message.sender.readable_name().to_owned(),
            text: self.message.text.clone(),
        }
    }
}
