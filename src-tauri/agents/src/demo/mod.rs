//! The embedded demonstration: a conversation on five channels, told in the words of the fixtures, so that a
//! first start shows something and every part of the console has an example.

use crate::{Rule, ScriptStep, When};
use foldback_wire::{CallFault, ChannelId, ChatType, MessageId, rpc::DemoTopic};
use serde::Deserialize;
use std::time::Duration;

/// What happens in the demonstration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demo {
    /// Messages and their answers, in order.
    pub turns: Vec<DemoTurn>,
    /// How messages that a person types are answered; the last rule takes every message.
    pub rules: Vec<Rule>,
}

/// A message somebody writes, and its answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoTurn {
    /// Milliseconds after the message before it, or after the start.
    pub after_ms: u64,
    /// On which loopback channel; its name is that of its platform.
    pub channel: ChannelId,
    /// What is written, and by whom.
    pub user: DemoMessage,
    /// The answer.
    pub agent: Vec<ScriptStep>,
    /// A stop of the guided tour that the turn shows.
    #[serde(default)]
    pub shows: Option<DemoTopic>,
    /// A refusal of the simulated platform, from when the message is written.
    #[serde(default)]
    pub refusal: Option<CallFault>,
}

/// What somebody writes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DemoMessage {
    /// The message's id on its platform in the first round; unique in the demonstration.
    pub id: MessageId,
    /// Account name of the writer; also the platform's id of the person.
    pub from: String,
    /// Name as shown.
    pub display_name: String,
    /// Whether a bot writes.
    #[serde(default)]
    pub is_bot: bool,
    /// Kind of conversation.
    pub chat: ChatType,
    /// The message this one answers.
    #[serde(default)]
    pub reply_to: Option<MessageId>,
    /// The text.
    pub text: String,
}

/// A file the demonstration sends; it must lie in the folder for outbound files before it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoFile {
    /// Path relative to that folder.
    pub path: &'static str,
    /// Content.
    pub content: &'static [u8],
}

/// The files the demonstration sends.
pub const FILES: &[DemoFile] = &[DemoFile {
    path: "route.png",
    content: include_bytes!("route.png"),
}];

/// The demonstration. An error means that the embedded text is broken, which a test excludes.
pub fn load() -> Result<Demo, serde_saphyr::Error> {
    serde_saphyr::from_str(include_str!("demo.yaml"))
}

impl Demo {
    /// The script of the demonstration: each of its messages has its own answer, everything else goes by the
    /// rules. A message is known by its channel and its text, since every round gives it another id; an answer names
    /// the message that it answers by `{message_id}`.
    pub fn script(&self) -> Vec<Rule> {
        let own = self.turns.iter().map(|turn| Rule {
            when: When {
                channel: Some(turn.channel.clone()),
                matches: Some(format!("^{}$", regex::escape(&turn.user.text))),
                ..When::default()
            },
            agent: turn.agent.clone(),
        });
        own.chain(self.rules.iter().cloned()).collect()
    }
}

impl DemoTurn {
    /// Time that its answer streams.
    pub fn answer_time(&self) -> Duration {
        Duration::from_millis(self.agent.iter().map(|step| step.after_ms).sum())
    }
}

/// A message's id in a round: that of the first round, followed by the round's own number.
///
/// Dedupe remembers the ids of earlier rounds and of earlier processes, so that `fresh` must never repeat in a journal.
pub fn id_in_round(id: &MessageId, fresh: Option<u64>) -> MessageId {
    fresh.map_or_else(|| id.clone(), |fresh| MessageId::new(format!("{id}{fresh}")))
}
