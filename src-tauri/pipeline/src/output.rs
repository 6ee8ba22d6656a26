//! Output events, which the scan stage hands to delivery. The module stands below both, so that neither needs the
//! other.

use crate::{permissions::Question, user_text::UserText};
use foldback_wire::{
    AgentFault, Directive, DirectiveRef, Fate, Header, Kind, PermissionId, RangeReason, Span, StopReason,
    Suppression, ToolCall, Usage,
};

/// The detail of the event of a run that is stopped for what its chat got of it. The end of the run does not say so: an
/// agent that comes to a limit of its own ends for the same reason.
pub(crate) const STOPPED_AT_MOST: &str = "stopped: its chat should get no more of it (output.max_messages)";

/// True for bytes of JSON that was to hold actions and could not be read.
pub(crate) fn is_unreadable(kind: &Kind) -> bool {
    let Kind::Decided { range, .. } = kind else {
        return false;
    };
    (range.fate, range.reason) == (Fate::Drop, Some(RangeReason::JsonActions))
}

/// Steps that the delivery of a turn is told of, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OutputEvent {
    /// More text to show.
    Text { message: u32, text: String },
    /// More raw text, which is nobody's to show; only with that rule switched off.
    Raw(String),
    /// The header of the message, before its first text. The span is where it may stand.
    Header {
        message: u32,
        header: Header,
        span: Span,
    },
    /// One of the header's directives: told at once, since the files it is about may come before the first text, which
    /// is what settles the header.
    PartOfHeader(Header),
    /// A directive, before the text that follows it.
    Directive { at: DirectiveRef, directive: Directive },
    /// A JSON action: one that is kept until the run has ended, or one that counts as skipped.
    Action { is_kept: bool },
    /// The message is not delivered.
    Suppressed(Suppression),
    /// A tool call began or changed.
    Tool(ToolCall),
    /// A tool call had an action carried out: what is said from here on answers the message as a result does.
    ActionPerformed,
    /// More reasoning.
    Thought(String),
    /// The agent has thought so far.
    ThoughtEnded,
    /// Words beside the answer, that no agent wrote.
    Aside(UserText<'static>),
    /// Tokens were used.
    Used(Usage),
    /// The sender is asked for a permission.
    Asked(Question),
    /// It was decided, and not by the sender's answer: what is said of it.
    Decided { id: PermissionId, words: String },
    /// The message is complete.
    Ended { narration: bool },
    /// The run is over, for this reason of its agent's.
    RunEnded(StopReason),
    /// The run was stopped, as it said more than its chat should get.
    RunTooLong,
    /// A person, or the end of the process, stopped the run.
    RunCancelled,
    /// The run failed.
    RunFailed { fault: AgentFault, detail: String },
}
