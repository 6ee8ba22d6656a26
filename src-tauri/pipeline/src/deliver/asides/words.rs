//! The texts beside the answer: tool calls in one line or one by one, and the end of what was thought.

use crate::{
    split::{Limit, split},
    user_text::UserText,
};
use foldback_wire::{SteadyTime, ToolCall, ToolId, ToolStatus};
use std::{borrow::Cow, fmt::Write as _, time::Duration};

/// Calls that a line names; those before are counted.
const NAMED: usize = 6;
/// Longest name of a tool, in characters.
const NAME: usize = 40;
/// Longest arguments and longest result that are shown, in characters, where the channel takes as much. The journal has
/// them whole.
const ARGUMENTS: usize = 300;
const RESULT: usize = 600;
/// Most reasoning that is shown, in characters: its end.
const REASONING: usize = 1_200;
/// Bytes of reasoning that are kept to be shown: many times as much, so that what is masked as a secret is whole there.
const KEPT: usize = 65_536;

/// A tool call as far as it is known.
#[derive(Debug)]
pub(super) struct KnownCall {
    pub(super) id: ToolId,
    pub(super) name: String,
    pub(super) status: ToolStatus,
    pub(super) since: SteadyTime,
    pub(super) took: Option<Duration>,
}

/// Adds to what was thought; what is not shown any more is given up.
pub(super) fn keep_end(thought: &mut String, more: &str) {
    thought.push_str(more);
    if thought.len() > 2 * KEPT {
        thought.drain(..thought.ceil_char_boundary(thought.len() - KEPT));
    }
}

/// The end of what was thought, as much of it as is shown and fits into one message.
pub(super) fn end_of(thought: &str, limit: Limit) -> String {
    let skipped = thought.chars().count().saturating_sub(REASONING);
    let mut from = thought.char_indices().nth(skipped).map_or(0, |(at, _)| at);
    loop {
        let cut = if from > 0 { "…" } else { "" };
        let shown = format!("💭 {cut}{}", &thought[from..]);
        let over = limit.length(&shown).saturating_sub(limit.max);
        if over == 0 || from == thought.len() {
            return shown;
        }
        // A sign that is escaped is several when it is sent: little by little, so that not too much is left out.
        from = thought.ceil_char_boundary(from + over.div_ceil(8));
    }
}

/// A text as one message: its beginning, where it is longer than the channel takes.
pub(super) fn fitting(text: String, limit: Limit) -> String {
    const MORE: &str = "\n…";
    if limit.length(&text) <= limit.max {
        return text;
    }
    let room = Limit {
        max: limit.max.saturating_sub(limit.length(MORE)),
        ..limit
    };
    let first = split(&text, room).first().map(|piece| piece.text(&text));
    first.unwrap_or_default() + MORE
}

/// All calls of the run in one line, the latest last, with this sign for those that are not over.
pub(super) fn line(calls: &[KnownCall], open: &str) -> String {
    let earlier = calls.len().saturating_sub(NAMED);
    let mut text = "🔧 ".to_owned();
    if earlier > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, "{earlier} more · ");
    }
    let named = calls[earlier..].iter().map(|call| {
        let sign = match call.status {
            ToolStatus::Pending | ToolStatus::Running => open,
            ToolStatus::Completed => " ✓",
            ToolStatus::Failed => " ✗",
            ToolStatus::Unfinished => " –",
        };
        format!("`{}`{sign}", call.name)
    });
    text + &named.collect::<Vec<_>>().join(" · ")
}

/// A call that is over, with what it was given and what came of it.
pub(super) fn whole<'a>(
    known: &KnownCall,
    call: &'a ToolCall,
    masked: impl Fn(&'a str) -> Cow<'a, str>,
) -> String {
    let ended = UserText::ToolEnded {
        name: &known.name,
        failed: known.status == ToolStatus::Failed,
        ms: known.took.unwrap_or_default().as_millis(),
    };
    let mut text = ended.to_string();
    for (part, most) in [(&call.arguments, ARGUMENTS), (&call.result, RESULT)] {
        if let Some(part) = part.as_deref().filter(|part| !part.trim().is_empty()) {
            let part = masked(part).replace("```", "'''");
            let shown: String = part.chars().take(most).collect();
            let _ = write!(text, "\n```\n{}\n```", shown.trim_end());
            if shown.len() < part.len() {
                let excerpt = UserText::Excerpt {
                    shown: shown.len(),
                    whole: part.len(),
                };
                let _ = write!(text, "\n{excerpt}");
            }
        }
    }
    text
}

/// A name that can neither be markup nor fill the chat.
pub(super) fn named(name: &str) -> String {
    let plain = name
        .chars()
        .map(|c| if c == '`' || c.is_control() { '\'' } else { c });
    plain.take(NAME).collect()
}

#[cfg(test)]
mod tests;
