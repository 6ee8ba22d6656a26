//! What a bot without a scanner would have shown of a raw output.

use crate::{TranscriptTurn, TurnTrigger};
use foldback_directives::{Diagnostic, Fate, RangeReason, Settings, Span, parse};
use serde::Serialize;

/// What the scanner says of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TurnLint {
    /// Each assistant message of the turn, in order.
    pub messages: Vec<MessageLint>,
}

impl TurnLint {
    /// Bytes of directives, markers and scaffolding that would have been shown.
    pub fn leaked_bytes(&self) -> usize {
        self.messages.iter().map(MessageLint::leaked_bytes).sum()
    }

    /// How many findings there are.
    pub fn findings(&self) -> usize {
        self.messages
            .iter()
            .map(|message| message.diagnostics.len())
            .sum()
    }
}

/// What the scanner says of an assistant message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageLint {
    /// Length of its raw text.
    pub bytes: usize,
    /// Bytes of it that nobody should have seen, by place.
    pub leaks: Vec<MessageLeak>,
    /// Findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Bytes that nobody should have seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MessageLeak {
    /// Where, in the raw text.
    pub span: Span,
    /// What they are.
    pub reason: Option<RangeReason>,
}

impl MessageLint {
    /// How many bytes nobody should have seen.
    pub fn leaked_bytes(&self) -> usize {
        self.leaks
            .iter()
            .map(|leak| leak.span.end - leak.span.start)
            .sum()
    }
}

/// Reads the raw texts of a turn with the scanner. White space at an edge is no leak.
pub fn lint_turn(turn: &TranscriptTurn, settings: &Settings) -> TurnLint {
    let settings = Settings {
        heartbeat: settings.heartbeat || turn.trigger == TurnTrigger::Heartbeat,
        ..settings.clone()
    };
    let messages = turn.raw_texts().map(|text| lint_message(text, &settings));
    TurnLint {
        messages: messages.collect(),
    }
}

fn lint_message(text: &str, settings: &Settings) -> MessageLint {
    let parsed = parse(text, settings, None);
    let hidden = parsed.ranges.iter().filter(|range| {
        let blank = matches!(range.reason, Some(RangeReason::Trim | RangeReason::Invisible));
        range.fate != Fate::Show && !blank && !text[range.span.start..range.span.end].trim().is_empty()
    });
    MessageLint {
        bytes: text.len(),
        leaks: hidden
            .map(|range| MessageLeak {
                span: range.span,
                reason: range.reason,
            })
            .collect(),
        diagnostics: parsed.diagnostics,
    }
}
