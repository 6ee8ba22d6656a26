//! The kinds of events. State at any moment is a fold over them.

use crate::{
    Actor, AgentFault, Answerer, ChannelState, DirectiveRef, Fault, FileFate, Gate, Hold, Inbound, Intent,
    MessageId, OpId, Outcome, PairingStep, PermissionId, PermissionOption, PermissionRequest, Receipt,
    RefusalCode, RunId, SessionStart, SpokenDirective, Stage, StopReason, Terminal, Timestamp, ToolCall,
    UnreadablePart, Usage, UserId,
};
use foldback_directives::{Diagnostic, Directive, Header, HoldReason, JsonAction, Range, Span, Suppression};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was decided. Byte ranges point into the raw text of the assistant message named by `message`
/// (counted from 0 in a turn), which is stored once: in its `chunk` events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Kind {
    /// The process began.
    Started {
        /// Version of Foldback.
        version: String,
        /// What follows, up to the next start, is a replay: no platform and no agent was called.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        replayed: bool,
    },
    /// The process ended in order.
    Stopped,
    /// The system's clock jumped by more than a minute: the machine slept, or it was set. Events with the new time follow.
    ClockJumped {
        /// Milliseconds that it jumped ahead; negative when it was set back.
        by_ms: i64,
    },
    /// A channel changed its state.
    ChannelState {
        /// From.
        from: ChannelState,
        /// To.
        to: ChannelState,
        /// Who caused it.
        by: Actor,
        /// Why, in words.
        why: String,
    },
    /// A channel was armed (live) or disarmed (dry run).
    Armed {
        /// Whether it now sends for real.
        armed: bool,
        /// Who did it.
        by: Actor,
    },
    /// All outbound was muted or unmuted.
    Muted {
        /// Whether it is muted now.
        muted: bool,
        /// Who did it.
        by: Actor,
    },
    /// A person decided about what a channel held for longer than `outbox.max_age`.
    HeldSettled {
        /// Whether it goes out; else it is given up.
        send: bool,
        /// Who decided.
        by: Actor,
    },
    /// A person planned that calls of a channel, or runs of an agent, go wrong.
    FaultPlanned {
        /// Its number, counted from the start of the process.
        number: u64,
        /// The agent, where it is not about a channel.
        agent: Option<String>,
        /// What is to go wrong.
        fault: Fault,
        /// Who did it.
        by: Actor,
    },
    /// A planned fault was removed.
    FaultRemoved {
        /// Its number.
        number: u64,
        /// The agent, where it was not about a channel.
        agent: Option<String>,
        /// Who did it.
        by: Actor,
    },
    /// Somebody who is not on an allow list asked to talk to the bot, or an operator decided about it.
    Pairing {
        /// What happened.
        step: PairingStep,
        /// Who it is about; the platform's id.
        sender: UserId,
        /// What they call themselves.
        name: String,
        /// The code of the request; none in what is about an approval alone.
        code: Option<String>,
        /// Until when the code is valid; for a refusal, until when they are not asked again.
        until: Option<Timestamp>,
        /// The one who did it; of a request that gave way, the sender of the newer one.
        by: Actor,
    },
    /// An adapter could not read something that the platform sent. It was passed over; what came with it was not.
    Unreadable(UnreadablePart),
    /// A message came in; the turn begins.
    Received {
        /// The message as the adapter gave it.
        message: Box<Inbound>,
    },
    /// A stage let the message pass.
    Passed {
        /// Which stage.
        stage: Stage,
        /// What it found, in words.
        detail: String,
    },
    /// A stage stopped the message.
    Stopping {
        /// Which stage.
        stage: Stage,
        /// Which gate.
        gate: Gate,
        /// Why, in words.
        detail: String,
        /// What the decision was made from.
        inputs: BTreeMap<String, String>,
        /// The setting that would change it, such as `channels.telegram.allow_from`.
        setting: Option<String>,
    },
    /// The message waits for the running turn, or for a run of another conversation to end.
    Queued {
        /// Place in the queue, from 1.
        position: u32,
        /// Most runs at once, where it waits for one of them to end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runs: Option<u32>,
        /// True where it waited over a stop for longer than `outbox.max_age`: it goes on only when a person lets it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        needs_consent: bool,
    },
    /// The message's turn has come.
    Dequeued {
        /// How long it waited.
        waited_ms: u64,
    },
    /// What came of a file that came with the message.
    Gathered {
        /// Which one, from 0.
        index: u32,
        /// Its name, as the platform gives it.
        name: String,
        /// Its media type: what its bytes say, or else what the platform says.
        media_type: String,
        /// Its size in bytes, where it came.
        bytes: Option<u64>,
        /// What came of it.
        fate: FileFate,
        /// Why, in words, where there is something to say.
        why: String,
        /// The setting that would change it, such as `attachments.max_size`.
        setting: Option<String>,
        /// What is said in it, where it was written down; older journals have it only in the prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<String>,
    },
    /// What the agent is given.
    Prepared {
        /// The whole prompt.
        prompt: String,
    },
    /// The agent was started.
    RunStarted {
        /// The run.
        run: RunId,
        /// Which backend.
        backend: String,
        /// Which model, where known.
        model: Option<String>,
    },
    /// Raw text of an assistant message; the only copy.
    Chunk {
        /// Which assistant message.
        message: u32,
        /// Where it lies in the raw text.
        span: Span,
        /// The text.
        text: String,
        /// Bytes that had come, where that is more than is told: what may begin a secret is told later.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        came: Option<usize>,
    },
    /// An assistant message ended (a tool call or the end of the run came).
    MessageEnded {
        /// Which assistant message.
        message: u32,
        /// Its length in bytes.
        bytes: usize,
        /// Whether it was narration before a tool call.
        narration: bool,
    },
    /// The agent thinks.
    Reasoning {
        /// The text.
        text: String,
    },
    /// A tool call changed.
    Tool {
        /// The call as it is now.
        call: ToolCall,
    },
    /// The agent keeps this conversation as a session of its own.
    AgentSession {
        /// Which backend.
        backend: String,
        /// The agent's id of the session.
        id: String,
        /// How the run came to it.
        start: SessionStart,
        /// Why, in words, where there is something to say.
        detail: String,
    },
    /// The agent asks before it uses a tool.
    PermissionAsked {
        /// What it asks.
        request: PermissionRequest,
        /// Until when an answer is waited for; then it is refused.
        until: Option<Timestamp>,
    },
    /// A request for permission was decided.
    PermissionDecided {
        /// Which one.
        id: PermissionId,
        /// The option that was chosen; none where the request was cancelled.
        option: Option<PermissionOption>,
        /// Who decided.
        by: Actor,
        /// Why, in words.
        why: String,
    },
    /// Somebody stopped the run.
    RunCancelled {
        /// Who.
        by: Actor,
    },
    /// Somebody had the agent forget the conversation: its next turn begins a new one.
    SessionReset {
        /// Who.
        by: Actor,
        /// The agent's id of the latest session that is forgotten; none where it had told none.
        agent: Option<String>,
    },
    /// Tokens were counted.
    Used {
        /// How many.
        usage: Usage,
    },
    /// The agent tries again.
    Retrying {
        /// Which attempt begins, from 2.
        attempt: u32,
        /// How long it waits first.
        after_ms: u64,
        /// Why.
        detail: String,
        /// Who answers from here on, where it is another backend or model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        next: Option<Answerer>,
    },
    /// The agent failed.
    RunFailed {
        /// How.
        fault: AgentFault,
        /// Why, in words.
        detail: String,
    },
    /// The agent's run ended.
    RunEnded {
        /// The run.
        run: RunId,
        /// Why.
        reason: StopReason,
    },
    /// The scanner decided about bytes.
    Decided {
        /// Which assistant message.
        message: u32,
        /// Bytes, fate and reason.
        range: Range,
    },
    /// The scanner holds bytes back (replaces the hold before it).
    Held {
        /// Which assistant message.
        message: u32,
        /// What and why.
        hold: Hold,
    },
    /// The scanner holds nothing any more.
    Released {
        /// Which assistant message.
        message: u32,
    },
    /// A directive was read.
    Directive {
        /// Which one.
        at: DirectiveRef,
        /// The directive.
        directive: Directive,
    },
    /// A directive was not carried out.
    Skipped {
        /// Which one.
        at: DirectiveRef,
        /// How it counts.
        outcome: Outcome,
        /// The setting that would change it, such as `output.allow_targets`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        setting: Option<String>,
    },
    /// The words of a voice directive were made into sound, which has not been sent yet.
    Spoken(SpokenDirective),
    /// The header was read.
    HeaderRead {
        /// Which assistant message.
        message: u32,
        /// Its valid keys.
        header: Header,
        /// From the first of them to the end of the last.
        #[serde(default)]
        span: Span,
    },
    /// JSON actions were read.
    Action {
        /// Which assistant message.
        message: u32,
        /// The action.
        action: JsonAction,
        /// How it counts.
        outcome: Outcome,
    },
    /// Something to say about the output.
    Diagnosed {
        /// Which assistant message.
        message: u32,
        /// What.
        diagnostic: Diagnostic,
    },
    /// The reply is suppressed.
    Suppressed {
        /// Which assistant message.
        message: u32,
        /// Why.
        reason: Suppression,
    },
    /// The turn has more messages than its chat should get: the rest was kept off it.
    Truncated {
        /// Messages of the turn in the chat.
        messages: u32,
        /// Bytes of the answer's text that have no message; 0 where all of it has one.
        bytes: usize,
        /// The run was stopped for it: nobody knows what else the agent would have said.
        #[serde(default)]
        stopped: bool,
        /// The file that the rest is sent as; none where it is not sent.
        file: Option<String>,
        /// Why it is not sent, in words.
        detail: Option<String>,
    },
    /// A platform operation is intended; committed before the platform is called.
    Intended {
        /// Which operation.
        op: OpId,
        /// What.
        intent: Intent,
    },
    /// A delivery waits.
    Waiting {
        /// Which operation, where it exists already.
        op: Option<OpId>,
        /// Why.
        reason: HoldReason,
        /// Until when, where known.
        until: Option<Timestamp>,
    },
    /// The platform is called.
    Attempted {
        /// Which operation.
        op: OpId,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// A planned fault hit: what follows is its work, not the platform's or the agent's own.
    Faulted {
        /// Its number.
        number: u64,
        /// The operation, for a fault of a call.
        op: Option<OpId>,
        /// What goes wrong.
        fault: Fault,
    },
    /// The platform refused an attempt that will be repeated.
    Refused {
        /// Which operation.
        op: OpId,
        /// How.
        refusal: RefusalCode,
        /// Why, in words.
        detail: String,
        /// When it is tried again.
        retry_at: Option<Timestamp>,
    },
    /// An operation ended.
    Ended {
        /// Which operation.
        op: OpId,
        /// How.
        outcome: Outcome,
    },
    /// An operation that ended well did not arrive after all, which may become known after the turn's end.
    Undelivered {
        /// Which operation.
        op: OpId,
        /// The message, as it was acknowledged.
        message: MessageId,
        /// How the platform refused.
        refusal: RefusalCode,
        /// Why, in words.
        detail: String,
    },
    /// A message that an operation sent has come further than was told before, perhaps after the turn's end.
    Receipt {
        /// Which operation.
        op: OpId,
        /// The message, as it was acknowledged.
        message: MessageId,
        /// How far it has come; in a group, at the first who got that far.
        receipt: Receipt,
        /// When, as the platform says.
        when: Timestamp,
    },
    /// A person looked at the turn, of which something is unknown: it asks for no other look.
    Reviewed {
        /// The person.
        by: Actor,
    },
    /// Something a person should know that changes nothing else.
    Warned {
        /// What.
        detail: String,
    },
    /// A directive byte reached a channel.
    Leaked {
        /// Which operation showed it.
        op: OpId,
        /// Which assistant message.
        message: u32,
        /// The raw bytes.
        span: Span,
    },
    /// Run complete and deliveries done: the conversation is idle.
    Idle,
    /// The turn ended.
    TurnEnded {
        /// How.
        terminal: Terminal,
    },
}
