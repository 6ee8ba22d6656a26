//! A turn at one instant: all that the window's panes show of it, and the decision that was the last one then.

use super::{ChannelPreview, Decision, DirectiveEntry, LedgerEntry, Ruler, ToolEntry};
use crate::{Diagnostic, Header, Hold, HoldReason, OpId, Range, Suppression, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

/// `turn_at`: the turn as it was right after an event, optionally within a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct MomentAt {
    /// The turn.
    pub turn: TurnId,
    /// The event.
    pub seq: u64,
    /// For stepping by byte: how many raw bytes of which assistant message had come. The scanner is run on
    /// exactly these bytes, so the answer is a decision, not a guess. Rounded down to a whole character.
    pub byte: Option<(u32, usize)>,
}

/// An assistant message at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct MomentMessage {
    /// Its number, from 0.
    pub message: u32,
    /// Raw bytes that had come.
    pub raw_bytes: usize,
    /// Ranges decided by then.
    pub ranges: Vec<Range>,
    /// The bytes that were held then: only bytes that had come and of which nothing was decided yet.
    pub hold: Option<Hold>,
    /// Milliseconds since the turn began when this hold began.
    pub held_since_ms: Option<u64>,
    /// Text released by then.
    pub released: String,
    /// Its header, as far as it was read by then.
    pub header: Header,
    /// Findings told by then.
    pub diagnostics: Vec<Diagnostic>,
    /// The reason for which nothing of it is delivered, where that was decided by then.
    pub suppressed: Option<Suppression>,
    /// True where it had ended.
    pub ended: bool,
}

/// A rule that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DecisionRule {
    /// Its code: a rule of the grammar, a gate, a stage, a reason or an outcome.
    pub code: String,
    /// Its meaning, one sentence.
    pub about: String,
}

/// Something that a decision was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DecisionInput {
    /// Its name.
    pub name: String,
    /// Its value, one line.
    pub value: String,
}

/// A decision in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DecisionDetail {
    /// The step of the turn that it is. `span` has only bytes that had come.
    pub decision: Decision,
    /// The raw bytes it is about, as the agent wrote them, at most 2,000 of them; `None` where it is about no bytes.
    pub raw: Option<String>,
    /// The rule behind it.
    pub rule: DecisionRule,
    /// The values that it was made from.
    pub inputs: Vec<DecisionInput>,
    /// The effect for the user, one sentence.
    pub effect: String,
}

/// Something that delivery waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DeliveryWait {
    /// The operation; `None` where it does not exist yet.
    pub op: Option<OpId>,
    /// The reason.
    pub reason: HoldReason,
    /// The reason, in words.
    pub about: String,
    /// Milliseconds since the turn began until which it waits; `None` where that is not known.
    pub until_ms: Option<u64>,
}

/// Answer of `turn_at`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Moment {
    /// The event.
    pub seq: u64,
    /// The time.
    pub at: Timestamp,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// The last decision by then; `None` before the first.
    pub decision: Option<DecisionDetail>,
    /// Assistant messages begun by then.
    pub messages: Vec<MomentMessage>,
    /// Directives read by then.
    pub directives: Vec<DirectiveEntry>,
    /// Operations intended by then, with the outcomes known by then. Bytes of directives stand with the operation that
    /// showed them as soon as it had, though the journal tells of them at the turn's end.
    pub ledger: Vec<LedgerEntry>,
    /// The screen that the user saw on the turn's own channel, folded from acknowledged operations.
    pub seen: ChannelPreview,
    /// Milliseconds since the turn began until which typing is shown, where nothing happens before; `None` where it is
    /// not shown.
    pub typing_until_ms: Option<u64>,
    /// The way in which the messages that stood in the chat then fill what the channel takes.
    pub lengths: Ruler,
    /// The waits of delivery.
    pub waiting: Option<DeliveryWait>,
    /// Tool calls begun by then, as known then.
    pub tools: Vec<ToolEntry>,
    /// Bytes of the turn's reasoning told by then.
    pub reasoning_bytes: usize,
}
