//! What an event says, in one line of words.

use super::run;
use crate::{EventDuration, kind as kinds};
use foldback_wire::{
    Actor, Body, ChannelState, Directive, DirectiveRef, Fault, Header, HoldReason, Inbound, Intent, Kind,
    OpId, Outcome, PairingStep, Range, SilentReason, Span, SpokenDirective, Terminal, Timestamp,
    UnreadablePart, visible,
};
use std::{fmt::Write as _, time::Duration};

/// Longest summary, in characters; the grid shows fewer, and the inspector shows everything.
const LONGEST: usize = 240;

/// A text in one line: control characters as their pictures, other invisible ones written out, shortened at `limit`
/// characters.
pub fn one_line(text: &str, limit: usize) -> String {
    let pictures: String = text.chars().take(limit + 1).map(picture).collect();
    let shown = visible(&pictures);
    let mut chars = shown.chars();
    let mut line: String = chars.by_ref().take(limit).collect();
    if chars.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

/// Unicode has a picture for every C0 control character, and for delete.
fn picture(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(c),
        0x7F => '␡',
        _ => c,
    }
}

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

/// A number of bytes, with the thousands apart.
pub(super) fn size(bytes: u64) -> String {
    let digits = bytes.to_string();
    let mut apart = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    apart + " B"
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::Started {
            version,
            replayed: false,
        } => format!("Foldback {version} started"),
        Kind::Started { version, .. } => format!("Foldback {version} started a replay"),
        Kind::Stopped => "stopped in order".into(),
        Kind::ClockJumped { by_ms } => jumped(*by_ms),
        Kind::ChannelState { from, to, by, why } => channel_state(*from, *to, by, why),
        Kind::Armed { armed: true, by } => format!("armed by {}: sends for real", who(by)),
        Kind::Armed { armed: false, by } => format!("disarmed by {}: dry run", who(by)),
        Kind::Muted { muted: true, by } => format!("all outbound muted by {}", who(by)),
        Kind::Muted { muted: false, by } => format!("outbound unmuted by {}", who(by)),
        Kind::HeldSettled { send, by } => settled(*send, by),
        Kind::FaultPlanned {
            number,
            agent,
            fault,
            by,
        } => planned(*number, agent.as_deref(), fault, by),
        Kind::FaultRemoved { number, by, .. } => format!("fault {number} removed by {}", who(by)),
        Kind::Faulted { number, op, fault } => faulted(*number, *op, fault),
        Kind::Pairing {
            step,
            sender,
            name,
            code,
            by,
            ..
        } => pairing(*step, sender.as_str(), name, code.as_deref(), by),
        Kind::Unreadable(part) => unreadable(part),
        Kind::Received { message } => received(message),
        Kind::Passed { detail, .. } if detail.is_empty() => "passed".into(),
        Kind::Passed { detail, .. } | Kind::Warned { detail } => detail.clone(),
        Kind::Stopping { gate, detail, .. } => said(gate, detail),
        Kind::Queued {
            needs_consent: true, ..
        } => "waits for a person: it waited over a stop for longer than outbox.max_age".into(),
        Kind::Queued { position, runs, .. } => queued(*position, *runs),
        Kind::Dequeued { waited_ms } => format!("begins after {} in the queue", lasting(*waited_ms)),
        Kind::Gathered {
            name,
            fate,
            why,
            heard,
            ..
        } => said(format_args!("{name}: {fate}"), heard.as_ref().unwrap_or(why)),
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
        | Kind::SessionReset { .. }
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
        Kind::Spoken(SpokenDirective {
            at,
            backend,
            duration_ms,
            bytes,
            ..
        }) => {
            let seconds = Duration::from_millis(*duration_ms).as_secs_f64();
            let what = directive(*at);
            format!("{backend} spoke {what}: {seconds:.1} s, {bytes} bytes")
        }
        Kind::HeaderRead { header, .. } => keys(header),
        Kind::Action { action, outcome, .. } => format!("{}: {}", action.kind, ended(outcome)),
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
        | Kind::Leaked { .. } => delivery(kind),
        Kind::Reviewed { by } => format!("{} looked at what is unknown", who(by)),
        Kind::Idle => "conversation idle".into(),
        Kind::TurnEnded { terminal } => end(terminal),
    }
}

/// The words of what a delivery does.
fn delivery(kind: &Kind) -> String {
    match kind {
        Kind::Intended { op, intent } => format!("op {op} {}", intended(intent)),
        Kind::Waiting { op, reason, until } => waiting(op.map(|op| op.0), *reason, *until),
        Kind::Truncated {
            messages,
            bytes,
            stopped,
            file,
            detail,
        } => {
            let stop = if *stopped { "; the run was stopped" } else { "" };
            let kept = format!("{bytes} bytes beyond the {messages} messages of the turn");
            // Its folder is for this one file, with a name that tells nothing.
            let name = file.as_ref().map(|file| file.rsplit('/').next().unwrap_or(file));
            match (name, detail) {
                (Some(name), _) => format!("{kept} are sent as {name}{stop}"),
                (None, Some(why)) => format!("{kept} are not sent: {why}{stop}"),
                (None, None) => format!("{kept} are not sent{stop}"),
            }
        }
        Kind::Attempted { op, attempt } => format!("op {op} → platform, attempt {attempt}"),
        Kind::Refused {
            op,
            refusal,
            detail,
            retry_at,
        } => {
            let again = retry_at
                .map(|at| format!("; again at {}", clock(at)))
                .unwrap_or_default();
            format!("op {op} {}{again}", said(refusal, detail))
        }
        Kind::Ended { op, outcome } => format!("op {op} {}", ended(outcome)),
        Kind::Undelivered {
            op, refusal, detail, ..
        } => format!("op {op} did not arrive: {}", said(refusal, detail)),
        Kind::Receipt {
            op, receipt, when, ..
        } => format!("op {op} {receipt} at {}", clock(*when)),
        Kind::Leaked { op, message, span } => format!("op {op} showed {} of message {message}", bytes(*span)),
        other => kinds::code(other).replace('_', " "),
    }
}

fn directive(at: DirectiveRef) -> String {
    format!("directive {} of message {}", at.index, at.message)
}

/// A place in a queue, where it waits for one of so many runs to end.
fn queued(position: u32, runs: Option<u32>) -> String {
    let place = format!("waits at place {position}");
    match runs {
        None => place,
        Some(1) => format!("{place}: 1 run is under way, as many as agent.max_runs allows"),
        Some(runs) => format!("{place}: {runs} runs are under way, as many as agent.max_runs allows"),
    }
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

/// The state that a channel is in now; who brought that about, where it was a person; and why, where there is more to say.
fn channel_state(from: ChannelState, to: ChannelState, by: &Actor, why: &str) -> String {
    let state = match to {
        ChannelState::Up if from == to => "up".to_owned(),
        ChannelState::Up => "connected".to_owned(),
        other => other.code().replace('_', " "),
    };
    let still = if from == to { "still " } else { "" };
    let by = match by {
        Actor::Console | Actor::Cli | Actor::User(_) => who(by),
        Actor::Config | Actor::Adapter | Actor::Pipeline => String::new(),
    };
    let why = if why == state { "" } else { why };
    let about: Vec<_> = [by.as_str(), why]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if about.is_empty() {
        format!("{still}{state}")
    } else {
        format!("{still}{state} ({})", about.join(": "))
    }
}

fn settled(send: bool, by: &Actor) -> String {
    let how = if send { "let go" } else { "given up" };
    format!("what was held for too long is {how} by {}", who(by))
}

fn planned(number: u64, agent: Option<&str>, fault: &Fault, by: &Actor) -> String {
    let agent = agent.map(|agent| format!("{agent}: ")).unwrap_or_default();
    format!("fault {number} planned by {}: {agent}{fault}", who(by))
}

fn faulted(number: u64, op: Option<OpId>, fault: &Fault) -> String {
    let op = op.map(|op| format!("op {op} ")).unwrap_or_default();
    format!("{op}goes wrong as planned, fault {number}: {fault}")
}

/// A code, and what is to be said about it.
pub(super) fn said(code: impl std::fmt::Display, detail: &str) -> String {
    if detail.is_empty() {
        code.to_string()
    } else {
        format!("{code}: {detail}")
    }
}

/// Who did something, in words.
pub fn who(actor: &Actor) -> String {
    match actor {
        Actor::Console => "the console".into(),
        Actor::Cli => "the command line".into(),
        Actor::Config => "the configuration".into(),
        Actor::Adapter => "the adapter".into(),
        Actor::Pipeline => "the pipeline".into(),
        Actor::User(user) => user.to_string(),
    }
}

fn pairing(step: PairingStep, sender: &str, name: &str, code: Option<&str>, by: &Actor) -> String {
    let code = code.unwrap_or_default();
    match step {
        PairingStep::Requested => format!("{name} ({sender}) is unknown and gets the code {code}"),
        PairingStep::Replaced => format!(
            "the request of {name} ({sender}) gave way to a newer one, of {}",
            who(by)
        ),
        PairingStep::Approved => format!("{name} ({sender}) is approved by {}", who(by)),
        PairingStep::Refused => format!("{name} ({sender}) is refused by {}", who(by)),
        PairingStep::Revoked => format!("the approval of {name} ({sender}) is taken back by {}", who(by)),
    }
}

fn received(message: &Inbound) -> String {
    let mut words = format!("{}: {}", message.sender.readable_name(), message.readable_text());
    for file in &message.files {
        let _ = write!(words, " [{}]", file.name);
    }
    words
}

fn bytes(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
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

fn intended(intent: &Intent) -> String {
    let mut words = format!("{} to {}", intent.kind, intent.target.chat);
    let about = [&intent.emoji, &intent.path].into_iter().flatten();
    for thing in about {
        let _ = write!(words, " {thing}");
    }
    match &intent.body {
        Some(Body::Literal { text, .. } | Body::Aside { text }) => {
            let _ = write!(words, ": {text}");
        }
        Some(Body::Clean { message, span }) => {
            let _ = write!(words, ": text {} of message {message}", bytes(*span));
        }
        None => {}
    }
    if intent.live {
        words.push_str(" (streaming)");
    }
    words
}

fn waiting(op: Option<u64>, reason: HoldReason, until: Option<Timestamp>) -> String {
    use HoldReason as H;
    let op = op.map(|op| format!("op {op}: ")).unwrap_or_default();
    let what = match reason {
        H::EditInterval => match until {
            Some(at) => {
                return format!(
                    "{op}next edit at {} (edit_interval: pause between edits)",
                    clock(at)
                );
            }
            None => "waiting for the next edit (edit_interval: pause between edits)".to_owned(),
        },
        H::ChannelCannotEdit => "waiting for the whole text (channel_cannot_edit)".to_owned(),
        H::RateLimited => "waiting as the platform asked (rate_limited)".to_owned(),
        H::ChannelOff => "waiting for the channel (channel_off: off, muted or not connected)".to_owned(),
        H::HumanDelay => "pause between messages (human_delay)".to_owned(),
        H::Debounce => "waiting for more messages (debounce)".to_owned(),
        other => format!("waiting: {other}"),
    };
    let until = until
        .map(|at| format!(", until {}", clock(at)))
        .unwrap_or_default();
    format!("{op}{what}{until}")
}

fn ended(outcome: &Outcome) -> String {
    let message = outcome
        .message
        .as_ref()
        .map(|id| format!(" (message {id})"))
        .unwrap_or_default();
    let instead = outcome
        .replaced_by
        .map(|op| format!("op {op} was done in its place"));
    let detail: Vec<_> = outcome.detail.clone().into_iter().chain(instead).collect();
    said(format_args!("{}{message}", outcome.code), &detail.join("; "))
}

fn end(terminal: &Terminal) -> String {
    match terminal {
        Terminal::Replied => "answered".into(),
        Terminal::Silent {
            reason: SilentReason::NoReply,
        } => "no reply (agent's choice)".into(),
        Terminal::Silent { reason } => format!("no reply ({reason})"),
        Terminal::Command { name } => format!("command {name}"),
        Terminal::DirectiveAck => "directives acknowledged".into(),
        Terminal::Dropped => "dropped from the queue".into(),
        Terminal::Summarised => "went into a summary".into(),
        Terminal::Steered => "went into the running turn".into(),
        Terminal::Duplicate => "a duplicate".into(),
        Terminal::Blocked { gate } => format!("blocked: {gate}"),
        Terminal::Failed { detail } => said("failed", detail),
        Terminal::Unknown { detail } => said("unknown", detail),
    }
}

/// Time of day, as the grid shows it.
fn clock(at: Timestamp) -> String {
    let at = at.to_string();
    at.split_once('T')
        .map_or(at.clone(), |(_, time)| time.trim_end_matches('Z').to_owned())
}

/// A length of time, in the unit that suits it.
pub(super) fn lasting(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
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
