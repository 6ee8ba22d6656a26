//! One turn, folded from its events: raw text, decisions, directives, ledger. Every `*_ms` that says when something was
//! counts from the turn's begin, which is when its message came in.

use super::{FaultMark, SpokenSound};
use crate::{
    ActionRefusalCode, ChannelId, Delivery, DeliveryAccepted, DeliveryRequest, Diagnostic, Directive,
    GroupMessage, Header, Hold, HoldReason, Inbound, Intent, OpId, Outcome, Range, ReadThread, Receipt,
    SessionId, Span, Suppression, Terminal, Timestamp, ToolCall, TurnId, UnderstoodFile, closed::closed_set,
};
use serde::{Deserialize, Serialize};

/// `turn`: which one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct TurnRef {
    /// The turn.
    pub turn: TurnId,
}

/// `turns`: the latest turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct TurnList {
    /// Only turns before this one; `None` for the latest.
    pub before: Option<TurnId>,
    /// The number, at most 500.
    pub limit: u32,
}

/// One line about a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct TurnSummary {
    /// The turn.
    pub turn: TurnId,
    /// The time at which its message came.
    pub at: Timestamp,
    /// On which channel.
    pub channel: Option<ChannelId>,
    /// In which session.
    pub session: Option<SessionId>,
    /// The author.
    pub sender: String,
    /// The user's text, one line.
    pub user_text: String,
    /// The answer, one line of clean text.
    pub answer: String,
    /// Its end; `None` while it waits or runs.
    pub terminal: Option<Terminal>,
    /// It has not begun: it waits for the turn before it in its conversation.
    pub queued: bool,
    /// A person stopped its run: that it ended as `failed` is no fault.
    pub stopped: bool,
    /// The turn whose agent asked for what this one delivers; none for a turn of a message, or a delivery from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cause: Option<TurnId>,
    /// It comes from a file and was played again, as `is:replayed` finds it.
    pub replayed: bool,
    /// From message to the last event.
    pub took_ms: u64,
    /// Directives read.
    pub directives: u32,
    /// Diagnostics.
    pub diagnostics: u32,
    /// Operations whose outcome is `failed` or `not_allowed`. One that was superseded or that the platform cannot do
    /// is no failure.
    pub failed_ops: u32,
    /// Operations whose outcome is `unknown`: they may have arrived.
    pub unknown_ops: u32,
    /// What became of the actions that its agent asked for; none as long as nothing became of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub actions: Option<ActionCounts>,
    /// Milliseconds from the message to the first part of its answer that the platform took, or would have taken in a
    /// dry run; `None` before.
    pub latency_ms: Option<u64>,
    /// The longest hold of the scanner; `None` without one.
    pub longest_hold: Option<LongestHold>,
    /// The waterfall in small, lane by lane.
    pub strokes: Vec<LaneStrokes>,
}

/// What became of the actions of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionCounts {
    /// Actions that were carried out.
    pub carried_out: u32,
    /// The reasons of those that were refused, in order. One that the agent corrected in the same turn is none of them.
    pub refused: Vec<ActionRefusalCode>,
    /// Actions that began, and ended with an error, or of which nobody knows how they ended.
    pub unknown: u32,
}

/// The longest hold of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LongestHold {
    /// Milliseconds; of a hold that lasts, up to the turn's last event.
    pub ms: u64,
    /// The reason.
    pub reason: HoldReason,
}

/// A stroke of a lane: milliseconds since the turn began at which it begins and ends; of what lasts, the turn's last event.
/// A pair, as a list of turns sends thousands of them in a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LaneStroke(pub u64, pub u64);

/// The bars of one lane in a row of a list, in the order of time. Bars that a row cannot tell apart are one stroke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LaneStrokes {
    /// The lane.
    pub lane: Lane,
    /// Strokes in which nothing failed.
    pub sound: Vec<LaneStroke>,
    /// Strokes in which something failed.
    pub failed: Vec<LaneStroke>,
}

/// Text as it came from the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Chunk {
    /// The event.
    pub seq: u64,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// Raw bytes.
    pub span: Span,
}

/// A hold from its first to its last event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct HoldEntry {
    /// The event that began it.
    pub seq: u64,
    /// The event that ended it; `None` while it lasts.
    pub until_seq: Option<u64>,
    /// Milliseconds since the turn began.
    pub from_ms: u64,
    /// Milliseconds since the turn began.
    pub until_ms: Option<u64>,
    /// The bytes and the reason.
    pub hold: Hold,
}

/// An assistant message of a turn, complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct MessageDetail {
    /// Its number, from 0.
    pub message: u32,
    /// Raw text.
    pub raw: String,
    /// Clean text.
    pub clean: String,
    /// Its chunks.
    pub chunks: Vec<Chunk>,
    /// A partition of the bytes decided so far.
    pub ranges: Vec<Range>,
    /// Its holds.
    pub holds: Vec<HoldEntry>,
    /// Its header.
    pub header: Header,
    /// Its findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The reason for which nothing of it is delivered.
    pub suppressed: Option<Suppression>,
    /// True where it was narration before a tool call.
    pub narration: bool,
    /// True where it ended.
    pub ended: bool,
}

/// A directive with what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct DirectiveEntry {
    /// The event that read it.
    pub seq: u64,
    /// The assistant message.
    pub message: u32,
    /// The number of the directive in it, from 0.
    pub index: u32,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// The directive.
    pub directive: Directive,
    /// The operation that carries it out.
    pub op: Option<OpId>,
    /// Its end; `None` while it is under way.
    pub outcome: Option<Outcome>,
    /// From being read to its outcome.
    pub took_ms: Option<u64>,
}

/// An operation in the ledger: intended on the left, acknowledged on the right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LedgerEntry {
    /// The event that intended it.
    pub seq: u64,
    /// The operation.
    pub op: OpId,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// The operation.
    pub intent: Intent,
    /// Text or caption, resolved.
    pub text: Option<String>,
    /// The reason for which it waits, in words; what is over stands there until the platform is called.
    pub waiting: Option<String>,
    /// Milliseconds since the turn began until which it waits; `None` while the platform is called, once it has its
    /// outcome, and where it is not known.
    pub waiting_until_ms: Option<u64>,
    /// Platform calls so far.
    pub attempts: u32,
    /// Its end.
    pub outcome: Option<Outcome>,
    /// The event of the outcome.
    pub outcome_seq: Option<u64>,
    /// From intent to outcome.
    pub took_ms: Option<u64>,
    /// The time for which the user saw this text, for live edits and deleted messages; `None` when still visible.
    pub visible_ms: Option<u64>,
    /// Bytes of directives that it showed; empty in all that is well.
    pub leaked: Vec<LeakedBytes>,
    /// The sound that it sends, where it was spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub spoken: Option<SpokenSound>,
    /// Its progress, where the platform has told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reached: Option<MessageProgress>,
}

/// The progress of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "Reached")]
pub struct MessageProgress {
    /// The event that says so.
    pub seq: u64,
    /// The progress.
    pub receipt: Receipt,
    /// The time, as the platform says.
    pub at: Timestamp,
}

/// Bytes of a directive that reached a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LeakedBytes {
    /// The event that says so.
    pub seq: u64,
    /// The assistant message.
    pub message: u32,
    /// The raw bytes.
    pub span: Span,
    /// Their text.
    pub text: String,
}

closed_set! {
    /// The kind of a decision that one can step by.
    pub enum DecisionKind {
        Gate = "gate": "A stage let the message pass, or stopped it.",
        Chunk = "chunk": "Text came from the agent.",
        Hold = "hold": "The scanner began to hold.",
        Range = "range": "The scanner decided about bytes.",
        Directive = "directive": "A directive or header was read.",
        Diagnostic = "diagnostic": "A finding.",
        Delivery = "delivery": "An operation was intended, waited or ended.",
        Agent = "agent": "The agent started, used a tool, failed or ended.",
        End = "end": "The turn ended.",
    }
}

/// One step of the turn, for the scrubber.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Decision {
    /// The event.
    pub seq: u64,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// The kind.
    pub kind: DecisionKind,
    /// The assistant message it is about.
    pub message: Option<u32>,
    /// The raw bytes it is about.
    pub span: Option<Span>,
    /// In words.
    pub text: String,
    /// True where something failed.
    pub error: bool,
}

/// A tool call of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ToolEntry {
    /// As last known. What a later report does not say is what an earlier one said.
    pub call: ToolCall,
    /// The event with which it began.
    pub seq: u64,
    /// Milliseconds since the turn began.
    pub at_ms: u64,
    /// The time that it took; `None` while it is not over, and where nobody told its end.
    pub took_ms: Option<u64>,
    /// Milliseconds since the turn began, when the run ended that had not told the call's end: how long it took, and
    /// whether it was carried out at all, is not known.
    pub lapsed_ms: Option<u64>,
}

closed_set! {
    /// Lanes of the waterfall.
    pub enum Lane {
        Inbound = "inbound": "From the message to the agent's start.",
        Agent = "agent": "While the agent ran.",
        Thinking = "thinking": "While the agent thought, as far as it told.",
        Tools = "tools": "From a tool call to its end or that of the run.",
        Permission = "permission": "From a request for permission to its answer or the end of the run.",
        Actions = "actions": "From an action's beginning to its end.",
        Held = "held": "While bytes were held.",
        Directives = "directives": "From a directive to its outcome.",
        Delivery = "delivery": "From an operation's intent to its outcome.",
    }
}

/// A bar of the waterfall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LaneSpan {
    /// The lane.
    pub lane: Lane,
    /// Milliseconds since the turn began.
    pub from_ms: u64,
    /// Milliseconds since the turn began; `None` while it lasts.
    pub until_ms: Option<u64>,
    /// Its label, such as a hold reason or an operation.
    pub label: String,
    /// The event to select.
    pub seq: u64,
    /// True where it failed.
    pub error: bool,
}

/// Answer of `turn`: everything about a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct TurnDetail {
    /// One line.
    pub summary: TurnSummary,
    /// The message that began it.
    pub inbound: Inbound,
    /// What the turn delivered to the agent, where a delivery began it; its `cause` is the turn whose agent asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub delivery: Option<Box<DeliveryRequest>>,
    /// The delivery turns that followed from actions of this one, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<DeliveryAccepted>>", optional)]
    pub delivered_in: Vec<DeliveryAccepted>,
    /// True where actions link it to other turns, or its agent asked for some: `action_chain` has more to say of it then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub has_chain: bool,
    /// What was said in the group before and was not for the bot, as the agent was given it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<GroupMessage>>", optional)]
    pub group_history: Vec<GroupMessage>,
    /// What was said in the thread before, as it was read for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thread: Option<ReadThread>,
    /// What was understood of the files that came with the message, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<UnderstoodFile>>", optional)]
    pub understood: Vec<UnderstoodFile>,
    /// The prompt that the agent was given.
    pub prompt: Option<String>,
    /// Backend and model.
    pub agent: Option<String>,
    /// The agent's reasoning, in full; empty where it told nothing.
    pub reasoning: String,
    /// Its tool calls, in the order they began.
    pub tools: Vec<ToolEntry>,
    /// Last event folded in.
    pub head: u64,
    /// Assistant messages.
    pub messages: Vec<MessageDetail>,
    /// Directives.
    pub directives: Vec<DirectiveEntry>,
    /// Operations, those without an outcome first.
    pub ledger: Vec<LedgerEntry>,
    /// Every step, in order.
    pub decisions: Vec<Decision>,
    /// The waterfall.
    pub lanes: Vec<LaneSpan>,
    /// Planned faults that hit it, in order.
    pub faults: Vec<FaultMark>,
    /// Deliveries as replay prints them.
    pub deliveries: Vec<Delivery>,
}
