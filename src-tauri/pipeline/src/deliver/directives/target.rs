//! The chat that a directive sends to.

use super::{Skip, TurnDirectives};
use crate::{
    deliver::{operation_sender::OperationSender, turn_operations::TurnOperations},
    ports::Port,
    rules::Rule,
};
use foldback_wire::{Capabilities, ChannelId, Target};

/// A chat to send to, with what its channel can do.
pub(super) struct DirectiveTarget {
    pub(super) sender: OperationSender,
    pub(super) can: Capabilities,
}

impl TurnDirectives {
    /// The turn's own chat, or another one where the allow list has it.
    pub(super) fn find_target(
        &self,
        operations: &TurnOperations,
        channel: Option<String>,
        chat: Option<String>,
    ) -> Result<DirectiveTarget, Skip> {
        let (channel, chat) = match (channel, chat) {
            (None, None) => {
                return Ok(DirectiveTarget {
                    sender: operations.sender.clone(),
                    can: operations.can.clone(),
                });
            }
            (Some(channel), Some(chat)) => (channel, chat),
            (None, Some(chat)) => (operations.sender.channel().id().as_str().to_owned(), chat),
            (Some(_), None) => return Err(Skip::not_allowed("a channel is named, but no chat on it")),
        };
        if !operations.output.allows(&channel, &chat) && operations.rules.holds(Rule::DeliverElsewhere) {
            return Err(
                Skip::not_allowed(format!("{channel}:{chat} is not in output.allow_targets"))
                    .unless(Some("output.allow_targets")),
            );
        }
        let Some(Port { channel, can, .. }) = self.ports.port(&ChannelId::new(channel.clone())) else {
            return Err(Skip::not_allowed(format!("there is no channel {channel}")));
        };
        let target = Target {
            chat: chat.into(),
            thread: None,
        };
        Ok(DirectiveTarget {
            sender: operations.sender.to(channel, target),
            can,
        })
    }
}
