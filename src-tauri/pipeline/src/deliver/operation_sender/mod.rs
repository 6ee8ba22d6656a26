//! The sender of a turn's operations to one chat: every operation is in the outbox before it enters its queue, and is
//! waited for as long as it may keep the turn waiting.

mod wait;

pub(crate) use wait::{DRAIN, SendProgress};

use super::{
    delivery_queue::{
        DeliveryQueues, Origin, PATIENCE, PendingOperation, QueuedOperation, ShownPlace, key_of,
    },
    operation::{Delay, OutgoingOperation, intent},
};
use crate::{
    crash::{self, CrashPoint},
    leaks::LeakWatch,
    recorder::{Ids, Recorder},
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{Draft, Inbound, Kind, SessionId, SteadyTime, Target, TurnId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Sends a turn's operations to one chat.
#[derive(Clone)]
pub(crate) struct OperationSender {
    pub(crate) leaks: Arc<LeakWatch>,
    pub(crate) queues: Arc<DeliveryQueues>,
    pub(crate) ids: Arc<Ids>,
    pub(crate) recorder: Recorder,
    pub(crate) turn: TurnId,
    pub(crate) session: SessionId,
    pub(crate) channel: Channel,
    pub(crate) target: Target,
    /// Until when what is sent to another chat than the turn's own is waited for; no text of the turn waits
    /// behind it. `None` in its own chat.
    pub(crate) patience: Option<SteadyTime>,
    /// Another channel than the turn's own.
    pub(crate) on_other_channel: bool,
    /// Nothing may reach a platform, in no chat.
    pub(crate) dry_run: bool,
}

impl OperationSender {
    /// Sends to the chat of the message that began a turn.
    pub(crate) fn of_turn(
        (queues, ids): (&Arc<DeliveryQueues>, &Arc<Ids>),
        (turn, session): (TurnId, &SessionId),
        recorder: &Recorder,
        channel: &Channel,
        message: &Inbound,
        leaks: &Arc<LeakWatch>,
    ) -> Self {
        Self {
            leaks: Arc::clone(leaks),
            queues: Arc::clone(queues),
            ids: Arc::clone(ids),
            recorder: recorder.clone(),
            turn,
            session: session.clone(),
            channel: channel.clone(),
            target: Target {
                chat: message.chat.clone(),
                thread: message.thread.clone(),
            },
            patience: None,
            on_other_channel: false,
            dry_run: message.dry_run,
        }
    }

    /// Sends to a chat that a directive names. What happens there is told of its channel. All that is sent
    /// for the directive is waited for as long as it may keep the text waiting; the time that another operation has
    /// been the first in that chat's queue counts, so that one in trouble is waited for once.
    pub(crate) fn to(&self, channel: Channel, target: Target) -> Self {
        let on_other_channel = *channel.id() != *self.channel.id();
        let patience = (on_other_channel || target != self.target).then(|| {
            let since = self.queues.busy_since(channel.id(), &target);
            since
                .unwrap_or_else(|| self.recorder.clock.steady())
                .plus(PATIENCE)
        });
        Self {
            patience,
            on_other_channel,
            recorder: self.recorder.on_channel(channel.id()),
            channel,
            target,
            ..self.clone()
        }
    }

    /// Whether it sends to another chat than the turn's own.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.patience.is_some()
    }

    /// Commits the intent, then waits for the outcome, unless the queue is held. What goes to another chat is
    /// waited for as long as patience lasts; when the process ends nothing is, and what is still said goes into
    /// the outbox for the next start.
    pub(crate) async fn send_operation(
        &self,
        outgoing: OutgoingOperation,
    ) -> Result<SendProgress, StoreError> {
        self.send_operation_after(Vec::new(), outgoing).await
    }

    /// Sends an operation like [`Self::send_operation`], with events that become durable together with the intent.
    pub(crate) async fn send_operation_after(
        &self,
        events: Vec<Draft>,
        outgoing: OutgoingOperation,
    ) -> Result<SendProgress, StoreError> {
        let [pending] = self.queue_operations(events, [outgoing]).await?;
        self.wait_for(pending).await
    }

    /// Commits the intents of operations together with these events, all or nothing, and puts the operations into their
    /// queue, in order.
    pub(super) async fn queue_operations<const N: usize>(
        &self,
        mut events: Vec<Draft>,
        outgoing: [OutgoingOperation; N],
    ) -> Result<[PendingOperation; N], StoreError> {
        let ready = outgoing.map(|outgoing| self.prepare_operation(outgoing, &mut events));
        crash::point(CrashPoint::BeforeIntend);
        let entries = ready.iter().map(|queued| queued.entry.clone()).collect();
        self.recorder.journal.intend_all(entries, events).await?;
        crash::point(CrashPoint::AfterIntend);
        Ok(ready.map(|queued| self.queues.enqueue_operation(queued)))
    }

    /// An operation as its queue is to carry it; adds the events that tell of its intent.
    fn prepare_operation(&self, outgoing: OutgoingOperation, events: &mut Vec<Draft>) -> QueuedOperation {
        let op = self.ids.op();
        let parts = outgoing.parts.clone();
        // A live frame is no part of the text, but goes with it.
        let part_of = parts
            .as_ref()
            .filter(|_| !outgoing.live)
            .and_then(|parts| parts.add(op));
        let entry = OutboxEntry {
            op,
            turn: self.turn,
            session: self.session.clone(),
            channel: self.channel.id().clone(),
            target: self.target.clone(),
            key: key_of(op, &self.recorder),
            at: self.recorder.now(),
            in_flight: false,
            dry_run: self.dry_run,
            live: outgoing.live || outgoing.question.is_some(),
            not_before: outgoing
                .delay
                .map(|delay| self.recorder.clock.time_of(delay.until)),
            part_of,
            since: None,
            operation: outgoing.operation.clone(),
            then: outgoing.then.clone(),
        };
        let OutgoingOperation { live, delay, .. } = outgoing;
        let question = outgoing.question.clone();
        let shows = outgoing.shows.map(|place| ShownPlace {
            place,
            watch: Arc::clone(&self.leaks),
        });
        let is_directive = outgoing.directive.is_some() && !self.is_elsewhere();
        let overtaken = is_directive.then(CancellationToken::new);
        let mut intent = intent(&self.target, outgoing);
        intent.part_of = part_of;
        intent.channel = self.on_other_channel.then(|| self.channel.id().clone());
        events.push(self.recorder.draft(Kind::Intended { op, intent }));
        events.extend(delay.map(|Delay { until, reason }| {
            self.recorder.draft(Kind::Waiting {
                op: Some(op),
                reason,
                until: Some(self.recorder.clock.time_of(until)),
            })
        }));
        QueuedOperation {
            not_before: delay.map(|delay| delay.until),
            live,
            question,
            overtaken,
            shows,
            parts,
            ..QueuedOperation::new(entry, self.channel.clone(), self.recorder.clone(), Origin::Wanted)
        }
    }

    /// Whether an operation would go out now.
    pub(crate) fn is_open(&self) -> bool {
        self.channel.status().open_for(self.dry_run).is_ok()
            && !self.queues.is_held(self.channel.id(), &self.target)
            && !self.queues.stop.is_cancelled()
    }
}
