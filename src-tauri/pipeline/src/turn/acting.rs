//! Everything that the actions of a turn's answer are carried out with.

use super::TurnRunner;
use crate::{brief_actions::asker_context, pending::Pending, stages::act::Acting};
use foldback_channels::Channel;
use foldback_wire::{Platform, ReplyAddress};
use tokio_util::sync::CancellationToken;

impl TurnRunner {
    /// Everything that the actions of the turn's answer are carried out with.
    pub(super) fn acting<'a>(
        &'a self,
        pending: &'a Pending,
        (channel, platform): (&'a Channel, Platform),
        cancel: &'a CancellationToken,
    ) -> Acting<'a> {
        let message = &pending.message;
        let delivery = pending.cause.delivery();
        Acting {
            table: &self.context.actions,
            orders: &self.context.delivery_orders,
            turn: pending.id,
            session: &pending.session,
            origin: delivery.map_or_else(|| ReplyAddress::of(message), |delivery| delivery.origin.clone()),
            channel,
            requester: &message.sender,
            delivery,
            asker: asker_context(&self.context, pending, platform),
            no_new_turns: &self.context.shutdown.no_new_turns,
            cancel,
        }
    }
}
