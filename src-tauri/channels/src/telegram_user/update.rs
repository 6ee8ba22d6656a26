//! Updates as messages: <https://core.telegram.org/constructor/message>.

use super::fetch::attachment;
use super::peers::{person, supergroup};
use super::session::AccountSession;
use foldback_wire::{ChannelId, ChatType, GroupInfo, Inbound, InboundContext, Sender, Timestamp};
use grammers_client::session::types::PeerId;
use grammers_client::tl;
use std::collections::HashMap;

/// Telegram's own account, which sends the codes that people sign in with. They are for the person alone.
/// <https://core.telegram.org/api/auth#code-types>
const SERVICE: i64 = 777_000;

/// Who wrote, as far as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Author {
    username: Option<String>,
    name: String,
    is_bot: bool,
}

/// The people and rooms that came with updates.
#[derive(Debug, Default)]
pub(super) struct Companions {
    pub(super) authors: HashMap<i64, Author>,
    titles: HashMap<i64, String>,
}

impl Companions {
    /// Reads them, and notes in the session how they are named.
    pub(super) fn read(
        users: &[tl::enums::User],
        chats: &[tl::enums::Chat],
        session: &AccountSession,
    ) -> Self {
        let mut beside = Self::default();
        for user in users {
            let tl::enums::User::User(user) = user else {
                continue;
            };
            if let Some(known) = person(user) {
                session.note(&known);
            }
            let names = [user.first_name.as_deref(), user.last_name.as_deref()];
            let names: Vec<_> = names
                .into_iter()
                .flatten()
                .filter(|name| !name.is_empty())
                .collect();
            let author = Author {
                username: user.username.clone(),
                name: names.join(" "),
                is_bot: user.bot,
            };
            beside.authors.insert(user.id, author);
        }
        for chat in chats {
            match chat {
                tl::enums::Chat::Chat(chat) => {
                    beside.titles.insert(-chat.id, chat.title.clone());
                }
                tl::enums::Chat::Channel(channel) => {
                    if let Some(known) = supergroup(channel) {
                        session.note(&known);
                    }
                    if let Some(id) = PeerId::channel(channel.id).and_then(PeerId::bot_api_dialog_id) {
                        beside.titles.insert(id, channel.title.clone());
                    }
                }
                _ => {}
            }
        }
        beside
    }
}

/// The new message in an update; `None` for any other update.
pub(super) fn message(update: tl::enums::Update) -> Option<tl::types::Message> {
    let message = match update {
        tl::enums::Update::NewMessage(update) => update.message,
        tl::enums::Update::NewChannelMessage(update) => update.message,
        _ => return None,
    };
    match message {
        tl::enums::Message::Message(message) => Some(message),
        // What nobody wrote, such as that somebody joined.
        tl::enums::Message::Service(_) | tl::enums::Message::Empty(_) => None,
    }
}

/// The id of a peer, as bots see it; `None` of a number that is none.
fn id(peer: &tl::enums::Peer) -> Option<i64> {
    let peer = match peer {
        tl::enums::Peer::User(user) => PeerId::user(user.user_id),
        tl::enums::Peer::Chat(chat) => PeerId::chat(chat.chat_id),
        tl::enums::Peer::Channel(channel) => PeerId::channel(channel.channel_id),
    };
    peer.and_then(PeerId::bot_api_dialog_id)
}

/// The person who wrote a message that is for the account; `None` where there is none, as of a broadcast, and of what the
/// account or Telegram itself wrote.
pub(super) fn author(message: &tl::types::Message, own: i64) -> Option<i64> {
    // In a direct chat the peer wrote.
    let from = id(message.from_id.as_ref().unwrap_or(&message.peer_id))?;
    let is_person = from > 0 && from != own && from != SERVICE;
    (is_person && !message.out && !message.post).then_some(from)
}

/// The message as Foldback knows it.
pub(super) fn inbound(
    message: tl::types::Message,
    channel: &ChannelId,
    own: i64,
    from: i64,
    author: Option<Author>,
    beside: &Companions,
) -> Option<Inbound> {
    let chat = id(&message.peer_id)?;
    let media = message.media.as_ref();
    let files: Vec<_> = media
        .and_then(|media| attachment(media, chat, message.id))
        .into_iter()
        .collect();
    if message.message.is_empty() && files.is_empty() {
        return None;
    }
    let author = author.unwrap_or_else(|| Author {
        username: None,
        name: from.to_string(),
        is_bot: false,
    });
    let reply_to = match &message.reply_to {
        Some(tl::enums::MessageReplyHeader::Header(header)) => header.reply_to_msg_id,
        _ => None,
    };
    let forwarded_from = match &message.fwd_from {
        Some(tl::enums::MessageFwdHeader::Header(header)) => header.from_name.clone(),
        None => None,
    };
    let context = InboundContext {
        forwarded_from,
        group: beside.titles.get(&chat).map(|title| GroupInfo {
            name: Some(title.clone()),
            ..GroupInfo::default()
        }),
        ..InboundContext::default()
    };
    Some(Inbound {
        channel: channel.clone(),
        // Each account counts its messages anew.
        account: Some(own.to_string()),
        chat: chat.to_string().into(),
        chat_type: if chat > 0 {
            ChatType::Direct
        } else {
            ChatType::Group
        },
        thread: None,
        message: message.id.to_string().into(),
        reply_to: reply_to.map(|id| id.to_string().into()),
        sender: Sender {
            id: from.to_string().into(),
            name: author.username.unwrap_or_else(|| from.to_string()),
            display_name: author.name,
            is_bot: author.is_bot,
        },
        // Telegram says so of a mention, and of an answer to a message of the account.
        mentioned: message.mentioned,
        forwarded: message.fwd_from.is_some(),
        text: message.message,
        files,
        at: Timestamp(i64::from(message.date).saturating_mul(1_000)),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: context.bounded(),
    })
}
