//! Operations as calls.

use super::SignalCli;
use super::attach::data_uri;
use super::daemon::{FILE_PATIENCE, PATIENCE};
use super::ids::{Chat, Message};
use super::refusal::Sent;
use crate::folder::Meant;
use crate::render::{Look, Part, render_parts};
use crate::{Ack, Refusal};
use foldback_wire::{ChatId, MessageId, Operation, RefusalCode, Target};
use serde_json::{Map, Value, json};
use std::time::Duration;

impl SignalCli {
    pub(super) async fn send(&self, target: &Target, operation: &Operation) -> Result<Ack, Refusal> {
        let chat = &target.chat;
        let mut params = self.parameters();
        Chat::of(chat)?.place(&mut params);
        match operation {
            Operation::SendText { text, reply_to, .. } => {
                self.write(&mut params, text, self.capabilities.text_limit)?;
                if message_in(&params).trim().is_empty() {
                    return Err(Refusal::new(RefusalCode::Rejected, "the text is empty"));
                }
                self.quote(&mut params, chat, reply_to.as_ref())?;
                self.say(chat, params, PATIENCE).await
            }
            Operation::EditText { .. } => Err(Refusal::new(
                RefusalCode::Unsupported,
                "Foldback does not edit messages on Signal",
            )),
            Operation::Delete { message } => self.delete(chat, params, message).await,
            Operation::React {
                message, emoji_sent, ..
            } => {
                let meant = Message::of(message)?;
                params.insert("emoji".into(), emoji_sent.as_str().into());
                params.insert("targetAuthor".into(), meant.author(&self.state().me)?.into());
                params.insert("targetTimestamp".into(), meant.sent.into());
                self.deliver("sendReaction", &params, PATIENCE)
                    .await
                    .map(|(_, ack)| ack)
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                checked,
                ..
            } => {
                let caption = caption.as_deref().unwrap_or_default();
                self.write(&mut params, caption, self.capabilities.caption_limit)?;
                self.quote(&mut params, chat, reply_to.as_ref())?;
                self.attach(&mut params, Meant::file(path, *kind, *checked))
                    .await?;
                self.say(chat, params, FILE_PATIENCE).await
            }
            Operation::SendVoice {
                path,
                reply_to,
                checked,
                ..
            } => {
                self.quote(&mut params, chat, reply_to.as_ref())?;
                self.attach(&mut params, Meant::voice(path, *checked)).await?;
                self.say(chat, params, FILE_PATIENCE).await
            }
            Operation::Typing => self
                .deliver("sendTyping", &params, PATIENCE)
                .await
                .map(|(_, ack)| ack),
        }
    }

    /// Sends a message, and remembers it.
    async fn say(
        &self,
        chat: &ChatId,
        params: Map<String, Value>,
        patience: Duration,
    ) -> Result<Ack, Refusal> {
        let (sent, ack) = self.deliver("send", &params, patience).await?;
        let id = Message { sent, author: None }.id();
        self.state().memory.add(chat, &id, message_in(&params));
        Ok(Ack {
            message: Some(id),
            ..ack
        })
    }

    /// Calls a method that sends: when it was sent, in milliseconds, and what could not be.
    async fn deliver(
        &self,
        method: &str,
        params: &Map<String, Value>,
        patience: Duration,
    ) -> Result<(i64, Ack), Refusal> {
        let (sent, warning) = Sent::read(self.daemon.call(method, params, patience).await?)?;
        let ack = Ack {
            warning,
            ..Ack::default()
        };
        Ok((sent.timestamp, ack))
    }

    /// Only the account's own messages can be removed, and signal-cli does not know which are there.
    async fn delete(
        &self,
        chat: &ChatId,
        mut params: Map<String, Value>,
        id: &MessageId,
    ) -> Result<Ack, Refusal> {
        let meant = Message::of(id)?;
        if meant.author.is_some() {
            let why = format!("{id} is of somebody else; on Signal one can only remove one's own messages");
            return Err(Refusal::new(RefusalCode::Forbidden, why));
        }
        if self.state().memory.is_removed(chat, id) {
            return Err(Refusal::new(
                RefusalCode::Gone,
                format!("{id} is removed already"),
            ));
        }
        params.insert("targetTimestamp".into(), meant.sent.into());
        let (_, ack) = self.deliver("remoteDelete", &params, PATIENCE).await?;
        self.state().memory.remove(chat, id);
        Ok(ack)
    }

    /// Says which message is answered. Who does not have it any more sees what is quoted of it.
    fn quote(
        &self,
        params: &mut Map<String, Value>,
        chat: &ChatId,
        reply_to: Option<&MessageId>,
    ) -> Result<(), Refusal> {
        let Some(id) = reply_to else { return Ok(()) };
        let meant = Message::of(id)?;
        let state = self.state();
        params.insert("quoteTimestamp".into(), meant.sent.into());
        params.insert("quoteAuthor".into(), meant.author(&state.me)?.into());
        if let Some(text) = state.memory.text(chat, id) {
            params.insert("quoteMessage".into(), text.into());
        }
        Ok(())
    }

    async fn attach(&self, params: &mut Map<String, Value>, file: Meant<'_>) -> Result<(), Refusal> {
        let uri = data_uri(self.folder.open_to_send(file, &self.capabilities)?).await?;
        params.insert("attachments".into(), json!([uri]));
        Ok(())
    }

    /// Writes a text, with its emphasis beside it. A longer one signal-cli would send as a file.
    fn write(&self, params: &mut Map<String, Value>, markdown: &str, limit: usize) -> Result<(), Refusal> {
        let (text, parts) = render_parts(markdown);
        let unit = self.capabilities.unit;
        let length = unit.measure(&text);
        if length > limit {
            let why = format!("{length} {unit} of at most {limit}");
            return Err(Refusal::new(RefusalCode::TooLong, why));
        }
        if !parts.is_empty() {
            let styles: Vec<_> = parts.into_iter().map(style).collect();
            params.insert("textStyle".into(), json!(styles));
        }
        params.insert("message".into(), text.into());
        Ok(())
    }
}

fn message_in(params: &Map<String, Value>) -> &str {
    params.get("message").and_then(Value::as_str).unwrap_or_default()
}

/// A part of a text as signal-cli has it.
fn style(part: Part) -> String {
    let look = match part.look {
        Look::Bold => "BOLD",
        Look::Italic => "ITALIC",
        Look::Strike => "STRIKETHROUGH",
        Look::Mono => "MONOSPACE",
    };
    format!("{}:{}:{look}", part.start, part.length)
}
