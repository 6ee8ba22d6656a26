//! What surrounds the message of `foldback send`, and how far it goes.

use crate::format::Format;
use foldback_wire::{
    ChannelId, ChatId, ChatType, MessageId, SessionId, ThreadId, UserId,
    rpc::{ComposePrepare, MessageContext},
};

/// What surrounds a message.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Context")]
pub(super) struct Around {
    /// Stop after this stage: `prepare` prints the prompt that the agent would be given. No agent is asked, and the
    /// journal stays as it is
    #[arg(long, value_name = "STAGE", conflicts_with_all = ["agent_output", "dry_run", "files"])]
    until: Option<Until>,

    /// Direct message or group
    #[arg(long, value_name = "TYPE")]
    chat_type: Option<ChatKind>,

    /// The chat's id
    #[arg(long, value_name = "ID")]
    chat: Option<String>,

    /// The thread's id
    #[arg(long, value_name = "ID")]
    thread: Option<String>,

    /// Whether the bot is mentioned [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    mentioned: Option<bool>,

    /// The sender's id [default: the first that may write]
    #[arg(long, value_name = "ID")]
    sender: Option<String>,

    /// The sender is a bot
    #[arg(long)]
    is_bot: bool,

    /// The id of the message that this one answers
    #[arg(long, value_name = "ID")]
    reply_to: Option<String>,

    /// The message is passed on
    #[arg(long)]
    forwarded: bool,

    /// The conversation whose stored settings count, by its key; with --until
    #[arg(long, value_name = "KEY", requires = "until")]
    session: Option<String>,

    /// An id that may write, in place of the channel's list; may be given several times; with --until
    #[arg(long, value_name = "ID", requires = "until")]
    allow_from: Vec<String>,

    /// How to print what --until shows
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "until")]
    format: Format,

    /// The same as --format json
    #[arg(long, requires = "until", conflicts_with = "format")]
    json: bool,
}

/// The stage that a message stops after.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Until {
    /// The prompt is written.
    Prepare,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ChatKind {
    Direct,
    Group,
}

impl Around {
    pub(super) const fn stops_at_prompt(&self) -> bool {
        matches!(self.until, Some(Until::Prepare))
    }

    pub(super) const fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    pub(super) fn context(&self) -> MessageContext {
        MessageContext {
            chat_type: self.chat_type.map(|kind| match kind {
                ChatKind::Direct => ChatType::Direct,
                ChatKind::Group => ChatType::Group,
            }),
            chat: self.chat.as_deref().map(ChatId::new),
            thread: self.thread.as_deref().map(ThreadId::new),
            mentioned: self.mentioned,
            sender: self.sender.as_deref().map(UserId::new),
            is_bot: self.is_bot.then_some(true),
            reply_to: self.reply_to.as_deref().map(MessageId::new),
            forwarded: self.forwarded.then_some(true),
        }
    }

    pub(super) fn prepare(&self, channel: ChannelId, user_text: String) -> ComposePrepare {
        ComposePrepare {
            channel,
            user_text,
            context: self.context(),
            session: self.session.as_deref().map(SessionId::new),
            allow_from: (!self.allow_from.is_empty()).then(|| self.allow_from.clone()),
        }
    }
}
