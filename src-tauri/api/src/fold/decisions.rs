//! Every step of a turn, for the scrubber.

use super::{messages::Messages, when::When};
use foldback_store::row;
use foldback_wire::{
    Body, Event, Intent, Kind, Outcome, Span, SpokenDirective,
    rpc::{Decision, DecisionKind, RowFlag},
};

/// The step that an event is, if it is one. `messages` stand where they stood before the event; the end of a turn that
/// a person `stopped` is no error.
pub(super) fn decision(when: When, event: &Event, messages: &Messages, stopped: bool) -> Option<Decision> {
    let about = classify(&event.kind, messages)?;
    let mut decision = describe(when, event, about);
    decision.error &= !(stopped && matches!(event.kind, Kind::TurnEnded { .. }));
    Some(decision)
}

/// A step of a kind, about these bytes of an assistant message, in the words of its event.
pub(super) fn describe(
    when: When,
    event: &Event,
    (kind, message, span): (DecisionKind, Option<u32>, Option<Span>),
) -> Decision {
    let row = row(event, None);
    Decision {
        seq: when.seq,
        at_ms: when.ms,
        kind,
        message,
        span,
        // It stands at the turn's end, so its time is told in words.
        text: if when.after_end {
            format!("{}; known since {}", row.summary, event.at)
        } else {
            row.summary
        },
        error: row.flags.contains(&RowFlag::Error),
    }
}

use DecisionKind as D;

/// What kind of step, and which bytes of which assistant message it is about.
pub(super) fn classify(
    kind: &Kind,
    messages: &Messages,
) -> Option<(DecisionKind, Option<u32>, Option<Span>)> {
    let whole = |kind| Some((kind, None, None));
    let of = |kind, message: u32| Some((kind, Some(message), None));
    let bytes = |kind, message: u32, span| Some((kind, Some(message), Some(span)));
    match kind {
        Kind::Received { .. }
        | Kind::DeliveryDue(_)
        | Kind::Passed { .. }
        | Kind::Stopping { .. }
        | Kind::InlineDirectives(_)
        | Kind::SettingsChanged { .. }
        | Kind::Command { .. }
        | Kind::Queued { .. }
        | Kind::NotSteered { .. }
        | Kind::Evicted { .. }
        | Kind::Joined { .. }
        | Kind::RunAgain { .. }
        | Kind::Dequeued { .. } => whole(D::Gate),
        Kind::Gathered { .. }
        | Kind::Understood(_)
        | Kind::LinkRead { .. }
        | Kind::SettingsResolved { .. }
        | Kind::Prepared { .. }
        | Kind::TakenIn { .. }
        | Kind::GroupHistory { .. }
        | Kind::ThreadRead(_)
        | Kind::RunStarted { .. }
        | Kind::Reasoning { .. }
        | Kind::Tool { .. }
        | Kind::AgentSession { .. }
        | Kind::PermissionAsked { .. }
        | Kind::PermissionDecided { .. }
        | Kind::RunCancelled { .. }
        | Kind::HistoryRestored { .. }
        | Kind::MemoryFlushed { .. }
        | Kind::HistoryCompacted { .. }
        | Kind::LevelIgnored { .. }
        | Kind::Used { .. }
        | Kind::Retrying { .. }
        | Kind::Faulted { op: None, .. }
        | Kind::RunFailed { .. }
        | Kind::RunEnded { .. } => whole(D::Agent),
        Kind::MessageEnded { message, .. } => of(D::Agent, *message),
        Kind::Chunk {
            message, span, came, ..
        } => chunk(messages, *message, came.unwrap_or(span.end)),
        // A hold that only grew is no new decision.
        Kind::Held { message, hold } if messages.continues(*message, hold) => None,
        Kind::Held { message, hold } => bytes(D::Hold, *message, hold.span),
        Kind::Decided { message, range } => bytes(D::Range, *message, range.span),
        Kind::Suppressed { message, .. } => of(D::Range, *message),
        Kind::Directive { at, directive } => bytes(D::Directive, at.message, directive.span()),
        Kind::HeaderRead { message, .. } => of(D::Directive, *message),
        Kind::Action { message, action, .. } => bytes(D::Directive, *message, action.span),
        Kind::Diagnosed { message, diagnostic } => bytes(D::Diagnostic, *message, diagnostic.span),
        Kind::Skipped { at, .. } | Kind::Spoken(SpokenDirective { at, .. }) => of(D::Delivery, at.message),
        Kind::Leaked { message, span, .. } => bytes(D::Delivery, *message, *span),
        Kind::Intended { intent, .. } => Some((D::Delivery, intended_message(intent), None)),
        Kind::Waiting { .. }
        | Kind::ReminderSet(_)
        | Kind::ReminderCancelled(_)
        | Kind::DeliveryAccepted(_)
        | Kind::Attempted { .. }
        | Kind::Refused { .. }
        | Kind::Faulted { op: Some(_), .. }
        | Kind::Ended { .. }
        | Kind::Undelivered { .. }
        | Kind::Receipt { .. }
        | Kind::Truncated { .. }
        | Kind::Reviewed { .. }
        | Kind::ActionRefused(_)
        | Kind::ActionStarted(_)
        | Kind::ActionEnded(_)
        | Kind::ActionAnswered(_)
        | Kind::DeliveryRefused(_)
        | Kind::Warned { .. } => whole(D::Delivery),
        Kind::Idle | Kind::TurnEnded { .. } => whole(D::End),
        Kind::Released { .. }
        | Kind::Started { .. }
        | Kind::Stopped
        | Kind::ClockJumped { .. }
        | Kind::ChannelState { .. }
        | Kind::Armed { .. }
        | Kind::Muted { .. }
        | Kind::HeldSettled { .. }
        | Kind::FaultPlanned { .. }
        | Kind::FaultRemoved { .. }
        | Kind::QueueReordered { .. }
        | Kind::SessionReset { .. }
        | Kind::Unreadable { .. }
        | Kind::HookEnded { .. }
        | Kind::ScheduleSet(_)
        | Kind::SchedulePaused(_)
        | Kind::ScheduleSkipped(_)
        | Kind::ScheduleDue(_)
        | Kind::ReminderDue(_)
        | Kind::TargetDead { .. }
        | Kind::TargetRevived { .. }
        | Kind::Pairing { .. } => None,
    }
}

/// The bytes that came with a chunk; none where it only tells the rest of chunks before.
fn chunk(messages: &Messages, message: u32, end: usize) -> Option<(DecisionKind, Option<u32>, Option<Span>)> {
    let start = messages.came(message);
    (end > start).then(|| (D::Chunk, Some(message), Some(Span::new(start, end))))
}

/// The assistant message that an operation shows or carries out something of.
fn intended_message(intent: &Intent) -> Option<u32> {
    let text = match intent.body {
        Some(Body::Clean { message, .. }) => Some(message),
        _ => None,
    };
    intent.directive.map(|at| at.message).or(text)
}

/// Whether an outcome is a failure that a person should see in red.
pub(super) const fn failed(outcome: &Outcome) -> bool {
    outcome.is_dead()
}
