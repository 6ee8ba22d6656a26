//! A message through all stages to the prompt, without its agent: what a dry run of a message is asked and answers.

use super::{MessageContext, WhyStep};
use crate::{ChannelId, EffectiveSetting, SessionId, Span, Terminal};
use serde::{Deserialize, Serialize};

/// `compose_prepare`: take this message through all stages up to the prompt. Nothing is kept and no agent is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ComposePrepare {
    /// Through which channel.
    pub channel: ChannelId,
    /// The user's text.
    pub user_text: String,
    /// What surrounds it.
    #[serde(default)]
    pub context: MessageContext,
    /// The conversation whose stored settings count; the one that the message belongs to when absent.
    #[serde(default)]
    #[ts(optional)]
    pub session: Option<SessionId>,
    /// The ids that may write, in place of the channel's list.
    #[serde(default)]
    #[ts(optional)]
    pub allow_from: Option<Vec<String>>,
}

/// A part of a user's text that the agent is not given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct StrippedPart {
    /// Its bytes in the text as it was written.
    pub span: Span,
    /// The text.
    pub text: String,
}

/// Something that a real turn would have asked for outside and put into its prompt, and that a dry run asks nobody for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PromptOmission {
    /// Its name: the link.
    pub name: String,
    /// Why it is not in the prompt, one sentence.
    pub why: String,
    /// The setting by which a real turn asks for it.
    pub setting: String,
}

/// Answer of `compose_prepare`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct PreparedMessage {
    /// The channel.
    pub channel: ChannelId,
    /// The conversation; `None` where a gate stopped the message before it was known.
    pub session: Option<SessionId>,
    /// One sentence: whether the agent would be asked, and if not, why not.
    pub answer: String,
    /// The decisions on its way, in order.
    pub steps: Vec<WhyStep>,
    /// What is taken out of its text.
    pub stripped: Vec<StrippedPart>,
    /// The settings that count for it, each with the place its value comes from.
    pub settings: Vec<EffectiveSetting>,
    /// What Foldback would answer itself.
    pub replies: Vec<String>,
    /// The prompt that the agent would be given; `None` where it would not be asked.
    pub prompt: Option<String>,
    /// What the prompt of a real turn would have beside it; empty where it would be this one exactly.
    pub omitted: Vec<PromptOmission>,
    /// How the message would end without the agent; `None` where it would be asked.
    pub terminal: Option<Terminal>,
}
