//! Operations as calls.

use super::{Slack, event::sent_at};
use crate::folder::Meant;
use crate::{Ack, Refusal, is_message_id, platform, render};
use foldback_wire::{Markup, MessageFlags, MessageId, Operation, RefusalCode, Target, UserId};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// How often Slack is asked which message shows a file, and the first wait, which doubles. Slack shows it a moment
/// after it has taken it: <https://docs.slack.dev/messaging/working-with-files#uploading_files>.
const ASKS: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_millis(300);

/// <https://docs.slack.dev/reference/methods/chat.postMessage#response>
#[derive(Debug, Deserialize)]
struct Posted {
    ts: MessageId,
    message: Shown,
}

/// A message, or one that shows a file.
#[derive(Debug, Deserialize)]
struct Shown {
    ts: Option<MessageId>,
    thread_ts: Option<String>,
}

/// <https://docs.slack.dev/reference/methods/chat.postEphemeral#response>
#[derive(Debug, Deserialize)]
struct PostedEphemeral {
    message_ts: MessageId,
}

#[derive(Debug, Deserialize)]
struct Permalink {
    permalink: String,
}

#[derive(Debug, Deserialize)]
struct Place {
    upload_url: String,
    file_id: String,
}

#[derive(Debug, Deserialize)]
struct Done {}

impl Slack {
    pub(super) async fn send(&self, target: &Target, operation: &Operation) -> Result<Ack, Refusal> {
        let chat = chat(target)?;
        match operation {
            Operation::SendText {
                text,
                reply_to,
                flags,
            } => {
                let text = self.rendered(text, self.capabilities.text_limit)?;
                if let Some(user) = &flags.only_for {
                    return self
                        .post_ephemeral(chat, target, user, &text, reply_to.as_ref())
                        .await;
                }
                let thread = self.thread(chat, target, reply_to.as_ref()).await?;
                let mut form = vec![("channel", chat), ("text", &text)];
                form.extend(thread.as_deref().map(|thread| ("thread_ts", thread)));
                if flags.suppress_embeds {
                    form.extend([("unfurl_links", "false"), ("unfurl_media", "false")]);
                }
                let posted: Posted = self.api.call("chat.postMessage", &form).await?;
                Ok(Ack {
                    sent_at: sent_at(posted.ts.as_str()),
                    message: Some(posted.ts),
                    warning: outside(thread.as_deref(), &posted.message),
                    ..Ack::default()
                })
            }
            Operation::EditText { message, text, .. } => {
                let text = self.rendered(text, self.capabilities.text_limit)?;
                let form = [("channel", chat), ("ts", stamp(message)?), ("text", &text)];
                self.api.call("chat.update", &form).await.map(done)
            }
            Operation::Delete { message } => {
                let form = [("channel", chat), ("ts", stamp(message)?)];
                self.api.call("chat.delete", &form).await.map(done)
            }
            Operation::React {
                message, emoji_sent, ..
            } => {
                let name = emoji_sent.trim_matches(':');
                let form = [("channel", chat), ("timestamp", stamp(message)?), ("name", name)];
                match self.api.call("reactions.add", &form).await {
                    Err(refusal) if refusal.detail.starts_with("already_reacted") => Ok(Ack {
                        unchanged: true,
                        ..Ack::default()
                    }),
                    answer => answer.map(done),
                }
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                checked,
                flags,
            } => {
                for_all(flags)?;
                let caption = caption.as_deref().unwrap_or_default();
                let caption = self.rendered(caption, self.capabilities.caption_limit)?;
                let thread = self.thread(chat, target, reply_to.as_ref()).await?;
                self.send_file(
                    chat,
                    thread.as_deref(),
                    Meant::file(path, *kind, *checked),
                    &caption,
                )
                .await
            }
            Operation::SendVoice {
                path,
                reply_to,
                checked,
                flags,
                ..
            } => {
                for_all(flags)?;
                let thread = self.thread(chat, target, reply_to.as_ref()).await?;
                self.send_file(chat, thread.as_deref(), Meant::voice(path, *checked), "")
                    .await
            }
            Operation::Typing => Err(Refusal::new(
                RefusalCode::Unsupported,
                "Slack shows nobody's typing for a bot",
            )),
        }
    }

    /// Shows a text to one person of a channel only. Nobody can edit or delete it. It stands in the thread that it is
    /// for, but opens none: in a thread that is not active it would not be shown
    /// (<https://docs.slack.dev/reference/methods/chat.postEphemeral>).
    async fn post_ephemeral(
        &self,
        chat: &str,
        target: &Target,
        user: &UserId,
        text: &str,
        reply_to: Option<&MessageId>,
    ) -> Result<Ack, Refusal> {
        let thread = self.thread(chat, target, None).await?;
        let mut form = vec![("channel", chat), ("user", user.as_str()), ("text", text)];
        form.extend(thread.as_deref().map(|thread| ("thread_ts", thread)));
        let posted: PostedEphemeral = self.api.call_beside("chat.postEphemeral", &form).await?;
        let alone = reply_to.filter(|_| thread.is_none());
        Ok(Ack {
            sent_at: sent_at(posted.message_ts.as_str()),
            message: Some(posted.message_ts),
            warning: alone.map(|message| {
                format!("not in the thread of {message}: what only one person sees opens no thread")
            }),
            ..Ack::default()
        })
    }

    /// Text in Slack's markup. Slack takes longer text by halves, cut off or not at all, depending on the method
    /// (<https://docs.slack.dev/reference/methods/chat.postMessage#truncating>), so that the limit is kept here.
    fn rendered(&self, text: &str, most: usize) -> Result<String, Refusal> {
        let text = render(text, Markup::Mrkdwn);
        let (unit, length) = (self.capabilities.unit, self.capabilities.unit.measure(&text));
        if length > most {
            let what = format!("{length} {unit} in Slack's markup, of at most {most}");
            return Err(Refusal::new(RefusalCode::TooLong, what));
        }
        Ok(text)
    }

    /// The thread an answer belongs to. To a message that does not exist Slack would answer in the channel, for all to
    /// see, so that it is asked first; and a message that stands in a thread is answered there
    /// (<https://docs.slack.dev/reference/methods/chat.getPermalink>).
    async fn thread(
        &self,
        chat: &str,
        target: &Target,
        reply_to: Option<&MessageId>,
    ) -> Result<Option<String>, Refusal> {
        if let Some(thread) = &target.thread {
            let thread = MessageId::from(thread.as_str());
            let stamp = stamp(&thread).map_err(|refusal| Refusal {
                code: RefusalCode::ChatGone,
                ..refusal
            })?;
            return Ok(Some(stamp.to_owned()));
        }
        let Some(message) = reply_to else {
            return Ok(None);
        };
        let message = stamp(message)?;
        let form = [("channel", chat), ("message_ts", message)];
        let found: Permalink = self
            .api
            .call_beside("chat.getPermalink", &form)
            .await
            .map_err(not_begun)?;
        let link = Url::parse(&found.permalink).ok();
        let root = link.and_then(|link| {
            let root = link.query_pairs().find(|(key, _)| key == "thread_ts");
            root.map(|(_, root)| root.into_owned())
        });
        Ok(Some(root.unwrap_or_else(|| message.to_owned())))
    }

    /// Sends a file, which nobody sees before the last step:
    /// <https://docs.slack.dev/messaging/working-with-files#uploading_files>.
    async fn send_file(
        &self,
        chat: &str,
        thread: Option<&str>,
        file: Meant<'_>,
        caption: &str,
    ) -> Result<Ack, Refusal> {
        let open = self.folder.open_to_send(file, &self.capabilities)?;
        if open.size == 0 {
            let what = format!("{} is empty, and Slack takes no empty file", file.path);
            return Err(Refusal::new(RefusalCode::Rejected, what));
        }
        let size = open.size.to_string();
        let form = [("filename", open.name.as_str()), ("length", &size)];
        let place: Place = self
            .api
            .call_beside("files.getUploadURLExternal", &form)
            .await
            .map_err(not_begun)?;
        self.api
            .upload(&place.upload_url, open.file, open.size)
            .await
            .map_err(not_begun)?;
        let files = json!([{"id": place.file_id, "title": open.name}]).to_string();
        let mut form = vec![("channel_id", chat), ("files", &files)];
        form.extend(thread.map(|thread| ("thread_ts", thread)));
        form.extend(
            Some(caption)
                .filter(|text| !text.is_empty())
                .map(|text| ("initial_comment", text)),
        );
        let sent: Value = self.api.call("files.completeUploadExternal", &form).await?;
        Ok(match self.find(chat, &place.file_id, &sent["files"][0]).await {
            Ok(shown) => Ack {
                warning: outside(thread, &shown),
                message: shown.ts,
                ..Ack::default()
            },
            Err(why) => Ack {
                warning: Some(format!("sent, but which message shows it is not known: {why}")),
                ..Ack::default()
            },
        })
    }

    /// The message that shows a file.
    async fn find(&self, chat: &str, id: &str, file: &Value) -> Result<Shown, String> {
        if let Some(shown) = shown(chat, file) {
            return Ok(shown);
        }
        let mut wait = FIRST_WAIT;
        for _ in 0..ASKS {
            self.clock.sleep_until(self.clock.now().plus(wait)).await;
            wait *= 2;
            let told: Value = self
                .api
                .call("files.info", &[("file", id)])
                .await
                .map_err(|refusal| refusal.detail)?;
            if let Some(shown) = shown(chat, &told["file"]) {
                return Ok(shown);
            }
        }
        Err("Slack has not said so in time".to_owned())
    }
}

/// Where a file is shown in a chat: <https://docs.slack.dev/reference/objects/file-object>.
fn shown(chat: &str, file: &Value) -> Option<Shown> {
    let shares = &file["shares"];
    let places = [&shares["public"][chat], &shares["private"][chat]];
    let last = places.into_iter().find_map(|place| place.as_array()?.last())?;
    let shown: Shown = serde_json::from_value(last.clone()).ok()?;
    Some(shown).filter(|shown| shown.ts.is_some())
}

/// What to tell when an answer came out of its thread, which Slack does when somebody has removed the thread meanwhile.
fn outside(thread: Option<&str>, shown: &Shown) -> Option<String> {
    let wanted = thread?;
    (shown.thread_ts.as_deref() != Some(wanted))
        .then(|| format!("shown outside the thread {wanted}, which no longer exists"))
}

/// Refuses what Slack shows to all of a channel where only one person may see it.
fn for_all(flags: &MessageFlags) -> Result<(), Refusal> {
    match flags.only_for {
        None => Ok(()),
        Some(_) => Err(Refusal::new(
            RefusalCode::Unsupported,
            "Slack cannot show a file to one person only",
        )),
    }
}

/// A refusal of a step after which nothing is to be seen, whatever became of it.
fn not_begun(refusal: Refusal) -> Refusal {
    Refusal {
        maybe_done: false,
        ..refusal
    }
}

/// A channel, a private one, or a direct message.
fn chat(target: &Target) -> Result<&str, Refusal> {
    let id = target.chat.as_str();
    let known = id.len() > 1
        && id.starts_with(['C', 'D', 'G'])
        && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if known {
        return Ok(id);
    }
    let what = if id.starts_with(['U', 'W', '@', '#']) {
        format!("{id} is a name or a person; write the id of the channel or direct message (C…, G…, D…)")
    } else {
        format!("{id} is no channel of Slack")
    };
    Err(Refusal::new(RefusalCode::ChatGone, what))
}

/// The time stamp that is a message's id.
fn stamp(message: &MessageId) -> Result<&str, Refusal> {
    if is_message_id(platform::SLACK, message) {
        return Ok(message.as_str());
    }
    Err(Refusal::new(
        RefusalCode::Gone,
        format!("{message} is no message of Slack"),
    ))
}

fn done(_: Done) -> Ack {
    Ack::default()
}
