//! Showing that an answer is being written: from the moment that the channel's mode names, again every few seconds, until
//! the turn is over or the agent has given no sign of life for too long.

use super::{
    operation::{OutgoingOperation, faulted, intent},
    operation_sender::OperationSender,
};
use crate::{
    config::{TypingConfig, TypingMode},
    deadline::Deadline,
    recorder::Recorder,
    rules::{Rule, Rules},
};
use foldback_channels::{Call, NotDelivered};
use foldback_store::StoreError;
use foldback_wire::{Kind, OpId, OpKind, Operation, Outcome, OutcomeCode};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// The typing of one turn. Sealed when dropped: nothing that comes late starts it again.
pub(crate) struct Typing {
    /// The moment from which the agent has given no sign of life for too long.
    quiet_from: watch::Sender<Deadline>,
    stop_after: Duration,
    sender: OperationSender,
    mode: TypingMode,
    /// Cancelled at the moment from which typing is shown.
    begins: CancellationToken,
    stopped: CancellationToken,
    task: Option<AbortOnDropHandle<()>>,
}

impl Typing {
    /// Starts showing, where the channel can and the configuration wants it: at once, or when the mode says so.
    pub(crate) fn start(
        sender: &OperationSender,
        can: bool,
        (config, mode): (TypingConfig, TypingMode),
        rules: Rules,
    ) -> Self {
        let quiet_from = watch::Sender::new(Deadline::after(sender.clock(), config.stop_after.0));
        let stopped = CancellationToken::new();
        let begins = CancellationToken::new();
        if mode == TypingMode::Instant {
            begins.cancel();
        }
        let shows = mode != TypingMode::Never;
        let task = (can && config.enabled && shows && rules.holds(Rule::TypingRefresh)).then(|| {
            let typing = TypingLoop {
                sender: sender.clone(),
                config,
                rules,
                quiet_from: quiet_from.subscribe(),
            };
            let (begins, stopped) = (begins.clone(), stopped.clone());
            AbortOnDropHandle::new(tokio::spawn(async move {
                let shown = async {
                    begins.cancelled().await;
                    typing.run().await;
                };
                stopped.run_until_cancelled(shown).await;
            }))
        });
        Self {
            quiet_from,
            stop_after: config.stop_after.0,
            sender: sender.clone(),
            mode,
            begins,
            stopped,
            task,
        }
    }

    /// The token to cancel at the first text that the chat is to see; `None` where typing does not wait for it.
    pub(crate) fn on_text(&self) -> Option<CancellationToken> {
        let waits = matches!(self.mode, TypingMode::Thinking | TypingMode::Message);
        waits.then(|| self.begins.clone())
    }

    /// The agent gave a sign of life; `reasons` where it told what it thinks.
    pub(crate) fn note_activity(&self, reasons: bool) {
        if reasons && self.mode == TypingMode::Thinking {
            self.begins.cancel();
        }
        self.quiet_from
            .send_replace(Deadline::after(self.sender.clock(), self.stop_after));
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
    quiet_from: watch::Receiver<Deadline>,
}

impl TypingLoop {
    async fn run(mut self) {
        let clock = Arc::clone(&self.sender.recorder().clock);
        loop {
            let quiet = self.quiet_from.borrow_and_update().is_over(clock.as_ref());
            if quiet && self.rules.holds(Rule::TypingEnd) {
                if self.quiet_from.changed().await.is_err() {
                    return;
                }
                continue;
            }
            if let Err(error) = self.show().await {
                tracing::error!(%error, "typing is given up");
                return;
            }
            Deadline::after(clock.as_ref(), self.config.every.0)
                .passed(clock.as_ref())
                .await;
        }
    }

    /// Shows typing once. It goes past the queue and the outbox: late, it would be worse than none.
    async fn show(&self) -> Result<(), StoreError> {
        let sender = &self.sender;
        let (channel, target, recorder) = (sender.channel(), sender.target(), sender.recorder());
        let dry_run = sender.is_dry_run();
        if channel.status().open_for(dry_run).is_err() {
            return Ok(());
        }
        let pace = sender.pace();
        let passage = pace.passage(channel, target, OpKind::Typing);
        let armed = channel.status().armed && !dry_run;
        // A sign of writing is worth no place before a message.
        if armed && pace.pass_now(&passage).is_err() {
            return Ok(());
        }
        let op = sender.next_op();
        let key = format!("fb-typing-{op}");
        let call = Call {
            target: target.clone(),
            operation: Operation::Typing,
            key,
        };
        let planned = channel.set_out(OpKind::Typing);
        let intent = intent(target, OutgoingOperation::new(Operation::Typing).live(true));
        let mut kinds = vec![Kind::Intended {
            op,
            intent: Box::new(intent),
        }];
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
        let done = if dry_run {
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
