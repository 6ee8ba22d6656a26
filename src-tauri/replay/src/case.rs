//! One fixture or recording on one channel: how it ended and what it shows.

use foldback_wire::{
    Code, Delivery, HoldReason, MessageId, Suppression, Terminal, TurnId,
    rpc::{Comparison, FixtureCase, Mismatch, Verdict},
};
use serde::Serialize;
use std::path::PathBuf;

/// A fixture on a channel, run. Printed by `foldback replay --format json`, an object a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Its name.
    pub fixture: String,
    /// Its file.
    pub path: PathBuf,
    /// The channel.
    pub channel: String,
    /// How it ended.
    pub verdict: Verdict,
    /// Every operation, in order.
    pub deliveries: Vec<Delivery>,
    /// Every message that came in, in order.
    pub turns: Vec<CaseTurn>,
    /// What differs.
    pub mismatches: Vec<Mismatch>,
    /// Its expectations were just rewritten; it holds now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub updated: bool,
    /// What was not played or not compared, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Expected and actual, side by side; not printed as JSON.
    #[serde(skip)]
    pub comparison: Comparison,
}

/// A turn of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseTurn {
    /// Its number in the run.
    pub turn: TurnId,
    /// The message that began it.
    pub message: MessageId,
    /// How it ended; `None` when it had not ended when the scenario was over.
    pub terminal: Option<Terminal>,
    /// Why nothing was delivered.
    pub suppressed: Option<Suppression>,
    /// Codes of its findings, in order.
    pub diagnostics: Vec<Code>,
    /// Why bytes were held, in order; a wait that goes on counts once.
    pub holds: Vec<HoldReason>,
    /// How often typing was shown.
    pub typing: usize,
    /// How often a message was edited.
    pub edits: usize,
    /// The tool calls of the agent in the order in which they began, each with how it stands in the end, as
    /// `search completed`.
    pub tools: Vec<String>,
    /// From the message to the last event of the turn.
    pub lasted_ms: u64,
    /// What the agent was given; not printed.
    #[serde(skip)]
    pub prompt: Option<String>,
}

impl Case {
    /// A case that could not be run.
    pub fn error(
        fixture: impl Into<String>,
        path: impl Into<PathBuf>,
        channel: &str,
        message: String,
    ) -> Self {
        Self {
            fixture: fixture.into(),
            path: path.into(),
            channel: channel.to_owned(),
            verdict: Verdict::Error,
            deliveries: Vec::new(),
            turns: Vec::new(),
            mismatches: vec![Mismatch {
                at: String::new(),
                expected: String::new(),
                actual: String::new(),
                message,
            }],
            updated: false,
            notes: Vec::new(),
            comparison: Comparison::default(),
        }
    }

    /// Whether it is as it should be.
    pub fn holds(&self) -> bool {
        self.verdict == Verdict::Pass
    }
}

impl From<Case> for FixtureCase {
    fn from(case: Case) -> Self {
        Self {
            path: case.path.display().to_string(),
            fixture: case.fixture,
            channel: case.channel,
            verdict: case.verdict,
            deliveries: case.deliveries,
            mismatches: case.mismatches,
            comparison: case.comparison,
        }
    }
}

impl From<FixtureCase> for Case {
    /// What a window was not told is empty: turns and notes.
    fn from(case: FixtureCase) -> Self {
        Self {
            fixture: case.fixture,
            path: case.path.into(),
            channel: case.channel,
            verdict: case.verdict,
            deliveries: case.deliveries,
            turns: Vec::new(),
            mismatches: case.mismatches,
            updated: false,
            notes: Vec::new(),
            comparison: case.comparison,
        }
    }
}
