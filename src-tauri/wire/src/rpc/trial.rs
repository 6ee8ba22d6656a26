//! Trials of an output: cut into other chunks, or read under other settings.

use super::MaskedSecrets;
use crate::{ChannelId, Parsed, Span, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

/// The output that is tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Specimen {
    /// A text.
    Text {
        /// The user's text; the echo guard compares with it.
        user_text: String,
        /// The agent's answer.
        agent_output: String,
        /// Read as on this channel; `None` as on a channel without settings of its own.
        channel: Option<ChannelId>,
    },
    /// An assistant message of a turn, as its channel reads it now.
    Message {
        /// The turn.
        turn: TurnId,
        /// The assistant message, from 0.
        message: u32,
    },
}

closed_set! {
    /// In what two readings of an output can differ.
    pub enum Aspect {
        Leak = "leak": "Bytes of a directive were shown while the text streamed.",
        Released = "released": "What was shown while the text streamed is not how the clean text begins.",
        CleanText = "clean_text": "The text that the user ends up with.",
        Directives = "directives": "What is carried out.",
        Header = "header": "The keys of the header.",
        Actions = "actions": "JSON actions.",
        Diagnostics = "diagnostics": "The findings.",
        Suppressed = "suppressed": "Whether, and why, nothing is delivered.",
        Ranges = "ranges": "What became of which byte.",
        Masked = "masked": "Which secrets are masked.",
    }
}

closed_set! {
    /// A family of ways to cut a text. A cut never divides a character: the agent layer repairs those.
    pub enum CutFamily {
        All = "all": "Every way to cut it.",
        Single = "single": "In two, at one place.",
        Pairs = "pairs": "In three, at every two places.",
        Sizes = "sizes": "In pieces of the same number of characters, 2 to 32.",
        Characters = "characters": "One character at a time.",
        Random = "random": "At random, from seeds that are the same every time.",
    }
}

/// `recut`: cut this output in many ways; does any change what the user sees?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Recut {
    /// The output.
    pub specimen: Specimen,
}

/// The number of cuts of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CutCount {
    /// The family.
    pub family: CutFamily,
    /// The number of them that are tried.
    pub cuts: u64,
    /// The number of all of them; `None` when nobody can count them.
    pub of: Option<u64>,
}

/// Answer of `recut`; progress and result are pushed on the topic `app`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RecutStarted {
    /// The run.
    pub run: u32,
    /// The text that is cut.
    pub raw: String,
    /// The families that are tried, in this order.
    pub families: Vec<CutCount>,
    /// Cuts in all.
    pub cuts: u64,
}

/// `recut_cancel`: stop a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RecutCancel {
    /// The run.
    pub run: u32,
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RecutProgress {
    /// The run.
    pub run: u32,
    /// Cuts tried.
    pub done: u64,
    /// The result, with the last report.
    pub result: Option<RecutResult>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RecutResult {
    /// Cuts tried; those of the search for the smallest one are not counted.
    pub cuts: u64,
    /// True where somebody stopped it before all were tried.
    pub cancelled: bool,
    /// The cut that changes something; `None` when none does.
    pub failure: Option<RecutFailure>,
}

/// A cut that changes what the user sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RecutFailure {
    /// The family it was found in.
    pub family: CutFamily,
    /// The place where it cuts, in bytes of the raw text. No place of it can be left out.
    pub cut: Vec<usize>,
    /// The differences.
    pub differs: Vec<Aspect>,
    /// The outcome of the text in one piece.
    pub whole: Parsed,
    /// The outcome of it in these pieces.
    pub parsed: Parsed,
    /// The text that each chunk added to what the user sees; one more for the end of the message.
    pub released: Vec<String>,
    /// Bytes of directives that were shown.
    pub leaked: Vec<Span>,
}

/// `recut_fixture`: a fixture that plays the output in these chunks and expects what comes of it in one piece;
/// not stored yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct RecutFixture {
    /// The output.
    pub specimen: Specimen,
    /// The place where it is cut, in bytes of the raw text, rising.
    pub cut: Vec<usize>,
}

/// The settings that a column of the bench begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum BenchBase {
    /// Those the output is read with where it comes from.
    Configured,
    /// The grammar's own.
    Default,
    /// Those of a channel.
    Channel {
        /// The channel.
        channel: ChannelId,
    },
}

/// A way to read an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BenchColumn {
    /// In a few words.
    pub name: String,
    /// The place where it begins.
    pub base: BenchBase,
    /// The settings then, as `output.KEY=VALUE` or `redact.KEY=VALUE`.
    pub set: Vec<String>,
}

/// `dialect_bench`: the same output under several settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DialectBench {
    /// The output.
    pub specimen: Specimen,
    /// The columns, the one to compare with first; `None` for those that are worth a look: each dialect off,
    /// each other value of a setting, and the channels that are configured differently.
    pub columns: Option<Vec<BenchColumn>>,
}

/// The outcome of the output in a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct BenchResult {
    /// The column.
    pub column: BenchColumn,
    /// The operations that would be sent, secrets masked; `None` when the settings are none.
    pub parsed: Option<Parsed>,
    /// The secrets that are masked.
    pub masked: Vec<MaskedSecrets>,
    /// The reason for which the settings are none.
    pub error: Option<String>,
    /// In what it differs from the first column.
    pub differs: Vec<Aspect>,
}

/// Answer of `dialect_bench`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Benched")]
pub struct DialectBenchResult {
    /// The raw text.
    pub raw: String,
    /// The first column first, then those that differ most.
    pub results: Vec<BenchResult>,
    /// The keys that can be set, with `output.` or `redact.`.
    pub keys: Vec<String>,
}
