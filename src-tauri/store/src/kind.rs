//! The types of events by their public names, with the stage that each belongs to.

use foldback_wire::{Event, Fault, HoldReason, Kind, Stage};

/// Where an event belongs that no stage decided.
pub(crate) const CHANNEL: &str = "channel";
/// Where an event belongs that is about the whole process.
pub(crate) const PROCESS: &str = "process";

/// A type of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindWord {
    /// Its public name, as in the JSON of events.
    pub code: &'static str,
    /// What it tells, in one sentence.
    pub about: &'static str,
    /// The stage that rows show for it; `None` where that depends on the event.
    pub stage: Option<&'static str>,
}

/// Declares the table, and the way from an event to its line; a type that is missing does not compile.
macro_rules! kinds {
    ($($variant:ident = $code:literal, $stage:expr => $about:literal),+ $(,)?) => {
        /// Every type of event, in the order of a message's way.
        pub const KINDS: &[KindWord] = &[$(KindWord { code: $code, about: $about, stage: $stage }),+];

        /// The line of an event's type.
        pub(crate) const fn word(kind: &Kind) -> KindWord {
            match kind { $(Kind::$variant { .. } => KindWord { code: $code, about: $about, stage: $stage }),+ }
        }
    };
}

kinds! {
    Started = "started", Some(PROCESS) => "The process began.",
    Stopped = "stopped", Some(PROCESS) => "The process ended in order.",
    ClockJumped = "clock_jumped", Some(PROCESS) => "The system's clock jumped: the machine slept, or its time was set.",
    ChannelState = "channel_state", Some(CHANNEL) => "A channel changed its state.",
    Armed = "armed", Some(CHANNEL) => "A channel was armed or disarmed.",
    Muted = "muted", Some(PROCESS) => "All outbound was muted or unmuted.",
    HeldSettled = "held_settled", Some(CHANNEL) => "A person decided about what was held for too long.",
    FaultPlanned = "fault_planned", None => "A person planned that calls or runs go wrong.",
    FaultRemoved = "fault_removed", None => "A planned fault was removed.",
    Pairing = "pairing", Some(Stage::Authorize.code()) => "An unknown sender asked to talk to the bot, or an operator decided about it.",
    Unreadable = "unreadable", Some(CHANNEL) => "The platform sent what could not be read.",
    HookEnded = "hook_ended", Some(PROCESS) => "A hook was told of an event, or could not be.",
    ScheduleSet = "schedule_set", Some(PROCESS) => "The configuration has a schedule with these times.",
    SchedulePaused = "schedule_paused", Some(PROCESS) => "A person paused a schedule, or let it go on.",
    ScheduleSkipped = "schedule_skipped", Some(CHANNEL) => "A schedule was due and did not run.",
    ScheduleDue = "schedule_due", Some(CHANNEL) => "A schedule began the turn.",
    ReminderSet = "reminder_set", Some(CHANNEL) => "An action of the turn's agent set a reminder.",
    ReminderCancelled = "reminder_cancelled", Some(CHANNEL) => "A reminder was cancelled.",
    ReminderDue = "reminder_due", Some(CHANNEL) => "A reminder came due: the turn delivers it.",
    DeliveryDue = "delivery_due", Some(CHANNEL) => "A result, an event or an error is delivered to the agent: it began the turn.",
    DeliveryAccepted = "delivery_accepted", Some(CHANNEL) => "What an action of the turn produced is delivered in a turn of its own.",
    DeliveryRefused = "delivery_refused", Some(CHANNEL) => "A delivery request was not accepted.",
    TargetDead = "target_dead", Some(Stage::Deliver.code()) => "The platform takes nothing more for a chat.",
    TargetRevived = "target_revived", Some(CHANNEL) => "Deliveries to a chat are accepted again.",
    Received = "received", Some(CHANNEL) => "A message came in.",
    Passed = "passed", None => "A stage let the message pass.",
    Stopping = "stopping", None => "A stage stopped the message.",
    Queued = "queued", Some(Stage::Queue.code()) => "The message waits for the running turn, or for a run of another conversation to end.",
    NotSteered = "not_steered", Some(Stage::Queue.code()) => "The message was not given to the agent that runs.",
    Evicted = "evicted", Some(Stage::Queue.code()) => "The queue is full: of the message only a summary goes to the agent.",
    Joined = "joined", Some(Stage::Queue.code()) => "The message came into the run of another turn.",
    TakenIn = "taken_in", Some(Stage::Queue.code()) => "The message of another turn came into this run.",
    GroupHistory = "group_history", Some(Stage::Prepare.code()) => "The agent was given messages of the group that were not for it.",
    ThreadRead = "thread_read", Some(Stage::Prepare.code()) => "The agent was given what was said in the thread before the message.",
    RunAgain = "run_again", None => "A person has the message of another turn run again.",
    Dequeued = "dequeued", Some(Stage::Queue.code()) => "The message's turn has come.",
    LinkRead = "link_read", Some(Stage::Prepare.code()) => "A link in the message was read for the agent, or could not be.",
    Gathered = "gathered", Some(Stage::Prepare.code()) => "What came of a file that came with the message.",
    Understood = "understood", Some(Stage::Prepare.code()) => "What was understood of a file that came with the message.",
    InlineDirectives = "inline_directives", Some(Stage::InlineDirectives.code()) => "Directives were read in the message.",
    SettingsChanged = "settings_changed", Some(Stage::Session.code()) => "Settings of the session changed.",
    Command = "command", Some(Stage::Commands.code()) => "The message is a command.",
    SettingsResolved = "settings_resolved", Some(Stage::Prepare.code()) => "Settings count for the message, with where each comes from.",
    Prepared = "prepared", Some(Stage::Prepare.code()) => "What the agent is given.",
    RunStarted = "run_started", Some(Stage::Run.code()) => "The agent was started.",
    Chunk = "chunk", Some(Stage::Run.code()) => "The agent wrote.",
    MessageEnded = "message_ended", Some(Stage::Run.code()) => "An assistant message ended.",
    Reasoning = "reasoning", Some(Stage::Run.code()) => "The agent thinks.",
    Tool = "tool", Some(Stage::Run.code()) => "A tool call changed.",
    AgentSession = "agent_session", Some(Stage::Run.code()) => "The agent keeps the conversation as a session of its own.",
    PermissionAsked = "permission_asked", Some(Stage::Run.code()) => "The agent asks before it uses a tool.",
    PermissionDecided = "permission_decided", Some(Stage::Run.code()) => "A request for permission was decided.",
    RunCancelled = "run_cancelled", Some(Stage::Run.code()) => "A person stopped the run.",
    QueueReordered = "queue_reordered", Some(Stage::Queue.code()) => "A person put what waits into another order.",
    SessionReset = "session_reset", Some(Stage::Session.code()) => "The conversation begins anew: the agent forgets the one before.",
    HistoryRestored = "history_restored", Some(Stage::Prepare.code()) => "The agent was given the conversation as it was before a restart.",
    MemoryFlushed = "memory_flushed", Some(Stage::Prepare.code()) => "The agent was asked to write its memory down before the conversation is compacted.",
    HistoryCompacted = "history_compacted", Some(Stage::Prepare.code()) => "The beginning of the conversation became a summary.",
    LevelIgnored = "level_ignored", Some(Stage::Run.code()) => "The run was asked for a level that the agent does not have.",
    Used = "used", Some(Stage::Run.code()) => "Tokens were counted.",
    Retrying = "retrying", Some(Stage::Run.code()) => "The agent tries again.",
    RunFailed = "run_failed", Some(Stage::Run.code()) => "The agent failed.",
    RunEnded = "run_ended", Some(Stage::Run.code()) => "The agent's run ended.",
    Decided = "decided", Some(Stage::Scan.code()) => "The scanner decided about bytes.",
    Held = "held", Some(Stage::Scan.code()) => "The scanner holds bytes back.",
    Released = "released", Some(Stage::Scan.code()) => "The scanner released what it held.",
    Directive = "directive", Some(Stage::Scan.code()) => "A directive was read.",
    Skipped = "skipped", Some(Stage::Deliver.code()) => "A directive was not carried out.",
    Spoken = "spoken", Some(Stage::Deliver.code()) => "Words were made into sound.",
    HeaderRead = "header_read", Some(Stage::Scan.code()) => "The header was read.",
    Action = "action", Some(Stage::Scan.code()) => "JSON actions were read.",
    ActionRefused = "action_refused", Some(Stage::Run.code()) => "An action that the agent asked for is not carried out.",
    ActionStarted = "action_started", Some(Stage::Run.code()) => "An action that the agent asked for begins.",
    ActionEnded = "action_ended", Some(Stage::Run.code()) => "An action that the agent asked for has ended.",
    ActionAnswered = "action_answered", Some(Stage::Run.code()) => "The result of an action went back to the agent within its run.",
    Diagnosed = "diagnosed", Some(Stage::Scan.code()) => "Something to say about the output.",
    Suppressed = "suppressed", Some(Stage::Scan.code()) => "The reply is suppressed.",
    Truncated = "truncated", Some(Stage::Deliver.code()) => "The turn has more messages than its chat should get.",
    Intended = "intended", Some(Stage::Dispatch.code()) => "A platform operation is intended.",
    Waiting = "waiting", None => "A delivery waits.",
    Attempted = "attempted", Some(Stage::Deliver.code()) => "The platform is called.",
    Faulted = "faulted", None => "A planned fault hit.",
    Refused = "refused", Some(Stage::Deliver.code()) => "The platform refused an attempt that will be repeated.",
    Ended = "ended", Some(Stage::Deliver.code()) => "An operation ended.",
    Undelivered = "undelivered", Some(Stage::Deliver.code()) => "An operation that ended well did not arrive after all.",
    Receipt = "receipt", Some(Stage::Deliver.code()) => "How far what an operation sent has come.",
    Reviewed = "reviewed", Some(Stage::Deliver.code()) => "A person looked at what is unknown of the turn.",
    Warned = "warned", None => "Something a person should know.",
    Leaked = "leaked", Some(Stage::Deliver.code()) => "A directive byte reached a channel.",
    Idle = "idle", Some(Stage::Dispatch.code()) => "The conversation is idle.",
    TurnEnded = "turn_ended", Some(Stage::Dispatch.code()) => "The turn ended.",
}

/// The public name of an event's type.
pub(crate) const fn code(kind: &Kind) -> &'static str {
    word(kind).code
}

/// The stage that decided an event, as rows show it: a stage's name, `channel` or `process`.
pub(crate) fn stage(event: &Event) -> &'static str {
    if let Some(stage) = word(&event.kind).stage {
        return stage;
    }
    match &event.kind {
        Kind::Passed { stage, .. } | Kind::Stopping { stage, .. } => stage.code(),
        Kind::Faulted { fault, .. } => match fault {
            Fault::Call(_) => Stage::Deliver.code(),
            Fault::Run(_) => Stage::Run.code(),
        },
        Kind::Waiting { reason, .. } => match reason {
            HoldReason::Debounce => Stage::Debounce.code(),
            HoldReason::EditInterval | HoldReason::ChannelCannotEdit => Stage::Preview.code(),
            HoldReason::HumanDelay => Stage::Dispatch.code(),
            _ => Stage::Deliver.code(),
        },
        _ if event.channel.is_some() => CHANNEL,
        _ => PROCESS,
    }
}
