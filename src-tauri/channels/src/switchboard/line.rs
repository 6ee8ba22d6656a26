//! What a channel shares with the supervision of its adapter: the state, and how it moves.

use super::Shared;
use super::faults::Faults;
use super::run::Run;
use super::state::{Status, step};
use crate::{Ack, Arrival, ChannelAdapter, Late, LateNews, Refusal, Unreadable};
use foldback_wire::{
    Actor, ChannelId, ChannelState, Kind, MessageId, RefusalCode, SteadyTime, UnreadablePart,
};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc::{Permit, error::TrySendError};
use tokio::sync::{Mutex, oneshot, watch};
use tokio_util::task::TaskTracker;

/// Failures in a row that make a connected channel count as degraded.
const DEGRADED_AFTER: u32 = 3;

pub(super) struct Line {
    pub(super) id: ChannelId,
    pub(super) adapter: Arc<dyn ChannelAdapter>,
    pub(super) shared: Arc<Shared>,
    /// The only copy of the state. Whoever starts an operation looks at it and counts as busy in one step,
    /// so that nothing slips through behind a switch-off.
    pub(super) status: watch::Sender<Status>,
    pub(super) busy: TaskTracker,
    pub(super) connection: Mutex<Connection>,
    pub(super) faults: Faults,
}

/// The run of the adapter, while there is one. Locked while the channel is switched, so that a switch-on
/// waits for the switch-off before it.
#[derive(Default)]
pub(super) struct Connection {
    pub(super) run: Option<Run>,
    /// Messages that the adapter had handed over when it was switched off; they come in first when it is on
    /// again.
    pub(super) left: VecDeque<Arrival>,
}

impl Connection {
    pub(super) async fn hang_up(&mut self) {
        // Taken out only after the wait, so that a caller who gives up leaves it to the next one.
        if let Some(run) = &mut self.run {
            self.left = run.finish().await;
            self.run = None;
        }
    }
}

impl Line {
    /// Lets a message in. One that was given up comes again, and is let in then.
    pub(super) fn let_in(&self, place: Permit<'_, Arrival>, mut arrival: Arrival) {
        if !arrival.is_given_up() {
            arrival.message.channel = self.id.clone();
            place.send(arrival);
        }
    }

    pub(super) fn state(&self) -> ChannelState {
        self.status.borrow().state
    }

    /// What the adapter saw. It cannot switch itself on or off.
    pub(super) fn report(&self, state: ChannelState, why: &str) {
        let state = if state == ChannelState::Off {
            ChannelState::Down
        } else {
            state
        };
        self.status.send_if_modified(|status| {
            if status.state == ChannelState::Off {
                return false;
            }
            status.trouble = (state == ChannelState::Degraded).then(|| why.to_owned());
            self.walk(status, state, None, &Actor::Adapter, why)
        });
    }

    /// The platform tells something of a message that was acknowledged. Nobody waits here: where too much is told at
    /// once, the rest is dropped untold, and comes again.
    pub(super) fn tell(&self, message: MessageId, news: LateNews, kept: Option<oneshot::Sender<()>>) {
        let late = Late {
            channel: self.id.clone(),
            message,
            news,
            kept,
        };
        if let Err(TrySendError::Full(late) | TrySendError::Closed(late)) = self.shared.late.try_send(late) {
            let (message, news) = (late.message, late.news);
            tracing::warn!(channel = %self.id, %message, ?news, "nobody has written that down; who waits for it tells it again");
        }
    }

    /// Tells what a person should know.
    pub(super) fn warn(&self, detail: String) {
        tracing::warn!(channel = %self.id, "{detail}");
        self.shared.tell(Some(&self.id), Kind::Warned { detail });
    }

    /// Tells of data that the adapter could not read.
    pub(super) fn pass_over(&self, unreadable: Unreadable) {
        let Unreadable {
            part,
            error,
            bytes,
            raw,
        } = unreadable;
        let platform = self.adapter.capabilities().platform;
        let kind = Kind::Unreadable(UnreadablePart {
            platform,
            what: part.to_owned(),
            error,
            bytes,
            raw,
        });
        self.shared.tell(Some(&self.id), kind);
    }

    /// Ends once a wait that the platform asked for is over.
    pub(super) async fn limit_over(&self) {
        let mut status = self.status.subscribe();
        loop {
            let until = status.borrow_and_update().limited_until;
            match until {
                Some(until) => tokio::select! {
                    () = self.shared.clock.sleep_until_steady(until) => return,
                    _ = status.changed() => {}
                },
                // It cannot fail: the sender lives in `self`.
                None => drop(status.changed().await),
            }
        }
    }

    /// Ends that wait, unless it was made longer meanwhile.
    pub(super) fn end_limit(&self) {
        self.status.send_if_modified(|status| {
            let until = status.limited_until;
            until.is_some_and(|until| until <= self.shared.clock.steady())
                && self.recover(status, "the wait is over")
        });
    }

    pub(super) fn enter(&self, state: ChannelState, by: &Actor, why: &str) -> bool {
        self.status.send_if_modified(|status| {
            status.trouble = None;
            self.walk(status, state, None, by, why)
        })
    }

    /// Calls succeed: the channel is up, or in the trouble that its adapter told of.
    fn recover(&self, status: &mut Status, why: &str) -> bool {
        let (state, why) = match status.trouble.clone() {
            Some(trouble) => (ChannelState::Degraded, trouble),
            None => (ChannelState::Up, why.to_owned()),
        };
        self.walk(status, state, None, &Actor::Adapter, &why)
    }

    /// What an answer tells about the channel.
    pub(super) fn learn(&self, answer: &Result<Ack, Refusal>) {
        use ChannelState::{Degraded, RateLimited, Up};
        self.status.send_if_modified(|status| {
            if !matches!(status.state, Up | Degraded | RateLimited) {
                return false;
            }
            let by = Actor::Adapter;
            match answer {
                Ok(_) => {
                    status.failures = 0;
                    // A wait with an end is waited for: other calls may still be let through meanwhile.
                    (status.state == Degraded || status.limited_until.is_none())
                        && self.recover(status, "it answers again")
                }
                Err(Refusal {
                    code: RefusalCode::RateLimited,
                    retry_after,
                    ..
                }) => {
                    let now = self.shared.clock.steady();
                    // The longest wait counts.
                    let until = retry_after.map(|wait| now.plus(wait)).max(status.limited_until);
                    let why = until.map_or_else(
                        || "asked to wait".into(),
                        |until| format!("asked to wait for {:?}", until.since(now)),
                    );
                    self.walk(status, RateLimited, until, &by, &why)
                }
                Err(refusal) if refusal.code == RefusalCode::Transient => {
                    status.failures += 1;
                    (status.state == Up && status.failures == DEGRADED_AFTER)
                        && self.walk(status, Degraded, None, &by, &refusal.detail)
                }
                Err(_) => false,
            }
        });
    }

    /// Goes to `to`, step by step, and tells of each one. The witness is called under the status's lock, so
    /// that the journal has the changes in the order in which they happened.
    fn walk(
        &self,
        status: &mut Status,
        to: ChannelState,
        until: Option<SteadyTime>,
        by: &Actor,
        why: &str,
    ) -> bool {
        let mut changed = std::mem::replace(&mut status.limited_until, until) != until;
        if changed {
            status.until = until.map(|until| self.shared.clock.time_of(until));
        }
        while let Some(next) = step(status.state, to) {
            let from = std::mem::replace(&mut status.state, next);
            // An outage begins once, however often connecting is tried.
            if !(is_unconnected(from) && is_unconnected(next)) {
                status.since = self.shared.clock.now();
            }
            why.clone_into(&mut status.why);
            status.failures = 0;
            let kind = Kind::ChannelState {
                from,
                to: next,
                by: by.clone(),
                why: why.to_owned(),
            };
            self.shared.tell(Some(&self.id), kind);
            changed = true;
        }
        changed
    }
}

const fn is_unconnected(state: ChannelState) -> bool {
    matches!(state, ChannelState::Connecting | ChannelState::Down)
}
