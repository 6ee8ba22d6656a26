//! Showing that an answer is being written: at once, again every few seconds, until the turn is over or the
//! agent has given no sign of life for too long.

use super::{
    operation::{OutgoingOperation, faulted, intent},
    operation_sender::OperationSender,
};
use crate::{
    config::TypingConfig,
    recorder::Recorder,
    rules::{Rule, Rules},
};
use foldback_channels::{Call, NotDelivered};
use foldback_store::StoreError;
use foldback_wire::{Kind, OpId, OpKind, Operation, Outcome, OutcomeCode, SteadyTime};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// The typing of one turn. Sealed when dropped: nothing that comes late starts it again.
pub(crate) struct Typing {
    touched: watch::Sender<SteadyTime>,
    sender: OperationSender,
    stopped: CancellationToken,
    task: Option<AbortOnDropHandle<()>>,
}

impl Typing {
    /// Starts showing, where the channel can and the configuration wants it.
    pub(crate) fn start(sender: &OperationSender, can: bool, config: TypingConfig, rules: Rules) -> Self {
        let touched = watch::Sender::new(sender.recorder.clock.steady());
        let stopped = CancellationToken::new();
        let task = (can && config.enabled && rules.holds(Rule::TypingRefresh)).then(|| {
            let typing = TypingLoop {
                sender: sender.clone(),
                config,
                rules,
                touched: touched.subscribe(),
            };
            let stopped = stopped.clone();
            AbortOnDropHandle::new(tokio::spawn(async move {
                stopped.run_until_cancelled(typing.run()).await;
            }))
        });
        Self {
            touched,
            sender: sender.clone(),
            stopped,
            task,
        }
    }

    /// The agent gave a sign of life.
    pub(crate) fn note_activity(&self) {
        self.touched.send_replace(self.sender.recorder.clock.steady());
    }

    /// Stops for good. A call under way is given up: the platform lets it expire.
    pub(crate) async fn stop(self) {
        self.stopped.cancel();
        if let Some(task) = self.task {
            // It ends at once. One that failed has shown its last already.
            let _ = task.await;
        }
    }
}

struct TypingLoop {
    sender: OperationSender,
    config: TypingConfig,
    rules: Rules,
    touched: watch::Receiver<SteadyTime>,
}

impl TypingLoop {
    async fn run(mut self) {
        let clock = self.sender.recorder.clock.clone();
        loop {
            let last = *self.touched.borrow_and_update();
            let quiet = clock.steady().since(last) >= self.config.stop_after.0;
            if quiet && self.rules.holds(Rule::TypingEnd) {
                if self.touched.changed().await.is_err() {
                    return;
                }
                continue;
            }
            if let Err(error) = self.show().await {
                tracing::error!(%error, "typing is given up");
                return;
            }
            clock.sleep_until(clock.now().plus(self.config.every.0)).await;
        }
    }

    /// Shows typing once. It goes past the queue and the outbox: late, it would be worse than none.
    async fn show(&self) -> Result<(), StoreError> {
        let OperationSender {
            channel,
            target,
            recorder,
            ids,
            dry_run,
            ..
        } = &self.sender;
        if channel.status().open_for(*dry_run).is_err() {
            return Ok(());
        }
        let pace = &self.sender.queues.pace;
        let passage = pace.passage(channel, target, OpKind::Typing);
        let armed = channel.status().armed && !dry_run;
        // A sign of writing is worth no place before a message.
        if armed && pace.pass_now(&passage).is_err() {
            return Ok(());
        }
        let op = ids.op();
        let key = format!("fb-typing-{op}");
        let call = Call {
            target: target.clone(),
            operation: Operation::Typing,
            key,
        };
        let planned = channel.set_out(OpKind::Typing);
        let intent = intent(target, OutgoingOperation::new(Operation::Typing).live(true));
        let mut kinds = vec![Kind::Intended { op, intent }];
        let given_up = match &planned {
            None => None,
            Some((number, fault)) => {
                // What a fault does may outlast the turn, which ends the call: its mark comes first.
                kinds.push(faulted(*number, op, fault));
                recorder.note_all(std::mem::take(&mut kinds))?;
                Some(AbandonedCall { recorder, op })
            }
        };
        let set_out = pace.time();
        let done = if *dry_run {
            channel.rehearse(call, planned.as_ref()).await
        } else {
            channel.perform(call, planned.as_ref()).await
        };
        if armed {
            pace.learn(&passage, set_out, &done);
        }
        let outcome = match done {
            Ok(done) => Outcome {
                attempts: u32::from(!done.dry_run),
                ..Outcome::new(done.code())
            },
            Err(NotDelivered::Closed(closed)) => {
                Outcome::new(OutcomeCode::Cancelled).because(closed.to_string())
            }
            Err(NotDelivered::Refused(refusal)) => {
                let code = if refusal.maybe_done {
                    OutcomeCode::Unknown
                } else {
                    OutcomeCode::Failed
                };
                Outcome {
                    refusal: Some(refusal.code),
                    attempts: 1,
                    ..Outcome::new(code).because(refusal.detail)
                }
            }
        };
        std::mem::forget(given_up);
        // Written down together, afterwards: a crash leaves no open end.
        kinds.push(Kind::Ended { op, outcome });
        recorder.note_all(kinds)
    }
}

/// Ends the operation of a call that is given up, where its beginning is in the journal already.
struct AbandonedCall<'a> {
    recorder: &'a Recorder,
    op: OpId,
}

impl Drop for AbandonedCall<'_> {
    fn drop(&mut self) {
        let outcome = Outcome::new(OutcomeCode::Cancelled).because("the turn ended first");
        let ended = Kind::Ended { op: self.op, outcome };
        if let Err(error) = self.recorder.note(ended) {
            tracing::error!(%error, "the end of typing is not in the journal");
        }
    }
}
