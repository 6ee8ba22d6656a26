//! An adapter's run under supervision: what it reports is passed on, and when it ends by itself it is tried
//! again.

use super::line::Line;
use crate::backoff::Backoff;
use crate::{Arrival, LateNews, Refusal, Signal};
use foldback_wire::{ChannelState, PLANNED, RefusalCode, Timestamp};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long an adapter may take to stop; then it is dropped.
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

/// How a run of the adapter ended.
enum End {
    /// It was told to.
    Stopped,
    /// A planned fault broke the connection.
    Broken { until: Timestamp },
    /// By itself.
    Itself(Result<Result<(), Refusal>, JoinError>),
}

impl End {
    /// Why, and whether it is senseless to try again.
    fn in_words(&self) -> (String, bool) {
        match self {
            Self::Stopped => ("stopped".to_owned(), false),
            Self::Broken { .. } => (format!("the connection broke: {PLANNED}"), false),
            Self::Itself(Ok(Ok(()))) => ("the adapter ended by itself".to_owned(), false),
            Self::Itself(Ok(Err(refusal))) => (refusal.to_string(), refusal.code != RefusalCode::Transient),
            Self::Itself(Err(panic)) => (format!("the adapter failed: {panic}"), false),
        }
    }
}

impl Supervision {
    async fn watch(mut self) -> VecDeque<Arrival> {
        let mut backoff = Backoff::default();
        while !self.stop.is_cancelled() {
            self.up = false;
            let (sink, signals) = mpsc::channel(1);
            let halt = self.stop.child_token();
            let run = tokio::spawn({
                let (adapter, halt) = (Arc::clone(&self.line.adapter), halt.clone());
                async move { adapter.run(sink, halt).await }
            });
            let run = AbortOnDropHandle::new(run);
            let end = self.attend(run, signals, &halt, &mut backoff).await;
            if self.stop.is_cancelled() {
                break;
            }
            let (why, hopeless) = end.in_words();
            self.line.report(ChannelState::Down, &why);
            if hopeless {
                // Only a person can mend it: they switch it off and on again.
                self.stop.cancelled().await;
                break;
            }
            let clock = &self.line.shared.clock;
            let until = match end {
                End::Broken { until } => until,
                End::Stopped | End::Itself(_) => {
                    clock.now().plus(backoff.next(self.line.shared.rng.as_ref()))
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = clock.sleep_until(until) => {}
                () = self.line.mended(), if matches!(end, End::Broken { .. }) => {}
            }
            self.line.report(ChannelState::Connecting, "trying again");
        }
        self.waiting
    }

    /// Passes on what the adapter says until it has ended.
    async fn attend(
        &mut self,
        mut run: AbortOnDropHandle<Result<(), Refusal>>,
        mut signals: mpsc::Receiver<Signal>,
        halt: &CancellationToken,
        backoff: &mut Backoff,
    ) -> End {
        let line = Arc::clone(&self.line);
        let end = loop {
            let listening = !self.hush.is_cancelled();
            tokio::select! {
                biased;
                () = self.stop.cancelled() => {
                    self.stopped(&mut run, &mut signals, backoff).await;
                    break End::Stopped;
                }
                () = self.hush.cancelled(), if listening => {}
                Ok(place) = line.shared.inbound.reserve(), if listening && !self.waiting.is_empty() => {
                    if let Some(arrival) = self.waiting.pop_front() {
                        line.let_in(place, arrival);
                    }
                }
                Some(signal) = signals.recv(), if listening && (self.waiting.is_empty() || !self.up) => {
                    self.take(signal, backoff);
                }
                until = line.broken() => {
                    halt.cancel();
                    self.stopped(&mut run, &mut signals, backoff).await;
                    break End::Broken { until };
                }
                () = line.limit_over() => line.end_limit(),
                end = &mut run => break End::Itself(end),
            }
        };
        while let Ok(signal) = signals.try_recv() {
            self.take(signal, backoff);
        }
        end
    }

    fn take(&mut self, signal: Signal, backoff: &mut Backoff) {
        match signal {
            Signal::Message(arrival) => self.waiting.push_back(*arrival),
            Signal::State { state, why } => {
                if state == ChannelState::Up {
                    self.up = true;
                    backoff.reset();
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
        }
    }

    /// Waits for the end of a run that was told to stop. It may hand over first what it alone has.
    async fn stopped(
        &mut self,
        run: &mut AbortOnDropHandle<Result<(), Refusal>>,
        signals: &mut mpsc::Receiver<Signal>,
        backoff: &mut Backoff,
    ) {
        let clock = &self.line.shared.clock;
        let mut patience = clock.sleep_until(clock.now().plus(STOP));
        loop {
            tokio::select! {
                biased;
                _ = &mut *run => return,
                () = &mut patience => return,
                Some(signal) = signals.recv() => self.take(signal, backoff),
            }
        }
    }
}
