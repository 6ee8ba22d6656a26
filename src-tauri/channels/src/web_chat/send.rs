//! Operations as changes of a conversation.

use super::WebChat;
use super::conversation::{Conversation, Unchanged};
use super::entry::{Author, ChatFile, ChatMessage};
use super::log::{options, remove_file};
use super::session::{hex, random_hex};
use crate::folder::Meant;
use crate::platform::web_chat::MESSAGE_DIGITS;
use crate::{Ack, Call, Refusal, render};
use foldback_wire::{Attachment, ChatId, Markup, MessageId, Operation, RefusalCode};
use ring::digest::{Context, SHA256};
use std::io::{self, Read as _};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// The id of a message: the same key makes the same one, also after a restart.
pub(super) fn message_id(chat: &ChatId, from: Author, key: &str) -> MessageId {
    if key.is_empty() {
        return MessageId::new(format!("w{}", random_hex::<{ MESSAGE_DIGITS / 2 }>()));
    }
    let mut of = Context::new(&SHA256);
    of.update(chat.as_str().as_bytes());
    of.update(match from {
        Author::Bot => b" bot ",
        Author::Visitor => b" visitor ",
    });
    of.update(key.as_bytes());
    let digest = of.finish();
    MessageId::new(format!("w{}", hex(&digest.as_ref()[..MESSAGE_DIGITS / 2])))
}

impl WebChat {
    pub(super) async fn send(&self, call: &Call) -> Result<Ack, Refusal> {
        let target = &call.target;
        if target.thread.is_some() {
            return Err(Refusal::new(
                RefusalCode::Unsupported,
                "a web chat has no threads",
            ));
        }
        let conversation = self.conversation(&target.chat)?;
        match &call.operation {
            Operation::SendText {
                text,
                reply_to,
                flags,
            } => {
                let entry = ChatMessage {
                    text: self.words(text, self.capabilities.text_limit)?,
                    silent: flags.silent,
                    ..self.entry(call, &conversation, reply_to.as_ref())?
                };
                add(&conversation, entry)
            }
            Operation::EditText { message, text, .. } => {
                let text = self.words(text, self.capabilities.text_limit)?;
                changed(message, conversation.edit(message, &text, self.clock.now()))
            }
            Operation::Delete { message } => changed(
                message,
                conversation.remove(message, Author::Bot, self.clock.now()),
            ),
            Operation::React {
                message, emoji_sent, ..
            } => {
                if emojis::get(emoji_sent).is_none() {
                    return Err(Refusal::new(
                        RefusalCode::Rejected,
                        format!("{emoji_sent} is no emoji"),
                    ));
                }
                let now = self.clock.now();
                changed(
                    message,
                    conversation.react(message, emoji_sent, Author::Bot, true, now),
                )
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
                let text = if caption.is_empty() {
                    String::new()
                } else {
                    self.words(caption, self.capabilities.caption_limit)?
                };
                let entry = ChatMessage {
                    text,
                    silent: flags.silent,
                    ..self.entry(call, &conversation, reply_to.as_ref())?
                };
                let file = Meant::file(path, *kind, *checked);
                self.add_file(&conversation, entry, file, None).await
            }
            Operation::SendVoice {
                path,
                text,
                reply_to,
                checked,
                flags,
            } => {
                let entry = ChatMessage {
                    silent: flags.silent,
                    ..self.entry(call, &conversation, reply_to.as_ref())?
                };
                let file = Meant::voice(path, *checked);
                self.add_file(&conversation, entry, file, Some(text)).await
            }
            Operation::Typing => {
                conversation.show_typing();
                Ok(Ack::default())
            }
        }
    }

    /// The file of this handle, which came with a message.
    pub(super) async fn hand_over(
        &self,
        chat: &ChatId,
        file: &Attachment,
        limit: u64,
    ) -> Result<Vec<u8>, Refusal> {
        let id = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let gone = || {
            Refusal::new(
                RefusalCode::Gone,
                "the conversation does not have the file any more",
            )
        };
        let path = {
            let conversation = self.conversation(chat)?;
            let state = conversation.state();
            let file = state.file(id).ok_or_else(gone)?;
            state.log().file(&file.id)
        };
        let read = spawn_blocking(move || {
            let mut bytes = Vec::new();
            let file = std::fs::File::open(path)?;
            file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        });
        let bytes = read.await.map_err(|_| gone())?.map_err(|_| gone())?;
        if bytes.len() as u64 > limit {
            return Err(Refusal::too_large(limit));
        }
        Ok(bytes)
    }

    fn conversation(&self, chat: &ChatId) -> Result<Arc<Conversation>, Refusal> {
        let gone = || {
            Refusal::new(
                RefusalCode::ChatGone,
                format!("the web chat has no conversation {chat}"),
            )
        };
        self.conversations.get(chat).ok_or_else(gone)
    }

    /// The text as it is shown.
    fn words(&self, text: &str, most: usize) -> Result<String, Refusal> {
        if text.trim().is_empty() {
            return Err(Refusal::new(RefusalCode::Rejected, "the text is empty"));
        }
        let shown = render(text, Markup::Markdown);
        let unit = self.capabilities.unit;
        let length = unit.measure(&shown).max(unit.measure(text));
        if length > most {
            let why = format!("{length} {unit} of at most {most}");
            return Err(Refusal::new(RefusalCode::TooLong, why));
        }
        Ok(shown)
    }

    /// A message without words yet.
    fn entry(
        &self,
        call: &Call,
        conversation: &Conversation,
        reply_to: Option<&MessageId>,
    ) -> Result<ChatMessage, Refusal> {
        if let Some(answered) = reply_to
            && conversation.state().find(answered).is_none()
        {
            let why = format!("there is no message {answered} to reply to");
            return Err(Refusal::new(RefusalCode::Gone, why));
        }
        Ok(ChatMessage {
            id: message_id(&call.target.chat, Author::Bot, &call.key),
            from: Author::Bot,
            at: self.clock.now(),
            text: String::new(),
            reply_to: reply_to.cloned(),
            files: Vec::new(),
            reactions: Vec::new(),
            silent: false,
        })
    }

    /// Adds a message with a copy of a file: whatever becomes of the file, the message keeps it.
    async fn add_file(
        &self,
        conversation: &Conversation,
        mut entry: ChatMessage,
        file: Meant<'_>,
        spoken: Option<&str>,
    ) -> Result<Ack, Refusal> {
        let mut open = self.folder.open_to_send(file, &self.capabilities)?;
        if conversation.state().find(&entry.id).is_some() {
            return add(conversation, entry);
        }
        self.conversations.make_room(conversation, open.size);
        let id = random_hex::<8>();
        let copy = {
            let state = conversation.state();
            state.log().make_folder().map_err(|error| unwritten(&error))?;
            state.log().file(&id)
        };
        let (size, to) = (open.size, copy.clone());
        let copied = spawn_blocking(move || {
            let mut copy = options().write(true).create_new(true).open(to)?;
            io::copy(&mut (&mut open.file).take(size), &mut copy)?;
            Ok::<_, io::Error>(open.name)
        });
        let copied = copied.await.unwrap_or_else(|panic| Err(io::Error::other(panic)));
        let name = match copied {
            Ok(name) => name,
            Err(error) => {
                remove_file(&copy);
                return Err(unwritten(&error));
            }
        };
        let media_type = mime_guess::from_path(&name).first_or_octet_stream();
        entry.files.push(ChatFile {
            id,
            media_type: media_type.essence_str().to_owned(),
            name,
            size,
            voice: spoken.is_some(),
            words: spoken.map(str::to_owned),
            gone: false,
        });
        add(conversation, entry)
    }
}

/// Adds a message; one that is there already stays as it is.
fn add(conversation: &Conversation, entry: ChatMessage) -> Result<Ack, Refusal> {
    let (id, at) = (entry.id.clone(), entry.at);
    conversation.add(entry, at).map_err(|error| unwritten(&error))?;
    let sent_at = conversation.state().find(&id).map(|entry| entry.at);
    Ok(Ack {
        message: Some(id),
        sent_at,
        ..Ack::default()
    })
}

fn changed(message: &MessageId, change: Result<(), Unchanged>) -> Result<Ack, Refusal> {
    let refused = |code, why: String| Err(Refusal::new(code, why));
    match change {
        Ok(()) => Ok(Ack::default()),
        Err(Unchanged::Already) => Ok(Ack {
            unchanged: true,
            ..Ack::default()
        }),
        Err(Unchanged::NoMessage) => refused(RefusalCode::Gone, format!("there is no message {message}")),
        Err(Unchanged::NotOurs) => refused(
            RefusalCode::Forbidden,
            format!("{message} is the visitor's message"),
        ),
        Err(Unchanged::NoText) => refused(RefusalCode::Rejected, format!("{message} has no text to edit")),
        Err(Unchanged::Unwritten(error)) => Err(unwritten(&error)),
    }
}

/// Nothing was done: a change is made once it is written down.
fn unwritten(error: &io::Error) -> Refusal {
    let why = format!("the conversation cannot be written down: {error}");
    Refusal::new(RefusalCode::Transient, why).never_sent()
}
