//! Webhooks as messages:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages>.

use super::failure::Failure;
use crate::Refusal;
use crate::{told, unread::Reader};
use foldback_wire::{
    Attachment, ChannelId, ChatType, Inbound, InboundContext, MessageId, QuotedMessage, Receipt, Sender,
    SenderIds, Timestamp,
};
use serde::Deserialize;
use serde_json::{Number, Value};

/// What is new for one phone number.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Messages, in the order in which they were written.
    pub(super) messages: Vec<Inbound>,
    /// Messages of ours that were acknowledged and did not arrive, with the reason.
    pub(super) lost: Vec<(MessageId, Refusal)>,
    /// Messages of ours that have come further, and when.
    pub(super) receipts: Vec<(MessageId, Receipt, Timestamp)>,
    /// Parts that could not be read.
    pub(super) unread: Reader,
}

#[derive(Debug, Deserialize)]
struct Notification {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(default)]
    changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
struct Change {
    #[serde(default)]
    field: String,
    #[serde(default)]
    value: Value,
}

/// Single items stay as they are until they are read: one of a new kind must not hide the others.
#[derive(Debug, Deserialize)]
struct Content {
    metadata: Metadata,
    #[serde(default)]
    contacts: Value,
    #[serde(default)]
    messages: Value,
    #[serde(default)]
    statuses: Value,
    #[serde(default)]
    errors: Value,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    phone_number_id: String,
    #[serde(default, deserialize_with = "told::lenient")]
    display_phone_number: String,
}

#[derive(Debug, Default, Deserialize)]
struct Contact {
    wa_id: Option<String>,
    user_id: Option<String>,
    #[serde(default)]
    profile: Profile,
}

#[derive(Debug, Default, Deserialize)]
struct Profile {
    name: Option<String>,
    username: Option<String>,
}

/// A message. Its parts are read by themselves, so that an unfamiliar one loses nothing beside it.
#[derive(Debug)]
struct Message {
    named: Names,
    context: Option<Context>,
    text: Option<Text>,
    button: Option<Button>,
    interactive: Option<Interactive>,
    location: Option<Location>,
    image: Option<File>,
    video: Option<File>,
    audio: Option<File>,
    document: Option<File>,
    sticker: Option<File>,
}

/// The fields that no message is without, and who wrote it.
#[derive(Debug, Deserialize)]
struct Names {
    /// The sender's phone number, unless they hide it behind a name.
    from: Option<String>,
    from_user_id: Option<String>,
    group_id: Option<String>,
    id: String,
    /// Seconds, as text. Whatever else it is loses no message.
    #[serde(default)]
    timestamp: Value,
}

#[derive(Debug, Deserialize)]
struct Context {
    id: Option<String>,
    from: Option<String>,
    /// Passed on, or passed on more than five times: one of the two is there.
    #[serde(default, deserialize_with = "told::lenient")]
    forwarded: bool,
    #[serde(default, deserialize_with = "told::lenient")]
    frequently_forwarded: bool,
}

#[derive(Debug, Deserialize)]
struct Text {
    body: String,
}

#[derive(Debug, Deserialize)]
struct Button {
    text: String,
}

/// The choice of a button or of a list.
#[derive(Debug, Deserialize)]
struct Interactive {
    button_reply: Option<Choice>,
    list_reply: Option<Choice>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    title: String,
}

#[derive(Debug, Deserialize)]
struct Location {
    latitude: Number,
    longitude: Number,
    name: Option<String>,
    address: Option<String>,
}

#[derive(Debug, Deserialize)]
struct File {
    id: Option<String>,
    caption: Option<String>,
    filename: Option<String>,
    mime_type: Option<String>,
}

/// <https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status>.
/// Whose device it tells of is not read, nor what is paid for it.
#[derive(Debug, Deserialize)]
struct Status {
    id: String,
    #[serde(rename = "status")]
    became: String,
    /// Seconds, as text.
    #[serde(default)]
    timestamp: Value,
    #[serde(default)]
    errors: Value,
}

impl News {
    /// What a webhook says about the phone number `account`. Others of the same app are left out.
    pub(super) fn read(
        body: &[u8],
        account: &str,
        channel: &ChannelId,
        now: Timestamp,
    ) -> Result<Self, serde_json::Error> {
        let notification: Notification = serde_json::from_slice(body)?;
        let mut news = Self::default();
        let changes = notification.entry.into_iter().flat_map(|entry| entry.changes);
        for change in changes.filter(|change| change.field == "messages") {
            let Some(content) = news.unread.read::<Content>("change", &change.value) else {
                continue;
            };
            if content.metadata.phone_number_id == account {
                news.take(&content, channel, now);
            }
        }
        // Neither webhooks nor what is in them come in order; the sort keeps what has the same time as it came.
        news.messages.sort_by_key(|message| message.at);
        Ok(news)
    }

    fn take(&mut self, content: &Content, channel: &ChannelId, now: Timestamp) {
        let contacts: Vec<Contact> = self.unread.read_all("contact", &content.contacts);
        let own: String = content
            .metadata
            .display_phone_number
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        let messages: Vec<Value> = self.unread.read_all("message", &content.messages);
        for message in &messages {
            let Some(message) = Message::read(message, &mut self.unread) else {
                continue;
            };
            self.messages
                .extend(message.inbound(channel, &contacts, &own, now));
        }
        for status in self.unread.read_all::<Status>("status", &content.statuses) {
            if let Some(receipt) = status.receipt() {
                let when = moment(&status.timestamp).unwrap_or(now);
                self.receipts.push((status.id.into(), receipt, when));
            } else if status.became == "failed" {
                let failures: Vec<Failure> = self.unread.read_all("error", &status.errors);
                let failure = failures.into_iter().next().unwrap_or_default();
                self.lost.push((status.id.into(), failure.refusal()));
            }
        }
        for failure in self.unread.read_all::<Failure>("error", &content.errors) {
            tracing::warn!(%channel, error = %failure.refusal().detail, "WhatsApp reports an error");
        }
    }
}

/// The moment of so many seconds, as text.
fn moment(seconds: &Value) -> Option<Timestamp> {
    let seconds: i64 = seconds.as_str()?.parse().ok()?;
    Some(Timestamp(seconds.saturating_mul(1_000)))
}

impl Status {
    /// How far the message has come; `None` where it has not, and for what is not known here.
    fn receipt(&self) -> Option<Receipt> {
        match self.became.as_str() {
            "sent" => Some(Receipt::Sent),
            "delivered" => Some(Receipt::Delivered),
            "read" => Some(Receipt::Read),
            "played" => Some(Receipt::Played),
            _ => None,
        }
    }
}

impl Message {
    fn read(message: &Value, reader: &mut Reader) -> Option<Self> {
        Some(Self {
            named: reader.read("message", message)?,
            context: reader.read("context", &message["context"]),
            text: reader.read("text", &message["text"]),
            button: reader.read("button", &message["button"]),
            interactive: reader.read("choice", &message["interactive"]),
            location: reader.read("location", &message["location"]),
            image: reader.read("image", &message["image"]),
            video: reader.read("video", &message["video"]),
            audio: reader.read("audio", &message["audio"]),
            document: reader.read("document", &message["document"]),
            sticker: reader.read("sticker", &message["sticker"]),
        })
    }

    /// The message as Foldback knows it; `None` for what nobody wrote, such as a reaction or a new number.
    fn inbound(
        self,
        channel: &ChannelId,
        contacts: &[Contact],
        own: &str,
        now: Timestamp,
    ) -> Option<Inbound> {
        let (text, files) = (self.text(), self.files());
        let named = self.named;
        let sender = named.from.clone().or_else(|| named.from_user_id.clone())?;
        if sender == own || (text.is_empty() && files.is_empty() && self.location.is_none()) {
            return None;
        }
        let is_theirs = |contact: &&Contact| {
            let ids = [
                (&contact.wa_id, &named.from),
                (&contact.user_id, &named.from_user_id),
            ];
            ids.iter()
                .any(|(theirs, sender)| theirs.is_some() && theirs == sender)
        };
        let profile = contacts.iter().find(is_theirs).map(|contact| &contact.profile);
        let name = profile.and_then(|profile| profile.username.clone());
        let display_name = profile.and_then(|profile| profile.name.clone());
        let answers_us = self
            .context
            .as_ref()
            .is_some_and(|context| context.from.as_deref() == Some(own));
        let forwarded = self
            .context
            .as_ref()
            .is_some_and(|context| context.forwarded || context.frequently_forwarded);
        let names_us = || {
            text.match_indices(&format!("@{own}")).any(|(at, name)| {
                let after = text[at + name.len()..].chars().next();
                !after.is_some_and(|c| c.is_ascii_digit())
            })
        };
        let told = InboundContext {
            quote: self.context.as_ref().map(|context| QuotedMessage {
                id: context.id.clone().map(Into::into),
                sender: context.from.clone(),
                text: String::new(),
                own: false,
            }),
            location: self.location.map(Location::told),
            sender: Some(named.ids(&sender)),
            ..InboundContext::default()
        };
        Some(Inbound {
            channel: channel.clone(),
            account: None,
            chat: named.group_id.clone().unwrap_or_else(|| sender.clone()).into(),
            chat_type: match named.group_id {
                Some(_) => ChatType::Group,
                None => ChatType::Direct,
            },
            thread: None,
            message: named.id.into(),
            reply_to: self.context.and_then(|context| context.id).map(Into::into),
            mentioned: answers_us || (!own.is_empty() && names_us()),
            forwarded,
            sender: Sender {
                name: name.unwrap_or_else(|| sender.clone()),
                display_name: display_name.unwrap_or_else(|| sender.clone()),
                id: sender.into(),
                is_bot: false,
            },
            text,
            files,
            at: moment(&named.timestamp).unwrap_or(now),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: told.bounded(),
        })
    }

    fn text(&self) -> String {
        let choice = self.interactive.as_ref();
        let choice = choice.and_then(|choice| choice.button_reply.as_ref().or(choice.list_reply.as_ref()));
        let caption = self.media().find_map(|(file, ..)| file.caption.as_ref());
        let written = [
            self.text.as_ref().map(|text| &text.body),
            self.button.as_ref().map(|button| &button.text),
            choice.map(|choice| &choice.title),
            caption,
        ];
        written.into_iter().flatten().next().cloned().unwrap_or_default()
    }

    /// Its files, with the names and types of those that have none.
    fn media(&self) -> impl Iterator<Item = (&File, &'static str, &'static str)> {
        let all = [
            (&self.image, "image.jpg", "image/jpeg"),
            (&self.video, "video.mp4", "video/mp4"),
            (&self.audio, "audio.ogg", "audio/ogg"),
            (&self.document, "document", "application/octet-stream"),
            (&self.sticker, "sticker.webp", "image/webp"),
        ];
        all.into_iter()
            .filter_map(|(file, name, kind)| Some((file.as_ref()?, name, kind)))
    }

    fn files(&self) -> Vec<Attachment> {
        self.media()
            .map(|(file, name, kind)| Attachment {
                name: file.filename.clone().unwrap_or_else(|| name.to_owned()),
                media_type: file.mime_type.clone().unwrap_or_else(|| kind.to_owned()),
                size: None,
                source: file.id.clone(),
            })
            .collect()
    }
}

impl Names {
    /// The ids of the sender beside the first one.
    fn ids(&self, first: &str) -> SenderIds {
        let other = self.from_user_id.as_deref().filter(|id| *id != first);
        SenderIds {
            ids: other.into_iter().map(Into::into).collect(),
            phone: self.from.as_ref().map(|number| format!("+{number}")),
            names: Vec::new(),
        }
    }
}

impl Location {
    fn told(self) -> foldback_wire::Location {
        foldback_wire::Location {
            latitude: self.latitude.to_string(),
            longitude: self.longitude.to_string(),
            name: self.name,
            address: self.address,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_ids_and_texts_are_asked_to_be_what_they_should_be() {
        let content = "/entry/0/changes/0/value";
        for field in [
            "metadata/display_phone_number",
            "contacts",
            "statuses",
            "errors",
            "messages/0/timestamp",
            "messages/0/context",
            "messages/0/context/forwarded",
        ] {
            for value in [json!({"of": "a new kind"}), json!(null)] {
                let mut webhook = json!({"entry": [{"changes": [{"field": "messages", "value": {
                    "metadata": {"phone_number_id": "1", "display_phone_number": "+1"},
                    "contacts": [], "statuses": [], "errors": [],
                    "messages": [{"from": "2", "id": "wamid.1", "timestamp": "7", "text": {"body": "Hello"},
                        "context": {"forwarded": false}}]}}]}]});
                *webhook
                    .pointer_mut(&format!("{content}/{field}"))
                    .expect("a field") = value.clone();
                let body = webhook.to_string();
                let news =
                    News::read(body.as_bytes(), "1", &"whatsapp".into(), Timestamp(0)).expect("a webhook");
                assert_eq!(news.messages[0].text, "Hello", "{field} {value}");
            }
        }
    }
}
