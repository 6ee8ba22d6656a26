//! Requests that put a message into a chat: <https://core.telegram.org/method/messages.sendMessage>,
//! <https://core.telegram.org/method/messages.sendMedia>.

use super::entity::written;
use super::peers::{Chat, number};
use super::session::AccountSession;
use crate::{Call, Refusal};
use foldback_wire::{MessageFlags, MessageId};
use grammers_client::tl;
use ring::digest::{SHA256, digest};

/// Where a message goes, and as what.
pub(super) struct MessagePlace<'a> {
    pub(super) chat: Chat,
    pub(super) reply_to: Option<i32>,
    pub(super) flags: &'a MessageFlags,
    pub(super) random_id: i64,
}

impl<'a> MessagePlace<'a> {
    pub(super) fn of(
        call: &Call,
        reply_to: Option<&MessageId>,
        flags: &'a MessageFlags,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            chat: Chat::of(&call.target)?,
            reply_to: reply_to.map(number).transpose()?,
            flags,
            random_id: random_id(&call.key),
        })
    }

    fn reply(&self) -> Option<tl::enums::InputReplyTo> {
        let reply_to_msg_id = self.reply_to?;
        let reply = tl::types::InputReplyToMessage {
            reply_to_msg_id,
            top_msg_id: None,
            reply_to_peer_id: None,
            quote_text: None,
            quote_entities: None,
            quote_offset: None,
            monoforum_peer_id: None,
            todo_item_id: None,
            poll_option: None,
        };
        Some(reply.into())
    }

    pub(super) fn text(
        &self,
        markdown: &str,
        session: &AccountSession,
    ) -> tl::functions::messages::SendMessage {
        let (message, entities) = written(markdown);
        tl::functions::messages::SendMessage {
            no_webpage: self.flags.suppress_embeds,
            silent: self.flags.silent,
            background: false,
            clear_draft: false,
            noforwards: false,
            update_stickersets_order: false,
            invert_media: false,
            allow_paid_floodskip: false,
            peer: self.chat.named(session),
            reply_to: self.reply(),
            message,
            random_id: self.random_id,
            reply_markup: None,
            entities,
            schedule_date: None,
            schedule_repeat_period: None,
            send_as: None,
            quick_reply_shortcut: None,
            effect: None,
            allow_paid_stars: None,
            suggested_post: None,
            rich_message: None,
        }
    }

    pub(super) fn media(
        &self,
        media: tl::enums::InputMedia,
        message: String,
        entities: Option<Vec<tl::enums::MessageEntity>>,
        session: &AccountSession,
    ) -> tl::functions::messages::SendMedia {
        tl::functions::messages::SendMedia {
            silent: self.flags.silent,
            background: false,
            clear_draft: false,
            noforwards: false,
            update_stickersets_order: false,
            invert_media: false,
            allow_paid_floodskip: false,
            peer: self.chat.named(session),
            reply_to: self.reply(),
            media,
            message,
            random_id: self.random_id,
            reply_markup: None,
            entities,
            schedule_date: None,
            schedule_repeat_period: None,
            send_as: None,
            quick_reply_shortcut: None,
            effect: None,
            allow_paid_stars: None,
            suggested_post: None,
        }
    }
}

/// The number by which Telegram knows a message that comes again, after a restart too: a part of a digest of the key.
fn random_id(key: &str) -> i64 {
    let hash = digest(&SHA256, key.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_ref()[..8]);
    // Never 0, which is none.
    i64::from_le_bytes(bytes) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_key_has_one_number_and_another_key_another_one() {
        assert_eq!(random_id("fb-19a2b3c4d5e-7f"), random_id("fb-19a2b3c4d5e-7f"));
        let all: BTreeSet<_> = (0..1_000).map(|n| random_id(&format!("key-{n}"))).collect();
        assert_eq!(all.len(), 1_000);
        assert!(!all.contains(&0));
    }
}
