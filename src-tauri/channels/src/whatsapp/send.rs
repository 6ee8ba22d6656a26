//! Operations as calls:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages>.

use super::{WhatsApp, api};
use crate::folder::{Meant, OpenFile};
use crate::platform::whatsapp::media::{Class, Media};
use crate::{Ack, Refusal, render};
use foldback_wire::{ChatId, FileKind, Markup, MessageId, Operation, RefusalCode, Target};
use reqwest::multipart::{Form, Part};
use serde_json::{Map, Value, json};

/// Longest id of a message or a group that is believed to be one.
const LONGEST_ID: usize = 512;

/// The parts of a message that all have.
type Envelope = Map<String, Value>;

impl WhatsApp {
    pub(super) async fn send(&self, target: &Target, operation: &Operation) -> Result<Ack, Refusal> {
        let chat = &target.chat;
        match operation {
            Operation::SendText { text, reply_to, .. } => {
                let body = self.rendered(text, self.capabilities.text_limit)?;
                let envelope = envelope(chat, reply_to.as_ref())?;
                self.message(envelope, "text", json!({"body": body})).await
            }
            Operation::React {
                message, emoji_sent, ..
            } => {
                let reaction = json!({"message_id": id(message)?, "emoji": emoji_sent});
                let sent = self.message(envelope(chat, None)?, "reaction", reaction).await?;
                Ok(Ack {
                    also: self.part(sent, &format!("the reaction to {message}")),
                    ..Ack::default()
                })
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                checked,
                ..
            } => {
                let envelope = envelope(chat, reply_to.as_ref())?;
                let caption = caption.as_deref().filter(|caption| !caption.trim().is_empty());
                self.send_file(envelope, Meant::file(path, *kind, *checked), caption)
                    .await
            }
            Operation::SendVoice {
                path,
                reply_to,
                checked,
                ..
            } => {
                let envelope = envelope(chat, reply_to.as_ref())?;
                self.send_voice(envelope, Meant::voice(path, *checked)).await
            }
            Operation::Typing => self.show_typing(chat).await,
            Operation::EditText { .. } => Err(unsupported("a message that was sent cannot be edited")),
            Operation::Delete { .. } => Err(unsupported("a message that was sent cannot be removed")),
        }
    }

    /// Text in the markup of the platform, if it is not too long for it.
    fn rendered(&self, text: &str, limit: usize) -> Result<String, Refusal> {
        let rendered = render(text, Markup::Whatsapp);
        let unit = self.capabilities.unit;
        let length = unit.measure(&rendered);
        // Told here: the platform has no code of its own for it.
        if length > limit {
            return Err(Refusal::new(
                RefusalCode::TooLong,
                format!("{length} {unit} of at most {limit}"),
            ));
        }
        Ok(rendered)
    }

    async fn message(&self, mut envelope: Envelope, kind: &str, content: Value) -> Result<Ack, Refusal> {
        envelope.insert("type".into(), kind.into());
        envelope.insert(kind.into(), content);
        let (sent, sent_at) = self.api.message(&envelope.into()).await?;
        let id = sent["messages"][0]["id"].as_str();
        let id = id.ok_or_else(|| api::SERVICE.strange(&"no id of a message"))?;
        Ok(Ack {
            message: Some(id.into()),
            sent_at,
            ..Ack::default()
        })
    }

    /// Remembers what is a message of its own only here, and gives its id.
    fn part(&self, sent: Ack, words: &str) -> Vec<MessageId> {
        if let Some(message) = &sent.message {
            self.memory().sent_part(message.clone(), words.to_owned());
        }
        sent.message.into_iter().collect()
    }

    /// Sends a file as what its name says it is, and audio that can be one as a voice note.
    async fn send_file(
        &self,
        envelope: Envelope,
        file: Meant<'_>,
        caption: Option<&str>,
    ) -> Result<Ack, Refusal> {
        let media = Media::of(file.path)?;
        let rendered = caption.map(|text| self.rendered(text, self.capabilities.caption_limit));
        let caption = rendered.transpose()?;
        let kind = file.kind;
        let file = self.open(file, media)?;
        let mut content = Map::new();
        if media.class == Class::Document {
            content.insert("filename".into(), file.name.clone().into());
        }
        if kind == FileKind::Audio && media.is_voice() {
            content.insert("voice".into(), true.into());
        }
        if let Some(caption) = caption {
            if media.class == Class::Audio {
                return Err(unsupported("audio has no caption"));
            }
            content.insert("caption".into(), caption.into());
        }
        content.insert("id".into(), self.upload(file, media).await?.into());
        self.message(envelope, media.class.name(), content.into()).await
    }

    async fn send_voice(&self, envelope: Envelope, file: Meant<'_>) -> Result<Ack, Refusal> {
        let media = Media::of(file.path)?;
        let file = self.open(file, media)?;
        let id = self.upload(file, media).await?;
        if media.is_voice() {
            let voice = json!({"id": id, "voice": true});
            return self.message(envelope, Class::Audio.name(), voice).await;
        }
        let content = json!({"id": id});
        let ack = self.message(envelope, media.class.name(), content).await?;
        let warning = "sent as a file: only Ogg with Opus can be a voice note".to_owned();
        Ok(Ack {
            warning: Some(warning),
            ..ack
        })
    }

    fn open(&self, file: Meant<'_>, media: Media) -> Result<OpenFile, Refusal> {
        let open = self.folder.open_to_send(file, &self.capabilities)?;
        media.check_size(open.size)?;
        Ok(open)
    }

    /// <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#upload-media>
    async fn upload(&self, file: OpenFile, media: Media) -> Result<String, Refusal> {
        let stream = tokio::fs::File::from_std(file.file);
        let part = Part::stream_with_length(reqwest::Body::from(stream), file.size).file_name(file.name);
        let part = part
            .mime_str(media.mime)
            .map_err(|e| Refusal::new(RefusalCode::Unsupported, e.to_string()))?;
        let form = Form::new()
            .text("messaging_product", "whatsapp")
            .text("type", media.mime)
            .part("file", part);
        self.api.upload(form).await
    }

    /// Shows that an answer is being written, which marks the message it is shown under as read:
    /// <https://developers.facebook.com/documentation/business-messaging/whatsapp/typing-indicators>.
    async fn show_typing(&self, chat: &ChatId) -> Result<Ack, Refusal> {
        let Some(message) = self.memory().latest(chat) else {
            return Err(unsupported(
                "typing is shown under a message, and none of this chat came in since the start",
            ));
        };
        let typing = json!({
            "messaging_product": "whatsapp",
            "status": "read",
            "message_id": message,
            "typing_indicator": {"type": "text"},
        });
        self.api.message(&typing).await.map(|_| Ack::default())
    }
}

fn unsupported(why: &str) -> Refusal {
    Refusal::new(RefusalCode::Unsupported, why)
}

/// Whom a message goes to, and what it answers. A chat is a phone number, a person whose number is not told
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids>), or a group
/// (<https://developers.facebook.com/documentation/business-messaging/whatsapp/groups/groups-messaging>).
fn envelope(chat: &ChatId, reply_to: Option<&MessageId>) -> Result<Envelope, Refusal> {
    let to = chat.as_str();
    // People write numbers with the plus of E.164; chats are called without.
    let to = to
        .strip_prefix('+')
        .filter(|number| is_phone_number(number))
        .unwrap_or(to);
    let (field, kind) = if is_phone_number(to) {
        ("to", "individual")
    } else if is_person(to) {
        ("recipient", "individual")
    } else if is_group(to) {
        ("to", "group")
    } else {
        return Err(Refusal::new(
            RefusalCode::ChatGone,
            format!("{to} is no chat of WhatsApp"),
        ));
    };
    let mut envelope = Envelope::new();
    envelope.insert("messaging_product".into(), "whatsapp".into());
    envelope.insert("recipient_type".into(), kind.into());
    envelope.insert(field.into(), to.into());
    if let Some(message) = reply_to {
        envelope.insert("context".into(), json!({"message_id": id(message)?}));
    }
    Ok(envelope)
}

/// A number with its country, of at most 15 digits (E.164).
fn is_phone_number(text: &str) -> bool {
    (5..=15).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit())
}

/// A country, and up to 128 letters and digits: `US.13491208655302741918`, `US.ENT.11815799212886844830`.
fn is_person(text: &str) -> bool {
    let Some((country, rest)) = text.split_once('.') else {
        return false;
    };
    let name = rest.strip_prefix("ENT.").unwrap_or(rest);
    country.len() == 2
        && country.bytes().all(|c| c.is_ascii_uppercase())
        && (1..=128).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric())
}

fn is_group(text: &str) -> bool {
    (16..=LONGEST_ID).contains(&text.len()) && text.bytes().all(is_base64)
}

/// The id of a message, if it can be one: `wamid.` and letters.
fn id(message: &MessageId) -> Result<&str, Refusal> {
    let text = message.as_str();
    let letters = text.strip_prefix("wamid.").unwrap_or_default();
    if (1..=LONGEST_ID).contains(&letters.len()) && letters.bytes().all(is_base64) {
        return Ok(text);
    }
    Err(Refusal::new(
        RefusalCode::Gone,
        format!("{message} is no message of WhatsApp"),
    ))
}

const fn is_base64(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'-' | b'_')
}
