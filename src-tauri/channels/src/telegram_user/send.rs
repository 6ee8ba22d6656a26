//! Operations as calls: <https://core.telegram.org/method/messages.sendMessage> and its neighbours.

use super::TelegramUser;
use super::entity::written;
use super::link::Link;
use super::messages::{listed, sent};
use super::peers::{Chat, number};
use super::place::MessagePlace;
use super::refusal::{CallEffect, says};
use crate::folder::Meant;
use crate::{Ack, Call, Refusal};
use foldback_wire::{MessageFlags, Operation, RefusalCode};
use grammers_client::tl;

/// Messages of a chat among which one is looked for that Telegram had already.
const LOOKED_AT: i32 = 100;

impl TelegramUser {
    pub(super) async fn send(&self, call: &Call) -> Result<Ack, Refusal> {
        let sent = Box::pin(self.send_over(call)).await;
        sent.map_err(|refusal| self.placed(refusal))
    }

    async fn send_over(&self, call: &Call) -> Result<Ack, Refusal> {
        let none = MessageFlags::default();
        match &call.operation {
            Operation::SendText {
                text,
                reply_to,
                flags,
            } => {
                let place = MessagePlace::of(call, reply_to.as_ref(), flags)?;
                let link = self.link().await?;
                let request = place.text(text, &link.session);
                let answer = link.call(&request, CallEffect::Change).await;
                self.acknowledge(&place, answer, &request.message, &link).await
            }
            Operation::EditText { message, text, flags } => {
                let place = MessagePlace::of(call, None, flags)?;
                self.edit(&place, number(message)?, text).await
            }
            Operation::Delete { message } => {
                let place = MessagePlace::of(call, None, &none)?;
                self.delete(place.chat, number(message)?).await
            }
            Operation::React {
                message, emoji_sent, ..
            } => {
                let place = MessagePlace::of(call, None, &none)?;
                self.react(place.chat, number(message)?, emoji_sent).await
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                checked,
                flags,
            } => {
                let place = MessagePlace::of(call, reply_to.as_ref(), flags)?;
                let file = Meant::file(path, *kind, *checked);
                Box::pin(self.send_file(&place, file, false, caption.as_deref())).await
            }
            Operation::SendVoice {
                path,
                reply_to,
                checked,
                flags,
                ..
            } => {
                let place = MessagePlace::of(call, reply_to.as_ref(), flags)?;
                Box::pin(self.send_file(&place, Meant::voice(path, *checked), true, None)).await
            }
            Operation::Typing => {
                let place = MessagePlace::of(call, None, &none)?;
                let link = self.link().await?;
                let request = tl::functions::messages::SetTyping {
                    peer: place.chat.named(&link.session),
                    top_msg_id: None,
                    action: tl::enums::SendMessageAction::SendMessageTypingAction,
                };
                link.call(&request, CallEffect::Nothing)
                    .await
                    .map(|_| Ack::default())
            }
        }
    }

    /// What became of a message. One that Telegram had already is looked for: its id is not told.
    pub(super) async fn acknowledge(
        &self,
        place: &MessagePlace<'_>,
        answer: Result<tl::enums::Updates, Refusal>,
        text: &str,
        link: &Link,
    ) -> Result<Ack, Refusal> {
        match answer {
            Ok(updates) => sent(updates, place.random_id),
            Err(refusal) if says(&refusal, "RANDOM_ID_DUPLICATE") => {
                let found = self.find_own(place, text, link).await;
                let warning = "Telegram had it already, and it is not among the newest messages of its chat";
                Ok(Ack {
                    warning: found.is_none().then(|| warning.to_owned()),
                    message: found.map(|id| id.to_string().into()),
                    unchanged: true,
                    ..Ack::default()
                })
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The newest message of the account's own in a chat that has this text and answers this message.
    async fn find_own(&self, place: &MessagePlace<'_>, text: &str, link: &Link) -> Option<i32> {
        let request = tl::functions::messages::GetHistory {
            peer: place.chat.named(&link.session),
            offset_id: 0,
            offset_date: 0,
            add_offset: 0,
            limit: LOOKED_AT,
            max_id: 0,
            min_id: 0,
            hash: 0,
        };
        let found = link.call(&request, CallEffect::Nothing).await.ok()?;
        let is_it = |message: &tl::types::Message| {
            let answered = match &message.reply_to {
                Some(tl::enums::MessageReplyHeader::Header(header)) => header.reply_to_msg_id,
                _ => None,
            };
            message.out && message.message == text && answered == place.reply_to
        };
        listed(found)
            .messages
            .into_iter()
            .find_map(|message| match message {
                tl::enums::Message::Message(message) if is_it(&message) => Some(message.id),
                _ => None,
            })
    }

    async fn edit(&self, place: &MessagePlace<'_>, id: i32, markdown: &str) -> Result<Ack, Refusal> {
        let (message, entities) = written(markdown);
        let link = self.link().await?;
        let request = tl::functions::messages::EditMessage {
            no_webpage: place.flags.suppress_embeds,
            invert_media: false,
            peer: place.chat.named(&link.session),
            id,
            message: Some(message),
            media: None,
            reply_markup: None,
            entities,
            schedule_date: None,
            schedule_repeat_period: None,
            quick_reply_shortcut_id: None,
            rich_message: None,
        };
        done(link.call(&request, CallEffect::Change).await.map(drop))
    }

    async fn delete(&self, chat: Chat, id: i32) -> Result<Ack, Refusal> {
        let link = self.link().await?;
        let id = vec![id];
        let answer = if let Some(channel) = chat.supergroup(&link.session) {
            let request = tl::functions::channels::DeleteMessages { channel, id };
            link.call(&request, CallEffect::Change).await?
        } else {
            // For everybody, not for the account alone.
            let request = tl::functions::messages::DeleteMessages { revoke: true, id };
            link.call(&request, CallEffect::Change).await?
        };
        let tl::enums::messages::AffectedMessages::Messages(affected) = answer;
        Ok(Ack {
            // It was gone.
            unchanged: affected.pts_count == 0,
            ..Ack::default()
        })
    }

    async fn react(&self, chat: Chat, msg_id: i32, emoji: &str) -> Result<Ack, Refusal> {
        let link = self.link().await?;
        let emoticon = emoji.to_owned();
        let request = tl::functions::messages::SendReaction {
            big: false,
            add_to_recent: false,
            peer: chat.named(&link.session),
            msg_id,
            reaction: Some(vec![tl::types::ReactionEmoji { emoticon }.into()]),
        };
        done(link.call(&request, CallEffect::Change).await.map(drop))
    }

    /// The refusal with the address, where nobody was reached.
    pub(super) fn placed(&self, refusal: Refusal) -> Refusal {
        if refusal.unsent && refusal.code == RefusalCode::Transient {
            self.unreached(refusal)
        } else {
            refusal
        }
    }
}

/// A change, which may have been there.
fn done(answer: Result<(), Refusal>) -> Result<Ack, Refusal> {
    match answer {
        Ok(()) => Ok(Ack::default()),
        Err(refusal) if says(&refusal, "MESSAGE_NOT_MODIFIED") => Ok(Ack {
            unchanged: true,
            ..Ack::default()
        }),
        Err(refusal) => Err(refusal),
    }
}
