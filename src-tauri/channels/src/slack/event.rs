//! Events as messages: <https://docs.slack.dev/reference/events/message>.

use super::text;
use crate::{told, unread::Reader};
use foldback_wire::{
    Attachment, ChannelId, ChatType, Inbound, InboundContext, QuotedMessage, Sender, SenderIds,
    ThreadContext, Timestamp,
};
use serde::Deserialize;
use serde_json::Value;

/// Who the bot is: <https://docs.slack.dev/reference/methods/auth.test>.
#[derive(Debug, Deserialize)]
pub(super) struct Bot {
    #[serde(rename = "user_id")]
    pub(super) id: String,
    #[serde(rename = "user")]
    pub(super) name: String,
    #[serde(rename = "team")]
    pub(super) workspace: String,
}

#[derive(Debug, Deserialize)]
struct Message {
    subtype: Option<String>,
    #[serde(default, deserialize_with = "told::lenient")]
    hidden: bool,
    channel: String,
    #[serde(default, deserialize_with = "told::lenient")]
    channel_type: Option<String>,
    user: Option<String>,
    /// Of whatever kind, it says that a bot wrote.
    #[serde(default)]
    bot_id: Value,
    text: Option<String>,
    ts: String,
    #[serde(default, deserialize_with = "told::lenient")]
    thread_ts: Option<String>,
    #[serde(default, deserialize_with = "told::lenient")]
    parent_user_id: Option<String>,
    #[serde(default)]
    files: Value,
    /// What stands below it: messages that it shares, and previews of links that stand in its text.
    #[serde(default)]
    attachments: Value,
    #[serde(default)]
    user_profile: Value,
    /// The message that began the thread, where Slack tells it: with an answer that is shown in the channel, too.
    #[serde(default)]
    root: Value,
}

/// <https://docs.slack.dev/reference/objects/file-object>
#[derive(Debug, Deserialize)]
struct File {
    id: Option<String>,
    name: Option<String>,
    mimetype: Option<String>,
    size: Option<u64>,
}

/// Who wrote, where Slack adds it.
#[derive(Debug, Deserialize)]
struct Profile {
    name: Option<String>,
    real_name: Option<String>,
    display_name: Option<String>,
}

/// The message that an event tells of; `None` for what no person wrote: edits, joins, other bots, the bot itself.
pub(super) fn message(event: &Value, channel: &ChannelId, bot: &Bot, reader: &mut Reader) -> Option<Inbound> {
    // Other events have the same fields with other things in them.
    if !["message", "app_mention"].contains(&event["type"].as_str()?) {
        return None;
    }
    let message: Message = reader.read("message", event)?;
    message.inbound(channel, bot, reader)
}

impl Message {
    fn inbound(self, channel: &ChannelId, bot: &Bot, reader: &mut Reader) -> Option<Inbound> {
        let written = matches!(
            self.subtype.as_deref(),
            None | Some("file_share" | "me_message" | "thread_broadcast")
        );
        let sender = self.user.as_ref().filter(|user| **user != bot.id)?;
        let shared = Shared::all(&self.attachments, reader);
        let said = self.text.as_deref().unwrap_or_default();
        let text = with_shared(text::plain(said), &shared);
        let own: Vec<File> = reader.read_all("file", &self.files);
        let files = own.iter().chain(shared.iter().flat_map(|shared| &shared.files));
        let files: Vec<_> = files.map(File::attachment).collect();
        if !written || self.hidden || !self.bot_id.is_null() || text.is_empty() && files.is_empty() {
            return None;
        }
        let profile: Option<Profile> = reader.read("user profile", &self.user_profile);
        let name = |choose: fn(&Profile) -> Option<&String>| {
            let name = profile.as_ref().and_then(choose);
            name.filter(|name| !name.is_empty()).cloned()
        };
        let shown_name = name(|profile| profile.display_name.as_ref())
            .or_else(|| name(|profile| profile.real_name.as_ref()))
            .unwrap_or_else(|| sender.clone());
        let context = InboundContext {
            forwarded_from: shared.iter().find_map(|shared| shared.author.clone()),
            sender: Some(SenderIds {
                names: name(|profile| profile.real_name.as_ref())
                    .filter(|name| *name != shown_name)
                    .into_iter()
                    .collect(),
                ..SenderIds::default()
            }),
            ..thread_context(&self.root, bot)
        };
        let Some(at) = sent_at(&self.ts) else {
            reader.fail("time stamp", &"it is no time", &Value::from(self.ts));
            return None;
        };
        Some(Inbound {
            channel: channel.clone(),
            account: None,
            chat: self.channel.as_str().into(),
            chat_type: self.chat_type(),
            thread: self
                .thread_ts
                .as_deref()
                .filter(|thread| *thread != self.ts)
                .map(Into::into),
            message: self.ts.as_str().into(),
            reply_to: None,
            sender: Sender {
                id: sender.as_str().into(),
                name: name(|profile| profile.name.as_ref()).unwrap_or_else(|| sender.clone()),
                display_name: shown_name,
                is_bot: false,
            },
            // An answer in a thread that the bot began is meant for it.
            mentioned: text::mentions(said, &bot.id) || self.parent_user_id.as_ref() == Some(&bot.id),
            // Also with a comment of the sender's, which cannot be told from what is shared any more.
            forwarded: !shared.is_empty(),
            text,
            files,
            at,
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: context.bounded(),
        })
    }

    /// An `app_mention` does not say; it never comes from a direct message.
    fn chat_type(&self) -> ChatType {
        match self.channel_type.as_deref() {
            Some("im") => ChatType::Direct,
            _ => ChatType::Group,
        }
    }
}

/// The message that began the thread.
fn thread_context(root: &Value, bot: &Bot) -> InboundContext {
    let starter = root.is_object().then(|| QuotedMessage {
        id: told::text(&root["ts"]).map(Into::into),
        sender: told::text(&root["user"]),
        text: told::text(&root["text"]).map_or_else(String::new, |said| text::plain(&said)),
        own: root["user"] == *bot.id,
    });
    InboundContext {
        thread: starter.map(|starter| ThreadContext {
            starter: Some(starter),
            recent: Vec::new(),
        }),
        ..InboundContext::default()
    }
}

/// A message that another one shares. Slack does not describe it; its own client names the fields:
/// <https://docs.slack.dev/tools/node-slack-sdk/reference/web-api/type-aliases/ConversationsHistoryResponse>.
struct Shared {
    /// What it says; of one that says nothing and has no files, what Slack shows in its place.
    text: String,
    files: Vec<File>,
    /// Its author, by name.
    author: Option<String>,
}

impl Shared {
    fn all(attachments: &Value, reader: &mut Reader) -> Vec<Self> {
        let attachments = attachments.as_array().into_iter().flatten();
        let shared = attachments.filter(|attached| attached["is_share"] == true);
        shared.map(|attached| Self::of(attached, reader)).collect()
    }

    fn of(attached: &Value, reader: &mut Reader) -> Self {
        let files: Vec<File> = reader.read_all("file", &attached["files"]);
        let text = |name: &str| attached[name].as_str().filter(|text| !text.is_empty());
        let said = text("text").or_else(|| text("fallback").filter(|_| files.is_empty()));
        Self {
            text: said.map(text::plain).unwrap_or_default(),
            files,
            author: told::text(&attached["author_name"]).or_else(|| told::text(&attached["author_id"])),
        }
    }
}

/// What the sender wrote and, quoted where there is both, what the sender shares.
fn with_shared(own: String, shared: &[Shared]) -> String {
    let shared = shared.iter().map(|shared| shared.text.as_str());
    let shared: Vec<_> = shared.filter(|text| !text.is_empty()).collect();
    let shared = shared.join("\n\n");
    if own.is_empty() || shared.is_empty() {
        return own + &shared;
    }
    let quoted: Vec<_> = shared.lines().map(|line| format!("> {line}")).collect();
    format!("{own}\n\n{}", quoted.join("\n"))
}

impl File {
    fn attachment(&self) -> Attachment {
        let known = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Attachment {
            name: known(&self.name).unwrap_or_else(|| "file".to_owned()),
            media_type: known(&self.mimetype).unwrap_or_else(|| "application/octet-stream".to_owned()),
            size: self.size,
            source: self.id.clone(),
        }
    }
}

/// A time stamp is seconds and microseconds, and never a float, which would lose the last digits.
pub(super) fn sent_at(ts: &str) -> Option<Timestamp> {
    let (seconds, micros) = ts.split_once('.')?;
    let (seconds, micros): (i64, i64) = (seconds.parse().ok()?, micros.parse().ok()?);
    Some(Timestamp(seconds.checked_mul(1_000)? + micros / 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_ids_and_texts_are_asked_to_be_what_they_should_be() {
        let bot = Bot {
            id: "UBOT".to_owned(),
            name: "bot".to_owned(),
            workspace: "team".to_owned(),
        };
        for field in [
            "hidden",
            "channel_type",
            "thread_ts",
            "parent_user_id",
            "attachments",
            "root",
            "blocks",
            "edited",
        ] {
            for value in [json!({"of": "a new kind"}), json!(null)] {
                let mut event = json!({"type": "message", "channel": "C1", "user": "U1", "text": "Hello",
                    "ts": "1700000000.000001", "bot_id": null, "files": null, "user_profile": null});
                event[field] = value.clone();
                let mut reader = Reader::default();
                let read = message(&event, &"slack".into(), &bot, &mut reader).expect("a message");
                assert_eq!(read.text, "Hello", "{field} {value}");
                assert!(reader.into_failed().is_empty(), "{field} {value}");
            }
        }
    }

    #[test]
    fn a_file_without_a_text_comes_in_and_what_a_bot_wrote_does_not() {
        let bot = Bot {
            id: "UBOT".to_owned(),
            name: "bot".to_owned(),
            workspace: "team".to_owned(),
        };
        let mut event = json!({"type": "message", "channel": "C1", "user": "U1", "text": null,
            "ts": "1700000000.000001", "files": [{"id": "F1", "name": "a.png"}]});
        let read = |event: &Value| message(event, &"slack".into(), &bot, &mut Reader::default());
        assert_eq!(read(&event).expect("a message").files.len(), 1);
        event["bot_id"] = json!({"of": "a new kind"});
        assert_eq!(read(&event), None);
    }
}
