//! Events as messages: <https://docs.slack.dev/reference/events/message>.

use super::text;
use foldback_wire::{Attachment, ChannelId, ChatType, Inbound, Sender, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// Who the bot is: <https://docs.slack.dev/reference/methods/auth.test>.
#[derive(Debug, Deserialize)]
pub(super) struct Bot {
    #[serde(rename = "user_id")]
    pub(super) id: String,
    #[serde(rename = "user")]
    pub(super) name: String,
    #[serde(rename = "team")]
    pub(super) workspace: String,
}

#[derive(Debug, Deserialize)]
struct Message {
    subtype: Option<String>,
    #[serde(default)]
    hidden: bool,
    channel: String,
    channel_type: Option<String>,
    user: Option<String>,
    bot_id: Option<String>,
    #[serde(default)]
    text: String,
    ts: String,
    thread_ts: Option<String>,
    parent_user_id: Option<String>,
    #[serde(default)]
    files: Vec<File>,
    user_profile: Option<Profile>,
}

/// <https://docs.slack.dev/reference/objects/file-object>
#[derive(Debug, Deserialize)]
struct File {
    id: Option<String>,
    name: Option<String>,
    mimetype: Option<String>,
    size: Option<u64>,
}

/// Who wrote, where Slack adds it.
#[derive(Debug, Deserialize)]
struct Profile {
    name: Option<String>,
    real_name: Option<String>,
    display_name: Option<String>,
}

/// The message that an event tells of; `None` for what no person wrote: edits, joins, other bots, the bot itself.
pub(super) fn message(event: Value, channel: &ChannelId, bot: &Bot) -> Option<Inbound> {
    // Other events have the same fields with other things in them.
    if !["message", "app_mention"].contains(&event["type"].as_str()?) {
        return None;
    }
    match serde_json::from_value::<Message>(event) {
        Ok(message) => message.inbound(channel, bot),
        Err(error) => {
            tracing::warn!("a message of Slack that cannot be read: {error}");
            None
        }
    }
}

impl Message {
    fn inbound(self, channel: &ChannelId, bot: &Bot) -> Option<Inbound> {
        let written = matches!(
            self.subtype.as_deref(),
            None | Some("file_share" | "me_message" | "thread_broadcast")
        );
        let sender = self.user.as_ref().filter(|user| **user != bot.id)?;
        if !written || self.hidden || self.bot_id.is_some() || self.text.is_empty() && self.files.is_empty() {
            return None;
        }
        let name = |choose: fn(&Profile) -> Option<&String>| {
            let name = self.user_profile.as_ref().and_then(choose);
            name.filter(|name| !name.is_empty()).cloned()
        };
        Some(Inbound {
            channel: channel.clone(),
            account: None,
            chat: self.channel.as_str().into(),
            chat_type: self.chat_type(),
            thread: self
                .thread_ts
                .as_deref()
                .filter(|thread| *thread != self.ts)
                .map(Into::into),
            message: self.ts.as_str().into(),
            reply_to: None,
            sender: Sender {
                id: sender.as_str().into(),
                name: name(|profile| profile.name.as_ref()).unwrap_or_else(|| sender.clone()),
                display_name: name(|profile| profile.display_name.as_ref())
                    .or_else(|| name(|profile| profile.real_name.as_ref()))
                    .unwrap_or_else(|| sender.clone()),
                is_bot: false,
            },
            // An answer in a thread that the bot began is meant for it.
            mentioned: text::mentions(&self.text, &bot.id) || self.parent_user_id.as_ref() == Some(&bot.id),
            // What is shared comes as an attachment, which is not read; the text beside it is the sender's own.
            forwarded: false,
            text: text::plain(&self.text),
            files: self.files.iter().map(File::attachment).collect(),
            at: sent_at(&self.ts)?,
            dry_run: false,
        })
    }

    /// An `app_mention` does not say; it never comes from a direct message.
    fn chat_type(&self) -> ChatType {
        match self.channel_type.as_deref() {
            Some("im") => ChatType::Direct,
            _ => ChatType::Group,
        }
    }
}

impl File {
    fn attachment(&self) -> Attachment {
        let known = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Attachment {
            name: known(&self.name).unwrap_or_else(|| "file".to_owned()),
            media_type: known(&self.mimetype).unwrap_or_else(|| "application/octet-stream".to_owned()),
            size: self.size,
            source: self.id.clone(),
        }
    }
}

/// A time stamp is seconds and microseconds, and never a float, which would lose the last digits.
fn sent_at(ts: &str) -> Option<Timestamp> {
    let (seconds, micros) = ts.split_once('.')?;
    let (seconds, micros): (i64, i64) = (seconds.parse().ok()?, micros.parse().ok()?);
    Some(Timestamp(seconds.checked_mul(1_000)? + micros / 1_000))
}
