//! What the agent remembers of a conversation, and how that changed.

use super::Explanation;
use foldback_wire::Kind;

/// What is to be said of a change of the conversation that the agent remembers.
pub(super) fn explain(kind: &Kind) -> Option<Explanation> {
    Some(match kind {
        Kind::HistoryRestored {
            turns,
            tokens,
            left_out,
            summarised,
        } => Explanation::new(
            "history_restored",
            "The agent remembered nothing of this conversation, as after a restart.",
            "It is given the conversation as the journal has it, within agent.context_tokens.",
        )
        .with("turns", turns)
        .with("tokens", tokens)
        .with("a summary stands before them", yes_or_no(*summarised))
        .with("older turns were left out", yes_or_no(*left_out)),
        Kind::MemoryFlushed { .. } => memory_flush(kind)?,
        Kind::HistoryCompacted {
            by,
            summary,
            summarised,
            kept,
            tokens_before,
            tokens_after,
            usage,
            flushed,
        } => Explanation::new(
            "history_compacted",
            "The conversation takes more of the model's context than agent.compact_at allows, or a person asked for it.",
            "From here on the summary stands in the place of what it summarises.",
        )
        .with("by", by)
        .with("answers in the summary", summarised)
        .with("answers kept word for word", kept)
        .with("tokens before", tokens_before)
        .with("tokens after", tokens_after)
        .with_known("tokens that the summary took", usage.map(|usage| usage.input.saturating_add(usage.output)))
        .with_known("memory written down before", flushed.map(yes_or_no))
        .with("summary", summary),
        _ => return None,
    })
}

/// Explains the run in which an agent may write its memory down.
fn memory_flush(kind: &Kind) -> Option<Explanation> {
    let Kind::MemoryFlushed {
        run,
        prompt,
        answer,
        tools,
        took_ms,
        usage,
        failure,
    } = kind
    else {
        return None;
    };
    let told = Explanation::new(
        "memory_flushed",
        "The agent is asked once before the conversation becomes a summary what it wants to write down (agent.memory_flush).",
        "Nothing of it is sent. The conversation is compacted next, whatever came of it.",
    )
    .with("run", run)
    .with_known("failed because", failure.as_ref())
    .with("asked", prompt)
    .with("answered", answer);
    let told = tools.iter().fold(told, |told, call| {
        let arguments = call.arguments.as_deref().unwrap_or_default();
        told.with(
            &format!("tool {}", call.name),
            format_args!("{} {arguments}", call.status),
        )
    });
    Some(told.with("took", format_args!("{took_ms} ms")).with_known(
        "tokens",
        usage.map(|usage| usage.input.saturating_add(usage.output)),
    ))
}

const fn yes_or_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}
