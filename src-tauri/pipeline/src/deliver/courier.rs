//! A turn's way to the platform: every operation is in the outbox before it enters its lane.

use super::{
    job::{Carried, Follows, Job, Origin, Shows},
    lanes::{Lanes, PATIENCE},
    operation::{Delay, OutgoingOperation, intent},
};
use crate::{
    crash::{self, Point},
    leaks::Watch,
    recorder::{Ids, Recorder},
};
use foldback_channels::Channel;
use foldback_store::{OutboxEntry, StoreError};
use foldback_wire::{
    Draft, HoldReason, Inbound, Kind, OpId, Outcome, OutcomeCode, SessionId, SteadyTime, Target, TurnId,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// The time for which a platform call under way may keep the process from ending.
pub(crate) const DRAIN: Duration = Duration::from_secs(30);

/// What is known about an operation once it is on its way.
pub(crate) enum Posted {
    /// It has ended.
    Ended(Carried),
    /// Its lane is held, or it takes too long in another chat; the outcome comes later.
    Held(oneshot::Receiver<Carried>),
    /// It takes longer than the text behind it waits; the outcome comes later, and nothing of the turn waits for it.
    Overtaken(oneshot::Receiver<Carried>),
}

/// An operation in its lane.
pub(super) struct Entered {
    op: OpId,
    live: bool,
    overtaken: Option<CancellationToken>,
    held: watch::Receiver<Option<HoldReason>>,
    ended: oneshot::Receiver<Carried>,
}

/// Posts a turn's operations to one chat.
#[derive(Clone)]
pub(crate) struct Courier {
    pub(crate) leaks: Arc<Watch>,
    pub(crate) lanes: Arc<Lanes>,
    pub(crate) ids: Arc<Ids>,
    pub(crate) recorder: Recorder,
    pub(crate) turn: TurnId,
    pub(crate) session: SessionId,
    pub(crate) channel: Channel,
    pub(crate) target: Target,
    /// Until when what is posted to another chat than the turn's own is waited for; no text of the turn waits
    /// behind it. `None` in its own chat.
    pub(crate) patience: Option<SteadyTime>,
    /// Another channel than the turn's own.
    pub(crate) abroad: bool,
    /// Nothing may reach a platform, in no chat.
    pub(crate) dry_run: bool,
}

impl Courier {
    /// To the chat of the message that began a turn.
    pub(crate) fn of_turn(
        (lanes, ids): (&Arc<Lanes>, &Arc<Ids>),
        (turn, session): (TurnId, &SessionId),
        recorder: &Recorder,
        channel: &Channel,
        message: &Inbound,
        leaks: &Arc<Watch>,
    ) -> Self {
        Self {
            leaks: Arc::clone(leaks),
            lanes: Arc::clone(lanes),
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
            abroad: false,
            dry_run: message.dry_run,
        }
    }

    /// The same for a chat that a directive names. What happens there is told of its channel. All that is posted
    /// for the directive is waited for as long as it may keep the text waiting; the time that another operation has
    /// been the first in that chat's lane counts, so that one in trouble is waited for once.
    pub(crate) fn to(&self, channel: Channel, target: Target) -> Self {
        let abroad = *channel.id() != *self.channel.id();
        let patience = (abroad || target != self.target).then(|| {
            let since = self.lanes.busy_since(channel.id(), &target);
            since
                .unwrap_or_else(|| self.recorder.clock.steady())
                .plus(PATIENCE)
        });
        Self {
            patience,
            abroad,
            recorder: self.recorder.on_channel(channel.id()),
            channel,
            target,
            ..self.clone()
        }
    }

    /// Whether it posts to another chat than the turn's own.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.patience.is_some()
    }

    /// Commits the intent, then waits for the outcome, unless the lane is held. What goes to another chat is
    /// waited for as long as patience lasts; when the process ends nothing is, and what is still said goes into
    /// the outbox for the next start.
    pub(crate) async fn post(&self, outgoing: OutgoingOperation) -> Result<Posted, StoreError> {
        self.post_after(Vec::new(), outgoing).await
    }

    /// The same, with events that become durable together with the intent.
    pub(crate) async fn post_after(
        &self,
        events: Vec<Draft>,
        outgoing: OutgoingOperation,
    ) -> Result<Posted, StoreError> {
        let [entered] = self.enter(events, [outgoing]).await?;
        self.wait_for(entered).await
    }

    /// Commits the intents of operations together with these events, all or nothing, and puts the operations into their
    /// lane, in order.
    pub(super) async fn enter<const N: usize>(
        &self,
        mut events: Vec<Draft>,
        outgoing: [OutgoingOperation; N],
    ) -> Result<[Entered; N], StoreError> {
        let ready = outgoing.map(|outgoing| self.prepare(outgoing, &mut events));
        crash::point(Point::BeforeIntend);
        let entries = ready.iter().map(|(job, _)| job.entry.clone()).collect();
        self.recorder.journal.intend_all(entries, events).await?;
        crash::point(Point::AfterIntend);
        Ok(ready.map(|(job, ended)| Entered {
            op: job.entry.op,
            live: job.live,
            overtaken: job.overtaken.clone(),
            held: self.lanes.enter(job),
            ended,
        }))
    }

    /// What its lane is to carry, and where its outcome comes out; `events` tell of the intent.
    fn prepare(
        &self,
        outgoing: OutgoingOperation,
        events: &mut Vec<Draft>,
    ) -> (Job, oneshot::Receiver<Carried>) {
        let op = self.ids.op();
        let parts = outgoing.parts.clone();
        // A live frame is no part of the text, but goes with it.
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
        let shows = outgoing.shows.map(|place| Shows {
            place,
            watch: Arc::clone(&self.leaks),
        });
        let is_directive = outgoing.directive.is_some() && !self.is_elsewhere();
        let overtaken = is_directive.then(CancellationToken::new);
        let mut intent = intent(&self.target, outgoing);
        intent.part_of = part_of;
        intent.channel = self.abroad.then(|| self.channel.id().clone());
        events.push(self.recorder.draft(Kind::Intended { op, intent }));
        events.extend(delay.map(|Delay { until, reason }| {
            self.recorder.draft(Kind::Waiting {
                op: Some(op),
                reason,
                until: Some(self.recorder.clock.time_of(until)),
            })
        }));
        let (done, ended) = oneshot::channel();
        let job = Job {
            entry,
            channel: self.channel.clone(),
            recorder: self.recorder.clone(),
            not_before: delay.map(|delay| delay.until),
            live,
            question,
            overtaken,
            shows,
            parts,
            origin: Origin::Posted,
            done,
        };
        (job, ended)
    }

    /// Waits for the outcome of an operation, as [`Self::post`] does.
    pub(super) async fn wait_for(&self, entered: Entered) -> Result<Posted, StoreError> {
        let Entered {
            op,
            live,
            overtaken,
            mut held,
            mut ended,
        } = entered;
        tokio::select! {
            biased;
            () = self.lanes.stop.cancelled(), if !live => Ok(Posted::Held(ended)),
            carried = self.end_of(&mut ended, live) => carried.map(Posted::Ended),
            () = is_overtaken(overtaken.as_ref()) => Ok(Posted::Overtaken(ended)),
            reason = held_for(&mut held, overtaken.is_some()) => {
                // That its platform wants no calls is noted with the time, in its lane.
                if !live && reason == HoldReason::ChannelOff {
                    self.recorder.note(Kind::Waiting { op: Some(op), reason, until: None })?;
                }
                Ok(Posted::Held(ended))
            }
            () = self.impatience() => Ok(Posted::Held(ended)),
        }
    }

    /// Ends once what is posted to another chat is waited for no longer.
    async fn impatience(&self) {
        match self.patience {
            Some(until) => self.recorder.clock.sleep_until_steady(until).await,
            None => std::future::pending().await,
        }
    }

    /// Waits for what follows from how an operation ended, unless its lane is held or the process ends.
    pub(super) async fn follow(&self, follows: Follows, live: bool) -> Result<Posted, StoreError> {
        let Follows {
            mut ended,
            mut held,
            overtaken,
        } = follows;
        tokio::select! {
            biased;
            () = self.lanes.stop.cancelled(), if !live => Ok(Posted::Held(ended)),
            carried = self.end_of(&mut ended, live) => carried.map(Posted::Ended),
            () = is_overtaken(overtaken.as_ref()) => Ok(Posted::Overtaken(ended)),
            _ = held_for(&mut held, overtaken.is_some()) => Ok(Posted::Held(ended)),
            () = self.impatience() => Ok(Posted::Held(ended)),
        }
    }

    /// The end of an operation; an error when the process ends first. A live frame that is at the platform then
    /// is still waited for: whoever shows it has to know whether it stands on the screen.
    async fn end_of(
        &self,
        ended: &mut oneshot::Receiver<Carried>,
        live: bool,
    ) -> Result<Carried, StoreError> {
        if !live {
            return ended.await.map_err(|_| StoreError::Closed);
        }
        let clock = &self.recorder.clock;
        let given_up = async {
            self.lanes.stop.cancelled().await;
            clock.sleep_until(clock.now().plus(DRAIN)).await;
        };
        let outcome = tokio::select! {
            biased;
            carried = ended => match carried {
                Ok(carried) => return Ok(carried),
                Err(_) => Outcome::new(OutcomeCode::Cancelled).because("the process ended before its turn came"),
            },
            () = given_up => {
                Outcome::new(OutcomeCode::Unknown).because("the process ended during the platform call")
            }
        };
        Ok(Carried {
            outcome,
            retry_after: None,
            follows: None,
        })
    }

    /// Waits for the outcome of what was held; an error when the process ends first.
    pub(crate) async fn outcome(&self, held: oneshot::Receiver<Carried>) -> Result<Carried, StoreError> {
        let carried = self.lanes.stop.run_until_cancelled(held).await;
        carried.and_then(Result::ok).ok_or(StoreError::Closed)
    }
}

/// Ends once the text behind an operation has overtaken it.
async fn is_overtaken(overtaken: Option<&CancellationToken>) {
    match overtaken {
        Some(overtaken) => overtaken.cancelled().await,
        None => std::future::pending().await,
    }
}

/// Waits until a lane is held, and says for what. A directive in it that waits for its platform is overtaken instead.
async fn held_for(held: &mut watch::Receiver<Option<HoldReason>>, is_directive: bool) -> HoldReason {
    let counts = |held: &Option<HoldReason>| {
        held.is_some_and(|reason| !is_directive || reason != HoldReason::RateLimited)
    };
    let held = held.wait_for(counts).await;
    match held.ok().and_then(|held| *held) {
        Some(reason) => reason,
        // The lane has ended, and with it what it carried.
        None => std::future::pending().await,
    }
}

/// The key of every attempt of an operation; at most 25 characters, as Discord's nonce allows. The time keeps
/// keys of different journals apart.
pub(super) fn key_of(op: OpId, recorder: &Recorder) -> String {
    format!("fb-{:x}-{:x}", recorder.now().0, op.0)
}
