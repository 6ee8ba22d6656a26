//! One channel of a running bot.

use super::Shared;
use super::dry::{about_dry_message, take_dry_reply};
use super::faults::{Faults, lost_ack};
use super::run::Run;
use super::state::{Closed, Status, step};
use crate::{Ack, Arrival, Call, ChannelAdapter, Lost, Refusal};
use foldback_wire::{
    Actor, CallFailure, CallFault, Capabilities, ChannelId, ChannelState, Kind, OutcomeCode, RefusalCode,
    Timestamp,
};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc::Permit, watch};
use tokio_util::task::TaskTracker;

/// How long an operation that a platform was handed may keep its channel from disconnecting. It can still
/// finish afterwards: what it needs it holds itself.
const DRAIN: Duration = Duration::from_secs(30);

/// Failures in a row that make a connected channel count as degraded.
const DEGRADED_AFTER: u32 = 3;

/// An operation that went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// What was acknowledged; in a dry run what would have been, with a message id of its own.
    pub ack: Ack,
    /// Nothing reached the platform.
    pub dry_run: bool,
}

impl Delivered {
    /// How it counts.
    pub const fn code(&self) -> OutcomeCode {
        if self.dry_run {
            OutcomeCode::DryRun
        } else if self.ack.unchanged {
            OutcomeCode::Unchanged
        } else {
            OutcomeCode::Sent
        }
    }
}

/// An operation that did not go through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotDelivered {
    /// It never left: hold it as `channel_off` until the channel is open again.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// The platform, or the way to it, refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A handle on one channel. Cheap to clone.
#[derive(Clone)]
pub struct Channel {
    pub(super) line: Arc<Line>,
}

pub(super) struct Line {
    pub(super) id: ChannelId,
    pub(super) adapter: Arc<dyn ChannelAdapter>,
    pub(super) shared: Arc<Shared>,
    /// The only copy of the state. Whoever starts an operation looks at it and counts as busy in one step,
    /// so that nothing slips through behind a switch-off.
    status: watch::Sender<Status>,
    busy: TaskTracker,
    connection: Mutex<Connection>,
    pub(super) faults: Faults,
}

/// The run of the adapter, while there is one. Locked while the channel is switched, so that a switch-on
/// waits for the switch-off before it.
#[derive(Default)]
struct Connection {
    run: Option<Run>,
    /// Messages that the adapter had handed over when it was switched off; they come in first when it is on
    /// again.
    left: VecDeque<Arrival>,
}

impl Connection {
    async fn hang_up(&mut self) {
        // Taken out only after the wait, so that a caller who gives up leaves it to the next one.
        if let Some(run) = &mut self.run {
            self.left = run.finish().await;
            self.run = None;
        }
    }
}

impl Channel {
    pub(super) fn new(
        id: ChannelId,
        adapter: Arc<dyn ChannelAdapter>,
        armed: bool,
        muted: bool,
        shared: Arc<Shared>,
    ) -> Self {
        let busy = TaskTracker::new();
        busy.close(); // only then can it be waited for
        let status = watch::Sender::new(Status {
            state: ChannelState::Off,
            since: shared.clock.now(),
            why: "not switched on yet".into(),
            until: None,
            armed,
            muted,
            failures: 0,
        });
        let connection = Mutex::default();
        Self {
            line: Arc::new(Line {
                id,
                adapter,
                shared,
                status,
                busy,
                connection,
                faults: Faults::default(),
            }),
        }
    }

    /// Its name.
    pub fn id(&self) -> &ChannelId {
        &self.line.id
    }

    /// What it can do.
    pub fn capabilities(&self) -> &Capabilities {
        self.line.adapter.capabilities()
    }

    /// As it is now.
    pub fn status(&self) -> Status {
        self.line.status.borrow().clone()
    }

    /// Follows its status: the latest one, not each one. Each one is told to the witness.
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.line.status.subscribe()
    }

    /// Operations that the platform was handed and has not answered.
    pub fn in_flight(&self) -> usize {
        self.line.busy.len()
    }

    /// Switches it on; waits for a switch-off that is under way. False when it was on.
    pub async fn switch_on(&self, by: Actor, why: impl Into<String> + Send) -> bool {
        let line = &self.line;
        let mut connection = line.connection.lock().await;
        if line.state() != ChannelState::Off {
            return false;
        }
        connection.hang_up().await;
        line.faults.mend();
        line.enter(ChannelState::Connecting, &by, &why.into());
        let left = std::mem::take(&mut connection.left);
        connection.run = Some(Run::start(Arc::clone(line), left));
        true
    }

    /// Switches it off: nothing comes in any more and later operations are refused at once; then waits until
    /// the operations under way have finished (30 s at most) and disconnects. False when it was off.
    pub async fn switch_off(&self, by: Actor, why: impl Into<String> + Send) -> bool {
        let line = &self.line;
        let mut connection = line.connection.lock().await;
        if let Some(run) = &connection.run {
            run.hush();
        }
        let changed = line.enter(ChannelState::Off, &by, &why.into());
        let clock = &line.shared.clock;
        tokio::select! {
            biased;
            () = line.busy.wait() => {}
            () = clock.sleep_until(clock.now().plus(DRAIN)) => {}
        }
        connection.hang_up().await;
        changed
    }

    /// Stays off, as it was left before this start, and says so. False when it is on.
    pub fn stay_off(&self, by: Actor, why: impl Into<String>) -> bool {
        let why = why.into();
        self.line.status.send_if_modified(|status| {
            if status.state != ChannelState::Off {
                return false;
            }
            status.since = self.line.shared.clock.now();
            status.why.clone_from(&why);
            let (from, to) = (ChannelState::Off, ChannelState::Off);
            self.line
                .shared
                .tell(Some(&self.line.id), Kind::ChannelState { from, to, by, why });
            true
        })
    }

    pub(super) async fn let_in_rest(&self) {
        let mut connection = self.line.connection.lock().await;
        while !connection.left.is_empty() {
            // Without a bot nobody could take it.
            let Ok(place) = self.line.shared.inbound.reserve().await else {
                return;
            };
            if let Some(arrival) = connection.left.pop_front() {
                self.line.let_in(place, arrival);
            }
        }
    }

    /// Arms it, or sends it back to dry runs. Operations under way finish as they began. False when it was
    /// so already.
    pub fn arm(&self, armed: bool, by: Actor) -> bool {
        self.line.status.send_if_modified(|status| {
            if status.armed == armed {
                return false;
            }
            status.armed = armed;
            self.line
                .shared
                .tell(Some(&self.line.id), Kind::Armed { armed, by });
            true
        })
    }

    /// Acts as if it performed an operation, also where the channel is armed, unless it is closed. It goes wrong
    /// as the planned fault of this number says all the same.
    pub async fn rehearse(
        &self,
        call: Call,
        planned: Option<&(u64, CallFault)>,
    ) -> Result<Delivered, NotDelivered> {
        self.go(call, true, planned).await
    }

    /// Performs one operation, unless the channel is closed. Does not retry. With the planned fault of this number it
    /// goes wrong: on its way to the platform, or on the way back.
    pub async fn perform(
        &self,
        call: Call,
        planned: Option<&(u64, CallFault)>,
    ) -> Result<Delivered, NotDelivered> {
        self.go(call, false, planned).await
    }

    async fn go(
        &self,
        call: Call,
        rehearsal: bool,
        planned: Option<&(u64, CallFault)>,
    ) -> Result<Delivered, NotDelivered> {
        let line = &self.line;
        let (armed, _busy) = {
            let status = line.status.borrow();
            status.open_for(rehearsal)?;
            (status.armed, line.busy.token())
        };
        let armed = match planned {
            None => armed,
            Some((number, fault)) => {
                line.hinder(*number, fault).await?;
                // Somebody may have closed or disarmed it during a planned delay. What set out as a dry run stays one.
                let status = line.status.borrow();
                status.open_for(rehearsal)?;
                armed && status.armed
            }
        };
        let done = if rehearsal || !armed || about_dry_message(&call.operation) {
            line.answer_dry(&call)
        } else {
            line.call(call).await?
        };
        match planned {
            Some((_, fault)) if fault.fail == Some(CallFailure::LostAck) => Err(lost_ack().into()),
            _ => Ok(done),
        }
    }

    pub(super) fn mute(&self, muted: bool) {
        self.line.status.send_modify(|status| status.muted = muted);
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

    async fn call(&self, mut call: Call) -> Result<Delivered, Refusal> {
        let dropped = take_dry_reply(&mut call);
        let answer = self.adapter.perform(call).await;
        self.learn(&answer);
        let mut ack = answer?;
        if let Some(to) = dropped {
            ack.warning
                .get_or_insert_with(|| format!("sent without its reply: {to} was a dry run"));
        }
        Ok(Delivered { ack, dry_run: false })
    }

    /// What a dry run answers.
    fn answer_dry(&self, call: &Call) -> Delivered {
        let ack = self
            .shared
            .dry_run
            .answer(self.shared.clock.as_ref(), &call.operation);
        Delivered { ack, dry_run: true }
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
            status.state != ChannelState::Off && self.walk(status, state, None, &Actor::Adapter, why)
        });
    }

    /// A message that was acknowledged did not arrive. Nobody waits here: where too many are told at once, the rest is
    /// dropped untold, and comes again.
    pub(super) fn lose(&self, lost: Lost) {
        let (message, refusal) = (lost.message.clone(), lost.refusal.code);
        tracing::warn!(channel = %self.id, %message, %refusal, "an acknowledged message did not arrive");
        if self.shared.lost.try_send(lost).is_err() {
            tracing::warn!(channel = %self.id, %message, "nobody has written that down; it is waited for again");
        }
    }

    /// Ends once a wait that the platform asked for is over.
    pub(super) async fn limit_over(&self) {
        let mut status = self.status.subscribe();
        loop {
            let until = status.borrow_and_update().until;
            match until {
                Some(until) => tokio::select! {
                    () = self.shared.clock.sleep_until(until) => return,
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
            status.until.is_some_and(|until| until <= self.shared.clock.now())
                && self.walk(
                    status,
                    ChannelState::Up,
                    None,
                    &Actor::Adapter,
                    "the wait is over",
                )
        });
    }

    fn enter(&self, state: ChannelState, by: &Actor, why: &str) -> bool {
        self.status
            .send_if_modified(|status| self.walk(status, state, None, by, why))
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
                    (status.state == Degraded || status.until.is_none())
                        && self.walk(status, Up, None, &by, "it answers again")
                }
                Err(Refusal {
                    code: RefusalCode::RateLimited,
                    retry_after,
                    ..
                }) => {
                    let now = self.shared.clock.now();
                    // The longest wait counts.
                    let until = retry_after.map(|wait| now.plus(wait)).max(status.until);
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
        until: Option<Timestamp>,
        by: &Actor,
        why: &str,
    ) -> bool {
        let mut changed = std::mem::replace(&mut status.until, until) != until;
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
