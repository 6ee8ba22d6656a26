//! The sender of a turn's operations to one chat: every operation is in the outbox before it enters its queue, and is
//! waited for as long as it may keep the turn waiting.

mod wait;

pub(crate) use wait::{DRAIN, SendProgress};

use super::{
    delivery_queue::{
        DeliveryQueues, Origin, PATIENCE, Pace, PendingOperation, QueuedOperation, ShownPlace, key_of,
    },
    operation::{Delay, OutgoingOperation, intent},
    text_parts::TextParts,
};
use crate::{
    crash::{self, CrashPoint},
    deadline::Deadline,
    leaks::LeakWatch,
    recorder::{Ids, Recorder},
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{Clock, Draft, Inbound, Kind, OpId, SessionId, Target, TurnId};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Sends a turn's operations to one chat.
#[derive(Clone)]
pub(crate) struct OperationSender {
    leaks: Arc<LeakWatch>,
    queues: Arc<DeliveryQueues>,
    ids: Arc<Ids>,
    recorder: Recorder,
    turn: TurnId,
    session: SessionId,
    channel: Channel,
    target: Target,
    /// The end of the time for which an operation in another chat than the turn's own is waited for; no text of the turn
    /// waits behind it. `None` in its own chat.
    patience: Option<Deadline>,
    /// Another channel than the turn's own.
    on_other_channel: bool,
    /// Nothing may reach a platform, in no chat.
    dry_run: bool,
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
            Deadline::from(since.unwrap_or_else(|| self.clock().steady()), PATIENCE)
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

    /// The turn whose operations it sends.
    pub(crate) const fn turn(&self) -> TurnId {
        self.turn
    }

    /// The channel that it sends to.
    pub(crate) const fn channel(&self) -> &Channel {
        &self.channel
    }

    /// The chat that it sends to.
    pub(crate) const fn target(&self) -> &Target {
        &self.target
    }

    /// True where nothing may reach a platform.
    pub(crate) const fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// Writes what concerns this turn, its session and this channel.
    pub(crate) const fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.recorder.clock.as_ref()
    }

    /// The pace of all channels, for a call that goes past the queues.
    pub(in crate::deliver) fn pace(&self) -> &Pace {
        &self.queues.pace
    }

    /// A number for an operation that goes past the outbox.
    pub(in crate::deliver) fn next_op(&self) -> OpId {
        self.ids.op()
    }

    /// The longest pause between two attempts of an operation.
    pub(in crate::deliver) fn longest_backoff(&self) -> Duration {
        self.queues.policy.backoff_max.0
    }

    /// The result of the work; `None` where deliveries stop first, as the process ends, and the work is given up.
    pub(in crate::deliver) async fn until_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.queues.stop.run_until_cancelled(work).await
    }

    /// True where it sends to another chat than the turn's own.
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
        self.intend(&ready, events).await?;
        Ok(ready.map(|queued| self.queues.enqueue_operation(queued)))
    }

    /// Queues the messages of one text like [`Self::queue_operations`]: what is behind one that does not arrive is held with
    /// it.
    pub(crate) async fn queue_text(
        &self,
        mut events: Vec<Draft>,
        messages: Vec<OutgoingOperation>,
    ) -> Result<Vec<PendingOperation>, StoreError> {
        let parts = Arc::new(TextParts::default());
        let of_text = |message| OutgoingOperation {
            parts: Some(Arc::clone(&parts)),
            ..message
        };
        let ready = messages.into_iter().map(of_text);
        let ready: Vec<_> = ready
            .map(|message| self.prepare_operation(message, &mut events))
            .collect();
        self.intend(&ready, events).await?;
        Ok(ready
            .into_iter()
            .map(|queued| self.queues.enqueue_operation(queued))
            .collect())
    }

    async fn intend(&self, ready: &[QueuedOperation], events: Vec<Draft>) -> Result<(), StoreError> {
        crash::point(CrashPoint::BeforeIntend);
        let entries = ready.iter().map(|queued| queued.entry.clone()).collect();
        let journal = &self.recorder.journal;
        // The whole text comes after a live edit: it is durable with its attempt.
        if ready.iter().all(|queued| queued.live) {
            journal.intend_ahead(entries, events)?;
        } else {
            journal.intend_all(entries, events).await?;
        }
        crash::point(CrashPoint::AfterIntend);
        Ok(())
    }

    /// An operation as its queue is to carry it; adds the events that tell of its intent.
    fn prepare_operation(&self, outgoing: OutgoingOperation, events: &mut Vec<Draft>) -> QueuedOperation {
        let op = self.ids.op();
        let parts = outgoing.parts.clone();
        // A live edit is no part of the text, but goes with it.
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
        events.push(self.recorder.draft(Kind::Intended {
            op,
            intent: Box::new(intent),
        }));
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

    /// True where an operation would go out now.
    pub(crate) fn is_open(&self) -> bool {
        self.channel.status().open_for(self.dry_run).is_ok()
            && !self.queues.is_held(self.channel.id(), &self.target)
            && !self.queues.stop.is_cancelled()
    }
}
