//! Sending: <https://core.telegram.org/method/messages.sendMessage>, <https://core.telegram.org/method/messages.sendMedia>.

use super::answers::{CallRefusal, CallResult, answered, refused, wrong};
use super::config::{CAPTION_LENGTH, MESSAGE_LENGTH};
use super::rules::{CAPTION, ENTITIES, RANDOM_ID, REPLY, TEXT};
use super::state::{State, StoredMessage};
use grammers_tl_types::{enums, functions, types};

impl StoredMessage {
    /// A message of this text, with nothing else.
    pub(super) fn new(chat: i64, from: i64, text: &str) -> Self {
        Self {
            id: 0,
            chat,
            from,
            text: text.to_owned(),
            reply_to: None,
            file: None,
            is_voice: false,
            is_silent: false,
            has_no_preview: false,
            edits: 0,
            reaction: None,
            date: 0,
            is_mention: false,
            is_forward: false,
            handle: None,
            entities: Vec::new(),
        }
    }
}

/// The UTF-16 units of a text, which everything is counted in.
fn units(text: &str) -> i32 {
    i32::try_from(text.encode_utf16().count()).unwrap_or(i32::MAX)
}

/// The special parts of a text, where they lie in it.
pub(super) fn entities(
    given: Option<&Vec<enums::MessageEntity>>,
    text: &str,
) -> Result<Vec<enums::MessageEntity>, CallRefusal> {
    let given = given.cloned().unwrap_or_default();
    let length = units(text);
    let fits = |entity: &enums::MessageEntity| {
        let (offset, its_length) = (entity.offset(), entity.length());
        offset >= 0 && its_length > 0 && offset.checked_add(its_length).is_some_and(|end| end <= length)
    };
    if given.iter().all(fits) {
        Ok(given)
    } else {
        Err(wrong(ENTITIES, 400, "ENTITY_BOUNDS_INVALID"))
    }
}

/// The text of a message or of an edit, as it is kept: blanks around it are taken away.
pub(super) fn checked(text: &str) -> Result<(), CallRefusal> {
    if text.trim().is_empty() {
        return Err(wrong(TEXT, 400, "MESSAGE_EMPTY"));
    }
    if units(text) > MESSAGE_LENGTH {
        return Err(wrong(TEXT, 400, "MESSAGE_TOO_LONG"));
    }
    Ok(())
}

impl State {
    /// The chat that a message goes to, where it takes one.
    fn open_chat(&self, peer: &enums::InputPeer) -> Result<i64, CallRefusal> {
        let chat = self.named(peer)?;
        match self.closed.get(&chat) {
            Some(closed) => {
                let (code, word) = closed.error();
                Err(refused(code, word))
            }
            None => Ok(chat),
        }
    }

    fn check_random_id(&self, id: i64) -> Result<(), CallRefusal> {
        if id == 0 {
            return Err(wrong(RANDOM_ID, 400, "RANDOM_ID_EMPTY"));
        }
        if self.random_ids.contains(&id) {
            // A client that does not know whether a message arrived may ask so.
            return Err(refused(500, "RANDOM_ID_DUPLICATE"));
        }
        Ok(())
    }

    fn answered_message(
        &self,
        chat: i64,
        reply: Option<&enums::InputReplyTo>,
    ) -> Result<Option<i32>, CallRefusal> {
        match reply {
            None => Ok(None),
            Some(enums::InputReplyTo::Message(reply))
                if self.message(chat, reply.reply_to_msg_id).is_some() =>
            {
                Ok(Some(reply.reply_to_msg_id))
            }
            Some(_) => Err(wrong(REPLY, 400, "REPLY_MESSAGE_ID_INVALID")),
        }
    }

    pub(super) fn send_message(&mut self, asked: &functions::messages::SendMessage) -> CallResult {
        let chat = self.open_chat(&asked.peer)?;
        checked(&asked.message)?;
        self.check_random_id(asked.random_id)?;
        let message = StoredMessage {
            reply_to: self.answered_message(chat, asked.reply_to.as_ref())?,
            entities: entities(asked.entities.as_ref(), &asked.message)?,
            is_silent: asked.silent,
            has_no_preview: asked.no_webpage,
            ..StoredMessage::new(chat, self.account.id, &asked.message)
        };
        self.random_ids.insert(asked.random_id);
        let (message, pts) = self.keep(message);
        // A text to a person is answered in short: <https://core.telegram.org/constructor/updateShortSentMessage>.
        if chat > 0 {
            let sent = types::UpdateShortSentMessage {
                out: true,
                id: message.id,
                pts,
                pts_count: 1,
                date: message.date,
                media: None,
                entities: (!message.entities.is_empty()).then_some(message.entities),
                ttl_period: None,
            };
            return answered(&enums::Updates::UpdateShortSentMessage(sent));
        }
        self.answer_sent(&message, pts, asked.random_id)
    }

    pub(super) fn send_media(&mut self, asked: &functions::messages::SendMedia) -> CallResult {
        let chat = self.open_chat(&asked.peer)?;
        if units(&asked.message) > CAPTION_LENGTH {
            return Err(wrong(CAPTION, 400, "MEDIA_CAPTION_TOO_LONG"));
        }
        self.check_random_id(asked.random_id)?;
        let (file, is_voice) = self.uploaded(&asked.media)?;
        let handle = self.hand_out(&file);
        let message = StoredMessage {
            reply_to: self.answered_message(chat, asked.reply_to.as_ref())?,
            entities: entities(asked.entities.as_ref(), &asked.message)?,
            is_silent: asked.silent,
            file: Some(file),
            is_voice,
            handle: Some(handle),
            ..StoredMessage::new(chat, self.account.id, &asked.message)
        };
        self.random_ids.insert(asked.random_id);
        let (message, pts) = self.keep(message);
        self.answer_sent(&message, pts, asked.random_id)
    }

    fn answer_sent(&self, message: &StoredMessage, pts: i32, random_id: i64) -> CallResult {
        let id = types::UpdateMessageId {
            id: message.id,
            random_id,
        };
        let mut updates = vec![id.into()];
        updates.extend(self.update(message, pts, false));
        answered(&self.updates(message, updates))
    }

    pub(super) fn set_typing(&mut self, asked: &functions::messages::SetTyping) -> CallResult {
        let chat = self.open_chat(&asked.peer)?;
        self.typing.push(chat);
        answered(&true)
    }

    /// Somebody writes: the message, and what a client is told.
    pub(super) fn receive(&mut self, message: StoredMessage, is_short: bool) -> i32 {
        let (message, pts) = self.keep(message);
        let told = if is_short {
            self.short(&message, pts)
        } else {
            let updates = self.update(&message, pts, false).into_iter().collect();
            self.updates(&message, updates)
        };
        // Where nobody is connected, it is missed, and asked for later.
        let _ = self
            .updates
            .send(grammers_tl_types::Serializable::to_bytes(&told));
        message.id
    }
}
