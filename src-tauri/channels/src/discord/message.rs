//! Messages as Foldback knows them: <https://discord.com/developers/docs/resources/message#message-object>.

use super::session::{Bot, Place};
use foldback_wire::{Attachment, ChannelId, ChatType, Inbound, Sender, ThreadId, Timestamp};
use serde_json::Value;
use serenity::model::channel::{Message, MessageReferenceKind, MessageType};
use serenity::model::id;
use serenity::model::sticker::{StickerFormatType, StickerItem};

/// The first moment of Discord's time, in milliseconds since 1970, and how far left of an id's other bits its
/// time stands. <https://discord.com/developers/docs/reference#snowflakes>
const EPOCH_MS: u64 = 1_420_070_400_000;
const TIME_BITS: u32 = 22;

/// The message with what it passes on as its own: such a message says nothing itself, and what others said, files
/// included, stands in its snapshots (<https://discord.com/developers/docs/resources/message#message-snapshot-object>).
/// Whom those call stays theirs.
pub(super) fn with_what_it_passes_on(mut message: Message) -> Message {
    for passed_on in std::mem::take(&mut message.message_snapshots) {
        if !message.content.is_empty() && !passed_on.content.is_empty() {
            message.content.push_str("\n\n");
        }
        message.content.push_str(&passed_on.content);
        message.attachments.extend(passed_on.attachments);
        message.sticker_items.extend(passed_on.sticker_items);
    }
    message
}

/// Whether a message is one from somebody else: neither the bot's own nor news such as that somebody joined.
pub(super) fn is_for_us(message: &Message, bot: &Bot) -> bool {
    let written = matches!(message.kind, MessageType::Regular | MessageType::InlineReply);
    let empty =
        message.content.is_empty() && message.attachments.is_empty() && message.sticker_items.is_empty();
    written && !empty && message.author.id != bot.id
}

/// The message, which stands in a channel of this kind.
pub(super) fn inbound(message: Message, place: Place, channel: &ChannelId, bot: &Bot) -> Inbound {
    let answers_bot = message
        .referenced_message
        .as_ref()
        .is_some_and(|answered| answered.author.id == bot.id);
    let named = message.mentions.iter().any(|user| user.id == bot.id)
        || message.mention_roles.iter().any(|role| bot.roles.contains(role));
    let stands_in = message.channel_id.to_string();
    let (chat, thread) = match place {
        Place::Chat => (stands_in, None),
        Place::ThreadOf(parent) => (parent.to_string(), Some(ThreadId::from(stands_in))),
    };
    let forwarded = message
        .message_reference
        .as_ref()
        .is_some_and(|of| of.kind == MessageReferenceKind::Forward);
    let nick = message.member.as_ref().and_then(|member| member.nick.clone());
    let author = message.author;
    Inbound {
        channel: channel.clone(),
        account: None,
        chat: chat.into(),
        // Only what was written in a server names one.
        chat_type: if message.guild_id.is_some() {
            ChatType::Group
        } else {
            ChatType::Direct
        },
        thread,
        message: message.id.to_string().into(),
        reply_to: message
            .message_reference
            .filter(|_| message.kind == MessageType::InlineReply)
            .and_then(|answered| answered.message_id)
            .map(|answered| answered.to_string().into()),
        sender: Sender {
            id: author.id.to_string().into(),
            display_name: nick.or(author.global_name).unwrap_or_else(|| author.name.clone()),
            name: author.name,
            is_bot: author.bot || message.webhook_id.is_some(),
        },
        mentioned: answers_bot || named,
        forwarded,
        text: message.content,
        files: message
            .attachments
            .into_iter()
            .map(|file| Attachment {
                name: file.filename,
                media_type: file
                    .content_type
                    .unwrap_or_else(|| "application/octet-stream".into()),
                size: Some(file.size.into()),
                source: Some(file.url),
            })
            .chain(message.sticker_items.iter().map(sticker))
            .collect(),
        at: written_at(message.id),
        dry_run: false,
    }
}

/// A sticker, as the picture it is (<https://discord.com/developers/docs/resources/sticker>), and where that is
/// (<https://discord.com/developers/docs/reference#image-formatting-cdn-endpoints>).
fn sticker(item: &StickerItem) -> Attachment {
    let (host, extension, media_type) = match item.format_type {
        StickerFormatType::Lottie => ("discord.com", "json", "application/json"),
        StickerFormatType::Gif => ("media.discordapp.net", "gif", "image/gif"),
        _ => ("cdn.discordapp.com", "png", "image/png"),
    };
    Attachment {
        name: format!("{}.{extension}", item.name),
        media_type: media_type.into(),
        size: None,
        source: Some(format!("https://{host}/stickers/{}.{extension}", item.id)),
    }
}

/// An id begins with its time.
fn written_at(message: id::MessageId) -> Timestamp {
    let ms = (message.get() >> TIME_BITS) + EPOCH_MS;
    // 42 bits and a date: far from what an i64 holds.
    Timestamp(ms.cast_signed())
}

/// The roles of a server that belong to the bot alone.
/// <https://discord.com/developers/docs/topics/permissions#role-object-role-tags-structure>
pub(super) fn roles_of(bot: &Bot, server: &Value) -> Vec<id::RoleId> {
    let roles = server["roles"].as_array().into_iter().flatten();
    let owned = roles.filter(|role| role["tags"]["bot_id"].as_str() == Some(&bot.id.to_string()));
    owned
        .filter_map(|role| serde_json::from_value(role["id"].clone()).ok())
        .collect()
}
