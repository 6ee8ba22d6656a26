//! Updates: messages as the API writes them, how they reach a client, and what it asks for that it missed.
//! <https://core.telegram.org/api/updates>

use super::answers::{CallResult, answered, refused, wrong};
use super::peers::peer;
use super::rules::CALL;
use super::state::{State, StoredMessage, is_supergroup, seconds};
use grammers_tl_types::{Deserializable as _, Serializable as _, enums, functions, types};

/// Messages with the people and rooms in them.
type MessageList = (Vec<enums::Message>, Vec<enums::Chat>, Vec<enums::User>);

impl State {
    /// A message as the API writes it.
    pub(super) fn written(&self, stored: &StoredMessage) -> Option<enums::Message> {
        // Flags, a second time flags, id, peer, date, text: a message without anything else.
        let mut bytes = vec![0; 8];
        bytes.extend(stored.id.to_le_bytes());
        bytes.extend(peer(stored.chat).to_bytes());
        bytes.extend(stored.date.to_le_bytes());
        bytes.extend(stored.text.to_bytes());
        let message = types::Message::from_bytes(&bytes).ok()?;
        let is_own = stored.from == self.account.id;
        // Who writes to a person directly is the peer, or the account.
        let from = (is_own || stored.chat < 0).then(|| peer(stored.from));
        Some(
            types::Message {
                out: is_own,
                mentioned: stored.is_mention,
                silent: stored.is_silent,
                from_id: from,
                reply_to: stored.reply_to.and_then(header),
                fwd_from: stored.is_forward.then(forwarded).flatten(),
                media: self.media(stored),
                entities: (!stored.entities.is_empty()).then(|| stored.entities.clone()),
                edit_date: (stored.edits > 0).then_some(stored.date),
                ..message
            }
            .into(),
        )
    }

    fn told(&self, stored: &[StoredMessage]) -> MessageList {
        let messages = stored.iter().filter_map(|stored| self.written(stored)).collect();
        let mut people: Vec<_> = stored
            .iter()
            .flat_map(|stored| [stored.from, stored.chat])
            .collect();
        people.sort_unstable();
        people.dedup();
        let rooms = people.iter().filter_map(|id| self.room(*id)).collect();
        let users = people.iter().filter_map(|id| self.user(*id)).collect();
        (messages, rooms, users)
    }

    /// The update of a new message, or of an edit of one.
    pub(super) fn update(&self, stored: &StoredMessage, pts: i32, is_edit: bool) -> Option<enums::Update> {
        let message = self.written(stored)?;
        let pts_count = 1;
        Some(match (is_supergroup(stored.chat), is_edit) {
            (false, false) => types::UpdateNewMessage {
                message,
                pts,
                pts_count,
            }
            .into(),
            (false, true) => types::UpdateEditMessage {
                message,
                pts,
                pts_count,
            }
            .into(),
            (true, false) => types::UpdateNewChannelMessage {
                message,
                pts,
                pts_count,
            }
            .into(),
            (true, true) => types::UpdateEditChannelMessage {
                message,
                pts,
                pts_count,
            }
            .into(),
        })
    }

    /// Updates about a message.
    pub(super) fn updates(&self, stored: &StoredMessage, updates: Vec<enums::Update>) -> enums::Updates {
        let (_, chats, users) = self.told(std::slice::from_ref(stored));
        types::Updates {
            updates,
            users,
            chats,
            date: seconds(),
            seq: 0,
        }
        .into()
    }

    /// A text of a person in its short form, which names nobody: <https://core.telegram.org/constructor/updateShortMessage>.
    pub(super) fn short(&self, stored: &StoredMessage, pts: i32) -> enums::Updates {
        types::UpdateShortMessage {
            out: stored.from == self.account.id,
            mentioned: stored.is_mention,
            media_unread: false,
            silent: stored.is_silent,
            id: stored.id,
            user_id: stored.chat,
            message: stored.text.clone(),
            pts,
            pts_count: 1,
            date: stored.date,
            fwd_from: None,
            via_bot_id: None,
            reply_to: stored.reply_to.and_then(header),
            entities: None,
            ttl_period: None,
        }
        .into()
    }

    pub(super) fn counts(&self) -> enums::updates::State {
        types::updates::State {
            pts: self.pts,
            qts: 0,
            date: seconds(),
            seq: 0,
            unread_count: 0,
        }
        .into()
    }

    pub(super) fn difference(&self, asked: &functions::updates::GetDifference) -> CallResult {
        if !(1..=self.pts).contains(&asked.pts) {
            return Err(wrong(CALL, 400, "PERSISTENT_TIMESTAMP_INVALID"));
        }
        let since = self.log.iter().filter(|(pts, _)| *pts > asked.pts);
        let missed: Vec<_> = since.filter_map(|(_, id)| self.common(*id)).collect();
        if missed.is_empty() && asked.pts == self.pts {
            let empty = types::updates::DifferenceEmpty {
                date: seconds(),
                seq: 0,
            };
            return answered(&enums::updates::Difference::Empty(empty));
        }
        let (new_messages, chats, users) = self.told(&missed);
        answered(&enums::updates::Difference::Difference(
            types::updates::Difference {
                new_messages,
                new_encrypted_messages: Vec::new(),
                other_updates: Vec::new(),
                chats,
                users,
                state: self.counts(),
            },
        ))
    }

    pub(super) fn channel_difference(&self, asked: &functions::updates::GetChannelDifference) -> CallResult {
        let chat = self.named_channel(&asked.channel)?;
        if !(1..=100).contains(&asked.limit) {
            return Err(refused(400, "LIMIT_INVALID"));
        }
        let since = self
            .room_log
            .iter()
            .filter(|(room, pts, _)| *room == chat && *pts > asked.pts);
        let found = since.filter_map(|(_, _, id)| self.message(chat, *id));
        let missed: Vec<_> = found.map(|at| self.messages[at].clone()).collect();
        let pts = self.rooms.get(&chat).map_or(1, |room| room.pts);
        if missed.is_empty() {
            let empty = types::updates::ChannelDifferenceEmpty {
                r#final: true,
                pts,
                timeout: None,
            };
            return answered(&enums::updates::ChannelDifference::Empty(empty));
        }
        let (new_messages, chats, users) = self.told(&missed);
        let difference = types::updates::ChannelDifference {
            r#final: true,
            pts,
            timeout: None,
            new_messages,
            other_updates: Vec::new(),
            chats,
            users,
        };
        answered(&enums::updates::ChannelDifference::Difference(difference))
    }

    /// The message of an id that no supergroup gave.
    fn common(&self, id: i32) -> Option<StoredMessage> {
        let is_it = |stored: &&StoredMessage| stored.id == id && !is_supergroup(stored.chat);
        self.messages.iter().find(is_it).cloned()
    }

    /// Messages by their ids, outside of supergroups: <https://core.telegram.org/method/messages.getMessages>.
    pub(super) fn get_messages(&self, asked: &functions::messages::GetMessages) -> CallResult {
        let found: Vec<_> = ids(&asked.id).filter_map(|id| self.common(id)).collect();
        self.answer_messages(&found)
    }

    /// The same in a supergroup: <https://core.telegram.org/method/channels.getMessages>.
    pub(super) fn get_channel_messages(&self, asked: &functions::channels::GetMessages) -> CallResult {
        let chat = self.named_channel(&asked.channel)?;
        let found = ids(&asked.id).filter_map(|id| self.message(chat, id));
        let found: Vec<_> = found.map(|at| self.messages[at].clone()).collect();
        self.answer_messages(&found)
    }

    /// The newest messages of a chat: <https://core.telegram.org/method/messages.getHistory>.
    pub(super) fn history(&self, asked: &functions::messages::GetHistory) -> CallResult {
        let chat = self.named(&asked.peer)?;
        let here = self.messages.iter().rev().filter(|stored| stored.chat == chat);
        let limit = usize::try_from(asked.limit).unwrap_or_default().min(100);
        let found: Vec<_> = here.take(limit).cloned().collect();
        self.answer_messages(&found)
    }

    fn answer_messages(&self, found: &[StoredMessage]) -> CallResult {
        let (messages, chats, users) = self.told(found);
        answered(&enums::messages::Messages::Messages(types::messages::Messages {
            messages,
            topics: Vec::new(),
            chats,
            users,
        }))
    }
}

fn ids(asked: &[enums::InputMessage]) -> impl Iterator<Item = i32> {
    asked.iter().filter_map(|asked| match asked {
        enums::InputMessage::Id(asked) => Some(asked.id),
        _ => None,
    })
}

fn header(to: i32) -> Option<enums::MessageReplyHeader> {
    let blank: types::MessageReplyHeader = super::peers::blank()?;
    Some(
        types::MessageReplyHeader {
            reply_to_msg_id: Some(to),
            ..blank
        }
        .into(),
    )
}

fn forwarded() -> Option<enums::MessageFwdHeader> {
    let blank: types::MessageFwdHeader = super::peers::blank()?;
    Some(
        types::MessageFwdHeader {
            from_name: Some("Somebody".into()),
            ..blank
        }
        .into(),
    )
}
