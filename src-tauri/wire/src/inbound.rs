//! A message that comes in.

use crate::{
    ChannelId, ChatId, InboundContext, Location, MessageId, SenderIds, ThreadId, Timestamp, UserId,
    closed::closed_set,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

closed_set! {
    /// The kind of a chat.
    pub enum ChatType {
        Direct = "direct": "One person and the bot.",
        Group = "group": "Several people.",
    }
}

/// The sender of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Sender {
    /// The platform's id.
    pub id: UserId,
    /// Account name.
    pub name: String,
    /// Name as shown.
    pub display_name: String,
    /// True where it is a bot.
    pub is_bot: bool,
}

impl Sender {
    /// The name for people to read: the shown one, else the account's, else the id. Never empty where the id is not.
    pub fn readable_name(&self) -> &str {
        let names = [&*self.display_name, &*self.name];
        names
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or(self.id.as_str())
    }
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
    /// The platform's handle to fetch it by, which the journal keeps for a turn that a restart takes up. On some
    /// platforms it is an address from which anybody may load the file for a while, and that has its name: it is neither
    /// masked nor shown, exported or given to an agent. Older journals lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<String>,
}

closed_set! {
    /// The outcome of a file that came with a message.
    pub enum FileFate {
        Given = "given": "The agent was given it.",
        Transcribed = "transcribed": "It was written down for the agent.",
        Described = "described": "It was described for the agent.",
        Read = "read": "Its text was read for the agent.",
        Disabled = "disabled": "A setting leaves it out.",
        NotTaken = "not_taken": "The agent takes no such file.",
        TooLarge = "too_large": "It is larger than the limit.",
        TooMany = "too_many": "More came with the message, in number or in bytes, than is taken.",
        TooSlow = "too_slow": "It did not come in time.",
        Unavailable = "unavailable": "The platform did not hand it over.",
        Cancelled = "cancelled": "The turn was cancelled first.",
    }
}

impl FileFate {
    /// True where the agent has what is in it.
    pub const fn reached(self) -> bool {
        matches!(
            self,
            Self::Given | Self::Transcribed | Self::Described | Self::Read
        )
    }
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
    /// The author.
    pub sender: Sender,
    /// The text.
    pub text: String,
    /// True where the bot was mentioned or answered.
    pub mentioned: bool,
    /// True where it is passed on: what it says is somebody else's word, and never a command of the sender. Where the
    /// platform does not tell, it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forwarded: bool,
    /// Files.
    pub files: Vec<Attachment>,
    /// The time at which the platform says it was sent.
    pub at: Timestamp,
    /// True where `at` is the time of the sender's device, which may be any: the platform told none of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_by_device: bool,
    /// True where nothing that comes of it may reach a platform, also where the channel is armed: a test by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Size of the text and files that the journal does not keep, as no gate let the message to the bot. Only in the
    /// journal, where `text`, `files`, the sender's names and `reply_to` are empty then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub omitted: Option<OmittedContent>,
    /// Quote, thread, origin, place and group, and the sender's other ids: untrusted data. Absent where nothing is told;
    /// older journals lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<Box<InboundContext>>,
}

/// Size of what a message held and the journal does not keep (`store.keep_unaddressed`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct OmittedContent {
    /// Bytes of its text.
    pub bytes: u64,
    /// Number of its files.
    pub files: u32,
}

impl Inbound {
    /// Takes out all but what an operator needs to let the sender in and a person to find the message on its platform:
    /// of text and files their size is left, of the sender the id.
    pub fn omit_content(&mut self) {
        self.sender.name = String::new();
        self.sender.display_name = String::new();
        self.reply_to = None;
        let context = self.context.take();
        let is_place = context.is_some_and(|context| context.location.is_some());
        if self.text.is_empty() && self.files.is_empty() && !is_place {
            return;
        }
        self.omitted = Some(OmittedContent {
            bytes: self.text.len() as u64,
            files: u32::try_from(self.files.len()).unwrap_or(u32::MAX),
        });
        self.text = String::new();
        self.files = Vec::new();
    }

    /// Its text for people to read: where the journal does not keep it, a sentence that says so.
    pub fn readable_text(&self) -> Cow<'_, str> {
        let Some(OmittedContent { bytes, files }) = self.omitted else {
            return match self.location() {
                Some(place) if self.text.is_empty() => Cow::Owned(place.words()),
                _ => Cow::Borrowed(&self.text),
            };
        };
        let files = match files {
            0 => String::new(),
            1 => ", 1 file".to_owned(),
            many => format!(", {many} files"),
        };
        Cow::Owned(format!(
            "text not kept (store.keep_unaddressed; {bytes} B{files})"
        ))
    }

    /// The ids of its sender, the first one first: those that the platform gives, and the telephone number. An allow list
    /// may name any of them.
    pub fn sender_ids(&self) -> impl Iterator<Item = &str> {
        let others = self.context.iter().filter_map(|context| context.sender.as_ref());
        let others = others
            .flat_map(|SenderIds { ids, phone, .. }| ids.iter().map(UserId::as_str).chain(phone.as_deref()));
        std::iter::once(self.sender.id.as_str()).chain(others)
    }

    /// Other people's words that came with it, which an agent may repeat.
    pub fn quoted_texts(&self) -> impl Iterator<Item = &str> {
        self.context.iter().flat_map(|context| context.quoted_texts())
    }

    /// The place that was sent, where one was.
    pub fn location(&self) -> Option<&Location> {
        self.context.as_ref()?.location.as_ref()
    }

    /// Forgets the handles of its files, for everybody but the process that fetches them.
    pub fn forget_handles(&mut self) {
        for file in &mut self.files {
            file.source = None;
        }
    }
}
