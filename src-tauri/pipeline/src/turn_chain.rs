//! The chain of turns that led to a delivery turn, back to the one that began it.
//!
//! Rights belong to the person whose message began a chain. A delivery names a requester, which whoever delivers from
//! elsewhere may write as they like, and a turn without rights may be refused an action and lead to a turn itself: one look back
//! is not enough.
//!
//! ```text
//!   turn 7   a delivery from elsewhere, in the owner's name      root: nobody's message
//!   turn 8   actions-7: its agent asked for bash, and was refused
//!   turn 9   actions-8: it asked again                           still nobody's
//! ```
//!
//! What must hold:
//! - Each link is the delivery of what the actions of its cause led to, of one requester in one channel; else the chain begins
//!   there, with nobody's message.
//! - What is not in the journal any more gives no rights.

use crate::{
    id::{OF_ACTIONS, OF_REMINDER},
    recorder::Recorder,
};
use foldback_store::{Selection, StoreError};
use foldback_wire::{DeliveryRequest, DeliveryRequestId, Event, Inbound, Kind, Seq, TurnId};

/// The beginning of a chain of turns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ChainRoot {
    /// A message that a person wrote.
    Message(Box<Inbound>),
    /// A schedule.
    Schedule,
    /// A reminder that came due.
    Reminder,
    /// A delivery from elsewhere, or a turn that cannot be told.
    Elsewhere,
}

/// A chain of turns, without the delivery turn itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TurnChain {
    pub(crate) root: ChainRoot,
    /// The turns whose actions led on, the latest first.
    pub(crate) turns: Vec<TurnId>,
}

impl TurnChain {
    /// The chain that led to a delivery.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(crate) async fn of(delivery: &DeliveryRequest, recorder: &Recorder) -> Result<Self, StoreError> {
        let mut turns: Vec<TurnId> = Vec::new();
        let mut delivery = delivery.clone();
        let root = loop {
            // A cause comes before its effect: no journal leads in a circle.
            let is_before = |cause: &TurnId| turns.last().is_none_or(|later| cause < later);
            let of_actions = |cause: &TurnId| delivery.id == request_id(*cause);
            let Some(cause) = delivery.cause.filter(of_actions).filter(is_before) else {
                let is_reminder = delivery.id.as_str().starts_with(OF_REMINDER);
                break if is_reminder {
                    ChainRoot::Reminder
                } else {
                    ChainRoot::Elsewhere
                };
            };
            turns.push(cause);
            match link(cause, &delivery, recorder).await? {
                Link::Delivery(earlier) => delivery = *earlier,
                Link::Root(root) => break root,
            }
        };
        Ok(Self { root, turns })
    }
}

/// The id of the one request that the actions of a turn lead to.
pub(crate) fn request_id(turn: TurnId) -> DeliveryRequestId {
    format!("{OF_ACTIONS}{turn}").into()
}

enum Link {
    /// A delivery began the turn, too.
    Delivery(Box<DeliveryRequest>),
    Root(ChainRoot),
}

/// The beginning of a turn whose actions are said to have led to a delivery.
async fn link(turn: TurnId, delivery: &DeliveryRequest, recorder: &Recorder) -> Result<Link, StoreError> {
    let kinds = [
        "received",
        "schedule_due",
        "delivery_due",
        "action_started",
        "action_refused",
    ];
    let (mut message, mut earlier, mut is_scheduled, mut acted) = (None, None, false, false);
    for event in of_turn(turn, &kinds, recorder).await? {
        match event.kind {
            Kind::Received { message: written } if message.is_none() => message = Some(written),
            Kind::ScheduleDue(_) => is_scheduled = true,
            Kind::DeliveryDue(request) => earlier = Some(request),
            Kind::ActionStarted(_) | Kind::ActionRefused(_) => acted = true,
            _ => {}
        }
    }
    let message = message.filter(|message| {
        acted && message.sender.id == delivery.requester.id && message.channel == delivery.origin.channel
    });
    let Some(message) = message else {
        return Ok(Link::Root(ChainRoot::Elsewhere));
    };
    Ok(match earlier {
        Some(earlier) => Link::Delivery(earlier),
        None if is_scheduled => Link::Root(ChainRoot::Schedule),
        None => Link::Root(ChainRoot::Message(message)),
    })
}

/// The messages of other turns that came into the runs of these.
///
/// # Errors
/// The journal cannot be read.
pub(crate) async fn joined(turns: &[TurnId], recorder: &Recorder) -> Result<Vec<Inbound>, StoreError> {
    let mut messages = Vec::new();
    for turn in turns {
        for event in of_turn(*turn, &["taken_in"], recorder).await? {
            let Kind::TakenIn { turn: other, .. } = event.kind else {
                continue;
            };
            for event in of_turn(other, &["received"], recorder).await? {
                if let Kind::Received { message } = event.kind {
                    messages.push(*message);
                }
            }
        }
    }
    Ok(messages)
}

async fn of_turn(
    turn: TurnId,
    kinds: &[&'static str],
    recorder: &Recorder,
) -> Result<Vec<Event>, StoreError> {
    let journal = &recorder.journal;
    journal.flush().await?;
    let wanted = Selection {
        turns: Some([turn].into()),
        ..Selection::kinds(kinds.iter().copied())
    };
    journal.select(&wanted, Seq(0), journal.head(), usize::MAX).await
}
