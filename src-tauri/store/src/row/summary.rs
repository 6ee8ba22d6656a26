//! What an event says, in one line of words.

use super::{
    control, delivery, delivery_request, files, inline, queue, reminder, run, schedule,
    words::{bytes, ended, lasting, one_line, said, size},
};
use crate::EventDuration;
use foldback_wire::{
    Directive, DirectiveRef, Header, HookEnd, Inbound, JsonAction, Kind, Outcome, Range, SilentReason,
    SpokenDirective, Terminal, UnreadablePart,
};
use std::{fmt::Write as _, time::Duration};

/// Longest summary, in characters; the grid shows fewer, and the inspector shows everything.
const LONGEST: usize = 240;

/// One line of words.
pub(super) fn of(kind: &Kind, lasted: Option<&EventDuration>) -> String {
    let words = match (kind, lasted) {
        (Kind::Released { .. }, Some(lasted)) => released(lasted),
        _ => words(kind),
    };
    one_line(&words, LONGEST)
}

/// What was held, for how long and why.
fn released(EventDuration { ms, held, .. }: &EventDuration) -> String {
    let what = held
        .map(|held| format!(" ({}, {})", held.reason, size(held.bytes)))
        .unwrap_or_default();
    format!("released after {}{what}", lasting(*ms))
}

/// An action that an agent asked for.
fn asked_for(action: &JsonAction, outcome: Option<&Outcome>) -> String {
    match outcome {
        Some(outcome) => format!("{}: {}", action.kind, ended(outcome)),
        None => format!("{} asked for", action.kind),
    }
}

/// The result of an action.
fn of_action(kind: &Kind) -> String {
    match kind {
        Kind::ActionRefused(refusal) => {
            format!("{} refused ({}): {}", refusal.name, refusal.code, refusal.detail)
        }
        Kind::ActionStarted(started) => match &started.action.command {
            Some(command) => format!("{} started: {command}", started.action.name),
            None => format!("{} started", started.action.name),
        },
        Kind::ActionEnded(ended) => {
            let exit = ended.exit.map(|exit| format!(", exit status {exit}"));
            let note = ended.note.as_ref().map(|note| format!(", {note}"));
            format!(
                "{} ended: {}{}{}, {} bytes",
                ended.name,
                ended.outcome,
                exit.unwrap_or_default(),
                note.unwrap_or_default(),
                ended.bytes
            )
        }
        Kind::ActionAnswered(answered) => format!(
            "result of action {} to the agent, {} bytes",
            answered.index + 1,
            answered.text.len()
        ),
        _ => String::new(),
    }
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::Started { version, replayed } => started(version, *replayed),
        Kind::Stopped => "stopped in order".into(),
        Kind::ClockJumped { by_ms } => jumped(*by_ms),
        Kind::ChannelState { from, to, by, why } => control::channel_state(*from, *to, by, why),
        Kind::Armed { armed, by } => control::armed(*armed, by),
        Kind::Muted { muted, by } => control::muted(*muted, by),
        Kind::HeldSettled { send, by } => control::settled(*send, by),
        Kind::FaultPlanned {
            number,
            agent,
            fault,
            by,
        } => control::planned(*number, agent.as_deref(), fault, by),
        Kind::FaultRemoved { number, by, .. } => format!("fault {number} removed by {by}"),
        Kind::Faulted { number, op, fault } => control::faulted(*number, *op, fault),
        Kind::Pairing { .. } => pairing(kind),
        Kind::Unreadable(part) => unreadable(part),
        Kind::HookEnded(end) => hook_ended(end),
        Kind::ScheduleSet(_) | Kind::SchedulePaused(_) | Kind::ScheduleSkipped(_) | Kind::ScheduleDue(_) => {
            schedule::words(kind)
        }
        Kind::ReminderSet(_) | Kind::ReminderCancelled(_) | Kind::ReminderDue(_) => reminder::words(kind),
        Kind::DeliveryDue(_)
        | Kind::DeliveryAccepted(_)
        | Kind::DeliveryRefused(_)
        | Kind::TargetDead { .. }
        | Kind::TargetRevived { .. } => delivery_request::words(kind),
        Kind::Received { message } => received(message),
        Kind::Passed { detail, .. } if detail.is_empty() => "passed".into(),
        Kind::Passed { detail, .. } | Kind::Warned { detail } => detail.clone(),
        Kind::Stopping { gate, detail, .. } => said(gate, detail),
        Kind::Queued { .. }
        | Kind::NotSteered { .. }
        | Kind::Evicted { .. }
        | Kind::Joined { .. }
        | Kind::TakenIn { .. }
        | Kind::GroupHistory { .. }
        | Kind::ThreadRead(_)
        | Kind::LinkRead { .. }
        | Kind::RunAgain { .. }
        | Kind::Dequeued { .. } => queue::words(kind),
        Kind::Gathered { .. } | Kind::Understood(_) => files::words(kind),
        Kind::InlineDirectives(_)
        | Kind::SettingsChanged { .. }
        | Kind::Command { .. }
        | Kind::SettingsResolved { .. } => inline::words(kind),
        Kind::Prepared { prompt } => format!("prompt {}", size(prompt.len() as u64)),
        Kind::RunStarted { .. }
        | Kind::Chunk { .. }
        | Kind::Reasoning { .. }
        | Kind::MessageEnded { .. }
        | Kind::Tool { .. }
        | Kind::AgentSession { .. }
        | Kind::PermissionAsked { .. }
        | Kind::PermissionDecided { .. }
        | Kind::RunCancelled { .. }
        | Kind::QueueReordered { .. }
        | Kind::SessionReset { .. }
        | Kind::HistoryRestored { .. }
        | Kind::MemoryFlushed { .. }
        | Kind::HistoryCompacted { .. }
        | Kind::LevelIgnored { .. }
        | Kind::Used { .. }
        | Kind::Retrying { .. }
        | Kind::RunFailed { .. }
        | Kind::RunEnded { .. } => run::words(kind),
        Kind::Decided { range, .. } => decided(range),
        Kind::Held { hold, .. } => said(
            format_args!("{} {}", hold.reason, bytes(hold.span)),
            &hold.because,
        ),
        Kind::Released { .. } => "released".into(),
        Kind::Directive { directive, .. } => read(directive),
        Kind::Skipped { at, outcome, .. } => format!("{}: {}", directive(*at), ended(outcome)),
        Kind::Spoken(words) => spoken(words),
        Kind::HeaderRead { header, .. } => keys(header),
        Kind::Action { action, outcome, .. } => asked_for(action, outcome.as_ref()),
        Kind::ActionRefused(_) | Kind::ActionStarted(_) | Kind::ActionEnded(_) | Kind::ActionAnswered(_) => {
            of_action(kind)
        }
        Kind::Diagnosed { diagnostic, .. } => format!("{}: {}", diagnostic.code, diagnostic.message),
        Kind::Suppressed { reason, .. } => format!("nothing is delivered: {reason}"),
        Kind::Intended { .. }
        | Kind::Waiting { .. }
        | Kind::Attempted { .. }
        | Kind::Refused { .. }
        | Kind::Ended { .. }
        | Kind::Undelivered { .. }
        | Kind::Receipt { .. }
        | Kind::Truncated { .. }
        | Kind::Leaked { .. } => delivery::words(kind),
        Kind::Reviewed { by } => format!("{by} looked at what is unknown"),
        Kind::Idle => "conversation idle".into(),
        Kind::TurnEnded { terminal } => end(terminal),
    }
}

fn pairing(kind: &Kind) -> String {
    match kind {
        Kind::Pairing {
            step,
            sender,
            name,
            code,
            by,
            ..
        } => control::pairing(*step, sender.as_str(), name, code.as_deref(), by),
        _ => String::new(),
    }
}

/// Words that were made into sound.
fn spoken(words: &SpokenDirective) -> String {
    let SpokenDirective {
        at,
        backend,
        duration_ms,
        bytes,
        ..
    } = words;
    let seconds = Duration::from_millis(*duration_ms).as_secs_f64();
    let what = directive(*at);
    format!("{backend} spoke {what}: {seconds:.1} s, {bytes} bytes")
}

fn started(version: &str, replayed: bool) -> String {
    let what = if replayed { " a replay" } else { "" };
    format!("Foldback {version} started{what}")
}

fn directive(at: DirectiveRef) -> String {
    format!("directive {} of message {}", at.index, at.message)
}

fn jumped(by_ms: i64) -> String {
    let seconds = by_ms.unsigned_abs() / 1_000;
    let far = match (seconds / 3_600, seconds / 60 % 60) {
        (0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    };
    if by_ms < 0 {
        format!("system clock set back by {far}")
    } else {
        format!("system clock jumped ahead by {far}: the machine slept, or its time was set")
    }
}

fn received(message: &Inbound) -> String {
    let mut words = format!("{}: {}", message.sender.readable_name(), message.readable_text());
    for file in &message.files {
        let _ = write!(words, " [{}]", file.name);
    }
    words
}

fn decided(range: &Range) -> String {
    let place = bytes(range.span);
    match range.reason {
        Some(reason) => format!("{} {place}: {reason}", range.fate),
        None => format!("{} {place}", range.fate),
    }
}

fn read(directive: &Directive) -> String {
    match directive {
        Directive::React {
            emoji,
            message: Some(message),
            ..
        } => format!("react {emoji} to {message}"),
        Directive::React {
            emoji, message: None, ..
        } => format!("react {emoji}"),
        Directive::SendFile { path, kind, .. } => format!("send-file {path} as {kind}"),
        Directive::Voice { text, .. } => format!("voice: {text}"),
        Directive::SendMessage {
            channel, chat, text, ..
        } => format!("send-message to {channel} {chat}: {text}"),
    }
}

fn keys(header: &Header) -> String {
    let text = |name, value: &Option<String>| value.as_ref().map(|value| format!("{name}={value}"));
    let flag = |name, value: Option<bool>| value.map(|value| format!("{name}={value}"));
    [
        text("reply_to", &header.reply_to),
        flag("ephemeral", header.ephemeral),
        flag("suppress_embeds", header.suppress_embeds),
        flag("silent", header.silent),
        flag("reply_to_current", header.reply_to_current),
        flag("audio_as_voice", header.audio_as_voice),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}

fn end(terminal: &Terminal) -> String {
    match terminal {
        Terminal::Replied => "answered".into(),
        Terminal::Silent {
            reason: SilentReason::NoReply,
        } => "no reply (agent's choice)".into(),
        Terminal::Silent {
            reason: SilentReason::DirectivesOnly,
        } => "no text (directives or actions only)".into(),
        Terminal::Silent { reason } => format!("no reply ({reason})"),
        Terminal::Command { name } => format!("command {name}"),
        Terminal::DirectiveAck => "directives acknowledged".into(),
        Terminal::Dropped => "dropped from the queue".into(),
        Terminal::Summarised { into } => format!("went into a summary for turn {into}"),
        Terminal::Collected { into } => format!("answered together with turn {into}"),
        Terminal::Steered { into } => format!("went into turn {into} while it ran"),
        Terminal::Duplicate => "a duplicate".into(),
        Terminal::Blocked { gate } => format!("blocked: {gate}"),
        Terminal::Failed { detail } => said("failed", detail),
        Terminal::Unknown { detail } => said("unknown", detail),
    }
}

/// What became of telling a hook.
fn hook_ended(end: &HookEnd) -> String {
    let HookEnd {
        hook,
        event,
        done,
        detail,
        attempts,
        left_out,
        ..
    } = end;
    let told = if *done { "told" } else { "could not be told" };
    let tries = if *attempts > 1 {
        format!(" in {attempts} attempts")
    } else {
        String::new()
    };
    let more = match left_out {
        0 => String::new(),
        1 => "; 1 further event was left out".to_owned(),
        count => format!("; {count} further events were left out"),
    };
    format!("hook {hook} {told} of #{event}{tries}: {detail}{more}")
}

/// A part that an adapter could not read.
fn unreadable(part: &UnreadablePart) -> String {
    let UnreadablePart {
        platform,
        what,
        error,
        ..
    } = part;
    format!("a {what} of {platform} cannot be read: {error}")
}
