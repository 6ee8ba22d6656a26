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

/// A chain of turns that began at its root.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TurnChain {
    pub(crate) root: ChainRoot,
    /// The turns whose actions led on, the latest first; that of `to` itself before them.
    pub(crate) turns: Vec<ChainTurn>,
}

/// A turn of a chain, as the journal tells of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChainTurn {
    pub(crate) id: TurnId,
    /// The delivery that began it; none where it is the root's own.
    pub(crate) delivery: Option<Box<DeliveryRequest>>,
    /// The actions that came to an end in it, by name: its agent, or that of the turn behind it, was given their results.
    pub(crate) ended: Vec<String>,
    message: Option<Box<Inbound>>,
    is_scheduled: bool,
    /// Its actions led to a delivery. One that waited for its confirmation when its process ended neither began nor was refused.
    acted: bool,
}

impl TurnChain {
    /// The chain that led to a delivery, without the delivery's own turn.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(crate) async fn of(delivery: &DeliveryRequest, recorder: &Recorder) -> Result<Self, StoreError> {
        let mut turns: Vec<ChainTurn> = Vec::new();
        let mut delivery = delivery.clone();
        let root = loop {
            // A cause comes before its effect: no journal leads in a circle.
            let is_before = |cause: &TurnId| turns.last().is_none_or(|later| *cause < later.id);
            let of_actions = |cause: &TurnId| delivery.id == request_id(*cause);
            let Some(cause) = delivery.cause.filter(of_actions).filter(is_before) else {
                let is_reminder = delivery.id.as_str().starts_with(OF_REMINDER);
                break if is_reminder {
                    ChainRoot::Reminder
                } else {
                    ChainRoot::Elsewhere
                };
            };
            let turn = ChainTurn::read(cause, recorder).await?;
            let earlier = turn.delivery.as_deref().cloned();
            let root = turn.led_to(&delivery).then(|| turn.root());
            turns.push(turn);
            match (root, earlier) {
                (Some(_), Some(earlier)) => delivery = earlier,
                (Some(root), None) => break root,
                (None, _) => break ChainRoot::Elsewhere,
            }
        };
        Ok(Self { root, turns })
    }

    /// The chain that leads to a turn, with that turn.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(crate) async fn to(turn: TurnId, recorder: &Recorder) -> Result<Self, StoreError> {
        let turn = ChainTurn::read(turn, recorder).await?;
        let mut chain = match &turn.delivery {
            Some(delivery) => Self::of(delivery, recorder).await?,
            None => Self {
                root: turn.root(),
                turns: Vec::new(),
            },
        };
        chain.turns.insert(0, turn);
        Ok(chain)
    }

    /// The messages of other turns that came into the runs of this chain.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(crate) async fn joined(&self, recorder: &Recorder) -> Result<Vec<Inbound>, StoreError> {
        let turns: Vec<_> = self.turns.iter().map(|turn| turn.id).collect();
        joined(&turns, recorder).await
    }
}

impl ChainTurn {
    async fn read(turn: TurnId, recorder: &Recorder) -> Result<Self, StoreError> {
        let kinds = [
            "received",
            "schedule_due",
            "delivery_due",
            "action_started",
            "action_refused",
            "action_ended",
            "delivery_accepted",
        ];
        let mut read = Self {
            id: turn,
            delivery: None,
            ended: Vec::new(),
            message: None,
            is_scheduled: false,
            acted: false,
        };
        for event in of_turn(turn, &kinds, recorder).await? {
            match event.kind {
                Kind::Received { message } if read.message.is_none() => read.message = Some(message),
                Kind::ScheduleDue(_) => read.is_scheduled = true,
                Kind::DeliveryDue(request) => read.delivery = Some(request),
                Kind::ActionStarted(_) | Kind::ActionRefused(_) => read.acted = true,
                Kind::DeliveryAccepted(accepted) => read.acted |= accepted.id == request_id(turn),
                Kind::ActionEnded(ended) => read.ended.push(ended.name),
                _ => {}
            }
        }
        Ok(read)
    }

    /// True where the actions of this turn led to a delivery: it acted, for that person, in that channel.
    fn led_to(&self, delivery: &DeliveryRequest) -> bool {
        self.acted
            && self.message.as_ref().is_some_and(|message| {
                message.sender.id == delivery.requester.id && message.channel == delivery.origin.channel
            })
    }

    /// The root of a chain that this turn begins.
    fn root(&self) -> ChainRoot {
        match &self.message {
            Some(_) if self.is_scheduled => ChainRoot::Schedule,
            Some(message) => ChainRoot::Message(message.clone()),
            None => ChainRoot::Elsewhere,
        }
    }
}

/// The id of the one request that the actions of a turn lead to.
pub(crate) fn request_id(turn: TurnId) -> DeliveryRequestId {
    format!("{OF_ACTIONS}{turn}").into()
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
