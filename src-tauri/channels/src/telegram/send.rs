//! Operations as calls.

use super::Telegram;
use crate::folder::{Meant, OpenFile};
use crate::{Ack, Refusal, render};
use foldback_wire::{FileKind, Markup, MessageFlags, MessageId, Operation, RefusalCode, Target, Timestamp};
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A photo may have so many bytes; a larger one goes as a document.
/// <https://core.telegram.org/bots/api#sendphoto>
const MAX_PHOTO: u64 = 10_000_000;

/// What a sent message is answered with.
#[derive(Debug, Deserialize)]
struct Sent {
    message_id: i64,
    /// In seconds.
    date: Option<i64>,
}

impl Sent {
    fn ack(&self) -> Ack {
        Ack {
            message: Some(self.message_id.to_string().into()),
            sent_at: self.date.map(|date| Timestamp(date.saturating_mul(1_000))),
            ..Ack::default()
        }
    }
}

impl Telegram {
    pub(super) async fn send(&self, target: &Target, operation: &Operation) -> Result<Ack, Refusal> {
        let chat = chat(target)?;
        match operation {
            Operation::SendText {
                text,
                reply_to,
                flags,
            } => {
                let mut body = place(target, chat)?;
                set_flags(&mut body, flags);
                without_previews(&mut body, flags);
                answers(&mut body, reply_to.as_ref())?;
                let (sent, warning) = self.with_text("sendMessage", body, "text", text).await?;
                Ok(Ack {
                    more_calls: u32::from(warning.is_some()),
                    warning,
                    ..ack(sent)?
                })
            }
            Operation::EditText { message, text, flags } => {
                let mut body = Map::from_iter([("chat_id".to_owned(), chat)]);
                without_previews(&mut body, flags);
                body.insert("message_id".into(), number(message)?.into());
                match self.with_text("editMessageText", body, "text", text).await {
                    Ok((_, warning)) => Ok(Ack {
                        more_calls: u32::from(warning.is_some()),
                        warning,
                        ..Ack::default()
                    }),
                    Err(refusal) if refusal.detail.contains("message is not modified") => Ok(Ack {
                        unchanged: true,
                        ..Ack::default()
                    }),
                    Err(refusal) => Err(refusal),
                }
            }
            Operation::Delete { message } => {
                let body = json!({"chat_id": chat, "message_id": number(message)?});
                self.api.call("deleteMessage", &body).await.map(done)
            }
            Operation::React {
                message, emoji_sent, ..
            } => {
                let reaction = json!([{"type": "emoji", "emoji": emoji_sent}]);
                let body = json!({"chat_id": chat, "message_id": number(message)?, "reaction": reaction});
                self.api.call("setMessageReaction", &body).await.map(done)
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                checked,
                flags,
            } => {
                let mut body = place(target, chat)?;
                set_flags(&mut body, flags);
                answers(&mut body, reply_to.as_ref())?;
                self.send_file(body, Meant::file(path, *kind, *checked), caption.as_deref())
                    .await
            }
            Operation::SendVoice {
                path,
                reply_to,
                checked,
                flags,
                ..
            } => {
                let mut body = place(target, chat)?;
                set_flags(&mut body, flags);
                answers(&mut body, reply_to.as_ref())?;
                self.send_file(body, Meant::voice(path, *checked), None).await
            }
            Operation::Typing => {
                let mut body = place(target, chat)?;
                body.insert("action".into(), "typing".into());
                self.api.call("sendChatAction", &body.into()).await.map(done)
            }
        }
    }

    /// Calls a method with rendered text, and without markup where Telegram cannot read it.
    async fn with_text(
        &self,
        method: &str,
        mut body: Map<String, Value>,
        field: &str,
        text: &str,
    ) -> Result<(Value, Option<String>), Refusal> {
        // Rendered, white space alone would be refused with other words than nothing at all.
        body.insert(field.into(), render(text, Markup::Html).into());
        body.insert("parse_mode".into(), "HTML".into());
        match self.api.call(method, &Value::Object(body.clone())).await {
            Err(refusal) if is_about_markup(&refusal) => {
                body.insert(field.into(), render(text, Markup::Plain).into());
                body.remove("parse_mode");
                let sent = self.api.call(method, &body.into()).await?;
                Ok((sent, Some(without_markup(&refusal))))
            }
            sent => Ok((sent?, None)),
        }
    }

    /// Sends a file by the method of its kind, and by the next one where somebody forbids that. A caption whose markup
    /// Telegram cannot read goes without it.
    async fn send_file(
        &self,
        mut body: Map<String, Value>,
        file: Meant<'_>,
        caption: Option<&str>,
    ) -> Result<Ack, Refusal> {
        if let Some(caption) = caption {
            body.insert("caption".into(), render(caption, Markup::Html).into());
            body.insert("parse_mode".into(), "HTML".into());
        }
        let mut ways = methods(file.path, file.kind).iter().peekable();
        let (mut warnings, mut given_up, mut refused) = (Vec::new(), None, 0);
        while let Some(&&(method, field)) = ways.peek() {
            let open = || self.folder.open_to_send(file, &self.capabilities);
            if field == "photo" && open()?.size > MAX_PHOTO {
                ways.next();
                continue;
            }
            let form = |parameters: &Value| Ok(form(field, open()?, parameters));
            let parameters = Value::Object(body.clone());
            match (self.api.upload(method, &parameters, form).await, caption) {
                (Err(refusal), _) if takes_another_way(&refusal) => {
                    refused += 1;
                    ways.next();
                    if let Some((method, _)) = ways.peek() {
                        warnings.push(format!("{method} instead: {}", refusal.detail));
                    }
                    given_up = Some(refusal);
                }
                (Err(refusal), Some(caption))
                    if is_about_markup(&refusal) && body.remove("parse_mode").is_some() =>
                {
                    refused += 1;
                    body.insert("caption".into(), render(caption, Markup::Plain).into());
                    warnings.push(without_markup(&refusal));
                }
                (sent, _) => {
                    return Ok(Ack {
                        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
                        more_calls: refused,
                        ..ack(sent?)?
                    });
                }
            }
        }
        Err(given_up.unwrap_or_else(|| Refusal::new(RefusalCode::Unsupported, "no way to send it")))
    }
}

/// A file with the other parameters of its method.
fn form(field: &'static str, open: OpenFile, parameters: &Value) -> Form {
    let stream = tokio::fs::File::from_std(open.file);
    let part = Part::stream_with_length(reqwest::Body::from(stream), open.size).file_name(open.name);
    let parameters = parameters.as_object().into_iter().flatten();
    parameters.fold(Form::new().part(field, part), |form, (name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        form.text(name.clone(), text)
    })
}

/// Telegram cannot read the markup of a text.
fn is_about_markup(refusal: &Refusal) -> bool {
    refusal.detail.contains("can't parse entities")
}

fn without_markup(refusal: &Refusal) -> String {
    format!(
        "sent without markup, which Telegram could not read: {}",
        refusal.detail
    )
}

/// Somebody allows no voice messages from strangers, or the picture is none Telegram shows.
fn takes_another_way(refusal: &Refusal) -> bool {
    let said = refusal.detail.to_ascii_uppercase();
    [
        "VOICE_MESSAGES_FORBIDDEN",
        "PHOTO_INVALID_DIMENSIONS",
        "IMAGE_PROCESS_FAILED",
    ]
    .iter()
    .any(|known| said.contains(known))
}

/// The methods that send a file of this kind, the best first: method, and the field of the file.
fn methods(path: &str, kind: FileKind) -> &'static [(&'static str, &'static str)] {
    const DOCUMENT: (&str, &str) = ("sendDocument", "document");
    let extension = Path::new(path)
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    let is_one = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(extension));
    match kind {
        FileKind::Image => &[("sendPhoto", "photo"), DOCUMENT],
        // https://core.telegram.org/bots/api#sendvoice
        FileKind::Audio if is_one(&["ogg", "opus", "oga", "mp3", "m4a"]) => {
            &[("sendVoice", "voice"), ("sendAudio", "audio"), DOCUMENT]
        }
        FileKind::Audio | FileKind::File => &[DOCUMENT],
    }
}

/// The chat and the topic in it.
fn place(target: &Target, chat: Value) -> Result<Map<String, Value>, Refusal> {
    let mut body = Map::from_iter([("chat_id".to_owned(), chat)]);
    if let Some(thread) = &target.thread {
        let thread: i64 = thread
            .as_str()
            .parse()
            .map_err(|_| Refusal::new(RefusalCode::ChatGone, format!("{thread} is no topic of Telegram")))?;
        body.insert("message_thread_id".into(), thread.into());
    }
    Ok(body)
}

/// Without a sound: <https://core.telegram.org/bots/api#sendmessage>.
fn set_flags(body: &mut Map<String, Value>, flags: &MessageFlags) {
    if flags.silent {
        body.insert("disable_notification".into(), true.into());
    }
}

/// Of a text, also when it is edited: <https://core.telegram.org/bots/api#linkpreviewoptions>.
fn without_previews(body: &mut Map<String, Value>, flags: &MessageFlags) {
    if flags.suppress_embeds {
        body.insert("link_preview_options".into(), json!({"is_disabled": true}));
    }
}

fn answers(body: &mut Map<String, Value>, reply_to: Option<&MessageId>) -> Result<(), Refusal> {
    if let Some(message) = reply_to {
        body.insert("reply_parameters".into(), json!({"message_id": number(message)?}));
    }
    Ok(())
}

/// A chat's number, or a channel's `@name`. Numbers have up to 52 bits and go as integers, never as floats.
fn chat(target: &Target) -> Result<Value, Refusal> {
    let id = target.chat.as_str();
    match id.parse::<i64>() {
        Ok(number) => Ok(number.into()),
        Err(_) if id.starts_with('@') => Ok(id.into()),
        Err(_) => Err(Refusal::new(
            RefusalCode::ChatGone,
            format!("{id} is no chat of Telegram"),
        )),
    }
}

fn number(message: &MessageId) -> Result<i64, Refusal> {
    message
        .as_str()
        .parse()
        .map_err(|_| Refusal::new(RefusalCode::Gone, format!("{message} is no message of Telegram")))
}

fn ack(sent: Value) -> Result<Ack, Refusal> {
    let sent: Sent = serde_json::from_value(sent).map_err(|e| {
        Refusal::new(
            RefusalCode::Rejected,
            format!("Telegram answered something else: {e}"),
        )
        .or_done()
    })?;
    Ok(sent.ack())
}

fn done(_: Value) -> Ack {
    Ack::default()
}
