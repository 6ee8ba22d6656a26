//! An event as a line for a person: stage, type, words, size and marks.

mod control;
mod delivery;
mod delivery_request;
mod files;
mod inline;
mod queue;
mod reminder;
mod run;
mod schedule;
mod summary;
mod words;

pub use words::one_line;

use crate::{EventDuration, kind};
use foldback_wire::{
    Body, ChannelId, ChannelState, DeliveryOutcome, Event, HookEnd, Kind, MessageId, Outcome, OutcomeCode,
    ScheduleSkip, ScheduleSkipped, SessionId, SessionStart, Severity, Span, StopReason, Terminal, ToolStatus,
    UnderstoodFile,
    rpc::{EventRow, RowFlag},
};

/// An event as a row, with the marks that it bears itself; [`crate::Scene::row`] adds those of its time. `lasted` is what
/// [`crate::Journal::durations`] knows of it.
pub fn row(event: &Event, lasted: Option<&EventDuration>) -> EventRow {
    EventRow {
        seq: event.seq.0,
        at: event.at,
        turn: event.turn,
        channel: event.channel.clone(),
        session: event.session.clone(),
        stage: kind::stage(event).to_owned(),
        kind: kind::code(&event.kind).to_owned(),
        summary: summary::of(&event.kind, lasted),
        lasted_ms: lasted.map(|lasted| lasted.ms),
        bytes: bytes(&event.kind),
        flags: flags(&event.kind),
        gap: None,
    }
}

/// The row of `count` events from `seq` on that a live view could not keep up with.
pub(crate) fn gap(seq: u64, count: u64, at: foldback_wire::Timestamp) -> EventRow {
    EventRow {
        seq,
        at,
        turn: None,
        channel: None,
        session: None,
        stage: kind::PROCESS.to_owned(),
        kind: "gap".to_owned(),
        summary: format!("{count} events were not looked at: they came faster than this filter could follow"),
        bytes: None,
        lasted_ms: None,
        flags: vec![RowFlag::Warning],
        gap: Some(count),
    }
}

/// How many bytes an event is about.
pub(crate) fn bytes(kind: &Kind) -> Option<u64> {
    let of = |span: Span| span.end.saturating_sub(span.start);
    let bytes = match kind {
        Kind::Received { message } => match message.omitted {
            Some(omitted) => return Some(omitted.bytes),
            None => message.text.len(),
        },
        Kind::Unreadable(part) => return Some(part.bytes),
        Kind::Gathered { bytes, .. } => return *bytes,
        Kind::LinkRead { bytes, .. } | Kind::Understood(UnderstoodFile { bytes, .. }) => return Some(*bytes),
        Kind::Prepared { prompt } => prompt.len(),
        Kind::Chunk { span, .. } | Kind::Leaked { span, .. } => of(*span),
        Kind::MessageEnded { bytes, .. } | Kind::Truncated { bytes, .. } => *bytes,
        Kind::Reasoning { text } => text.len(),
        Kind::Decided { range, .. } => of(range.span),
        Kind::Held { hold, .. } => of(hold.span),
        Kind::Directive { directive, .. } => of(directive.span()),
        Kind::Action { action, .. } => of(action.span),
        Kind::Diagnosed { diagnostic, .. } => of(diagnostic.span),
        Kind::Intended { intent, .. } => match intent.body.as_ref()? {
            Body::Clean { span, .. } => of(*span),
            Body::Literal { text, .. } | Body::Aside { text } => text.len(),
        },
        _ => return None,
    };
    Some(bytes as u64)
}

/// The kinds of events that may be an error by themselves.
pub(crate) const MAY_BE_ERRORS: [&str; 11] = [
    "run_failed",
    "run_ended",
    "turn_ended",
    "undelivered",
    "unreadable",
    "channel_state",
    "leaked",
    "ended",
    "skipped",
    "action",
    "diagnosed",
];

/// True for an event that is an error by itself. What a person stopped is none all the same; [`crate::Scene`] knows.
pub(crate) fn is_error(kind: &Kind) -> bool {
    flags(kind).contains(&RowFlag::Error)
}

/// The marks that an event bears itself.
pub(crate) fn flags(kind: &Kind) -> Vec<RowFlag> {
    match kind {
        Kind::RunFailed { .. }
        | Kind::RunEnded {
            reason: StopReason::Error,
            ..
        }
        | Kind::TurnEnded {
            terminal: Terminal::Failed { .. } | Terminal::Unknown { .. },
        }
        | Kind::Undelivered { .. }
        | Kind::Unreadable { .. }
        | Kind::ChannelState {
            to: ChannelState::Down,
            ..
        } => vec![RowFlag::Error],
        Kind::Leaked { .. } => vec![RowFlag::Error, RowFlag::Leaked],
        Kind::Ended { outcome, .. }
        | Kind::Skipped { outcome, .. }
        | Kind::Action {
            outcome: Some(outcome),
            ..
        } => of_outcome(outcome),
        Kind::ActionEnded(ended) if ended.outcome == DeliveryOutcome::Error => vec![RowFlag::Warning],
        Kind::Diagnosed { diagnostic, .. } => match diagnostic.severity {
            Severity::Error => vec![RowFlag::Error],
            Severity::Warning => vec![RowFlag::Warning],
            Severity::Note => Vec::new(),
        },
        Kind::Held { .. } | Kind::Waiting { .. } => vec![RowFlag::Held],
        Kind::Warned { .. }
        | Kind::ClockJumped { .. }
        | Kind::Refused { .. }
        | Kind::Faulted { .. }
        | Kind::LevelIgnored { .. }
        | Kind::HookEnded(HookEnd { done: false, .. })
        | Kind::ScheduleSkipped(ScheduleSkipped {
            reason: ScheduleSkip::Unreadable,
            ..
        })
        | Kind::Retrying { .. }
        | Kind::ChannelState {
            to: ChannelState::Degraded | ChannelState::RateLimited,
            ..
        } => {
            vec![RowFlag::Warning]
        }
        Kind::ActionRefused(_) => vec![RowFlag::Warning, RowFlag::Refused],
        Kind::Truncated { .. }
        | Kind::LinkRead { text: None, .. }
        | Kind::MemoryFlushed { failure: Some(_), .. }
        | Kind::Understood(UnderstoodFile { text: None, .. })
        | Kind::AgentSession {
            start: SessionStart::Lost,
            ..
        } => vec![RowFlag::Warning],
        Kind::Gathered { fate, .. } if !fate.reached() => vec![RowFlag::Warning],
        Kind::Tool { call } if call.status == ToolStatus::Failed => vec![RowFlag::Warning],
        _ => vec![],
    }
}

fn of_outcome(outcome: &Outcome) -> Vec<RowFlag> {
    match outcome.code {
        OutcomeCode::Failed | OutcomeCode::Unknown if outcome.is_dead() => vec![RowFlag::Error],
        // Something else was done in its place, or nothing could be.
        OutcomeCode::Failed
        | OutcomeCode::Unknown
        | OutcomeCode::Unsupported
        | OutcomeCode::NotAllowed
        | OutcomeCode::Missing => vec![RowFlag::Warning],
        OutcomeCode::DryRun => vec![RowFlag::DryRun],
        OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::Cancelled => vec![],
    }
}

/// Calls `see` with everything an event says in words, the whole texts included, until it returns true.
pub(crate) fn any_text(
    event: &Event,
    lasted: Option<&EventDuration>,
    mut see: impl FnMut(&str) -> bool,
) -> bool {
    let ids = [
        event.channel.as_ref().map(ChannelId::as_str),
        event.session.as_ref().map(SessionId::as_str),
    ];
    let code = kind::code(&event.kind);
    ids.into_iter()
        .flatten()
        .chain([code, kind::stage(event)])
        .any(&mut see)
        || texts(&event.kind).into_iter().any(&mut see)
        || see(&summary::of(&event.kind, lasted))
}

/// Texts of the run in which the agent could write its memory down.
fn texts_of_flush(kind: &Kind) -> Vec<&str> {
    let Kind::MemoryFlushed {
        prompt,
        answer,
        tools,
        failure,
        ..
    } = kind
    else {
        return Vec::new();
    };
    let calls = tools
        .iter()
        .flat_map(|call| [Some(&call.name), call.arguments.as_ref(), call.result.as_ref()]);
    let texts = calls.chain([Some(prompt), Some(answer), failure.as_ref()]);
    texts.flatten().map(String::as_str).collect()
}

fn texts_of_action(kind: &Kind) -> Vec<&str> {
    match kind {
        Kind::ActionRefused(refusal) => {
            let findings = refusal.findings.iter();
            let words = findings.flat_map(|finding| [&finding.at, &finding.problem, &finding.change]);
            [&refusal.name, &refusal.detail]
                .into_iter()
                .chain(words)
                .map(String::as_str)
                .collect()
        }
        Kind::ActionStarted(started) => {
            let action = &started.action;
            std::iter::once(&action.name)
                .chain(&action.command)
                .map(String::as_str)
                .collect()
        }
        Kind::ActionEnded(ended) => std::iter::once(&ended.name)
            .chain(&ended.note)
            .map(String::as_str)
            .collect(),
        Kind::ActionAnswered(answered) => vec![&answered.text],
        _ => Vec::new(),
    }
}

/// Texts that a summary shortens.
fn texts(kind: &Kind) -> Vec<&str> {
    match kind {
        Kind::Received { message } => {
            let names = [
                message.sender.id.as_str(),
                &message.sender.name,
                &message.sender.display_name,
            ];
            let files = message.files.iter().map(|file| file.name.as_str());
            [
                message.text.as_str(),
                message.message.as_str(),
                message.chat.as_str(),
            ]
            .into_iter()
            .chain(names)
            .chain(files)
            .collect()
        }
        Kind::Unreadable(part) => vec![&part.what, &part.error, &part.raw],
        Kind::Gathered { name, why, heard, .. } => {
            let heard = heard.as_deref().unwrap_or_default();
            vec![name, why, heard]
        }
        Kind::Understood(UnderstoodFile {
            name, by, text, why, ..
        }) => vec![name, by, text.as_deref().unwrap_or_default(), why],
        Kind::LinkRead { link, text, why, .. } => vec![link, text.as_deref().unwrap_or_default(), why],
        Kind::Prepared { prompt } => vec![prompt],
        Kind::Chunk { text, .. } | Kind::Reasoning { text } => vec![text],
        Kind::Stopping {
            detail,
            inputs,
            setting,
            ..
        } => [detail]
            .into_iter()
            .chain(inputs.values())
            .chain(setting)
            .map(String::as_str)
            .collect(),
        Kind::Tool { call } => [&call.arguments, &call.result]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect(),
        Kind::AgentSession { id, detail, .. } => vec![id, detail],
        Kind::PermissionAsked { request, .. } => [&request.title, &request.does]
            .into_iter()
            .chain(&request.arguments)
            .chain(request.options.iter().map(|option| &option.name))
            .map(String::as_str)
            .collect(),
        Kind::PermissionDecided { why, .. } | Kind::NotSteered { why, .. } => vec![why],
        Kind::TakenIn {
            sender,
            text,
            message,
            ..
        } => vec![sender, text, message.as_str()],
        Kind::GroupHistory { messages } => messages
            .iter()
            .flat_map(|message| [&*message.sender, &*message.text, message.id.as_str()])
            .collect(),
        Kind::ThreadRead(read) => read.thread.texts().collect(),
        Kind::Truncated { file, detail, .. } => file.iter().chain(detail).map(String::as_str).collect(),
        Kind::MemoryFlushed { .. } => texts_of_flush(kind),
        Kind::HistoryCompacted { summary, .. } => vec![summary],
        Kind::SessionReset { agent, kept, .. } => {
            let kept = kept.iter().flat_map(|kept| [&kept.setting, &kept.value]);
            agent.iter().chain(kept).map(String::as_str).collect()
        }
        Kind::Held { hold, .. } => vec![&hold.rule, &hold.because, &hold.releases],
        Kind::Action { action, .. } => vec![&action.payload],
        Kind::ActionRefused(_) | Kind::ActionStarted(_) | Kind::ActionEnded(_) | Kind::ActionAnswered(_) => {
            texts_of_action(kind)
        }
        Kind::Intended { intent, .. } => {
            let body = match &intent.body {
                Some(Body::Literal { text, .. } | Body::Aside { text }) => Some(text.as_str()),
                _ => None,
            };
            let ids = [&intent.message, &intent.reply_to]
                .into_iter()
                .flatten()
                .map(MessageId::as_str);
            ids.chain(body).chain([intent.target.chat.as_str()]).collect()
        }
        Kind::Undelivered { message, detail, .. } => vec![message.as_str(), detail],
        Kind::Receipt { message, .. } => vec![message.as_str()],
        Kind::Ended { outcome, .. } | Kind::Skipped { outcome, .. } => outcome
            .messages()
            .map(MessageId::as_str)
            .chain(outcome.detail.as_deref())
            .collect(),
        _ => vec![],
    }
}
