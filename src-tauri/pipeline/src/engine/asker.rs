//! The rights of whoever would ask for actions, for a message that is only looked at.

use super::Engine;
use crate::stages::{act::asker_of_message, command_access::AccessContext};
use foldback_actions::ActionAsker;
use foldback_wire::Inbound;

impl Engine {
    /// The asker of the actions of a turn that this message begins, into which nobody else writes; `None` where its channel is
    /// not there.
    pub fn asker_of_message(&self, message: &Inbound) -> Option<ActionAsker> {
        let context = &self.core.context;
        let ports = &context.ports;
        let access = AccessContext {
            rules: context.rules,
            platform: ports.port(&message.channel)?.can.platform,
            config: &ports.config.commands,
            settings: ports.settings(&message.channel),
        };
        Some(asker_of_message(access, &ports.config.actions.senders, message))
    }
}
