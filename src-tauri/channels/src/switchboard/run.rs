//! An adapter's run under supervision: what it reports is passed on, and a planned fault breaks it. What becomes of a
//! connection that the platform ends is the business of [`crate::reconnect`].

use super::line::Line;
use crate::{Arrival, LateNews, Refusal, Signal, stay_connected};
use foldback_wire::{ChannelState, PLANNED, Timestamp};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long an adapter may take to part; then it is dropped.
const STOP: Duration = Duration::from_secs(5);

/// A supervised run. Dropping it ends it at once.
pub(super) struct Run {
    hush: CancellationToken,
    stop: CancellationToken,
    task: AbortOnDropHandle<VecDeque<Arrival>>,
}

impl Run {
    /// Starts the adapter; `left` comes in first.
    pub(super) fn start(line: Arc<Line>, left: VecDeque<Arrival>) -> Self {
        let (hush, stop) = (CancellationToken::new(), CancellationToken::new());
        let supervision = Supervision {
            line,
            hush: hush.clone(),
            stop: stop.clone(),
            up: false,
            waiting: left,
        };
        Self {
            hush,
            stop,
            task: AbortOnDropHandle::new(tokio::spawn(supervision.watch())),
        }
    }

    /// Lets nothing more in; the connection stays for the operations under way.
    pub(super) fn hush(&self) {
        self.hush.cancel();
    }

    /// Stops it and gives the messages it had handed over already.
    pub(super) async fn finish(&mut self) -> VecDeque<Arrival> {
        self.hush.cancel();
        self.stop.cancel();
        (&mut self.task).await.unwrap_or_default()
    }
}

struct Supervision {
    line: Arc<Line>,
    hush: CancellationToken,
    stop: CancellationToken,
    /// Whether this run has been up.
    up: bool,
    /// Taken from the adapter and not let in yet. While something waits nothing more is taken, so that a slow
    /// pipeline slows the platform down; but a run's first states are, for they tell that it is up.
    waiting: VecDeque<Arrival>,
}

impl Supervision {
    async fn watch(mut self) -> VecDeque<Arrival> {
        while !self.stop.is_cancelled() {
            self.up = false;
            let (sink, signals) = mpsc::channel(1);
            let halt = self.stop.child_token();
            let (adapter, shared) = (&self.line.adapter, &self.line.shared);
            let (clock, rng) = (Arc::clone(&shared.clock), Arc::clone(&shared.rng));
            let run = stay_connected(Arc::clone(adapter), sink, halt.clone(), clock, rng);
            let run = AbortOnDropHandle::new(tokio::spawn(run));
            let Some(until) = self.attend(run, signals, &halt).await else {
                // It was stopped, or only a person can mend it: they switch it off and on again.
                self.stop.cancelled().await;
                break;
            };
            let why = format!("the connection broke: {PLANNED}");
            self.line.report(ChannelState::Down, &why);
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = self.line.shared.clock.sleep_until(until) => {}
                () = self.line.mended() => {}
            }
            self.line.report(ChannelState::Connecting, "trying again");
        }
        self.waiting
    }

    /// Passes on what the adapter says until its run has ended. Where a planned fault broke the connection, until when.
    async fn attend(
        &mut self,
        mut run: AbortOnDropHandle<Result<(), Refusal>>,
        mut signals: mpsc::Receiver<Signal>,
        halt: &CancellationToken,
    ) -> Option<Timestamp> {
        let line = Arc::clone(&self.line);
        let end = loop {
            let listening = !self.hush.is_cancelled();
            tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.stopped(&mut run, &mut signals).await;
                    break None;
                }
                () = self.hush.cancelled(), if listening => {}
                Ok(place) = line.shared.inbound.reserve(), if listening && !self.waiting.is_empty() => {
                    if let Some(arrival) = self.waiting.pop_front() {
                        line.let_in(place, arrival);
                    }
                }
                Some(signal) = signals.recv(), if listening && (self.waiting.is_empty() || !self.up) => {
                    self.take(signal);
                }
                until = line.broken() => {
                    halt.cancel();
                    self.stopped(&mut run, &mut signals).await;
                    break Some(until);
                }
                () = line.limit_over() => line.end_limit(),
                ended = &mut run => {
                    // The adapter fails in a task of its own; so this is only its parting, or a mistake of ours.
                    if let Err(panic) = ended {
                        line.report(ChannelState::Down, &format!("the adapter failed: {panic}"));
                    }
                    break None;
                }
            }
        };
        while let Ok(signal) = signals.try_recv() {
            self.take(signal);
        }
        end
    }

    fn take(&mut self, signal: Signal) {
        match signal {
            Signal::Message(arrival) => self.waiting.push_back(*arrival),
            Signal::State { state, why } => {
                if state == ChannelState::Up {
                    self.up = true;
                }
                self.line.report(state, &why);
            }
            Signal::Undelivered {
                message,
                refusal,
                kept,
            } => {
                let channel = &self.line.id;
                tracing::warn!(%channel, %message, refusal = %refusal.code, "an acknowledged message did not arrive");
                self.line.tell(message, LateNews::Undelivered(refusal), kept);
            }
            Signal::Receipt {
                message,
                receipt,
                when,
                kept,
            } => self.line.tell(message, LateNews::Receipt { receipt, when }, kept),
            Signal::Unreadable(unreadable) => self.line.pass_over(unreadable),
            Signal::Warned(detail) => self.line.warn(detail),
        }
    }

    /// Waits for the end of a run that was told to stop. It may hand over first what it alone has.
    async fn stopped(
        &mut self,
        run: &mut AbortOnDropHandle<Result<(), Refusal>>,
        signals: &mut mpsc::Receiver<Signal>,
    ) {
        let clock = &self.line.shared.clock;
        let mut patience = clock.sleep_until(clock.now().plus(STOP));
        loop {
            tokio::select! {
                biased;
                _ = &mut *run => return,
                () = &mut patience => return,
                Some(signal) = signals.recv() => self.take(signal),
            }
        }
    }
}
