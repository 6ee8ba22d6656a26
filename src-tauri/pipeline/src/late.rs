//! Later news of messages that platforms had acknowledged: that one did not arrive after all, or how far it has
//! come. The operations are found in the journal, which says of them what became known later.

use crate::{context::TurnContext, deadline::Deadline, recorder::Recorder, supervise::contained};
use foldback_channels::{Late, LateNews};
use foldback_store::{Mention, OutboxEntry, StoreError};
use foldback_wire::{
    ChannelId, Event, Kind, MessageId, OpId, OutcomeCode, Receipt, SessionId, Timestamp, TurnId,
};
use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The time that an operation whose message nobody knows may take to end: a platform can tell of it on one line before
/// its acknowledgement has come in on another.
const SEARCH_TIME: Duration = Duration::from_secs(2);
/// The time between two looks for it meanwhile.
const SEARCH_INTERVAL: Duration = Duration::from_millis(100);
/// Most news that are looked up at once; each look reads the outbox. More wait in their line.
const AT_ONCE: usize = 32;

/// News of a message, with its place among what is looked up at once.
type QueuedNews = (Late, Option<OwnedSemaphorePermit>);

/// News of each message that is not written down yet, in the order in which it was told: of two receipts that
/// were looked up at once the later one could be found first, and the earlier one would be none.
#[derive(Default)]
struct LateLines {
    /// A message is listed while something told of it is being written down.
    lines: Mutex<HashMap<(ChannelId, MessageId), VecDeque<QueuedNews>>>,
}

impl LateLines {
    fn lock(&self) -> MutexGuard<'_, HashMap<(ChannelId, MessageId), VecDeque<QueuedNews>>> {
        // Every change leaves the map whole, so that a panic elsewhere does not matter here.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next news of the message; without any its line ends.
    fn next(&self, about: &(ChannelId, MessageId)) -> Option<QueuedNews> {
        let mut lines = self.lock();
        let told = lines.get_mut(about)?.pop_front();
        if told.is_none() {
            lines.remove(about);
        }
        told
    }
}

/// An operation that the platform acknowledged.
struct Acknowledged {
    op: OpId,
    turn: Option<TurnId>,
    session: Option<SessionId>,
    /// The message that it sent; others that it made are not what it was about.
    message: Option<MessageId>,
    /// Everything it made.
    messages: Vec<MessageId>,
}

/// Writes down what platforms tell later.
pub(crate) struct LateRecorder {
    recorder: Recorder,
    tasks: TaskTracker,
    inbound_closed: CancellationToken,
    lines: LateLines,
    /// Held while what became known of an operation is looked up and written down.
    writing: tokio::sync::Mutex<()>,
}

impl LateRecorder {
    pub(crate) fn new(context: &TurnContext) -> Arc<Self> {
        Arc::new(Self {
            recorder: context.recorder.clone(),
            tasks: context.tasks.clone(),
            inbound_closed: context.shutdown.inbound_closed.clone(),
            lines: LateLines::default(),
            writing: tokio::sync::Mutex::default(),
        })
    }

    /// Writes down what became known later, until every channel is off: a platform may tell it once, and while the
    /// process ends.
    pub(crate) async fn record_news(self: Arc<Self>, mut late: mpsc::Receiver<Late>) {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await.ok()?;
                Some((late.recv().await?, place))
            };
            let Some(next) = self.inbound_closed.run_until_cancelled(next).await else {
                break;
            };
            let Some((late, place)) = next else { return };
            self.queue_news(late, Some(place));
        }
        // Nobody tells anything any more; this is already on its way.
        while let Ok(late) = late.try_recv() {
            self.queue_news(late, None);
        }
    }

    /// Writes it down once everything is written down that was told of the message before.
    fn queue_news(self: &Arc<Self>, late: Late, place: Option<OwnedSemaphorePermit>) {
        let about = (late.channel.clone(), late.message.clone());
        match self.lines.lock().entry(about.clone()) {
            Entry::Occupied(mut line) => return line.get_mut().push_back((late, place)),
            Entry::Vacant(line) => {
                line.insert(VecDeque::new());
            }
        }
        let this = Arc::clone(self);
        self.tasks.spawn(async move {
            let mut next = Some((late, place));
            while let Some((late, _place)) = next {
                let taken = contained(Arc::clone(&this).take_late(late)).await;
                if let Err(panicked) = taken {
                    let (channel, message) = &about;
                    let fate = format!("what was told of the message {message} is not written down");
                    this.recorder.on_channel(channel).tell_panic(&fate, &panicked);
                }
                next = this.lines.next(&about);
            }
        });
    }

    async fn take_late(self: Arc<Self>, mut late: Late) {
        let kept = late.kept.take();
        match self.record_late(&late).await {
            // Whoever does not wait any more tells it again.
            Ok(true) => drop(kept.map(|kept| kept.send(()))),
            Ok(false) => {}
            Err(error) => {
                let Late { message, news, .. } = late;
                tracing::error!(%message, ?news, %error, "it became known later, and the journal cannot be written");
            }
        }
    }

    /// False when the process ends first.
    async fn record_late(&self, late: &Late) -> Result<bool, StoreError> {
        let clock = self.recorder.clock.as_ref();
        let until = Deadline::after(clock, SEARCH_TIME);
        loop {
            // Asked first: an operation that ends in between is found. Another program may send from the same account;
            // its messages are not waited for while none of ours is at the platform.
            let open = self.recorder.journal.outbox().await?;
            if self.record_of_operation(late).await? {
                return Ok(true);
            }
            let is_there = |entry: &OutboxEntry| entry.in_flight && entry.channel == late.channel;
            if until.is_over(clock) || !open.iter().any(is_there) {
                self.pass_over(late).await?;
                return Ok(true);
            }
            let look = clock.sleep_until(clock.now().plus(SEARCH_INTERVAL));
            // No operation ends any more.
            if self.inbound_closed.run_until_cancelled(look).await.is_none() {
                return Ok(false);
            }
        }
    }

    /// The event about a message that no operation made: a loss is worth a warning, a receipt is not.
    async fn pass_over(&self, late: &Late) -> Result<(), StoreError> {
        let Late { channel, message, .. } = late;
        match &late.news {
            LateNews::Undelivered(refusal) => {
                let why = &refusal.detail;
                let recorder = self.recorder.on_channel(channel);
                recorder.warn(format!("{message} was acknowledged, but did not arrive: {why}"))?;
                recorder.journal.flush().await
            }
            LateNews::Receipt { receipt, .. } => {
                tracing::debug!(%channel, %message, %receipt, "a receipt of a message that no operation sent");
                Ok(())
            }
        }
    }

    /// Writes what is new of the operation that made the message; durable when it returns. False when none did.
    async fn record_of_operation(&self, late: &Late) -> Result<bool, StoreError> {
        // One at a time: a platform that tells it twice at once is to be believed once.
        let _alone = self.writing.lock().await;
        let journal = &self.recorder.journal;
        journal.flush().await?;
        let about = self.about(&late.channel, &late.message).await?;
        let Some(made) = acknowledged(&about) else {
            return Ok(false);
        };
        let message = late.message.clone();
        let kind = match &late.news {
            LateNews::Undelivered(refusal) => {
                (!self.is_known_lost(&late.channel, &made).await?).then(|| Kind::Undelivered {
                    op: made.op,
                    message,
                    refusal: refusal.code,
                    detail: refusal.detail.clone(),
                })
            }
            LateNews::Receipt { receipt, when } => {
                let is_further = made.message.as_ref() == Some(&message)
                    && furthest(&about, made.op).is_none_or(|known| known < *receipt);
                is_further.then_some(Kind::Receipt {
                    op: made.op,
                    message,
                    receipt: *receipt,
                    when: *when,
                })
            }
        };
        let Some(kind) = kind else { return Ok(true) };
        let recorder = match made.turn {
            Some(turn) => self.recorder.of_turn(turn, &late.channel),
            None => self.recorder.on_channel(&late.channel),
        };
        let recorder = match &made.session {
            Some(session) => recorder.in_session(session),
            None => recorder,
        };
        recorder.note(kind)?;
        journal.flush().await?;
        Ok(true)
    }

    /// True where the journal says already that something the operation made did not arrive.
    async fn is_known_lost(&self, channel: &ChannelId, made: &Acknowledged) -> Result<bool, StoreError> {
        for message in &made.messages {
            let events = self.about(channel, message).await?;
            let is_loss = |event: &Event| matches!(event.kind, Kind::Undelivered { op, .. } if op == made.op);
            if events.iter().any(is_loss) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The journal's account of a message that an operation made.
    async fn about(&self, channel: &ChannelId, message: &MessageId) -> Result<Vec<Event>, StoreError> {
        let made = Mention {
            channel: channel.clone(),
            chat: None,
            message: message.clone(),
        };
        self.recorder.journal.mentions(&made, Timestamp(i64::MIN)).await
    }
}

/// The last operation that made the message that these events are about.
fn acknowledged(about: &[Event]) -> Option<Acknowledged> {
    about.iter().rev().find_map(|event| match &event.kind {
        Kind::Ended { op, outcome } if matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::Unchanged) => {
            Some(Acknowledged {
                op: *op,
                turn: event.turn,
                session: event.session.clone(),
                message: outcome.message.clone(),
                messages: outcome.messages().cloned().collect(),
            })
        }
        _ => None,
    })
}

/// The known progress of the operation.
fn furthest(about: &[Event], of: OpId) -> Option<Receipt> {
    let told = about.iter().filter_map(|event| match event.kind {
        Kind::Receipt { op, receipt, .. } if op == of => Some(receipt),
        _ => None,
    });
    told.max()
}
