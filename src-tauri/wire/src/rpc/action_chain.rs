//! The chain of turns that actions linked: from the message that began it, over each action and its result, to the messages
//! that were sent. Everything in it is read from events, and each step names its event.

use crate::{
    ActionRefusalCode, Actor, ChannelId, ChatId, ChatType, DeliveryOutcome, DeliveryRefusal, Gate, OpId,
    OpKind, OutcomeCode, PerformedAction, PermissionKind, RefusalCode, Target, Terminal, ThreadId, Timestamp,
    TurnId, closed::closed_set,
};
use serde::{Deserialize, Serialize};

/// Answer of `action_chain`: the turns before and behind one turn, linked by the actions that its agent or theirs asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ActionChain {
    /// The turns in order, the one that began the chain first: at most 12.
    pub turns: Vec<ChainTurn>,
    /// True where turns before the first one are left out.
    pub is_cut_before: bool,
    /// Delivery turns of these turns that are left out.
    pub turns_omitted: u32,
}

/// A turn of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainTurn {
    /// The turn.
    pub turn: TurnId,
    /// The time at which it began.
    pub at: Timestamp,
    /// The event that says what began it.
    pub seq: u64,
    /// What began it.
    pub beginning: ChainBeginning,
    /// The channel.
    pub channel: ChannelId,
    /// The chat.
    pub chat: ChatId,
    /// Direct or group.
    pub chat_type: ChatType,
    /// The thread.
    pub thread: Option<ThreadId>,
    /// The data that its agent was given, where a delivery began it and its prompt was written.
    pub given: Option<GivenData>,
    /// Its steps in the order of their events: at most 40.
    pub steps: Vec<ChainStep>,
    /// Steps beyond those.
    pub steps_omitted: u32,
    /// Its end; `None` while it waits or runs.
    pub terminal: Option<Terminal>,
    /// The event of its end.
    pub end_seq: Option<u64>,
    /// It waits for the turn before it in its conversation.
    pub queued: bool,
}

closed_set! {
    /// The origin of what a delivery turn delivers.
    pub enum ChainOrigin {
        Actions = "actions": "Actions that the agent of a turn asked for.",
        Reminder = "reminder": "A reminder that came due.",
        Outside = "outside": "A script, a program or a person that delivered it.",
    }
}

/// What began a turn of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum ChainBeginning {
    /// A message of a person.
    Message {
        /// The sender, by the name they give themselves.
        sender: String,
        /// The text, one line.
        text: String,
    },
    /// A schedule that was due.
    Schedule {
        /// Its name.
        schedule: String,
    },
    /// A delivery: a result, an event or an error.
    Delivery {
        /// Its origin.
        origin: ChainOrigin,
        /// The reason of the delivery.
        outcome: DeliveryOutcome,
        /// The action.
        action: PerformedAction,
        /// The person whose limits it counts for, by the name they give themselves.
        requester: String,
        /// Place in the chain of deliveries that one message began, from 1.
        depth: u32,
        /// Corrections of a refused action that are still read; none where the agent is not asked for one.
        corrections: Option<u32>,
        /// The turn whose agent asked for it; none where it was delivered from outside.
        cause: Option<TurnId>,
    },
}

/// Data that an agent was given, exactly as it was given, masked as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct GivenData {
    /// The event that has it.
    pub seq: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// The data; `None` in a turn that is not the one asked for, where all data of the chain has more than 256 KiB.
    pub text: Option<String>,
}

/// A step of a turn of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainStep {
    /// The event to select.
    pub seq: u64,
    /// The time of that event.
    pub at: Timestamp,
    /// The step.
    pub step: ChainStepKind,
}

/// The kind of a step of a chain, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChainStepKind {
    /// An action that the agent asked for.
    Action(Box<ChainAction>),
    /// What came of the turn's actions went to the agent in a turn of its own.
    Delivered {
        /// That turn.
        turn: TurnId,
    },
    /// What came of the turn's actions was not delivered.
    NotDelivered {
        /// The reason.
        reason: DeliveryRefusal,
        /// The reason in words.
        detail: String,
        /// The setting that would change it, where there is one.
        setting: Option<String>,
    },
    /// A gate stopped the turn.
    Stopped {
        /// The gate.
        gate: Gate,
        /// The reason in words.
        detail: String,
        /// The setting that would change it, where there is one.
        setting: Option<String>,
    },
    /// Something of the turn went another way than its agent meant.
    Warned {
        /// The reason in words.
        detail: String,
    },
    /// A message, a file, a voice note or a reaction.
    Message(ChainMessage),
    /// The platform takes nothing more for a chat.
    TargetDead {
        /// The chat.
        target: Target,
        /// The kind of the platform's refusal.
        refusal: RefusalCode,
        /// The platform's reason, in words.
        detail: String,
    },
}

/// An action of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainAction {
    /// Its place among the actions of its turn, from 0.
    pub index: u32,
    /// Its name, as the agent wrote it; empty where its JSON cannot be read.
    pub name: String,
    /// Its command, where it has one; none where it was refused for its payload.
    pub command: Option<String>,
    /// Its payload as the agent wrote it, one line; none of a tool call.
    pub payload: Option<String>,
    /// True where a tool call asked for it, whose result went back within the run.
    pub is_called: bool,
    /// The request for a confirmation, where there was one.
    pub confirmation: Option<ChainConfirmation>,
    /// The reason for which it was not carried out.
    pub refusal: Option<ChainRefusal>,
    /// The event with which it began.
    pub started_seq: Option<u64>,
    /// The setting that allows it without a confirmation; none where a person confirmed it, where its row asks for none, and
    /// in records of versions that did not keep it.
    pub allowed_by: Option<String>,
    /// Its end; none while it runs, and where nobody knows it.
    pub end: Option<ChainActionEnd>,
    /// The result that went back to the agent within the run.
    pub answer: Option<GivenData>,
}

/// A request for a confirmation of an action, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainConfirmation {
    /// The event that asked.
    pub asked_seq: u64,
    /// The event of the answer; none while it waits.
    pub decided_seq: Option<u64>,
    /// The answer; none while it waits, and where the request was cancelled.
    pub option: Option<PermissionKind>,
    /// The author of the answer.
    pub by: Option<Actor>,
    /// The reason in words, where it was answered.
    pub why: String,
    /// Milliseconds from the request to the answer.
    pub waited_ms: Option<u64>,
}

/// The reason for which an action of a chain was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainRefusal {
    /// The event that says so.
    pub seq: u64,
    /// The reason; none where actions are off.
    pub code: Option<ActionRefusalCode>,
    /// The reason in words.
    pub detail: String,
    /// The setting that would change it, where there is one.
    pub setting: Option<String>,
}

/// The end of an action of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainActionEnd {
    /// The event.
    pub seq: u64,
    /// `output` where it was carried out, whatever came of it; `error` where it was not, or nobody knows.
    pub outcome: DeliveryOutcome,
    /// The exit status, where a program ended with one.
    pub exit: Option<i32>,
    /// How it ended, in words, where the exit status does not say it.
    pub note: Option<String>,
    /// Bytes of all that it produced.
    pub bytes: u64,
    /// Milliseconds from its beginning to its end.
    pub took_ms: u64,
}

/// A message of a chain, or what stands for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ChainMessage {
    /// The operation.
    pub op: OpId,
    /// Its kind; of a message that was edited, that of the operation that sent it.
    pub operation: OpKind,
    /// The text as it stands in the chat at last, one line; the emoji of a reaction, the path of a file.
    pub text: String,
    /// True where Foldback wrote it, not the agent.
    pub is_aside: bool,
    /// The end; none while it waits or is sent.
    pub outcome: Option<OutcomeCode>,
    /// The reason in words, where it is not plainly sent: of what waits, what it waits for.
    pub detail: Option<String>,
    /// The setting behind it, where there is one.
    pub setting: Option<String>,
}
