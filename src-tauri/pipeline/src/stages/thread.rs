//! Reads the thread that a message stands in, for the first turn of a conversation there.
//!
//! What must hold:
//! - The turn does not wait longer than [`PATIENCE`], and what goes wrong is told and keeps nothing back.
//! - Of a thread the agent is given what the bot wrote, and what people wrote who may write to it there: of others it is not
//!   given a message that is meant for it either.
//! - All of it is data, and never read for commands or directives.

use crate::{
    config::ChannelConfig,
    deadline::Deadline,
    flow::Flow,
    rules::{Rule, Rules},
    stages::authorize::{AuthorizeContext, authorize},
};
use foldback_channels::{Channel, ThreadMessage, ThreadPart, ThreadQuery};
use foldback_wire::{
    Clock, GroupMessage, Inbound, Platform, QuotedMessage, ReadThread, Sender, ThreadContext, ThreadId,
    redact::Redaction,
};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The longest wait for a thread.
const PATIENCE: Duration = Duration::from_secs(5);

/// The stage.
pub(crate) struct ThreadStage<'a> {
    pub(crate) channel: &'a Channel,
    pub(crate) platform: Platform,
    pub(crate) settings: &'a ChannelConfig,
    /// Most messages beside the one that began the thread.
    pub(crate) most: u32,
    pub(crate) rules: Rules,
    pub(crate) clock: &'a dyn Clock,
    /// Masks of secrets, where they are kept from the agent.
    pub(crate) masks: Option<&'a Redaction>,
    pub(crate) cancel: &'a CancellationToken,
}

/// What came of reading a thread.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadOutcome {
    /// What was read; `None` where that is nothing.
    pub(crate) read: Option<ReadThread>,
    /// The reason for which something was not, in words.
    pub(crate) warning: Option<String>,
}

impl ThreadStage<'_> {
    /// Reads a thread as it was before this message of it. `told` are messages that the agent is given anyway.
    pub(crate) async fn read(
        &self,
        thread: &ThreadId,
        before: &Inbound,
        told: &[GroupMessage],
    ) -> ThreadOutcome {
        let query = ThreadQuery {
            chat: before.chat.clone(),
            thread: thread.clone(),
            before: before.message.clone(),
            limit: self.most,
        };
        let read = self.channel.read_thread(&query);
        let read = Deadline::after(self.clock, PATIENCE).within(self.clock, read);
        let why = match self.cancel.run_until_cancelled(read).await {
            // Nobody wants the answer any more.
            None | Some(Some(Ok(None))) => return ThreadOutcome::default(),
            Some(Some(Ok(Some(part)))) => return self.given(part, before, told),
            Some(Some(Err(refusal))) => refusal.to_string(),
            Some(None) => format!("it was not there within {} s", PATIENCE.as_secs()),
        };
        ThreadOutcome {
            read: None,
            warning: Some(self.warning("the thread was not read", &why)),
        }
    }

    fn warning(&self, what: &str, why: &str) -> String {
        let channel = self.channel.id();
        format!("{what}: {why} (channels.{channel}.thread_history = 0 reads none)")
    }

    /// What the agent is given of a thread.
    fn given(&self, part: ThreadPart, message: &Inbound, told: &[GroupMessage]) -> ThreadOutcome {
        let mut left_out = 0;
        let mut admit = |said: ThreadMessage| {
            let is_admitted = !self.rules.holds(Rule::ThreadAdmitted) || self.may_write(&said, message);
            left_out += u32::from(!is_admitted);
            is_admitted.then_some(said.said)
        };
        let starter = part.starter.and_then(&mut admit);
        let is_told = |said: &QuotedMessage| {
            self.rules.holds(Rule::ThreadTold) && told.iter().any(|told| said.id.as_ref() == Some(&told.id))
        };
        let recent = part.recent.into_iter().filter(|message| !is_told(&message.said));
        let recent = recent.filter_map(admit).collect();
        let mut thread = ThreadContext { starter, recent };
        if let Some(masks) = self.masks {
            // Whole, before it is cut: a part of a secret is not recognised.
            masks.thread(&mut thread);
        }
        let thread = thread.bounded();
        let is_something = thread.is_some() || left_out > 0;
        ThreadOutcome {
            read: is_something.then(|| ReadThread {
                thread: thread.unwrap_or_default(),
                left_out,
            }),
            warning: part
                .missing
                .map(|why| self.warning("a part of the thread was not read", &why)),
        }
    }

    /// True where the bot wrote a message of a thread, or somebody who may write to it there. Whoever wrote the message that
    /// is answered may, by whichever of their ids.
    fn may_write(&self, said: &ThreadMessage, message: &Inbound) -> bool {
        if said.said.own {
            return true;
        }
        let Some(id) = &said.sender else { return false };
        if message.sender_ids().any(|own| own == id.as_str()) {
            return true;
        }
        let written = Inbound {
            sender: Sender {
                id: id.clone(),
                is_bot: said.is_bot,
                ..message.sender.clone()
            },
            text: String::new(),
            files: Vec::new(),
            context: None,
            ..message.clone()
        };
        let context = AuthorizeContext {
            rules: self.rules,
            platform: self.platform,
            settings: self.settings,
            approved: None,
            own: false,
        };
        matches!(authorize(&context, &written), Flow::Continue(_))
    }
}
