//! What the agent did, and what that means for the answer.

use super::{Explanation, bytes, history};
use foldback_wire::{Fault, Kind, SessionStart, Stage, Terminal, ToolStatus};

const NOTHING: &str = "Nothing changes in the chat.";

/// Explains a step of the agent's run, or the turn's end. Where its actions are its answer, `verdict` is the sentence of that
/// end.
pub(super) fn explain(kind: &Kind, verdict: Option<&str>) -> Option<Explanation> {
    Some(match kind {
        Kind::RunStarted { run, backend, model } => {
            run_step("The answer begins with the agent's first text.")
                .with("run", run)
                .with("backend", backend)
                .with_known("model", model.as_ref())
        }
        Kind::Chunk { span, .. } => {
            let about = "Text of the agent. The scanner decides about each of its bytes.";
            Explanation::new(
                "chunk",
                about,
                "The user sees nothing of it before the scanner decides.",
            )
            .with("size", bytes(span.len()))
        }
        Kind::MessageEnded {
            bytes: size,
            narration,
            ..
        } => {
            let effect = "Nothing more follows in this message; what was still open is decided.";
            let why = if *narration {
                "a tool call follows"
            } else {
                "the run ended"
            };
            Explanation::new("G2.scope", foldback_directives::Rule::Scope.about(), effect)
                .with("size", bytes(size))
                .with("ended because", why)
        }
        Kind::Reasoning { text } => {
            run_step("Reasoning is never sent; the user does not see it.").with("thought", text)
        }
        Kind::RunCancelled { by, interrupted_by } => run_step("The agent says no more in this turn.")
            .with("stopped by", by)
            .with_known("interrupted by turn", interrupted_by.as_ref()),
        Kind::LevelIgnored { level, asked, why } => {
            Explanation::new(level.code(), level.about(), "The run goes on without it.")
                .with("asked for", asked)
                .with("why", why)
        }
        Kind::HistoryRestored { .. } | Kind::MemoryFlushed { .. } | Kind::HistoryCompacted { .. } => {
            history::explain(kind)?
        }
        Kind::Used { usage } => run_step(NOTHING)
            .with("tokens read", usage.input)
            .with("tokens written", usage.output),
        Kind::Retrying {
            attempt,
            after_ms,
            detail,
            next,
        } => run_step("The user waits; what was shown so far stays.")
            .with("attempt", attempt)
            .with("begins in", format_args!("{after_ms} ms"))
            .with_known("asks", next.as_ref())
            .with("why", detail),
        Kind::Faulted {
            number,
            op: None,
            fault,
        } => planned(
            *number,
            fault,
            "What the agent does next is the planned fault's work.",
        ),
        Kind::RunFailed { fault, detail, .. } => {
            let effect = "The agent says no more in this run.";
            Explanation::new(fault.code(), fault.about(), effect).with("why", detail)
        }
        Kind::RunEnded { run, reason } => {
            let effect = "No text follows from this run. What is not delivered yet still is.";
            Explanation::new(reason.code(), reason.about(), effect).with("run", run)
        }
        Kind::Idle => {
            let about = "The run is over and its deliveries are done.";
            Explanation::new("idle", about, "The next message of the conversation can begin.")
        }
        Kind::TurnEnded { terminal } => ended(terminal, verdict),
        _ => return beside(kind),
    })
}

/// What is to be said of what the agent does beside writing.
fn beside(kind: &Kind) -> Option<Explanation> {
    Some(match kind {
        Kind::Tool { call } => Explanation::new(
            call.status.code(),
            call.status.about(),
            if call.status == ToolStatus::Unfinished {
                "The turn goes on without its end."
            } else {
                NOTHING
            },
        )
        .with("tool", &call.name)
        .with_known("arguments", call.arguments.as_ref())
        .with_known("result", call.result.as_ref()),
        Kind::AgentSession {
            backend,
            id,
            start,
            detail,
        } => {
            let effect = match start {
                SessionStart::Lost => "The agent does not remember what was said before.",
                SessionStart::New | SessionStart::Resumed => NOTHING,
            };
            Explanation::new(start.code(), start.about(), effect)
                .with("backend", backend)
                .with("session", id)
                .with("why", detail)
        }
        Kind::PermissionAsked { request, .. } => {
            let about = "The agent asks before it uses a tool.";
            Explanation::new(
                "permission",
                about,
                "The answer waits until a person or a setting decides.",
            )
            .with("asks", &request.title)
            .with("does", &request.does)
            .with_known("arguments", request.arguments.as_ref())
        }
        Kind::PermissionDecided { option, by, why, .. } => {
            let effect = if option.is_some() {
                "The run goes on with this answer."
            } else {
                "The tool is not used."
            };
            Explanation::new("permission", "The agent asks before it uses a tool.", effect)
                .with_known("answer", option.as_ref().map(|option| &option.name))
                .with("decided by", by)
                .with("why", why)
        }
        _ => return None,
    })
}

fn run_step(effect: &str) -> Explanation {
    Explanation::new(Stage::Run.code(), Stage::Run.about(), effect)
}

/// A planned fault that hits.
pub(super) fn planned(number: u64, fault: &Fault, effect: &str) -> Explanation {
    Explanation::new("planned_fault", "A person planned that this goes wrong.", effect)
        .with("fault", number)
        .with("goes wrong", fault)
}

fn ended(terminal: &Terminal, verdict: Option<&str>) -> Explanation {
    let about = "How the turn ended. Nothing of it changes any more, but what a platform reports later.";
    let told = |effect: &str| Explanation::new("turn_end", about, effect);
    if let Some(verdict) = verdict {
        return told(&format!("{verdict}."));
    }
    match terminal {
        Terminal::Replied => told("The user got an answer."),
        Terminal::Silent { reason } => told("The user gets no text, on purpose.").with("why", reason.about()),
        Terminal::Command { name } => told("A command answered.").with("command", name),
        Terminal::DirectiveAck => told("The user's directives were stored and acknowledged."),
        Terminal::Dropped => told("The message got no answer: it was dropped while it waited."),
        Terminal::Summarised { into } => {
            told("The agent was given a summary of the message, as the queue was full.").with("turn", into)
        }
        Terminal::Collected { into } => {
            told("The message was answered together with others.").with("turn", into)
        }
        Terminal::Steered { into } => {
            told("The message went into the turn that was running.").with("turn", into)
        }
        Terminal::Duplicate => told("The message was answered before."),
        Terminal::Blocked { gate } => told("The user gets no answer.")
            .with("stopped by", gate)
            .with("why", gate.about()),
        Terminal::Failed { detail } => told("The turn failed.").with("why", detail),
        Terminal::Unknown { detail } => {
            told("Nobody knows whether all of the answer arrived.").with("why", detail)
        }
    }
}
