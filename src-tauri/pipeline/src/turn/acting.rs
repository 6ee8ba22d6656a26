//! Everything that the actions of a turn's answer are carried out with.

use super::TurnRunner;
use crate::{
    pending::Pending,
    stages::{
        act::{Acting, AskerContext},
        command_access::AccessContext,
    },
};
use foldback_wire::{Platform, ReplyAddress};
use tokio_util::sync::CancellationToken;

impl TurnRunner {
    /// Everything that the actions of the turn's answer are carried out with.
    pub(super) fn acting<'a>(
        &'a self,
        pending: &'a Pending,
        platform: Platform,
        cancel: &'a CancellationToken,
    ) -> Acting<'a> {
        let ports = &self.context.ports;
        let message = &pending.message;
        let delivery = pending.cause.delivery();
        let config = &ports.config;
        let settings = ports.settings(&message.channel);
        Acting {
            table: &self.context.actions,
            orders: &self.context.delivery_orders,
            turn: pending.id,
            session: &pending.session,
            origin: delivery.map_or_else(|| ReplyAddress::of(message), |delivery| delivery.origin.clone()),
            requester: &message.sender,
            delivery,
            asker: AskerContext {
                access: AccessContext {
                    rules: self.context.rules,
                    platform,
                    config: &config.commands,
                    settings,
                },
                senders: &config.actions.senders,
                turn: pending.id,
                message,
                cause: &pending.cause,
            },
            no_new_turns: &self.context.shutdown.no_new_turns,
            cancel,
        }
    }
}
