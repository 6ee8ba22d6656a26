//! A message that comes in.

use crate::{ChannelId, ChatId, MessageId, ThreadId, Timestamp, UserId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// What kind of conversation a chat is.
    pub enum ChatType {
        Direct = "direct": "One person and the bot.",
        Group = "group": "Several people.",
    }
}

/// Who sent a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Sender {
    /// The platform's id.
    pub id: UserId,
    /// Account name.
    pub name: String,
    /// Name as shown.
    pub display_name: String,
    /// Whether it is a bot.
    pub is_bot: bool,
}

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Attachment {
    /// File name as the platform gives it.
    pub name: String,
    /// Media type; `application/octet-stream` when unknown.
    pub media_type: String,
    /// Size in bytes, where known.
    pub size: Option<u64>,
}

/// One message as an adapter hands it over, and, after the stage `finalize`, in its normal form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Inbound {
    /// On which channel.
    pub channel: ChannelId,
    /// The bot's account on that channel, where the ids of chat and message do not tell two accounts apart. Older
    /// journals lack it.
    pub account: Option<String>,
    /// In which chat.
    pub chat: ChatId,
    /// Direct or group.
    pub chat_type: ChatType,
    /// In which thread.
    pub thread: Option<ThreadId>,
    /// The platform's id of the message.
    pub message: MessageId,
    /// The message this one answers.
    pub reply_to: Option<MessageId>,
    /// Who wrote it.
    pub sender: Sender,
    /// What was written.
    pub text: String,
    /// Whether the bot was mentioned or answered.
    pub mentioned: bool,
    /// Files.
    pub files: Vec<Attachment>,
    /// When the platform says it was sent.
    pub at: Timestamp,
    /// Whether nothing that comes of it may reach a platform, also where the channel is armed: a test by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}
