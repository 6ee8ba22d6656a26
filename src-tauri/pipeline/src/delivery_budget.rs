//! The budgets of deliveries: what one requester, and all of them together, may have within a time. They are apart from the
//! limits of messages, so that a command that talks much keeps nobody from writing.

use crate::config::DeliveriesConfig;
use foldback_wire::{
    ChannelId, DeliveryRefusal, DeliveryRequest, DeliveryRequestId, Timestamp, TurnId, UserId,
};
use std::collections::VecDeque;

/// A delivery that was accepted.
#[derive(Debug, Clone)]
struct Accepted {
    at: Timestamp,
    channel: ChannelId,
    requester: UserId,
    id: DeliveryRequestId,
    turn: TurnId,
}

/// The deliveries that were accepted within the time that the budgets count.
#[derive(Debug, Default)]
pub(crate) struct DeliveryBudget(VecDeque<Accepted>);

impl DeliveryBudget {
    /// Counts a delivery that was accepted.
    pub(crate) fn count(&mut self, request: &DeliveryRequest, turn: TurnId, at: Timestamp) {
        self.0.push_back(Accepted {
            at,
            channel: request.origin.channel.clone(),
            requester: request.requester.id.clone(),
            id: request.id.clone(),
            turn,
        });
    }

    /// The turn of a delivery that was accepted under this id.
    pub(crate) fn find(&self, id: &DeliveryRequestId) -> Option<TurnId> {
        self.0
            .iter()
            .find(|known| known.id == *id)
            .map(|known| known.turn)
    }

    /// The reason for which one more has no room, in words, where it has none.
    pub(crate) fn refusal(
        &mut self,
        config: &DeliveriesConfig,
        request: &DeliveryRequest,
        now: Timestamp,
    ) -> Option<(DeliveryRefusal, String)> {
        let since = now.minus(config.window.0);
        self.0.retain(|known| known.at > since);
        let DeliveriesConfig {
            window,
            per_requester,
            total,
        } = *config;
        if self.0.len() >= total as usize {
            let why = format!("{total} deliveries within {window} (deliveries.total)");
            return Some((DeliveryRefusal::TotalBudget, why));
        }
        let (channel, who) = (&request.origin.channel, &request.requester.id);
        let own = |known: &&Accepted| known.channel == *channel && known.requester == *who;
        if self.0.iter().filter(own).count() >= per_requester as usize {
            let name = request.requester.readable_name();
            let why = format!("{name} had {per_requester} within {window} (deliveries.per_requester)");
            return Some((DeliveryRefusal::RequesterBudget, why));
        }
        None
    }
}
