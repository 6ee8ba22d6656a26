//! The rights of whoever would ask for actions, and the refusal of a dry run, for a message that is only looked at.

use super::Engine;
use crate::stages::{
    act::{asker_of_message, dry_run},
    command_access::AccessContext,
};
use foldback_actions::ActionAsker;
use foldback_wire::{ActionRefusal, Inbound};

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

    /// The refusal of an action that could be carried out in a turn that this message begins, were it no dry run. Its place is
    /// 0, and it names no action. `None` where it is none, or its channel is not there.
    pub fn dry_run_of_message(&self, message: &Inbound) -> Option<ActionRefusal> {
        let context = &self.core.context;
        let port = context.ports.port(&message.channel)?;
        dry_run(context.rules, &port.channel, message.dry_run, 0, "")
    }
}
