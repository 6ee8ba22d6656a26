//! The methods.

use super::chat::{Chat, Posted};
use super::html;
use super::request::Parameters;
use super::rules::{
    ACTION, CAPTION, CHAT, DELETE, EDIT, FILE_ID, FILE_SIZE, FORBIDDEN, HTML, METHOD, PARSE_MODE, PREVIEW,
    REACT, REACTION, REPLY, TEXT, TOPIC, VOICE,
};
use super::server::{Answer, State, refuse};
use foldback_channels::is_telegram_reaction;
use serde_json::{Value, json};

const PLACE: [&str; 5] = [
    "chat_id",
    "message_thread_id",
    "reply_parameters",
    "parse_mode",
    "disable_notification",
];
const ACTIONS: [&str; 11] = [
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

type Done = Result<Value, Answer>;

impl State {
    pub(super) fn call(&mut self, method: &str, given: &Parameters) -> Done {
        if self.plain && given.text("parse_mode").is_some() {
            // Breaks no rule: it is the server that knows too little.
            return Err(Answer::refused(
                400,
                "Bad Request: can't parse entities: Unsupported start tag \"b\" at byte offset 0",
            ));
        }
        match method {
            "getMe" => given.only(&[]).map(|()| self.bot.clone()),
            "setMyCommands" => self.set_commands(given),
            "sendMessage" => self.send_message(given),
            "editMessageText" => self.edit(given),
            "deleteMessage" => self.delete(given),
            "setMessageReaction" => self.react(given),
            "sendChatAction" => self.action(given),
            "getFile" => self.get_file(given),
            "sendDocument" => self.send_file(given, "document", 50_000_000),
            "sendPhoto" => self.send_file(given, "photo", 10_000_000),
            "sendVoice" => self.send_file(given, "voice", 50_000_000),
            "sendAudio" => self.send_file(given, "audio", 50_000_000),
            _ => Err(refuse(METHOD, 404, "Not Found")),
        }
    }

    fn send_message(&mut self, given: &Parameters) -> Done {
        given.only(&[&PLACE[..], &["text", "link_preview_options"]].concat())?;
        let message = text(given, "text", 4_096, TEXT, "message")?;
        if message.text.trim().is_empty() {
            return Err(refuse(TEXT, 400, "Bad Request: message text is empty"));
        }
        let no_previews = no_previews(given)?;
        self.post(
            given,
            Posted {
                no_previews,
                ..message
            },
        )
    }

    /// <https://core.telegram.org/bots/api#getfile>
    fn get_file(&self, given: &Parameters) -> Done {
        given.only(&["file_id"])?;
        let id = given.text("file_id").unwrap_or_default();
        if id.is_empty() {
            return Err(refuse(FILE_ID, 400, "Bad Request: invalid file_id"));
        }
        // Breaks no rule: one that was good once.
        let file = self.sent.get(id);
        let file = file.ok_or_else(|| {
            Answer::refused(
                400,
                "Bad Request: wrong file_id or the file is temporarily unavailable",
            )
        })?;
        if file.bytes.len() > 20_000_000 {
            return Err(Answer::refused(400, "Bad Request: file is too big"));
        }
        let path = file
            .elsewhere
            .clone()
            .unwrap_or_else(|| format!("documents/{id}"));
        Ok(json!({
            "file_id": id, "file_unique_id": "u", "file_size": file.bytes.len(), "file_path": path,
        }))
    }

    fn send_file(&mut self, given: &Parameters, field: &str, most: usize) -> Done {
        given.only(&[&PLACE[..], &["caption", field]].concat())?;
        let file = given.file(field)?;
        if file.bytes.len() > most {
            return Err(refuse(FILE_SIZE, 413, "Request Entity Too Large"));
        }
        if file.bytes.is_empty() {
            return Err(refuse(FILE_SIZE, 400, "Bad Request: file must be non-empty"));
        }
        let extension = file.name.rsplit('.').next().unwrap_or_default().to_lowercase();
        if field == "voice" && !["ogg", "oga", "opus", "mp3", "m4a"].contains(&extension.as_str()) {
            return Err(refuse(VOICE, 400, "Bad Request: wrong type of the voice"));
        }
        let mut message = text(given, "caption", 1_024, CAPTION, "message caption")?;
        message.file = Some(file.clone());
        if field == "voice" && self.chat(given)?.1.no_voice {
            return Err(refuse(FORBIDDEN, 400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"));
        }
        self.post(given, message)
    }

    /// Posts a message where the parameters say.
    fn post(&mut self, given: &Parameters, mut message: Posted) -> Done {
        let thread = given.integer("message_thread_id")?;
        let reply = given.object("reply_parameters")?;
        let (id, chat) = self.chat(given)?;
        if let Some(thread) = thread {
            if !chat.topics.contains(&thread) {
                return Err(refuse(TOPIC, 400, "Bad Request: message thread not found"));
            }
            message.thread = Some(thread);
        }
        if let Some(reply) = reply {
            let to = reply["message_id"].as_i64().unwrap_or_default();
            if !chat.messages.contains_key(&to) {
                return Err(refuse(REPLY, 400, "Bad Request: message to be replied not found"));
            }
            message.reply_to = Some(to);
        }
        message.by_bot = true;
        message.silent = given.flag("disable_notification")?;
        let posted = message.text.clone();
        let number = chat.post(message);
        Ok(json!({"message_id": number, "date": 1, "chat": {"id": id, "type": "private"}, "text": posted}))
    }

    fn edit(&mut self, given: &Parameters) -> Done {
        given.only(&[
            "chat_id",
            "message_id",
            "text",
            "parse_mode",
            "link_preview_options",
        ])?;
        let new = text(given, "text", 4_096, TEXT, "message")?;
        if new.text.trim().is_empty() {
            return Err(refuse(TEXT, 400, "Bad Request: message text is empty"));
        }
        let number = given.integer("message_id")?.unwrap_or_default();
        let no_previews = no_previews(given)?;
        let (id, chat) = self.chat(given)?;
        let Some(message) = chat.messages.get_mut(&number) else {
            return Err(refuse(EDIT, 400, "Bad Request: message to edit not found"));
        };
        if !message.by_bot {
            return Err(refuse(EDIT, 400, "Bad Request: message can't be edited"));
        }
        if message.raw == new.raw {
            // Breaks no rule: it is how the Bot API says that there is nothing to do.
            return Err(Answer::refused(
                400,
                "Bad Request: message is not modified: specified new message content and reply markup are exactly \
                 the same as a current content and reply markup of the message",
            ));
        }
        (message.text, message.raw) = (new.text, new.raw);
        message.no_previews = no_previews;
        message.edits += 1;
        Ok(json!({"message_id": number, "date": 1, "chat": {"id": id, "type": "private"}}))
    }

    fn delete(&mut self, given: &Parameters) -> Done {
        given.only(&["chat_id", "message_id"])?;
        let number = given.integer("message_id")?.unwrap_or_default();
        let (_, chat) = self.chat(given)?;
        match chat.messages.get(&number) {
            None => Err(refuse(DELETE, 400, "Bad Request: message to delete not found")),
            Some(message) if !message.by_bot => Err(refuse(
                DELETE,
                400,
                "Bad Request: message can't be deleted for everyone",
            )),
            Some(_) => {
                chat.messages.remove(&number);
                Ok(true.into())
            }
        }
    }

    fn react(&mut self, given: &Parameters) -> Done {
        given.only(&["chat_id", "message_id", "reaction", "is_big"])?;
        let number = given.integer("message_id")?.unwrap_or_default();
        let reaction = given.object("reaction")?.unwrap_or(json!([]));
        let invalid = || refuse(REACTION, 400, "Bad Request: REACTION_INVALID");
        let emoji = match reaction.as_array().map(Vec::as_slice) {
            Some([]) => None,
            Some([one]) if one["type"] == "emoji" => {
                let emoji = one["emoji"].as_str().filter(|emoji| is_telegram_reaction(emoji));
                Some(emoji.ok_or_else(invalid)?.to_owned())
            }
            _ => return Err(invalid()),
        };
        let (_, chat) = self.chat(given)?;
        let Some(message) = chat.messages.get_mut(&number) else {
            return Err(refuse(REACT, 400, "Bad Request: message to react not found"));
        };
        message.reaction = emoji;
        Ok(true.into())
    }

    fn action(&mut self, given: &Parameters) -> Done {
        given.only(&["chat_id", "message_thread_id", "action"])?;
        if !given
            .text("action")
            .is_some_and(|action| ACTIONS.contains(&action))
        {
            return Err(refuse(
                ACTION,
                400,
                "Bad Request: wrong parameter action in request",
            ));
        }
        self.chat(given)?.1.actions += 1;
        Ok(true.into())
    }

    /// The chat that a call is about.
    fn chat(&mut self, given: &Parameters) -> Result<(i64, &mut Chat), Answer> {
        let Some(id) = given.integer("chat_id")? else {
            return Err(refuse(CHAT, 400, "Bad Request: chat_id is empty"));
        };
        match self.chats.get_mut(&id) {
            Some(Chat {
                became: Some(supergroup),
                ..
            }) => Err(Answer::migrated(*supergroup)),
            None => Err(refuse(CHAT, 400, "Bad Request: chat not found")),
            Some(chat) if chat.blocked => {
                Err(refuse(FORBIDDEN, 403, "Forbidden: bot was blocked by the user"))
            }
            Some(chat) => Ok((id, chat)),
        }
    }
}

/// True where the previews of links are switched off.
fn no_previews(given: &Parameters) -> Result<bool, Answer> {
    let Some(options) = given.object("link_preview_options")? else {
        return Ok(false);
    };
    options["is_disabled"]
        .as_bool()
        .ok_or_else(|| refuse(PREVIEW, 400, "Bad Request: can't parse link_preview_options"))
}

/// The text of a message or caption, within its limit after entities parsing.
fn text(
    given: &Parameters,
    name: &str,
    most: usize,
    rule: crate::Rule,
    what: &str,
) -> Result<Posted, Answer> {
    let raw = given.text(name).unwrap_or_default();
    let text = match given.text("parse_mode") {
        None => raw.to_owned(),
        Some("HTML") => html::read(raw)
            .map_err(|why| refuse(HTML, 400, &format!("Bad Request: can't parse entities: {why}")))?,
        Some(_) => return Err(refuse(PARSE_MODE, 400, "Bad Request: unsupported parse_mode")),
    };
    if text.encode_utf16().count() > most {
        return Err(refuse(rule, 400, &format!("Bad Request: {what} is too long")));
    }
    Ok(Posted {
        text,
        raw: raw.to_owned(),
        ..Posted::default()
    })
}
