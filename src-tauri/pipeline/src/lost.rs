//! Messages that were acknowledged and did not arrive after all: their operations are found in the journal, which
//! says of them what became known later.

use crate::engine::Core;
use foldback_channels::Lost;
use foldback_store::{Mention, StoreError};
use foldback_wire::{ChannelId, Event, Kind, MessageId, OpId, OutcomeCode, SessionId, Timestamp, TurnId};
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc;

/// How long an operation whose message nobody knows may take to end: a platform can tell of a loss on one line
/// before its acknowledgement has come in on another.
const AGAIN: Duration = Duration::from_secs(2);

/// An operation that the platform acknowledged.
struct Acknowledged {
    op: OpId,
    turn: Option<TurnId>,
    session: Option<SessionId>,
    /// What it made.
    messages: Vec<MessageId>,
}

impl Core {
    /// Writes down what did not arrive. What is told while the process ends stays with its platform.
    pub(crate) async fn hear_of_lost(self: Arc<Self>, mut lost: mpsc::Receiver<Lost>) {
        while let Some(Some(lost)) = self.stopping.run_until_cancelled(lost.recv()).await {
            self.tasks.spawn(Arc::clone(&self).write_off(lost));
        }
    }

    async fn write_off(self: Arc<Self>, mut lost: Lost) {
        let kept = lost.kept.take();
        match self.record_lost(&lost).await {
            // Whoever does not wait any more tells it again.
            Ok(true) => drop(kept.map(|kept| kept.send(()))),
            Ok(false) => {}
            Err(error) => {
                tracing::error!(message = %lost.message, %error, "it did not arrive, and the journal cannot be written");
            }
        }
    }

    /// False when the process ends first.
    async fn record_lost(&self, lost: &Lost) -> Result<bool, StoreError> {
        if self.record_failure(lost).await? {
            return Ok(true);
        }
        let clock = &self.recorder.clock;
        let again = clock.sleep_until(clock.now().plus(AGAIN));
        if self.stopping.run_until_cancelled(again).await.is_none() {
            return Ok(false);
        }
        if !self.record_failure(lost).await? {
            let Lost { message, refusal, .. } = lost;
            let recorder = self.recorder.on_channel(&lost.channel);
            recorder.warn(format!(
                "{message} was acknowledged, but did not arrive: {}",
                refusal.detail
            ))?;
            recorder.journal.flush().await?;
        }
        Ok(true)
    }

    /// Makes a failure of the operation that made the message, once; durable when it returns. False when none did.
    async fn record_failure(&self, lost: &Lost) -> Result<bool, StoreError> {
        // One at a time: a platform that tells it twice at once is to be believed once.
        let _alone = self.losing.lock().await;
        let journal = &self.recorder.journal;
        journal.flush().await?;
        let Some(made) = self.acknowledged(lost).await? else {
            return Ok(false);
        };
        if self.is_known_lost(&lost.channel, &made).await? {
            return Ok(true);
        }
        let recorder = match made.turn {
            Some(turn) => self.recorder.of_turn(turn, &lost.channel),
            None => self.recorder.on_channel(&lost.channel),
        };
        let recorder = match &made.session {
            Some(session) => recorder.in_session(session),
            None => recorder,
        };
        recorder.note(Kind::Undelivered {
            op: made.op,
            message: lost.message.clone(),
            refusal: lost.refusal.code,
            detail: lost.refusal.detail.clone(),
        })?;
        journal.flush().await?;
        Ok(true)
    }

    /// The last operation that made this message.
    async fn acknowledged(&self, lost: &Lost) -> Result<Option<Acknowledged>, StoreError> {
        let events = self.about(&lost.channel, &lost.message).await?;
        Ok(events.into_iter().rev().find_map(|event| match event.kind {
            Kind::Ended { op, outcome }
                if matches!(outcome.code, OutcomeCode::Sent | OutcomeCode::Unchanged) =>
            {
                Some(Acknowledged {
                    op,
                    turn: event.turn,
                    session: event.session,
                    messages: outcome.messages().cloned().collect(),
                })
            }
            _ => None,
        }))
    }

    /// Whether the journal says already that something the operation made did not arrive.
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

    /// What the journal says of a message that an operation made.
    async fn about(&self, channel: &ChannelId, message: &MessageId) -> Result<Vec<Event>, StoreError> {
        let made = Mention {
            channel: channel.clone(),
            chat: None,
            message: message.clone(),
        };
        self.recorder.journal.mentions(&made, Timestamp(i64::MIN)).await
    }
}
