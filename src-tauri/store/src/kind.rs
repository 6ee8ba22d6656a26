//! The types of events by their public names, with the stage that each belongs to.

use foldback_wire::{Event, HoldReason, Kind, Stage};

/// A type of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindWord {
    /// Its public name, as in the JSON of events.
    pub code: &'static str,
    /// What it tells, in one sentence.
    pub about: &'static str,
}

/// Declares the table, and the way from an event to its line in it; a type that is missing does not compile.
macro_rules! kinds {
    ($($variant:ident = $code:literal : $about:literal),+ $(,)?) => {
        /// Every type of event, in the order of a message's way.
        pub const KINDS: &[KindWord] = &[$(KindWord { code: $code, about: $about }),+];

        /// The public name of an event's type.
        pub(crate) const fn code(kind: &Kind) -> &'static str {
            match kind { $(Kind::$variant { .. } => $code),+ }
        }
    };
}

kinds! {
    Started = "started": "The process began.",
    Stopped = "stopped": "The process ended in order.",
    ChannelState = "channel_state": "A channel changed its state.",
    Armed = "armed": "A channel was armed or disarmed.",
    Muted = "muted": "All outbound was muted or unmuted.",
    Received = "received": "A message came in.",
    Passed = "passed": "A stage let the message pass.",
    Stopping = "stopping": "A stage stopped the message.",
    Queued = "queued": "The message waits for the running turn.",
    Dequeued = "dequeued": "The message's turn has come.",
    Prepared = "prepared": "What the agent is given.",
    RunStarted = "run_started": "The agent was started.",
    Chunk = "chunk": "The agent wrote.",
    MessageEnded = "message_ended": "An assistant message ended.",
    Reasoning = "reasoning": "The agent thinks.",
    Tool = "tool": "A tool call changed.",
    Used = "used": "Tokens were counted.",
    Retrying = "retrying": "The agent tries again.",
    RunFailed = "run_failed": "The agent failed.",
    RunEnded = "run_ended": "The agent's run ended.",
    Decided = "decided": "The scanner decided about bytes.",
    Held = "held": "The scanner holds bytes back.",
    Released = "released": "The scanner holds nothing any more.",
    Directive = "directive": "A directive was read.",
    Skipped = "skipped": "A directive was not carried out.",
    HeaderRead = "header_read": "The header was read.",
    Action = "action": "JSON actions were read.",
    Diagnosed = "diagnosed": "Something to say about the output.",
    Suppressed = "suppressed": "The reply is suppressed.",
    Intended = "intended": "A platform operation is intended.",
    Waiting = "waiting": "A delivery waits.",
    Attempted = "attempted": "The platform is called.",
    Refused = "refused": "The platform refused an attempt that will be repeated.",
    Ended = "ended": "An operation ended.",
    Warned = "warned": "Something a person should know.",
    Leaked = "leaked": "A directive byte reached a channel.",
    Idle = "idle": "The conversation is idle.",
    TurnEnded = "turn_ended": "The turn ended.",
}

/// Where an event belongs that no stage decided.
pub(crate) const CHANNEL: &str = "channel";
/// Where an event belongs that is about the whole process.
pub(crate) const PROCESS: &str = "process";

/// The stage that decided an event, as rows show it: a stage's name, `channel` or `process`.
pub(crate) fn stage(event: &Event) -> &'static str {
    let stage = match &event.kind {
        Kind::Started { .. } | Kind::Stopped | Kind::Muted { .. } => return PROCESS,
        Kind::ChannelState { .. } | Kind::Armed { .. } | Kind::Received { .. } => return CHANNEL,
        Kind::Warned { .. } => return if event.channel.is_some() { CHANNEL } else { PROCESS },
        Kind::Passed { stage, .. } | Kind::Stopping { stage, .. } => *stage,
        Kind::Queued { .. } | Kind::Dequeued { .. } => Stage::Queue,
        Kind::Prepared { .. } => Stage::Prepare,
        Kind::RunStarted { .. }
        | Kind::Chunk { .. }
        | Kind::MessageEnded { .. }
        | Kind::Reasoning { .. }
        | Kind::Tool { .. }
        | Kind::Used { .. }
        | Kind::Retrying { .. }
        | Kind::RunFailed { .. }
        | Kind::RunEnded { .. } => Stage::Run,
        Kind::Decided { .. }
        | Kind::Held { .. }
        | Kind::Released { .. }
        | Kind::Directive { .. }
        | Kind::HeaderRead { .. }
        | Kind::Action { .. }
        | Kind::Diagnosed { .. }
        | Kind::Suppressed { .. } => Stage::Scan,
        Kind::Waiting { reason, .. } => match reason {
            HoldReason::Debounce => Stage::Debounce,
            HoldReason::EditInterval | HoldReason::ChannelCannotEdit => Stage::Preview,
            HoldReason::HumanDelay => Stage::Dispatch,
            _ => Stage::Deliver,
        },
        Kind::Intended { .. } | Kind::Idle | Kind::TurnEnded { .. } => Stage::Dispatch,
        Kind::Skipped { .. }
        | Kind::Attempted { .. }
        | Kind::Refused { .. }
        | Kind::Ended { .. }
        | Kind::Leaked { .. } => Stage::Deliver,
    };
    stage.code()
}
