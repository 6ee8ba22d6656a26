//! Fixtures: what there is, how a run goes on, and what differs.

use crate::{Delivery, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The verdict on a fixture on a channel.
    pub enum Verdict {
        Pass = "pass": "As expected.",
        Fail = "fail": "Not as expected.",
        Changed = "changed": "A recording that diverges.",
        Error = "error": "It could not be run.",
    }
}

/// A fixture in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureEntry {
    /// Path below the fixtures folder.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The behaviour that it shows.
    pub about: String,
    /// The channels it runs on.
    pub channels: Vec<String>,
    /// The rules it names.
    pub rules: Vec<String>,
    /// The reason for which it cannot be read, where that is so.
    pub error: Option<String>,
}

/// `fixture_run`: run these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureRun {
    /// Paths; empty for all.
    pub paths: Vec<String>,
}

/// Answer of `fixture_run`; progress is pushed on the topic `app`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureStarted {
    /// The run.
    pub run: u32,
    /// Cases (fixture and channel) to run.
    pub cases: u32,
}

/// `fixture_cancel`: stop a run; cases that have ended stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureCancel {
    /// The run.
    pub run: u32,
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureProgress {
    /// The run.
    pub run: u32,
    /// Cases done.
    pub done: u32,
    /// Cases in all.
    pub cases: u32,
    /// Cases that ended since the last report.
    pub ended: Vec<FixtureCase>,
}

/// One fixture on one channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureCase {
    /// Path of the fixture.
    pub path: String,
    /// Its name.
    pub fixture: String,
    /// The channel.
    pub channel: String,
    /// Its end.
    pub verdict: Verdict,
    /// The outgoing text.
    pub deliveries: Vec<Delivery>,
    /// The differences.
    pub mismatches: Vec<Mismatch>,
    /// Expected and actual, side by side.
    pub comparison: Comparison,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Mismatch {
    /// The place in the expectations, such as `expect[1].send.text`.
    pub at: String,
    /// The expected value.
    pub expected: String,
    /// The value that came.
    pub actual: String,
    /// In words.
    pub message: String,
}

/// Expected and actual as text, for a diff.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Comparison {
    /// Expected, a line per thing the user ends up with.
    pub expected: String,
    /// Actual, in the same form.
    pub actual: String,
}

/// `fixture_read`: the text of a fixture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureRead {
    /// Path below the fixtures folder.
    pub path: String,
}

/// Answer of `fixture_read` and `fixture_from_turn`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureText {
    /// Path below the fixtures folder.
    pub path: String,
    /// YAML.
    pub text: String,
}

/// `fixture_write`: store a fixture; refused when it cannot be read as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureWrite {
    /// Path below the fixtures folder.
    pub path: String,
    /// YAML.
    pub text: String,
}

/// `fixture_accept`: take what came as the expectation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureAccept {
    /// Path below the fixtures folder.
    pub path: String,
}

/// `fixture_from_turn`: a fixture that plays this turn again, expectations filled in; not stored yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureFromTurn {
    /// The turn.
    pub turn: TurnId,
}

/// `fixture_junit`: writes cases of a run to a file as JUnit XML, for CI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FixtureJunit {
    /// The cases, as progress told them.
    pub cases: Vec<FixtureCase>,
    /// The file; a relative path lies in the folder for exports.
    pub path: String,
}
