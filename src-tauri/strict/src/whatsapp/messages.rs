//! Messages: <https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages>.

use super::chat::{Chat, Media, Posted};
use super::request::{Answer, Object, refuse};
use super::rules::{
    AUDIO, CAPTION, CONTEXT, EMOJI, MEDIA, MEDIA_TYPE, OWN, PARAMETER, REACTION, REACTION_REPLY, READ,
    RECIPIENT, RECIPIENT_TYPE, TEXT, TO, TYPE, TYPING, UNDELIVERABLE, VOICE, WINDOW,
};
use super::server::State;
use serde_json::{Value, json};

type Done = Result<Value, Answer>;

const ENVELOPE: [&str; 6] = [
    "messaging_product",
    "recipient_type",
    "to",
    "recipient",
    "context",
    "type",
];
const TYPES: [&str; 6] = ["text", "image", "video", "audio", "document", "reaction"];

impl State {
    pub(super) fn message(&mut self, given: &Object) -> Done {
        if given.0.contains_key("status") {
            return self.read(given);
        }
        let kind = given.text("type")?.unwrap_or("text").to_owned();
        if !TYPES.contains(&kind.as_str()) {
            return Err(refuse(
                TYPE,
                131_051,
                format!("Message type {kind} is not supported."),
            ));
        }
        given.only(&[&ENVELOPE[..], &[&kind]].concat())?;
        let missing = || {
            refuse(
                TYPE,
                131_008,
                format!("Parameter '{kind}' is mandatory for type '{kind}'"),
            )
        };
        let content = given.object(&kind)?.ok_or_else(missing)?;
        let to = self.addressee(given)?;
        let context = given.object("context")?;
        if kind == "reaction" {
            if context.is_some() {
                return Err(refuse(REACTION_REPLY, 100, "A reaction cannot have a context."));
            }
            return self.react(&to, &content);
        }
        let mut message = self.content(&kind, &content)?;
        if let Some(context) = context {
            context.only(&["message_id"])?;
            message.reply_to = Some(context.text("message_id")?.unwrap_or_default().to_owned());
        }
        let id = self.mint();
        let chat = self.chats.entry(to.clone()).or_default();
        let refused = reach(chat).and_then(|()| match &message.reply_to {
            Some(answered) if !chat.messages.contains_key(answered) => Err(refuse(
                CONTEXT,
                131_009,
                "The message answered is not in this chat.",
            )),
            _ => Ok(()),
        });
        match refused {
            Err(answer) if chat.late => self.fail_later(&to, &id, &answer),
            Err(answer) => return Err(answer),
            Ok(()) => {
                chat.post(
                    &id,
                    Posted {
                        by_us: true,
                        ..message
                    },
                );
                self.tell_status(&to, &to, &id, "sent", None);
            }
        }
        Ok(sent(&to, &id))
    }

    fn react(&mut self, to: &str, content: &Object) -> Done {
        content.only(&["message_id", "emoji"])?;
        let emoji = content.text("emoji")?.unwrap_or_default().to_owned();
        if !emoji.is_empty() && emojis::get(&emoji).is_none() {
            return Err(refuse(EMOJI, 131_009, "Param emoji must be a single emoji."));
        }
        let on = content.text("message_id")?.unwrap_or_default().to_owned();
        let id = self.mint();
        let chat = self.chats.entry(to.to_owned()).or_default();
        let refused = reach(chat).and_then(|()| {
            let unknown = || refuse(REACTION, 131_009, "The message reacted to is not in this chat.");
            chat.messages.get_mut(&on).ok_or_else(unknown)
        });
        match refused {
            Ok(message) => {
                message.reaction = Some(emoji).filter(|emoji| !emoji.is_empty());
                self.tell_status(to, to, &id, "sent", None);
            }
            Err(answer) if chat.late => self.fail_later(to, &id, &answer),
            Err(answer) => return Err(answer),
        }
        Ok(sent(to, &id))
    }

    /// Whom a message goes to.
    fn addressee(&self, given: &Object) -> Result<String, Answer> {
        let is_group = match given.text("recipient_type")? {
            None | Some("individual") => false,
            Some("group") => true,
            Some(_) => {
                return Err(refuse(
                    RECIPIENT_TYPE,
                    100,
                    "recipient_type must be individual or group.",
                ));
            }
        };
        let to = match (given.text("to")?, given.text("recipient")?) {
            (Some(to), _) if is_group => to,
            (Some(to), _) => {
                let digits = to.strip_prefix('+').unwrap_or(to);
                if !(5..=15).contains(&digits.len()) || !digits.bytes().all(|c| c.is_ascii_digit()) {
                    return Err(refuse(TO, 100, "The parameter to must be a phone number."));
                }
                digits
            }
            (None, Some(person)) => {
                let (country, rest) = person.split_once('.').unwrap_or_default();
                let letters = rest.strip_prefix("ENT.").unwrap_or(rest);
                let is_one = country.len() == 2
                    && (1..=128).contains(&letters.len())
                    && letters.bytes().all(|c| c.is_ascii_alphanumeric());
                if !is_one {
                    return Err(refuse(
                        RECIPIENT,
                        100,
                        "recipient must be a business-scoped user ID.",
                    ));
                }
                person
            }
            (None, None) => return Err(refuse(TO, 100, "The parameter to is required.")),
        };
        if to == self.phone {
            return Err(refuse(OWN, 131_021, "Sender and recipient are the same."));
        }
        if is_group && !self.chats.contains_key(to) {
            return Err(refuse(TO, 131_009, "There is no such group."));
        }
        Ok(to.to_owned())
    }

    /// The message that the object of a type makes.
    fn content(&self, kind: &str, content: &Object) -> Result<Posted, Answer> {
        let posted = Posted {
            kind: kind.to_owned(),
            ..Posted::default()
        };
        match kind {
            "text" => {
                content.only(&["body", "preview_url"])?;
                content.flag("preview_url")?;
                let body = content.text("body")?.unwrap_or_default();
                if body.trim().is_empty() {
                    return Err(refuse(TEXT, 100, "The parameter text['body'] is required."));
                }
                Ok(Posted {
                    text: within("text['body']", body, 4_096).map_err(|why| refuse(TEXT, 100, why))?,
                    ..posted
                })
            }
            "audio" => {
                content
                    .only(&["id", "voice"])
                    .map_err(|answer| refuse(AUDIO, 100, answer.details))?;
                let media = self.media(kind, content)?;
                let voice = content.flag("voice")?;
                if voice && media.mime != "audio/ogg" {
                    return Err(refuse(
                        VOICE,
                        131_053,
                        "A voice message must be an OGG file with the OPUS codec.",
                    ));
                }
                Ok(Posted {
                    voice,
                    media: Some(media),
                    ..posted
                })
            }
            _ => {
                content.only(if kind == "document" {
                    &["id", "caption", "filename"]
                } else {
                    &["id", "caption"]
                })?;
                let caption = content.text("caption")?.unwrap_or_default();
                Ok(Posted {
                    text: within("caption", caption, 1_024).map_err(|why| refuse(CAPTION, 100, why))?,
                    filename: content.text("filename")?.map(str::to_owned),
                    media: Some(self.media(kind, content)?),
                    ..posted
                })
            }
        }
    }

    /// The file that an object names.
    fn media(&self, kind: &str, content: &Object) -> Result<Media, Answer> {
        let id = content.text("id")?.unwrap_or_default();
        let unknown = || refuse(MEDIA, 131_009, format!("Media {id} does not exist."));
        let media = self.media.get(id).ok_or_else(unknown)?;
        let is_own = match kind {
            "document" => ["text/", "application/"]
                .iter()
                .any(|of| media.mime.starts_with(of)),
            kind => media.mime.starts_with(&format!("{kind}/")),
        };
        if !is_own {
            return Err(refuse(
                MEDIA_TYPE,
                131_053,
                format!("{} is no {kind}.", media.mime),
            ));
        }
        Ok(media.clone())
    }

    /// A message was read, and an answer is being written.
    fn read(&mut self, given: &Object) -> Done {
        given.only(&["messaging_product", "status", "message_id", "typing_indicator"])?;
        if given.text("status")? != Some("read") {
            return Err(refuse(READ, 100, "Param status must be one of {READ}."));
        }
        let typing = given.object("typing_indicator")?;
        if let Some(typing) = &typing {
            typing.only(&["type"])?;
            if typing.text("type")? != Some("text") {
                return Err(refuse(TYPING, 100, "typing_indicator must have the type text."));
            }
        }
        let id = given.text("message_id")?.unwrap_or_default();
        let mut chats = self.chats.values_mut();
        let found = chats.find_map(|chat| {
            let theirs = chat.messages.get(id).is_some_and(|message| !message.by_us);
            theirs.then_some(chat)
        });
        let chat = found.ok_or_else(|| refuse(READ, 131_009, "There is no such message from a person."))?;
        if let Some(message) = chat.messages.get_mut(id) {
            message.read = true;
        }
        chat.typing += u32::from(typing.is_some());
        Ok(json!({"success": true}))
    }

    /// The refusal comes as a webhook, after the message was acknowledged.
    fn fail_later(&mut self, to: &str, id: &str, answer: &Answer) {
        if let Some(rule) = answer.rule {
            self.broken.note(rule);
        }
        let error = answer.error();
        let error = json!({
            "code": error["code"],
            "title": answer.message.split_once(") ").map_or("", |(_, title)| title),
            "message": answer.message.split_once(") ").map_or("", |(_, title)| title),
            "error_data": {"details": answer.details},
            "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
        });
        self.tell_status(to, to, id, "failed", Some(error));
    }
}

/// Whether a message can get there.
fn reach(chat: &Chat) -> Result<(), Answer> {
    if chat.unknown {
        return Err(refuse(
            UNDELIVERABLE,
            131_026,
            "The recipient is not on WhatsApp.",
        ));
    }
    if chat.closed {
        return Err(refuse(
            WINDOW,
            131_047,
            "More than 24 hours have passed since the customer last replied to this number.",
        ));
    }
    Ok(())
}

fn within(what: &str, text: &str, most: usize) -> Result<String, String> {
    if text.chars().count() > most {
        return Err(format!("Param {what} must be at most {most} characters long."));
    }
    Ok(text.to_owned())
}

fn sent(to: &str, id: &str) -> Value {
    json!({
        "messaging_product": "whatsapp",
        "contacts": [{"input": to, "wa_id": to}],
        "messages": [{"id": id}],
    })
}

/// What is asked of a phone number.
pub(super) fn profile(state: &State, query: &str) -> Done {
    let fields = query.strip_prefix("fields=").unwrap_or_default();
    let mut profile = json!({"id": state.credentials.number});
    for field in fields.split(',').filter(|field| !field.is_empty()) {
        profile[field] = match field {
            "display_phone_number" => format!("+{}", state.phone).into(),
            "verified_name" => "Foldback".into(),
            _ => {
                let why = format!("Tried accessing nonexisting field ({field}).");
                return Err(refuse(PARAMETER, 100, why));
            }
        };
    }
    Ok(profile)
}
