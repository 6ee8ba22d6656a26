//! The cause of a turn: a message that a person wrote, a clock, or a delivery request.

use foldback_wire::{DeliveryOutcome, DeliveryRequest, Kind, ScheduleDue, SettingSource};

/// The cause of a turn.
#[derive(Debug, Clone, Default)]
pub(crate) enum TurnCause {
    /// A message that somebody wrote.
    #[default]
    Message,
    /// A schedule that came due, or that a person began.
    Schedule(ScheduleDue),
    /// What an action produced, what came due, or what went wrong.
    Delivery(Box<DeliveryRequest>),
}

impl TurnCause {
    /// The cause that an event of a turn tells; `None` for any other event.
    pub(crate) fn of_event(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::ScheduleDue(due) => Some(Self::Schedule(due.clone())),
            Kind::DeliveryDue(request) => Some(Self::Delivery(request.clone())),
            _ => None,
        }
    }

    /// The event that tells it, beside `received`; none for a message.
    pub(crate) fn event(&self) -> Option<Kind> {
        match self {
            Self::Message => None,
            Self::Schedule(due) => Some(Kind::ScheduleDue(due.clone())),
            Self::Delivery(request) => Some(Kind::DeliveryDue(request.clone())),
        }
    }

    /// True where a person's message began the turn.
    pub(crate) const fn is_message(&self) -> bool {
        matches!(self, Self::Message)
    }

    /// The schedule that began the turn, where one did.
    pub(crate) const fn schedule(&self) -> Option<&ScheduleDue> {
        match self {
            Self::Schedule(due) => Some(due),
            Self::Message | Self::Delivery(_) => None,
        }
    }

    /// The delivery that began the turn, where one did.
    pub(crate) fn delivery(&self) -> Option<&DeliveryRequest> {
        match self {
            Self::Delivery(request) => Some(request),
            Self::Message | Self::Schedule(_) => None,
        }
    }

    /// True where somebody may wait for the answer: it is to a message, a run that a person began, or what an action produced.
    pub(crate) fn is_awaited(&self) -> bool {
        let is_of_action = |delivery: &DeliveryRequest| {
            delivery.cause.is_some() && delivery.outcome != DeliveryOutcome::Event
        };
        !self.is_heartbeat() && self.delivery().is_none_or(is_of_action)
    }

    /// True where a heartbeat began the turn, whose acknowledgement is dropped.
    pub(crate) fn is_heartbeat(&self) -> bool {
        self.schedule().is_some_and(|due| due.heartbeat)
    }

    /// The place that settings of the turn alone come from.
    pub(crate) const fn setting_source(&self) -> SettingSource {
        match self {
            Self::Message => SettingSource::Inline,
            Self::Schedule(_) => SettingSource::Schedule,
            Self::Delivery(_) => SettingSource::Delivery,
        }
    }
}
