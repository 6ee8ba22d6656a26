//! What surrounds a message that is written by hand.

use crate::{ChatId, ChatType, MessageId, ThreadId, UserId};
use serde::{Deserialize, Serialize};

/// What surrounds a message that is written by hand. What is left out is as Compose has it: a direct message of a
/// sender who may write.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(default, deny_unknown_fields)]
#[ts(optional_fields)]
pub struct MessageContext {
    /// Direct message or group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<ChatType>,
    /// The chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ChatId>,
    /// The thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// Whether the bot is mentioned; true when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mentioned: Option<bool>,
    /// The sender's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender: Option<UserId>,
    /// Whether a bot writes; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_bot: Option<bool>,
    /// The message that this one answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// Whether it is passed on; false when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<bool>,
}
