//! Operations as calls: <https://discord.com/developers/docs/resources/message>.

use super::{Discord, Mention, message::written_at, refusal::RouteLimit};
use crate::folder::Meant;
use crate::{Ack, Call, Refusal, render};
use foldback_wire::{Markup, MessageFlags, MessageId, Operation, RefusalCode, Target};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use serde_json::json;
use serenity::builder::{CreateAllowedMentions, CreateMessage, EditMessage};
use serenity::model::channel::{MessageFlags as BitFlags, MessageReference, MessageReferenceKind, Nonce};
use serenity::model::id;

/// Most characters of a nonce.
/// <https://discord.com/developers/docs/resources/message#create-message-jsonform-params>
const MAX_NONCE: usize = 25;

/// What a sent message is answered with, as far as it matters: the rest could not be read in vain.
#[derive(Debug, Deserialize)]
struct Sent {
    id: id::MessageId,
}

impl Sent {
    fn ack(&self, limit: RouteLimit) -> Ack {
        Ack {
            message: Some(self.id.to_string().into()),
            sent_at: Some(written_at(self.id)),
            pause: limit.pause,
            bucket: limit.bucket,
            ..Ack::default()
        }
    }
}

impl Discord {
    pub(super) async fn send(&self, call: &Call) -> Result<Ack, Refusal> {
        // A thread is a channel of its own.
        let place = channel(&call.target)?.to_string();
        let place = place.as_str();
        match &call.operation {
            Operation::SendText {
                text,
                reply_to,
                flags,
            } => {
                let message = self.message(call, text, reply_to.as_ref(), flags)?;
                let path = ["channels", place, "messages"];
                let (sent, limit): (Sent, _) = self.api.post(&path, &message).await?;
                Ok(sent.ack(limit))
            }
            Operation::EditText { message, text, flags } => {
                let message = number(message)?;
                let mut edit = EditMessage::new()
                    .content(render(text, Markup::Markdown))
                    .allowed_mentions(self.allowed_mentions());
                // No other flag can be changed: https://discord.com/developers/docs/resources/message#edit-message
                if flags.suppress_embeds {
                    edit = edit.flags(BitFlags::SUPPRESS_EMBEDS);
                }
                let path = ["channels", place, "messages", &message];
                self.api.patch(&path, &edit).await.map(done)
            }
            Operation::Delete { message } => {
                let path = ["channels", place, "messages", &number(message)?];
                self.api.just(Method::DELETE, &path).await.map(done)
            }
            Operation::React {
                message, emoji_sent, ..
            } => {
                let message = number(message)?;
                let path = [
                    "channels",
                    place,
                    "messages",
                    &message,
                    "reactions",
                    emoji_sent,
                    "@me",
                ];
                self.api.just(Method::PUT, &path).await.map(done)
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                checked,
                flags,
            } => {
                let caption = caption.as_deref().unwrap_or_default();
                let message = self.message(call, caption, reply_to.as_ref(), flags)?;
                self.send_file(place, message, Meant::file(path, *kind, *checked))
                    .await
            }
            Operation::SendVoice {
                path,
                reply_to,
                checked,
                flags,
                ..
            } => {
                let message = self.message(call, "", reply_to.as_ref(), flags)?;
                self.send_file(place, message, Meant::voice(path, *checked)).await
            }
            Operation::Typing => {
                let path = ["channels", place, "typing"];
                self.api.just(Method::POST, &path).await.map(done)
            }
        }
    }

    fn message(
        &self,
        call: &Call,
        text: &str,
        reply_to: Option<&MessageId>,
        flags: &MessageFlags,
    ) -> Result<CreateMessage, Refusal> {
        let mut message = CreateMessage::new()
            .content(render(text, Markup::Markdown))
            .allowed_mentions(self.allowed_mentions());
        let flags = bits(flags);
        if !flags.is_empty() {
            message = message.flags(flags);
        }
        if !call.key.is_empty() {
            message = message.nonce(Nonce::String(nonce(&call.key))).enforce_nonce(true);
        }
        if let Some(answered) = reply_to {
            let answered = id::MessageId::new(snowflake(answered.as_str()).ok_or_else(|| nothing(answered))?);
            let reference = MessageReference::new(MessageReferenceKind::Default, channel(&call.target)?)
                .message_id(answered)
                // The delivery engine sends it plainly then, and says so.
                .fail_if_not_exists(true);
            message = message.reference_message(reference);
        }
        Ok(message)
    }

    /// What agents write notifies nobody unless a person has allowed it; but who is answered is told.
    fn allowed_mentions(&self) -> CreateAllowedMentions {
        let allows = |mention| self.mentions.contains(&mention);
        CreateAllowedMentions::new()
            .all_users(allows(Mention::Users))
            .all_roles(allows(Mention::Roles))
            .everyone(allows(Mention::Everyone))
            .replied_user(true)
    }

    /// <https://discord.com/developers/docs/reference#uploading-files>
    async fn send_file(&self, place: &str, message: CreateMessage, file: Meant<'_>) -> Result<Ack, Refusal> {
        let rejected = |why: String| Refusal::new(RefusalCode::Rejected, why);
        let open = self.folder.open_to_send(file, &self.capabilities)?;
        let mut message = serde_json::to_value(message).map_err(|e| rejected(e.to_string()))?;
        // The file goes beside the message as a stream, which serenity's own attachments, held in memory, cannot.
        message["attachments"] = json!([{"id": 0, "filename": open.name}]);
        let stream = reqwest::Body::from(tokio::fs::File::from_std(open.file));
        let file = Part::stream_with_length(stream, open.size).file_name(open.name);
        let words = Part::text(message.to_string()).mime_str("application/json");
        let words = words.map_err(|e| rejected(e.to_string()))?;
        let form = Form::new().part("payload_json", words).part("files[0]", file);
        let (sent, limit): (Sent, _) = self.api.upload(&["channels", place, "messages"], form).await?;
        Ok(sent.ack(limit))
    }
}

/// <https://discord.com/developers/docs/resources/message#message-object-message-flags>
fn bits(flags: &MessageFlags) -> BitFlags {
    let mut bits = BitFlags::empty();
    bits.set(BitFlags::SUPPRESS_EMBEDS, flags.suppress_embeds);
    bits.set(BitFlags::SUPPRESS_NOTIFICATIONS, flags.silent);
    bits
}

fn done(limit: RouteLimit) -> Ack {
    Ack {
        pause: limit.pause,
        bucket: limit.bucket,
        ..Ack::default()
    }
}

/// The channel a message goes to: the thread, which is a channel of its own, or the chat itself.
fn channel(target: &Target) -> Result<id::ChannelId, Refusal> {
    let id = target
        .thread
        .as_ref()
        .map_or(target.chat.as_str(), |thread| thread.as_str());
    let number = snowflake(id)
        .ok_or_else(|| Refusal::new(RefusalCode::ChatGone, format!("{id} is no channel of Discord")))?;
    Ok(id::ChannelId::new(number))
}

/// A message's id, in a path.
fn number(message: &MessageId) -> Result<String, Refusal> {
    let number = snowflake(message.as_str()).ok_or_else(|| nothing(message))?;
    Ok(number.to_string())
}

fn nothing(message: &MessageId) -> Refusal {
    Refusal::new(RefusalCode::Gone, format!("{message} is no message of Discord"))
}

/// An id: digits of a number of 64 bits, written as Discord writes it.
/// <https://discord.com/developers/docs/reference#snowflakes>
fn snowflake(id: &str) -> Option<u64> {
    let digits = !id.starts_with('0') && id.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| id.parse().ok()).flatten()
}

/// The key as a nonce. Those of the delivery engine fit; of a longer one a digest stands for it (FNV-1a, 64 bits,
/// twice), since the same key must give the same nonce after a restart too.
fn nonce(key: &str) -> String {
    if key.chars().count() <= MAX_NONCE {
        return key.to_owned();
    }
    let digest = |basis: u64| {
        key.bytes().fold(basis, |sum, b| {
            (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let (first, second) = (digest(0xcbf2_9ce4_8422_2325), digest(0x6c62_272e_07bb_0142));
    let mut text = format!("{first:016x}{second:016x}");
    text.truncate(MAX_NONCE);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_nonce_is_the_key_or_a_digest_that_fits() {
        assert_eq!(nonce("fb-19a2b3c4d5e-7f"), "fb-19a2b3c4d5e-7f");
        let long: BTreeSet<_> = (0..1_000)
            .map(|n| nonce(&format!("a-key-too-long-for-a-nonce-{n}")))
            .collect();
        assert_eq!(long.len(), 1_000);
        assert!(long.iter().all(|nonce| nonce.len() == MAX_NONCE));
        assert_eq!(
            nonce("a-key-too-long-for-a-nonce"),
            "77b2c3c529444da80ca04ef34",
            "the same after a restart"
        );
    }

    #[test]
    fn ids_are_digits_of_64_bits() {
        assert_eq!(snowflake("18446744073709551615"), Some(u64::MAX));
        for none in [
            "",
            "0",
            "007",
            "18446744073709551616",
            "1.0",
            "+1",
            "-1",
            "1/../2",
            "１",
        ] {
            assert_eq!(snowflake(none), None, "{none}");
        }
    }
}
