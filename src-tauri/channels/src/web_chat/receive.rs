//! Messages of visitors on their way to the pipeline.
//!
//! A message is in the conversation before the pipeline has it, since the bot may react to it before anything else happens;
//! and it is confirmed to the page once it is durable. Where it is not, it leaves the conversation again, and the page says
//! that it was not sent. The page posts it again under the same key, which makes the same id: what the pipeline had after all
//! it recognises.

use super::WebChat;
use super::answer::unwritten;
use super::answer::{self, PageAnswer};
use super::conversation::Conversation;
use super::entry::{Author, ChatMessage};
use super::limits;
use super::send::message_id;
use super::upload::{Posted, Spooled};
use crate::{Arrival, Connection, Signal};
use foldback_wire::{
    ChatType, Clock, Inbound, InboundContext, LengthUnit, MessageId, QuotedMessage, Sender, UserId,
};
use hyper::StatusCode;
use serde_json::json;
use std::sync::Arc;
use tokio::time::timeout;

/// Digits of an id by which a visitor is called.
const NAME: usize = 4;

/// A message that leaves its conversation again unless it is confirmed.
struct Unsure<'a> {
    conversation: &'a Conversation,
    id: Option<&'a MessageId>,
    clock: &'a dyn Clock,
}

impl Drop for Unsure<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // What cannot be removed stays, and is sent again all the same.
            let _ = self.conversation.remove(id, Author::Visitor, self.clock.now());
        }
    }
}

impl WebChat {
    pub(super) async fn take_in(
        &self,
        conversation: &Arc<Conversation>,
        mut posted: Posted,
        connection: &Connection,
    ) -> PageAnswer {
        if posted.text.trim().is_empty() && posted.files.is_empty() {
            return answer::say(StatusCode::BAD_REQUEST, "The message is empty.");
        }
        let most = self.capabilities.text_limit;
        if LengthUnit::Scalars.measure(&posted.text) > most {
            let words = format!("A message has at most {most} characters.");
            return answer::say(StatusCode::PAYLOAD_TOO_LARGE, words);
        }
        let bytes = posted.files.iter().map(|file| file.entry().size).sum();
        self.conversations.make_room(conversation, bytes);
        let message = self.inbound(conversation, &posted);
        let id = message.message.clone();
        let entry = ChatMessage {
            id: id.clone(),
            from: Author::Visitor,
            at: message.at,
            text: posted.text.clone(),
            reply_to: message.reply_to.clone(),
            files: posted.files.iter().map(|file| file.entry().clone()).collect(),
            reactions: Vec::new(),
            silent: false,
        };
        let is_new = match conversation.add(entry, message.at) {
            Ok(is_new) => is_new,
            Err(error) => return unwritten(&error),
        };
        if is_new {
            posted.files.iter_mut().for_each(Spooled::keep);
        }
        let mut unsure = Unsure {
            conversation,
            id: is_new.then_some(&id),
            clock: self.clock.as_ref(),
        };
        let (arrival, kept) = Arrival::until_kept(message);
        let handed = async {
            let arrival = Signal::Message(Box::new(arrival));
            // A closed sink ends the run.
            connection.sink().send(arrival).await.is_ok() && kept.await.is_ok()
        };
        if timeout(limits::KEEPING, handed).await != Ok(true) {
            let words = "The bot does not take messages for now.";
            return answer::wait_for(StatusCode::SERVICE_UNAVAILABLE, limits::PIECE, words);
        }
        unsure.id = None;
        answer::json(&json!({ "id": id }))
    }

    /// The message as the pipeline knows it. One that was posted before has the files that it came with.
    fn inbound(&self, conversation: &Conversation, posted: &Posted) -> Inbound {
        let chat = &conversation.chat;
        let state = conversation.state();
        let answered = posted.reply_to.as_ref().and_then(|id| state.find(id));
        let quote = answered.map(|answered| QuotedMessage {
            id: Some(answered.id.clone()),
            sender: None,
            text: answered.text.clone(),
            own: answered.from == Author::Bot,
        });
        let name: String = chat.as_str().chars().take(NAME).collect();
        Inbound {
            channel: self.channel.clone(),
            account: None,
            chat: chat.clone(),
            chat_type: ChatType::Direct,
            thread: None,
            message: message_id(chat, Author::Visitor, &posted.key),
            reply_to: answered.map(|answered| answered.id.clone()),
            sender: Sender {
                id: UserId::new(chat.as_str()),
                name: String::new(),
                display_name: format!("Visitor {name}"),
                is_bot: false,
            },
            text: posted.text.clone(),
            mentioned: answered.is_some_and(|answered| answered.from == Author::Bot),
            forwarded: false,
            files: posted.files.iter().map(Spooled::attachment).collect(),
            at: self.clock.now(),
            at_by_device: false,
            dry_run: false,
            omitted: None,
            context: InboundContext {
                quote,
                ..InboundContext::default()
            }
            .bounded(),
        }
    }
}
