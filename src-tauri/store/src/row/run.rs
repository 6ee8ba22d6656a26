//! What an event of the agent's run says, in words.

use super::words::{lasting, said};
use crate::kind;
use foldback_wire::{
    Actor, ExpiryRule, KeptSetting, Kind, PermissionOption, RunId, SessionExpiry, StopReason,
};

/// The words of an event of the stage `run`.
pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::RunStarted { run, backend, model } => match model {
            Some(model) => format!("agent run {run} started ({backend}, {model})"),
            None => format!("agent run {run} started ({backend})"),
        },
        Kind::Chunk {
            text, came: Some(_), ..
        } if text.is_empty() => "what came may begin a secret; it is told later".into(),
        Kind::Chunk { text, .. } | Kind::Reasoning { text } => text.clone(),
        Kind::MessageEnded {
            message,
            bytes,
            narration,
            ..
        } => message_ended(*message, *bytes, *narration),
        Kind::Tool { call } => format!("{} {}", call.name, call.status),
        Kind::AgentSession {
            backend,
            id,
            start,
            detail,
        } => said(format_args!("{backend} session {id}: {start}"), detail),
        Kind::PermissionAsked { request, .. } => format!("needs permission: {}", request.title),
        Kind::PermissionDecided { option, by, why, .. } => permission(option.as_ref(), by, why),
        Kind::RunCancelled {
            by,
            interrupted_by: None,
        } => format!("stopped by {by}"),
        Kind::RunCancelled {
            by,
            interrupted_by: Some(turn),
        } => format!("stopped: turn {turn} of {by} interrupts it (queue.mode)"),
        Kind::QueueReordered { turns, by } => {
            let turns: Vec<_> = turns.iter().map(|turn| format!("#{turn}")).collect();
            format!("queue reordered by {by}: {}", turns.join(", "))
        }
        Kind::SessionReset {
            by,
            agent,
            expired,
            kept,
        } => reset(by, agent.as_deref(), expired.as_ref(), kept),
        Kind::HistoryRestored {
            turns,
            tokens,
            left_out,
            summarised,
        } => {
            let summary = if *summarised { "a summary and " } else { "" };
            let older = if *left_out { ", older ones left out" } else { "" };
            let noun = if *turns == 1 { "turn" } else { "turns" };
            format!("conversation restored: {summary}{turns} {noun}, {tokens} tokens{older}")
        }
        Kind::MemoryFlushed {
            run,
            tools,
            took_ms,
            failure,
            ..
        } => memory_flushed(*run, tools.len(), *took_ms, failure.as_deref()),
        Kind::HistoryCompacted {
            by,
            summarised,
            kept,
            tokens_before,
            tokens_after,
            flushed,
            ..
        } => {
            let memory = match flushed {
                Some(true) => ", memory written down before",
                Some(false) => ", memory not written down before",
                None => "",
            };
            format!(
                "conversation compacted by {by}: {summarised} answers in a summary, {kept} kept, {tokens_before} \
                 tokens became {tokens_after}{memory}"
            )
        }
        Kind::Used { usage } => format!("{} tokens in, {} out", usage.input, usage.output),
        Kind::LevelIgnored { level, asked, why } => said(format_args!("{level} {asked} is not set"), why),
        Kind::Retrying {
            attempt,
            after_ms,
            detail,
            next,
        } => match next {
            Some(next) => format!("attempt {attempt}, now {next}: {detail}"),
            None => format!("attempt {attempt} in {}: {detail}", lasting(*after_ms)),
        },
        Kind::RunFailed { fault, detail, .. } => said(fault, detail),
        Kind::RunEnded { run, reason } => match reason {
            StopReason::End => format!("agent run {run} ended"),
            StopReason::Error => format!("agent run {run} failed"),
            other => format!("agent run {run} ended: {other}"),
        },
        other => kind::code(other).replace('_', " "),
    }
}

fn memory_flushed(run: RunId, tools: usize, took_ms: u64, failure: Option<&str>) -> String {
    let took = lasting(took_ms);
    match failure {
        Some(why) => said(
            format_args!("memory not written down (agent run {run}, {took})"),
            why,
        ),
        None => format!("memory written down (agent run {run}, {took}, tool calls: {tools})"),
    }
}

fn message_ended(message: u32, bytes: usize, narration: bool) -> String {
    let why = if narration {
        ", narration before a tool"
    } else {
        ""
    };
    format!("message {message}, {bytes} bytes{why}")
}

fn permission(option: Option<&PermissionOption>, by: &Actor, why: &str) -> String {
    let decided = match option {
        Some(option) => format!("{} by {by}", option.name),
        None => format!("no answer is given by {by}"),
    };
    said(decided, why)
}

fn reset(by: &Actor, agent: Option<&str>, expired: Option<&SessionExpiry>, kept: &[KeptSetting]) -> String {
    let mut words = match expired {
        None => format!("conversation reset by {by}"),
        Some(SessionExpiry { rule, last_used, at }) => {
            let why = match rule {
                ExpiryRule::Daily => "a new one begins every day",
                ExpiryRule::Idle => "nothing was said for too long",
            };
            format!("conversation reset: {why} (last used {last_used}, over at {at})")
        }
    };
    if !kept.is_empty() {
        let kept: Vec<_> = kept
            .iter()
            .map(|kept| format!("{} {}", kept.setting, kept.value))
            .collect();
        words = format!("{words}, kept: {}", kept.join(", "));
    }
    if let Some(id) = agent {
        words = format!("{words} (session {id} of the agent)");
    }
    words
}
