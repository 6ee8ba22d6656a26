//! The reasons why the bot did, or did not, say something.

use super::DecisionInput;
use crate::{SettingSource, TurnId};
use serde::{Deserialize, Serialize};

/// `why`: why did my bot (not) say that?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WhyQuestion {
    /// A turn's number (`812`, `#812`) or a platform's message id.
    pub about: String,
}

/// One step on a message's way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WhyStep {
    /// The event behind it.
    pub seq: u64,
    /// The stage.
    pub stage: String,
    /// True where it said no.
    pub no: bool,
    /// In words.
    pub text: String,
    /// The values that it was decided from, where it said no.
    pub inputs: Vec<DecisionInput>,
    /// The setting that would change it.
    pub setting: Option<String>,
    /// The place that the setting's value comes from, where the journal keeps it.
    pub source: Option<SettingSource>,
    /// What would change it, in a sentence, where it said no and something would.
    pub change: Option<String>,
}

/// Answer of `why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Why {
    /// The turn.
    pub turn: TurnId,
    /// One sentence: what happened and the first gate that said no.
    pub answer: String,
    /// The way, in order.
    pub steps: Vec<WhyStep>,
}
