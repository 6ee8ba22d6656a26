//! A platform, simulated: a state machine without I/O, time or tasks of its own. It keeps the rules of the
//! profile it is given, gives out ids in the platform's form and remembers what happened.

mod chat;
mod file;
mod ids;
mod rules;

pub use chat::{Author, Chat, Content, Message, Replaced};
pub use file::SimFile;
pub use foldback_wire::{CallFailure, CallFault};
pub use rules::file_limit;

use crate::{Ack, Call, Refusal, ThreadPart, ThreadQuery, is_message_id, platform::row};
use foldback_wire::{
    Capabilities, ChatId, Inbound, MessageFlags, MessageId, OpKind, Operation, RefusalCode, ReplyForm,
    ThreadId, Timestamp,
};
use ids::IdSource;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

/// Calls the log keeps in memory; a platform in its own process writes all of them to its file.
const LOG_KEPT: usize = 16_384;

/// How long a key is remembered. Discord promises "the past few minutes"
/// (<https://discord.com/developers/docs/resources/message#create-message>, `enforce_nonce`).
pub const KEY_WINDOW: Duration = Duration::from_mins(5);

/// One call as the platform saw it: its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When it arrived.
    pub at: Timestamp,
    /// What was asked.
    pub call: Call,
    /// What the caller was answered, or would have been.
    pub answer: Result<Ack, Refusal>,
    /// Whether it changed the platform. A lost acknowledgement has a refusal and did.
    pub applied: bool,
    /// The key was known: the caller got the first call's message again and nothing changed.
    pub repeated: bool,
}

/// A simulated platform.
#[derive(Debug)]
pub struct SimPlatform {
    capabilities: Capabilities,
    chats: BTreeMap<ChatId, Chat>,
    shut: BTreeMap<ChatId, RefusalCode>,
    ids: IdSource,
    keys: HashMap<String, (Timestamp, MessageId)>,
    faults: Vec<CallFault>,
    calls: BTreeMap<OpKind, u32>,
    log: VecDeque<Record>,
    files: file::Files,
}

/// What an accepted operation came to.
struct Done {
    ack: Ack,
    repeated: bool,
}

impl SimPlatform {
    /// An empty platform with these rules.
    pub fn new(capabilities: Capabilities) -> Self {
        Self {
            ids: IdSource::new(capabilities.platform),
            capabilities,
            chats: BTreeMap::new(),
            shut: BTreeMap::new(),
            keys: HashMap::new(),
            faults: Vec::new(),
            calls: BTreeMap::new(),
            log: VecDeque::new(),
            files: file::Files::default(),
        }
    }

    /// The rules it keeps.
    pub const fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// A conversation; `None` when nothing was ever said in it.
    pub fn chat(&self, chat: &ChatId) -> Option<&Chat> {
        self.chats.get(chat)
    }

    /// What was called, oldest first.
    pub fn log(&self) -> impl ExactSizeIterator<Item = &Record> {
        self.log.iter()
    }

    /// Somebody writes a message. It comes out as the platform would hand it over: without a thread where
    /// there are none. A message that is known already is not there twice.
    pub fn receive(&mut self, mut inbound: Inbound) -> Inbound {
        if !self.capabilities.threads {
            inbound.thread = None;
        }
        let chat = self.chats.entry(inbound.chat.clone()).or_default();
        if !chat.knows(&inbound.message) {
            chat.push(Message {
                id: inbound.message.clone(),
                author: Author::User(inbound.sender.id.clone()),
                sender: Some(inbound.sender.clone()),
                thread: inbound.thread.clone(),
                reply_to: inbound.reply_to.clone(),
                flags: MessageFlags::default(),
                content: Content::Text(inbound.text.clone()),
                history: Vec::new(),
                reactions: Vec::new(),
                at: inbound.at,
                deleted: None,
            });
        }
        inbound
    }

    /// Somebody sends a file with a message: gives the handle to fetch it by.
    pub fn keep(&mut self, file: impl Into<SimFile>) -> String {
        self.files.keep(file.into())
    }

    /// A file by its handle.
    pub fn file(&self, handle: &str) -> Result<SimFile, Refusal> {
        self.files.get(handle)
    }

    /// What was said in a thread before a message; `None` where the platform has no call for it. On both platforms that
    /// have one a thread has the id of the message that it was made from.
    pub fn read_thread(&self, query: &ThreadQuery) -> Option<ThreadPart> {
        if !row(self.capabilities.platform).reads_threads {
            return None;
        }
        let Some(chat) = self.chats.get(&query.chat) else {
            return Some(ThreadPart::default());
        };
        let first = MessageId::new(query.thread.as_str());
        let before = chat.messages().take_while(|message| message.id != query.before);
        let said =
            before.filter(|message| message.thread.as_ref() == Some(&query.thread) && message.id != first);
        let mut recent: Vec<_> = said.filter_map(Message::in_thread).collect();
        let surplus = recent.len().saturating_sub(query.limit as usize);
        recent.drain(..surplus);
        Some(ThreadPart {
            starter: chat.message(&first).and_then(Message::in_thread),
            recent,
            missing: None,
        })
    }

    /// A fresh message id for a message of somebody else, in the platform's form.
    pub fn mint(&mut self, now: Timestamp, chat: &ChatId) -> MessageId {
        loop {
            // A fixture may have used a number that the counter comes to: step over it.
            let id = self.ids.next(now, chat);
            if !self.chats.get(chat).is_some_and(|c| c.knows(&id)) {
                return id;
            }
        }
    }

    /// Every operation in `chat` is refused so from now on, as when the bot was thrown out.
    pub fn shut(&mut self, chat: ChatId, code: RefusalCode) {
        self.shut.insert(chat, code);
    }

    /// Plans a fault.
    pub fn plan(&mut self, fault: CallFault) {
        self.faults.push(fault);
    }

    /// Plans a fault whose calls are counted from now on.
    pub fn plan_from_now(&mut self, mut fault: CallFault) {
        fault.nth += self.calls.get(&fault.op).copied().unwrap_or_default();
        self.plan(fault);
    }

    /// A call sets out: counts it and says how it will go wrong, if it will.
    pub fn set_out(&mut self, op: OpKind) -> Option<CallFault> {
        let count = self.calls.entry(op).or_insert(0);
        *count += 1;
        let count = *count;
        self.faults.iter().find(|f| f.hits(op, count)).cloned()
    }

    /// A call arrives at `now`. `size` is that of its file in bytes, where it has one and it is known;
    /// `fault` is what `set_out` said.
    pub fn arrive(
        &mut self,
        now: Timestamp,
        call: Call,
        size: Option<u64>,
        fault: Option<&CallFault>,
    ) -> Result<Ack, Refusal> {
        let failure = fault.and_then(|f| f.fail);
        let done = match failure {
            Some(CallFailure::Disconnect) => {
                Err(Refusal::new(RefusalCode::Transient, "the connection broke").or_done())
            }
            Some(failure) if let Some(code) = failure.refusal() => Err(Refusal {
                retry_after: fault.and_then(|f| f.retry_after_ms).map(Duration::from_millis),
                ..Refusal::new(code, "as planned")
            }),
            _ => self.apply(now, &call, size),
        };
        let repeated = done.as_ref().is_ok_and(|d| d.repeated);
        let applied = done.as_ref().is_ok_and(|d| !d.repeated && !d.ack.unchanged);
        let mut answer = done.map(|d| d.ack);
        if failure == Some(CallFailure::LostAck) && answer.is_ok() {
            answer = Err(Refusal::new(RefusalCode::Transient, "no answer arrived").or_done());
        }
        if self.log.len() == LOG_KEPT {
            self.log.pop_front();
        }
        self.log.push_back(Record {
            at: now,
            call,
            answer: answer.clone(),
            applied,
            repeated,
        });
        answer
    }

    fn apply(&mut self, now: Timestamp, call: &Call, size: Option<u64>) -> Result<Done, Refusal> {
        let chat = &call.target.chat;
        if let Some(code) = self.shut.get(chat) {
            return Err(Refusal::new(*code, format!("the chat {chat} is shut")));
        }
        if call.target.thread.is_some() && !self.capabilities.threads {
            return Err(Refusal::new(
                RefusalCode::Unsupported,
                "there are no threads here",
            ));
        }
        let once = |ack| Done { ack, repeated: false };
        match &call.operation {
            Operation::SendText {
                text,
                reply_to,
                flags,
            } => {
                rules::text(&self.capabilities, text)?;
                self.send(now, call, reply_to.as_ref(), flags, Content::Text(text.clone()))
            }
            Operation::SendFile {
                path,
                kind,
                caption,
                reply_to,
                flags,
                ..
            } => {
                rules::for_all(flags)?;
                rules::file(&self.capabilities, path, *kind, size)?;
                rules::caption(&self.capabilities, path, caption.as_deref().unwrap_or_default())?;
                let content = Content::File {
                    path: path.clone(),
                    kind: *kind,
                    caption: caption.clone(),
                };
                self.send(now, call, reply_to.as_ref(), flags, content)
            }
            Operation::SendVoice {
                path,
                text,
                reply_to,
                flags,
                ..
            } => {
                rules::for_all(flags)?;
                rules::voice(&self.capabilities, path, size)?;
                let content = Content::Voice {
                    path: path.clone(),
                    text: text.clone(),
                };
                self.send(now, call, reply_to.as_ref(), flags, content)
            }
            Operation::EditText { message, text, .. } => self.edit(now, chat, message, text).map(once),
            Operation::Delete { message } => self.delete(now, chat, message).map(once),
            Operation::React {
                message,
                emoji,
                emoji_sent,
            } => self.react(chat, message, emoji, emoji_sent).map(once),
            Operation::Typing => {
                if !self.capabilities.typing {
                    return Err(rules::unsupported("typing"));
                }
                self.chats.entry(chat.clone()).or_default().typing = Some(now);
                Ok(once(Ack::default()))
            }
        }
    }

    fn send(
        &mut self,
        now: Timestamp,
        call: &Call,
        reply_to: Option<&MessageId>,
        flags: &MessageFlags,
        content: Content,
    ) -> Result<Done, Refusal> {
        rules::flags(&self.capabilities, flags)?;
        if self.capabilities.idempotency_key {
            self.keys.retain(|_, (at, _)| now.since(*at) < KEY_WINDOW);
            if let Some((at, message)) = self.keys.get(&call.key) {
                return Ok(Done {
                    ack: self.sent(*at, message.clone()),
                    repeated: true,
                });
            }
        }
        let chat = &call.target.chat;
        if let Some(to) = reply_to {
            self.check_reply(chat, to)?;
        }
        let id = self.mint(now, chat);
        if self.capabilities.idempotency_key {
            self.keys.insert(call.key.clone(), (now, id.clone()));
        }
        let thread = match (reply_to, self.capabilities.reply) {
            (Some(to), Some(ReplyForm::Thread)) => Some(
                call.target
                    .thread
                    .clone()
                    .unwrap_or_else(|| ThreadId::new(to.as_str())),
            ),
            _ => call.target.thread.clone(),
        };
        let chat = self.chats.entry(chat.clone()).or_default();
        chat.typing = None;
        chat.push(Message {
            id: id.clone(),
            author: Author::Bot,
            sender: None,
            thread,
            reply_to: reply_to.cloned(),
            flags: flags.clone(),
            content,
            history: Vec::new(),
            reactions: Vec::new(),
            at: now,
            deleted: None,
        });
        Ok(Done {
            ack: self.sent(now, id),
            repeated: false,
        })
    }

    /// The acknowledgement of a message.
    fn sent(&self, at: Timestamp, message: MessageId) -> Ack {
        Ack {
            message: Some(message),
            sent_at: row(self.capabilities.platform).twin.tells_time.then_some(at),
            ..Ack::default()
        }
    }

    fn edit(&mut self, now: Timestamp, chat: &ChatId, id: &MessageId, text: &str) -> Result<Ack, Refusal> {
        if !self.capabilities.edit {
            return Err(rules::unsupported("edits"));
        }
        rules::text(&self.capabilities, text)?;
        let message = self.own(chat, id)?;
        let Content::Text(shown) = &mut message.content else {
            return Err(Refusal::new(
                RefusalCode::Rejected,
                format!("{id} has no text to edit"),
            ));
        };
        if shown == text {
            return Ok(Ack {
                unchanged: true,
                ..Ack::default()
            });
        }
        let before = std::mem::replace(shown, text.to_owned());
        message.history.push(Replaced {
            text: before,
            at: now,
        });
        Ok(Ack::default())
    }

    fn delete(&mut self, now: Timestamp, chat: &ChatId, id: &MessageId) -> Result<Ack, Refusal> {
        if !self.capabilities.delete {
            return Err(rules::unsupported("removing messages"));
        }
        self.own(chat, id)?.deleted = Some(now);
        Ok(Ack::default())
    }

    fn react(&mut self, chat: &ChatId, id: &MessageId, emoji: &str, sent: &str) -> Result<Ack, Refusal> {
        rules::reaction(&self.capabilities, emoji, sent)?;
        let one_only = row(self.capabilities.platform).twin.one_reaction;
        let message = self.any(chat, id)?;
        if message.reactions.iter().any(|r| r == sent) {
            return Ok(Ack {
                unchanged: true,
                ..Ack::default()
            });
        }
        if one_only {
            message.reactions.clear();
        }
        message.reactions.push(sent.to_owned());
        Ok(Ack::default())
    }

    fn any(&mut self, chat: &ChatId, id: &MessageId) -> Result<&mut Message, Refusal> {
        self.chats
            .get_mut(chat)
            .and_then(|c| c.message_mut(id))
            .ok_or_else(|| Refusal::new(RefusalCode::Gone, format!("there is no message {id} in {chat}")))
    }

    fn own(&mut self, chat: &ChatId, id: &MessageId) -> Result<&mut Message, Refusal> {
        let message = self.any(chat, id)?;
        if message.flags.only_for.is_some() {
            Err(Refusal::new(
                RefusalCode::Gone,
                format!("{id} was shown to one person, and cannot be changed"),
            ))
        } else if message.author == Author::Bot {
            Ok(message)
        } else {
            Err(Refusal::new(
                RefusalCode::Forbidden,
                format!("{id} is somebody else's message"),
            ))
        }
    }

    /// As the platforms do: a reply to what is not there is refused, and nothing is sent.
    fn check_reply(&self, chat: &ChatId, to: &MessageId) -> Result<(), Refusal> {
        if self.capabilities.reply.is_none() {
            return Err(rules::unsupported("reply"));
        }
        if self.chats.get(chat).is_some_and(|c| c.message(to).is_some()) {
            return Ok(());
        }
        let platform = self.capabilities.platform;
        Err(if is_message_id(platform, to) {
            Refusal::new(
                RefusalCode::Gone,
                format!("there is no message {to} in {chat} to reply to"),
            )
        } else {
            Refusal::new(
                RefusalCode::Rejected,
                format!("{to} is not a message id of {platform}"),
            )
        })
    }
}
