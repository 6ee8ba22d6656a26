//! The reasons why the bot did, or did not, say something.

use crate::TurnId;
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
    /// The setting that would change it.
    pub setting: Option<String>,
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
