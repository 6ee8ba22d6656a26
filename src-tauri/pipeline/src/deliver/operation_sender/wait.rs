//! Waiting for an operation that is in its queue, as long as it may keep its turn waiting.

use super::OperationSender;
use crate::{
    deadline::Deadline,
    deliver::delivery_queue::{OperationCompletion, Origin, PendingOperation},
};
use foldback_store::StoreError;
use foldback_wire::{HoldReason, Kind, Outcome, OutcomeCode};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// The time for which a platform call under way may keep the process from ending.
pub(crate) const DRAIN: Duration = Duration::from_secs(30);

/// Progress of an operation that was waited for as long as it may keep its turn waiting.
pub(crate) enum SendProgress {
    /// It has ended.
    Ended(OperationCompletion),
    /// Its queue is held, or it takes too long in another chat; it ends later.
    Held(PendingOperation),
    /// It takes longer than the text behind it waits; it ends later, and nothing of the turn waits for it.
    Overtaken(PendingOperation),
}

impl OperationSender {
    /// Waits for the outcome of an operation, as [`Self::send_operation`] does.
    pub(crate) async fn wait_for(&self, mut pending: PendingOperation) -> Result<SendProgress, StoreError> {
        let PendingOperation {
            op,
            live,
            origin,
            instead,
            overtaken,
            held,
            ended,
        } = &mut pending;
        let (op, live, is_directive) = (*op, *live, overtaken.is_some());
        // Whatever is in its queue for another reason has its hold noted there.
        let notes_hold = !live && *origin == Origin::Wanted;
        tokio::select! {
            biased;
            () = self.queues.stop.cancelled(), if !live => Ok(SendProgress::Held(pending)),
            completion = self.end_of(ended, live, *instead) => completion.map(SendProgress::Ended),
            () = is_overtaken(overtaken.as_ref()) => Ok(SendProgress::Overtaken(pending)),
            reason = held_for(held, is_directive) => {
                // That its platform wants no calls is noted with the time, in its queue.
                if notes_hold && reason == HoldReason::ChannelOff {
                    self.recorder.note(Kind::Waiting { op: Some(op), reason, until: None })?;
                }
                Ok(SendProgress::Held(pending))
            }
            () = self.patience_over() => Ok(SendProgress::Held(pending)),
        }
    }

    /// Ends once what is sent to another chat is waited for no longer.
    async fn patience_over(&self) {
        match self.patience {
            Some(until) => until.passed(self.clock()).await,
            None => std::future::pending().await,
        }
    }

    /// The end of an operation; an error when the process ends first. A live edit that is at the platform then
    /// is still waited for: whoever shows it has to know whether it stands on the screen.
    async fn end_of(
        &self,
        ended: &mut oneshot::Receiver<OperationCompletion>,
        live: bool,
        instead: bool,
    ) -> Result<OperationCompletion, StoreError> {
        if !live {
            return ended.await.map_err(|_| StoreError::Closed);
        }
        let clock = self.clock();
        let given_up = async {
            self.queues.stop.cancelled().await;
            Deadline::after(clock, DRAIN).passed(clock).await;
        };
        let outcome = tokio::select! {
            biased;
            completion = ended => match completion {
                Ok(completion) => return Ok(completion),
                Err(_) => Outcome::new(OutcomeCode::Cancelled).because("the process ended before its turn came"),
            },
            () = given_up => {
                Outcome::new(OutcomeCode::Unknown).because("the process ended during the platform call")
            }
        };
        Ok(OperationCompletion {
            outcome,
            retry_after: None,
            instead,
            next: None,
        })
    }

    /// Waits for the outcome of what was held; an error when the process ends first.
    pub(crate) async fn completion(&self, held: PendingOperation) -> Result<OperationCompletion, StoreError> {
        let completion = self.queues.stop.run_until_cancelled(held.ended).await;
        completion.and_then(Result::ok).ok_or(StoreError::Closed)
    }
}

/// Ends once the text behind an operation has overtaken it.
async fn is_overtaken(overtaken: Option<&CancellationToken>) {
    match overtaken {
        Some(overtaken) => overtaken.cancelled().await,
        None => std::future::pending().await,
    }
}

/// Waits until a queue is held, and says for what. A directive in it that waits for its platform is overtaken instead.
async fn held_for(held: &mut watch::Receiver<Option<HoldReason>>, is_directive: bool) -> HoldReason {
    let counts = |held: &Option<HoldReason>| {
        held.is_some_and(|reason| !is_directive || reason != HoldReason::RateLimited)
    };
    let held = held.wait_for(counts).await;
    match held.ok().and_then(|held| *held) {
        Some(reason) => reason,
        // The queue has ended, and with it what it carried.
        None => std::future::pending().await,
    }
}
