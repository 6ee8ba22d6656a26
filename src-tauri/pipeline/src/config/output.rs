//! Settings by which an agent's output is read and delivered.

use super::Disable;
use foldback_actions::known_action_names;
use foldback_directives::{Bare, Dialect, GuardRow, Placement, Settings, TrailingSilence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Eighty thousand characters on Telegram: more than a person reads in a chat.
// A constant: the compiler unwraps it, and refuses a zero.
const MAX_MESSAGES: NonZeroU32 = NonZeroU32::new(20).unwrap();

/// Treatment of text before a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Narration {
    /// It is delivered.
    Show,
    /// It is kept in the journal only. A message is then shown when it is complete, not live: nothing else
    /// keeps what turns out to be narration off the screen.
    Hide,
}

/// The part of tool calls that a chat sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolDisplay {
    /// Nothing.
    #[default]
    None,
    /// One line with all calls of the run, edited in place; nothing where the channel cannot edit.
    Compact,
    /// A message for every call that is over, with its arguments and its result, both cut where they are long.
    Full,
}

/// The part of the reasoning that a chat sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningDisplay {
    /// Nothing.
    #[default]
    Hide,
    /// A message once the agent goes on to something else.
    Show,
    /// The same, and while it thinks where the channel can edit.
    Stream,
}

/// Settings by which an agent's output is read and delivered; a channel may override each key but `allow_targets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OutputConfig {
    /// The parts of the grammar that are read.
    pub dialects: Vec<Dialect>,
    /// The place where blocks are executed.
    pub placement: Placement,
    /// Treatment of directives outside blocks.
    pub bare: Bare,
    /// Execute directives that repeat the user's own message.
    pub allow_echo: bool,
    /// The effect of `NO_REPLY` after text.
    pub trailing_silence: TrailingSilence,
    /// Scaffolding elements beside the built-in ones.
    pub guard: Vec<GuardRow>,
    /// Every turn is the answer to a heartbeat, in which `HEARTBEAT_OK` counts.
    pub heartbeat: bool,
    /// In the answer to a heartbeat: a regular expression; a reply that matches it as a whole is dropped.
    pub all_clear: Option<String>,
    /// Operations that no channel must use.
    pub disable: Vec<Disable>,
    /// Treatment of text before a tool call; by default shown where the channel can edit, else hidden.
    pub narration: Option<Narration>,
    /// The part of tool calls that the chat sees; the console shows all of them.
    pub tools: ToolDisplay,
    /// The part of the reasoning that the chat sees; the console shows all of it.
    pub reasoning: ReasoningDisplay,
    /// A message that is sent before the agent's first word, where there is a live preview; none when empty.
    pub placeholder: String,
    /// The text that is sent for an answer that says nothing at all.
    pub empty_text: String,
    /// Most messages of one turn in its chat: of its answer and its directives, and those beside the answer. The run is
    /// stopped when it says more than they hold, or is to have one more; the rest of its text is sent as one file where
    /// the channel takes files. Each other chat that its directives send to has as many, and the turn as many reactions.
    pub max_messages: NonZeroU32,
    /// The chats to which `send-message`, and `send-file` to another chat, may send: `CHANNEL:CHAT` or `CHANNEL:*`.
    pub allow_targets: Vec<String>,
}

impl Default for OutputConfig {
    fn default() -> Self {
        let grammar = Settings::default();
        Self {
            dialects: grammar.dialects,
            placement: grammar.placement,
            bare: grammar.bare,
            allow_echo: grammar.allow_echo,
            trailing_silence: grammar.trailing_silence,
            guard: grammar.guard,
            heartbeat: grammar.heartbeat,
            all_clear: grammar.all_clear,
            disable: Vec::new(),
            narration: None,
            tools: ToolDisplay::default(),
            reasoning: ReasoningDisplay::default(),
            placeholder: String::new(),
            empty_text: "_(no response)_".to_owned(),
            max_messages: MAX_MESSAGES,
            allow_targets: Vec::new(),
        }
    }
}

impl OutputConfig {
    /// The settings of a scanner for this output. It knows the names of all actions that a bot can have: one that is off is
    /// refused, and not shown, however it is written.
    pub fn settings(&self) -> Settings {
        Settings {
            dialects: self.dialects.clone(),
            placement: self.placement,
            bare: self.bare,
            allow_echo: self.allow_echo,
            trailing_silence: self.trailing_silence,
            guard: self.guard.clone(),
            heartbeat: self.heartbeat,
            all_clear: self.all_clear.clone(),
            action_names: known_action_names().to_vec(),
            ..Settings::default()
        }
    }

    /// The treatment of text before a tool call, on a channel that can edit or cannot.
    pub(crate) fn narration_on(&self, can_edit: bool) -> Narration {
        let default = if can_edit {
            Narration::Show
        } else {
            Narration::Hide
        };
        self.narration.unwrap_or(default)
    }

    /// True where a directive may send to this chat of this channel.
    pub fn allows(&self, channel: &str, chat: &str) -> bool {
        self.allow_targets.iter().any(|entry| {
            entry
                .split_once(':')
                .is_some_and(|(c, rest)| c == channel && (rest == "*" || rest == chat))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_chats_need_an_entry() {
        let entries = ["slack:C1", "signal:*", "discord"];
        let output = OutputConfig {
            allow_targets: entries.map(str::to_owned).to_vec(),
            ..OutputConfig::default()
        };
        assert!(output.allows("slack", "C1"));
        assert!(!output.allows("slack", "C2"));
        assert!(output.allows("signal", "anyone"));
        assert!(!output.allows("discord", "anyone"));
    }
}
