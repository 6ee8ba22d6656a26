//! The kinds of events. State at any moment is a fold over them.

use crate::{
    ActionAnswered, ActionEnded, ActionRefusal, ActionStarted, Actor, AgentFault, Answerer, ChannelState,
    DecidingSetting, DeliveryAccepted, DeliveryRefused, DeliveryRequest, DirectiveRef, EffectiveSetting,
    Fault, FileFate, Gate, GroupMessage, Hold, HookEnd, Inbound, InlineDirectives, Intent, JoinKind,
    KeptSetting, MessageId, OpId, Outcome, PairingStep, PermissionId, PermissionOption, PermissionRequest,
    ReadThread, Receipt, RefusalCode, Reminder, ReminderCancelled, ReminderDue, RunId, RunLevel, ScheduleDue,
    SchedulePaused, ScheduleSet, ScheduleSkipped, SessionExpiry, SessionStart, SettingChange, SettingSource,
    SpokenDirective, Stage, StopReason, Target, Terminal, Timestamp, ToolCall, TurnId, UnderstoodFile,
    UnreadablePart, Usage, UserId,
};
use foldback_directives::{Diagnostic, Directive, Header, HoldReason, JsonAction, Range, Span, Suppression};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An event's kind and what belongs to it. Byte ranges point into the raw text of the assistant message named by
/// `message` (counted from 0 in a turn), which is stored once: in its `chunk` events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Kind {
    /// The process began.
    Started {
        /// Version of Foldback.
        version: String,
        /// True where everything up to the next start is a replay: no platform and no agent was called.
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
        /// The author of the change.
        by: Actor,
        /// The reason, in words.
        why: String,
    },
    /// A channel was armed (live) or disarmed (dry run).
    Armed {
        /// True where it now sends for real.
        armed: bool,
        /// The author of the change.
        by: Actor,
    },
    /// All outbound was muted or unmuted.
    Muted {
        /// True where it is muted now.
        muted: bool,
        /// The author of the change.
        by: Actor,
    },
    /// A person decided about what a channel held for longer than `outbox.max_age`.
    HeldSettled {
        /// True where it goes out; else it is given up.
        send: bool,
        /// The author of the decision.
        by: Actor,
    },
    /// A person planned that calls of a channel, or runs of an agent, go wrong.
    FaultPlanned {
        /// Its number, counted from the start of the process.
        number: u64,
        /// The agent, where it is not about a channel.
        agent: Option<String>,
        /// The fault.
        fault: Fault,
        /// The author of the change.
        by: Actor,
    },
    /// A planned fault was removed.
    FaultRemoved {
        /// Its number.
        number: u64,
        /// The agent, where it was not about a channel.
        agent: Option<String>,
        /// The author of the change.
        by: Actor,
    },
    /// Somebody who is not on an allow list asked to talk to the bot, or an operator decided about it.
    Pairing {
        /// The step.
        step: PairingStep,
        /// The person it is about; the platform's id.
        sender: UserId,
        /// The name that they give themselves.
        name: String,
        /// The code of the request; none in what is about an approval alone.
        code: Option<String>,
        /// The time until which the code is valid; for a refusal, until when they are not asked again.
        until: Option<Timestamp>,
        /// The one who did it; of a request that gave way, the sender of the newer one.
        by: Actor,
    },
    /// An adapter could not read something that the platform sent. It was passed over; what came with it was not.
    Unreadable(UnreadablePart),
    /// A hook was told of an event, or could not be.
    HookEnded(HookEnd),
    /// The configuration has a schedule with other times than before, or has it no more.
    ScheduleSet(ScheduleSet),
    /// A person paused a schedule, or let it go on.
    SchedulePaused(SchedulePaused),
    /// A schedule was due and did not run.
    ScheduleSkipped(ScheduleSkipped),
    /// A schedule began the turn.
    ScheduleDue(ScheduleDue),
    /// An action of the turn's agent set a reminder.
    ReminderSet(Box<Reminder>),
    /// A reminder was cancelled.
    ReminderCancelled(ReminderCancelled),
    /// A reminder came due: the turn delivers it.
    ReminderDue(ReminderDue),
    /// The turn delivers this to the agent: what an action produced, what came due, or what went wrong.
    DeliveryDue(Box<DeliveryRequest>),
    /// What an action of the turn's agent produced is delivered to the agent in a turn of its own.
    DeliveryAccepted(DeliveryAccepted),
    /// A delivery request was not accepted. Of several for one chat and reason, one within an hour is told for their channel; a
    /// turn has it where what came of its own actions was not.
    DeliveryRefused(DeliveryRefused),
    /// The platform takes nothing more for a chat: deliveries to it are refused until it is revived.
    TargetDead {
        /// The chat.
        target: Target,
        /// The kind of the platform's refusal.
        refusal: RefusalCode,
        /// The platform's reason, in words.
        detail: String,
    },
    /// Deliveries to a chat are accepted again.
    TargetRevived {
        /// The chat.
        target: Target,
        /// The author: an operator, the person who wrote there, or the pipeline where a message arrived there.
        by: Actor,
    },
    /// A message came in; the turn begins.
    Received {
        /// The message as the adapter gave it.
        message: Box<Inbound>,
    },
    /// A stage let the message pass.
    Passed {
        /// The stage.
        stage: Stage,
        /// The finding, in words.
        detail: String,
    },
    /// A stage stopped the message.
    Stopping {
        /// The stage.
        stage: Stage,
        /// The gate.
        gate: Gate,
        /// The reason, in words.
        detail: String,
        /// The values that the decision was made from.
        inputs: BTreeMap<String, String>,
        /// The setting that would change it, such as `channels.telegram.allow_from`.
        setting: Option<String>,
        /// The place that the setting's value comes from; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        source: Option<SettingSource>,
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
    /// The message was not given to the agent that runs: it waits for a run of its own.
    NotSteered {
        /// The turn that runs, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        running: Option<TurnId>,
        /// The reason, in words.
        why: String,
    },
    /// The queue is full: of this message only a summary goes to the agent.
    Evicted {
        /// Most messages that wait.
        cap: u32,
        /// The setting that says so, such as `queue.drop`.
        setting: String,
        /// The place that its value comes from; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        source: Option<SettingSource>,
    },
    /// The message came into the run of another turn.
    Joined {
        /// That turn.
        into: TurnId,
        /// The way.
        how: JoinKind,
    },
    /// The message of another turn came into this run.
    TakenIn {
        /// That turn.
        turn: TurnId,
        /// The way.
        how: JoinKind,
        /// The message.
        message: MessageId,
        /// Its sender, by the name they give themselves.
        sender: String,
        /// Its text, as the agent is given it.
        text: String,
    },
    /// The agent was given messages of the group that were not for it.
    GroupHistory {
        /// The messages, oldest first.
        messages: Vec<GroupMessage>,
    },
    /// The thread that the message stands in was read for the agent, as it was before that message.
    ThreadRead(ReadThread),
    /// A person has the message of another turn run again, which failed or found no room.
    RunAgain {
        /// That turn.
        of: TurnId,
        /// The person.
        by: Actor,
    },
    /// The message's turn has come.
    Dequeued {
        /// The time for which it waited.
        waited_ms: u64,
    },
    /// The outcome of a file that came with the message.
    Gathered {
        /// Its number, from 0.
        index: u32,
        /// Its name, as the platform gives it.
        name: String,
        /// Its media type: what its bytes say, or else what the platform says.
        media_type: String,
        /// Its size in bytes, where it came.
        bytes: Option<u64>,
        /// The outcome.
        fate: FileFate,
        /// The reason, in words, where there is something to say.
        why: String,
        /// The setting that would change it, such as `attachments.max_size`.
        setting: Option<String>,
        /// The words that are spoken in it, where it was written down; only in journals that tell it nowhere else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heard: Option<String>,
        /// The setting behind it, as it was then; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
    },
    /// A file that came with the message was understood for the agent, or could not be.
    Understood(UnderstoodFile),
    /// A link in the message was read for the agent, or could not be.
    LinkRead {
        /// The address, without user, password and fragment.
        link: String,
        /// Its text, as the agent was given it; none where it was not read.
        text: Option<String>,
        /// Bytes of its whole text; the agent is given at most 16 KiB of it.
        bytes: u64,
        /// The reason for which it was not read, in words; empty where it was.
        why: String,
    },
    /// Directives of the sender were read in the message's text.
    InlineDirectives(InlineDirectives),
    /// Settings of the session changed, by a directive, a command or a person at the console.
    SettingsChanged {
        /// The changes, in the order of the settings.
        changes: Vec<SettingChange>,
        /// Their author.
        by: Actor,
    },
    /// The message is a command, which Foldback answers itself.
    Command {
        /// Its name without the slash.
        name: String,
        /// The rest of the message's first line.
        arguments: String,
    },
    /// Settings that count for the message while it waits, or, where they are not the configuration's own, for its run.
    SettingsResolved {
        /// Those settings.
        settings: Vec<EffectiveSetting>,
    },
    /// The prompt that the agent is given.
    Prepared {
        /// The whole prompt.
        prompt: String,
    },
    /// The agent was started.
    RunStarted {
        /// The run.
        run: RunId,
        /// The backend.
        backend: String,
        /// The model, where known.
        model: Option<String>,
    },
    /// Raw text of an assistant message; the only copy.
    Chunk {
        /// The assistant message.
        message: u32,
        /// Its bytes in the raw text.
        span: Span,
        /// The text.
        text: String,
        /// Bytes that had come, where that is more than is told: what may begin a secret is told later.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        came: Option<usize>,
    },
    /// An assistant message ended (a tool call or the end of the run came).
    MessageEnded {
        /// The assistant message.
        message: u32,
        /// Its length in bytes.
        bytes: usize,
        /// True where it was narration before a tool call.
        narration: bool,
        /// The setting by which such narration is kept off the chat, as it was then; `None` where it is shown, and in records
        /// of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
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
        /// The backend.
        backend: String,
        /// The agent's id of the session.
        id: String,
        /// The way in which the run came to it.
        start: SessionStart,
        /// The reason, in words, where there is something to say.
        detail: String,
    },
    /// The agent asks before it uses a tool.
    PermissionAsked {
        /// The request.
        request: Box<PermissionRequest>,
        /// The time until which an answer is waited for; then it is refused.
        until: Option<Timestamp>,
    },
    /// A request for permission was decided.
    PermissionDecided {
        /// The request.
        id: PermissionId,
        /// The option that was chosen; none where the request was cancelled.
        option: Option<PermissionOption>,
        /// The author of the decision.
        by: Actor,
        /// The reason, in words.
        why: String,
        /// The setting behind it, as it was then; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
    },
    /// Somebody stopped the run.
    RunCancelled {
        /// The author.
        by: Actor,
        /// The turn whose message interrupts it, where one does (`queue.mode`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        interrupted_by: Option<TurnId>,
    },
    /// The conversation begins anew: the agent forgets the one before, and what was set for it is cleared.
    SessionReset {
        /// The author; the pipeline where the one before ended by itself.
        by: Actor,
        /// The agent's id of the latest session that is forgotten; none where it had told none.
        agent: Option<String>,
        /// The end of the one before, where nobody asked for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        expired: Option<SessionExpiry>,
        /// The settings that it keeps (`session.carry_over`).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<KeptSetting>,
    },
    /// A person put what waits in the conversation into another order.
    QueueReordered {
        /// The turns that wait, in their new order.
        turns: Vec<TurnId>,
        /// The author.
        by: Actor,
    },
    /// The agent, which remembers nothing of the conversation, was given it as the journal has it.
    HistoryRestored {
        /// Turns that it was given word for word, at least as far as they were delivered.
        turns: u32,
        /// Tokens of what it was given, estimated.
        tokens: u64,
        /// True where older turns were left out, as they do not fit into `agent.context_tokens`.
        left_out: bool,
        /// True where a summary of a compaction stands before them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        summarised: bool,
    },
    /// The agent was asked to write its memory down before the beginning of the conversation becomes a summary, once for
    /// each compaction (`agent.memory_flush`). Nothing of what it said is sent, and the conversation does not have it.
    MemoryFlushed {
        /// Its run.
        run: RunId,
        /// The question.
        prompt: String,
        /// The answer, at most its first 16 KiB.
        answer: String,
        /// The tools that it used, each as it was left.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<ToolCall>,
        /// Milliseconds that it took.
        took_ms: u64,
        /// Tokens that it took, where the backend told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<Usage>,
        /// Why it did not end well; absent where it did. The conversation is compacted all the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        failure: Option<String>,
    },
    /// The model summarised the beginning of the conversation, and the summary stands in its place from here on.
    HistoryCompacted {
        /// The author: a person, or the pipeline where the conversation was full.
        by: Actor,
        /// The summary, which also says what an earlier one said.
        summary: String,
        /// Answers that it stands for, with their questions.
        summarised: u32,
        /// Answers before this that stay word for word, with their questions.
        kept: u32,
        /// Tokens of the conversation before.
        tokens_before: u64,
        /// Tokens of it from here on, estimated.
        tokens_after: u64,
        /// Tokens that the summary itself took, where the backend told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<Usage>,
        /// True where the agent wrote its memory down before, false where that failed; absent where `agent.memory_flush` is
        /// off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        flushed: Option<bool>,
    },
    /// The run was asked for a level that its backend, or the agent behind it, does not have: it runs without it.
    LevelIgnored {
        /// Which level.
        level: RunLevel,
        /// The value that was asked for.
        asked: String,
        /// Why, in words, beginning with the backend's name.
        why: String,
    },
    /// Tokens were counted.
    Used {
        /// Their number.
        usage: Usage,
    },
    /// The agent tries again.
    Retrying {
        /// The attempt that begins, from 2.
        attempt: u32,
        /// The time for which it waits first.
        after_ms: u64,
        /// The reason.
        detail: String,
        /// The backend and model that answer from here on, where they are others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        next: Option<Answerer>,
    },
    /// The agent failed.
    RunFailed {
        /// The kind of the failure.
        fault: AgentFault,
        /// The reason, in words.
        detail: String,
        /// The setting that may help, as it was then; `None` where there is none, and in records of versions that did not keep
        /// it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
    },
    /// The agent's run ended.
    RunEnded {
        /// The run.
        run: RunId,
        /// The reason.
        reason: StopReason,
    },
    /// The scanner decided about bytes.
    Decided {
        /// The assistant message.
        message: u32,
        /// Bytes, fate and reason.
        range: Range,
    },
    /// The scanner holds bytes back (replaces the hold before it).
    Held {
        /// The assistant message.
        message: u32,
        /// The bytes and the reason.
        hold: Hold,
    },
    /// The scanner holds nothing any more.
    Released {
        /// The assistant message.
        message: u32,
    },
    /// A directive was read.
    Directive {
        /// The place of the directive.
        at: DirectiveRef,
        /// The directive.
        directive: Directive,
    },
    /// A directive was not carried out.
    Skipped {
        /// The place of the directive.
        at: DirectiveRef,
        /// The outcome that it counts as.
        outcome: Outcome,
        /// The setting that would change it, such as `output.allow_targets`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        setting: Option<String>,
        /// The setting behind it, as it was then; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
    },
    /// The words of a voice directive were made into sound, which has not been sent yet.
    Spoken(SpokenDirective),
    /// The header was read.
    HeaderRead {
        /// The assistant message.
        message: u32,
        /// Its valid keys.
        header: Header,
        /// From the first of them to the end of the last.
        #[serde(default)]
        span: Span,
    },
    /// JSON actions were read.
    Action {
        /// The assistant message.
        message: u32,
        /// The action.
        action: JsonAction,
        /// The outcome that it counts as; `None` where actions are on: it is refused, or begins and ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        outcome: Option<Outcome>,
    },
    /// An action is not carried out.
    ActionRefused(ActionRefusal),
    /// An action begins.
    ActionStarted(ActionStarted),
    /// An action has ended.
    ActionEnded(ActionEnded),
    /// The result of an action that a tool call asked for went back to the agent.
    ActionAnswered(ActionAnswered),
    /// Something to say about the output.
    Diagnosed {
        /// The assistant message.
        message: u32,
        /// The finding.
        diagnostic: Diagnostic,
    },
    /// The reply is suppressed.
    Suppressed {
        /// The assistant message.
        message: u32,
        /// The reason.
        reason: Suppression,
        /// The setting behind it, as it was then; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
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
        /// The reason for which it is not sent, in words.
        detail: Option<String>,
        /// The setting behind it, as it was then; `None` in records of versions that did not keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        decided_by: Option<Box<DecidingSetting>>,
    },
    /// A platform operation is intended; committed before the platform is called.
    Intended {
        /// The operation.
        op: OpId,
        /// The operation.
        intent: Box<Intent>,
    },
    /// A delivery waits.
    Waiting {
        /// The operation, where it exists already.
        op: Option<OpId>,
        /// The reason.
        reason: HoldReason,
        /// The end of the wait, where known.
        until: Option<Timestamp>,
    },
    /// The platform is called.
    Attempted {
        /// The operation.
        op: OpId,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// A planned fault hit: what follows is its work, not the platform's or the agent's own.
    Faulted {
        /// Its number.
        number: u64,
        /// The operation, for a fault of a call.
        op: Option<OpId>,
        /// The fault.
        fault: Fault,
    },
    /// The platform refused an attempt that will be repeated.
    Refused {
        /// The operation.
        op: OpId,
        /// The kind of the refusal.
        refusal: RefusalCode,
        /// The reason, in words.
        detail: String,
        /// The time at which it is tried again.
        retry_at: Option<Timestamp>,
    },
    /// An operation ended.
    Ended {
        /// The operation.
        op: OpId,
        /// The outcome.
        outcome: Outcome,
    },
    /// An operation that ended well did not arrive after all, which may become known after the turn's end.
    Undelivered {
        /// The operation.
        op: OpId,
        /// The message, as it was acknowledged.
        message: MessageId,
        /// The kind of the platform's refusal.
        refusal: RefusalCode,
        /// The reason, in words.
        detail: String,
    },
    /// A message that an operation sent has come further than was told before, perhaps after the turn's end.
    Receipt {
        /// The operation.
        op: OpId,
        /// The message, as it was acknowledged.
        message: MessageId,
        /// Its progress; in a group, that of the first who got that far.
        receipt: Receipt,
        /// The time, as the platform says.
        when: Timestamp,
    },
    /// A person looked at the turn, of which something is unknown: it asks for no other look.
    Reviewed {
        /// The person.
        by: Actor,
    },
    /// Something a person should know that changes nothing else.
    Warned {
        /// The words.
        detail: String,
    },
    /// A directive byte reached a channel.
    Leaked {
        /// The operation that showed it.
        op: OpId,
        /// The assistant message.
        message: u32,
        /// The raw bytes.
        span: Span,
    },
    /// Run complete and deliveries done: the conversation is idle.
    Idle,
    /// The turn ended.
    TurnEnded {
        /// The end.
        terminal: Terminal,
    },
}
