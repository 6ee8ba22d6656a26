//! Turns that deliver what an action produced, what came due, or what went wrong.
//!
//! An example: the agent of turn 7 asked for `df -h`, and the process is killed right behind the append.
//!
//! ```text
//!   09:00:00  turn 7 asks for `df -h`; it runs, and its result is delivered with depth 1
//!   09:00:01  accepted. `received` and `delivery_due` of turn 8, and `delivery_accepted` of turn 7, are one append: all
//!             of them are there, or nothing is
//!   09:00:01  killed
//!   12:30:00  turn 8 is taken up like any other that waited. The agent words the result; its answer is a reply to the
//!             message of turn 7
//!   12:30:05  the script that delivered it did not hear of 09:00:01 and delivers it again: accepted before, as turn 8
//! ```
//!
//! What must hold:
//! - Accepted means durable: the journal has it before the caller hears of it.
//! - One id has one turn, also over restarts: in its chat for a week, in all chats for as long as the budgets count.
//! - A delivery has a turn and a run of its own: no message joins it, and it goes for no message in the queue.
//! - What comes from outside has no id that the bot gives: those of its actions have the rights of who asked for them.
//! - A refused request costs no run and no call. What is known of its chat decides, then the depth of its chain, then the
//!   budgets: that of all, and that of its requester.

use super::delivery_checks::message_id;
use super::{Core, Engine, Turn};
use crate::{
    crash::{self, CrashPoint},
    group_history::place_before,
    rules::Rule,
    stages::act::CORRECTIONS,
    turn_cause::TurnCause,
};
use foldback_store::{DELIVERY_KINDS, Selection, StoreError};
use foldback_wire::{
    Actor, ChannelId, DeadTarget, DeliveryAccepted, DeliveryOutcome, DeliveryRefusal, DeliveryRefused,
    DeliveryRequest, Draft, Inbound, Kind, Target, Timestamp, TurnId, rpc::DeliveryState,
};
use std::{sync::Arc, time::Duration};

/// A clock that was set back by less hides no delivery from the budgets of the next process.
const CLOCK_MARGIN: Duration = Duration::from_hours(24);

/// A delivery request that is in the journal, and has its turn.
#[derive(Debug)]
pub struct Accepted {
    /// Its turn.
    pub turn: TurnId,
    /// The turn, to wait for its end; none where the request was accepted before.
    pub begun: Option<Turn>,
}

/// A delivery request that was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Rejected {
    /// It may not be delivered, and why.
    #[error("{}", .0.detail)]
    Refused(DeliveryRefused),
    /// The journal cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The events that link a delivery with the turn that is its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CauseLink {
    /// `delivery_due` names the cause, and the cause has `delivery_accepted`.
    Both,
    /// Only `delivery_due` names it: a turn that began long ago gets no event for each time of what it set.
    FromDelivery,
}

impl Engine {
    /// Delivers what an action produced, what came due, or what went wrong to the agent, in a turn of its own. The journal has
    /// the request when this answers. One whose id was accepted before is told of the turn that it has. Ids that the bot itself
    /// gives are refused: this is the way in for everybody else.
    ///
    /// # Errors
    /// With the reason for which it is not delivered.
    pub async fn deliver(&self, request: DeliveryRequest) -> Result<Accepted, Rejected> {
        if let Some((reason, why)) = Core::refusal_of_reserved_id(&request) {
            return Err(self.core.refuse_delivery(&request, reason, why)?);
        }
        self.core.deliver(request, CauseLink::Both, |_| Vec::new()).await
    }

    /// Delivers a request of a recording under the id that it had there, which may be one that only the bot gives. For bots that
    /// carry out no actions, so that none of their own has that id.
    ///
    /// # Errors
    /// With the reason for which it is not delivered.
    pub async fn deliver_again(&self, request: DeliveryRequest) -> Result<Accepted, Rejected> {
        self.core.deliver(request, CauseLink::Both, |_| Vec::new()).await
    }

    /// The chats that their platforms take nothing more for.
    pub fn dead_targets(&self) -> Vec<DeadTarget> {
        self.core.delivery_queues.dead_targets.list()
    }

    /// Chats that take nothing more, and the use of the budgets.
    pub fn delivery_state(&self) -> DeliveryState {
        let core = &self.core;
        let config = &core.context.ports.config.deliveries;
        let now = core.context.recorder.now();
        let (total, requesters) = core.deliveries.budget().usage(config, now);
        DeliveryState {
            dead: self.dead_targets(),
            window_ms: u64::try_from(config.window.0.as_millis()).unwrap_or(u64::MAX),
            total,
            requesters,
        }
    }

    /// Has deliveries to a chat accepted again. False where it was not dead.
    ///
    /// # Errors
    /// Where the journal cannot be written.
    pub fn revive_target(&self, channel: &ChannelId, target: &Target, by: Actor) -> Result<bool, StoreError> {
        self.core.revive_target(channel, target, by)
    }
}

impl Core {
    /// Reads what the journal has of the deliveries that the budgets still count.
    pub(super) async fn take_up_deliveries(&self) -> Result<(), StoreError> {
        let recorder = &self.context.recorder;
        let since = recorder
            .now()
            .minus(self.context.ports.config.deliveries.window.0);
        let wanted = Selection {
            since: Some(since),
            ..Selection::kinds(DELIVERY_KINDS)
        };
        let journal = &recorder.journal;
        let before = place_before(journal.as_ref(), since.minus(CLOCK_MARGIN)).await?;
        let events = journal
            .select(&wanted, before, journal.head(), usize::MAX)
            .await?;
        let mut budget = self.deliveries.budget();
        for event in events {
            if let (Kind::DeliveryDue(request), Some(turn)) = (&event.kind, event.turn) {
                budget.count(request, turn, event.at);
            }
        }
        Ok(())
    }

    /// Takes a request in. The events of other turns that `beside` has for it are one write with it: a crash leaves all of
    /// them or none.
    pub(super) async fn deliver(
        self: &Arc<Self>,
        request: DeliveryRequest,
        link: CauseLink,
        beside: impl FnOnce(TurnId) -> Vec<Draft>,
    ) -> Result<Accepted, Rejected> {
        // Before anything that costs time: a script may go on and on.
        if let Some((reason, why)) = self.refusal_of_place(&request) {
            return Err(self.refuse_delivery(&request, reason, why)?);
        }
        let mut request = request.masked_and_bounded(self.context.redaction.as_ref());
        let _accepting = self.deliveries.accepting.lock().await;
        if let Some(turn) = self.accepted_before(&request).await? {
            return Ok(Accepted { turn, begun: None });
        }
        if let Some((reason, why)) = self.settle_depth(&mut request).await? {
            return Err(self.refuse_delivery(&request, reason, why)?);
        }
        // Again, as the delivery that led to it may have narrowed its limits.
        let mut request = request.masked_and_bounded(self.context.redaction.as_ref());
        request.corrections = request.corrections.map(|left| left.min(CORRECTIONS));
        let now = self.context.recorder.now();
        let config = &self.context.ports.config.deliveries;
        let over = self.deliveries.budget().refusal(config, &request, now);
        if let Some((reason, why)) = over.filter(|_| self.context.rules.holds(Rule::DeliveriesBudget)) {
            return Err(self.refuse_delivery(&request, reason, why)?);
        }
        let message = delivered_message(&request, now);
        let cause = request.cause;
        let told = |turn| {
            let mut events = beside(turn);
            let id = request.id.clone();
            let accepted = Kind::DeliveryAccepted(DeliveryAccepted { id, turn });
            let linked = cause.filter(|_| link == CauseLink::Both);
            events.extend(linked.map(|cause| self.draft_in(cause, &request, accepted)));
            events
        };
        let delivered = TurnCause::Delivery(Box::new(request.clone()));
        crash::point(CrashPoint::BeforeAccept);
        let begun = self.begin_caused(message, delivered, told).await?;
        self.deliveries.budget().count(&request, begun.id, now);
        self.context.recorder.journal.flush().await?;
        crash::point(CrashPoint::AfterAccept);
        Ok(Accepted {
            turn: begun.id,
            begun: Some(begun),
        })
    }

    /// An event of the turn that asked for an action.
    fn draft_in(&self, cause: TurnId, request: &DeliveryRequest, kind: Kind) -> Draft {
        let channel = &request.origin.channel;
        self.context.recorder.of_turn(cause, channel).draft(kind)
    }

    /// Tells of a refusal, where one like it was not told of late.
    fn refuse_delivery(
        &self,
        request: &DeliveryRequest,
        reason: DeliveryRefusal,
        detail: String,
    ) -> Result<Rejected, StoreError> {
        let refused = DeliveryRefused {
            id: request.id.clone(),
            chat: request.origin.chat.clone(),
            reason,
            detail,
        };
        let recorder = &self.context.recorder;
        let (channel, chat) = (&request.origin.channel, &refused.chat);
        if self.deliveries.is_news(channel, chat, reason, recorder.now()) {
            recorder
                .on_channel(channel)
                .note(Kind::DeliveryRefused(refused.clone()))?;
        }
        Ok(Rejected::Refused(refused))
    }

    /// Somebody wrote in a chat that took nothing more.
    pub(super) fn revive_by_message(&self, message: &Inbound) -> Result<(), StoreError> {
        let targets = [message.thread.clone(), None].map(|thread| Target {
            chat: message.chat.clone(),
            thread,
        });
        for target in targets {
            let by = Actor::User(message.sender.id.clone());
            self.revive_target(&message.channel, &target, by)?;
        }
        Ok(())
    }

    fn revive_target(&self, channel: &ChannelId, target: &Target, by: Actor) -> Result<bool, StoreError> {
        let dead = &self.delivery_queues.dead_targets;
        if !dead.is_dead(channel, target) {
            return Ok(false);
        }
        let recorder = self.context.recorder.on_channel(channel);
        let kind = Kind::TargetRevived {
            target: target.clone(),
            by,
        };
        recorder.note(kind.clone())?;
        dead.fold(channel, recorder.now(), &kind);
        Ok(true)
    }
}

/// The message that the turn of a request begins with: a line for people to read. The agent is given the request itself.
pub(super) fn delivered_message(request: &DeliveryRequest, now: Timestamp) -> Inbound {
    let DeliveryRequest {
        origin,
        requester,
        action,
        outcome,
        ..
    } = request;
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    // Somebody else may have named it: no address and no word of a command is left of it.
    let name: String = action.name.chars().filter(is_plain).take(64).collect();
    let name = if name.is_empty() { "an action" } else { &name };
    let what = match outcome {
        DeliveryOutcome::Output => "result",
        DeliveryOutcome::Event => "event",
        DeliveryOutcome::Error => "error",
    };
    Inbound {
        channel: origin.channel.clone(),
        account: origin.account.clone(),
        chat: origin.chat.clone(),
        chat_type: origin.chat_type,
        thread: origin.thread.clone(),
        message: message_id(request).into(),
        reply_to: origin.message.clone(),
        sender: requester.clone(),
        text: format!("[{what} of {name}]"),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: now,
        at_by_device: false,
        dry_run: origin.dry_run,
        omitted: None,
        context: None,
    }
}
