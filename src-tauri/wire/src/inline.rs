//! Directives in a user's message and what they change, as the journal keeps them.

use crate::closed::closed_set;
use foldback_directives::Span;
use serde::{Deserialize, Serialize};

closed_set! {
    /// The reach of the directives of a message.
    pub enum DirectiveScope {
        Turn = "turn": "They apply to this turn; the rest of the text goes to the agent.",
        Session = "session": "The message holds nothing else: they are stored on the session.",
        Refused = "refused": "The sender may not use them: nothing applies. Directives stay in the text for the agent.",
        Invalid = "invalid": "One of them cannot be carried out, so that none is.",
    }
}

impl DirectiveScope {
    /// Whether Foldback answers the message itself, so that the agent is not asked.
    pub const fn answers(self) -> bool {
        matches!(self, Self::Session | Self::Invalid)
    }
}

/// A directive of a user's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct InlineDirective {
    /// Its name without the slash, such as `think`.
    pub name: String,
    /// Its canonical value, such as `high` or `host=gateway ask=off`; empty where it asks for the present one.
    pub value: String,
}

/// The directives of a user's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct InlineDirectives {
    /// The directives, in the order of the table; of one that stands twice the last.
    pub directives: Vec<InlineDirective>,
    /// Byte ranges of the message's text that are directives. With each goes one adjacent blank, or its line.
    pub spans: Vec<Span>,
    /// Their reach.
    pub scope: DirectiveScope,
    /// Findings about them, one sentence each.
    pub findings: Vec<String>,
    /// The setting that would change the scope, where one would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub setting: Option<String>,
    /// That setting, as it was then; `None` in records of versions that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub decided_by: Option<Box<DecidingSetting>>,
}

/// A change of a setting of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SettingChange {
    /// The setting, such as `think` or `queue.mode`.
    pub setting: String,
    /// Its value before; none where it was not set.
    pub from: Option<String>,
    /// Its value now; none where it is cleared.
    pub to: Option<String>,
}

closed_set! {
    /// The fate of a session's messages: of what is for the agent, not of commands.
    pub enum SendPolicy {
        Allow = "allow": "The agent runs.",
        Deny = "deny": "The agent does not run, and nothing is said. Commands still answer.",
    }
}

closed_set! {
    /// The messages of a group that are for the bot.
    pub enum GroupActivation {
        Mention = "mention": "Those that mention the bot, or answer it.",
        Always = "always": "All.",
    }
}

closed_set! {
    /// The line about tokens under an answer.
    pub enum UsageLine {
        Off = "off": "None.",
        Tokens = "tokens": "The tokens of the answer.",
        Full = "full": "The tokens of the answer, and the session.",
    }
}

closed_set! {
    /// The answers that are spoken.
    pub enum SpeechMode {
        Off = "off": "Nothing, not even what the agent writes in `<voice>`; it is not taught that either.",
        Tagged = "tagged": "What the agent writes in `<voice>`.",
        Inbound = "inbound": "The same, and every answer to a message that came with sound.",
        Always = "always": "The same, and every answer.",
    }
}

closed_set! {
    /// The place that a setting's value comes from, the nearest first.
    pub enum SettingSource {
        Inline = "inline": "A directive of the message itself.",
        Schedule = "schedule": "The schedule that began the turn.",
        Delivery = "delivery": "The delivery that began the turn.",
        Session = "session": "The session, where a directive or a command stored it.",
        Channel = "channel": "The channel's table of the configuration.",
        Global = "global": "The configuration.",
        Default = "default": "Nothing is configured: the default.",
    }
}

/// The setting behind a decision, as it was when the decision was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DecidingSetting {
    /// Its full name, such as `commands.owner_allow_from`; that of the channel's own key where that one counts.
    pub setting: String,
    /// Its value, one line.
    pub value: String,
    /// The place that the value comes from.
    pub source: SettingSource,
}

/// A setting as it counts for a turn, with the place that its value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct EffectiveSetting {
    /// The setting, such as `think`.
    pub setting: String,
    /// Its value.
    pub value: String,
    /// The place that the value comes from.
    pub source: SettingSource,
}
