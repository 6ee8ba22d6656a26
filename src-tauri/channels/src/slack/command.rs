//! Slash commands: <https://docs.slack.dev/interactivity/implementing-slash-commands>. Slack keeps their names on the app's
//! page; a name that is none of the bot's commands, such as `/foldback`, has the command as its text.

use super::text;
use crate::{menu::MenuCommand, unread::Reader};
use foldback_wire::{ChannelId, ChatType, GroupInfo, Inbound, InboundContext, Sender, Timestamp};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
struct SlashCommand {
    command: String,
    #[serde(default)]
    text: String,
    user_id: String,
    #[serde(default)]
    user_name: String,
    channel_id: String,
    #[serde(default)]
    channel_name: String,
    /// Its own for every use, and the same where Slack sends it again.
    trigger_id: String,
}

/// The command that somebody used, as a message that mentions the bot.
pub(super) fn message(
    payload: &Value,
    channel: &ChannelId,
    menu: &[MenuCommand],
    at: Timestamp,
    reader: &mut Reader,
) -> Option<Inbound> {
    let used: SlashCommand = reader.read("slash command", payload)?;
    let words = text::plain(&used.text);
    let name = used.command.trim_start_matches('/');
    let is_ours = menu.iter().any(|command| command.name.eq_ignore_ascii_case(name));
    let written = match words.trim() {
        words if is_ours => format!("/{name} {words}").trim_end().to_owned(),
        "" => "/help".to_owned(),
        words => format!("/{}", words.trim_start_matches('/')),
    };
    let name = if used.user_name.is_empty() {
        used.user_id.clone()
    } else {
        used.user_name
    };
    // The names of others are the same for all of them.
    let group = ["directmessage", "privategroup", ""];
    let group = Some(used.channel_name).filter(|name| !group.contains(&name.as_str()));
    let context = InboundContext {
        group: group.map(|name| GroupInfo {
            name: Some(name),
            ..GroupInfo::default()
        }),
        ..InboundContext::default()
    };
    Some(Inbound {
        channel: channel.clone(),
        account: None,
        // Direct conversations have ids of their own form: <https://docs.slack.dev/reference/objects/conversation-object>.
        chat_type: if used.channel_id.starts_with('D') {
            ChatType::Direct
        } else {
            ChatType::Group
        },
        chat: used.channel_id.as_str().into(),
        thread: None,
        message: used.trigger_id.as_str().into(),
        reply_to: None,
        sender: Sender {
            display_name: used.user_id.clone(),
            id: used.user_id.as_str().into(),
            name,
            is_bot: false,
        },
        mentioned: true,
        forwarded: false,
        text: written,
        files: Vec::new(),
        at,
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: context.bounded(),
    })
}
