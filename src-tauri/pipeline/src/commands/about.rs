//! Who the sender is to the bot, and which models there are.

use crate::{context::TurnContext, stages::command_access::CommandAccess};
use foldback_wire::{ChannelId, Inbound, visible};

pub(super) fn whoami(message: &Inbound, access: &CommandAccess) -> String {
    let rights = if access.is_owner {
        "You own this bot."
    } else {
        "You may use commands; those for owners are closed to you."
    };
    let thread = message
        .thread
        .as_ref()
        .map_or_else(String::new, |thread| format!("\nThread: `{thread}`"));
    format!(
        "ℹ️ You are {}.\nYour id: `{}`\nChannel: {}\nChat: `{}` ({}){thread}\n{rights}",
        visible(message.sender.readable_name()),
        message.sender.id,
        message.channel,
        message.chat,
        message.chat_type,
    )
}

/// What is known of agents that the agent has at work: no backend tells of them.
pub(super) fn subagents(context: &TurnContext, channel: &ChannelId) -> String {
    let backend = context.agents.of(channel).backend().to_owned();
    format!("ℹ️ {backend} does not tell of agents that it has at work. /stop ends its run with all of them.")
}

/// The models that have a short name, and the one that answers unless another is chosen.
pub(super) fn models(context: &TurnContext, channel: &ChannelId) -> String {
    let agent = context.agents.of(channel);
    let model = agent.model().unwrap_or("the agent's own");
    let present = format!("ℹ️ {} answers with {model}.", agent.backend());
    let names = &context.ports.config.agent.models;
    if names.is_empty() {
        return present;
    }
    let lines: Vec<_> = names
        .iter()
        .zip(1..)
        .map(|((name, model), number)| format!("{number}. /{name} – {model}"))
        .collect();
    format!(
        "{present}\nChoose another with its name or /model and its number:\n{}",
        lines.join("\n")
    )
}
