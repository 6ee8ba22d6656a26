//! What the bot of a transcript would have leaked without a scanner.

use foldback_directives::Settings;
use foldback_transcripts::{Transcript, TurnLint, lint_turn};
use serde::Serialize;

/// Verdict of the scanner on a transcript's raw output.
#[derive(Debug, Default, Serialize)]
pub(super) struct TranscriptLint {
    /// Turns with raw output.
    pub(super) turns: usize,
    /// Turns of which something would have leaked.
    pub(super) leaking_turns: usize,
    /// Bytes of directives, markers and scaffolding that a chat would have shown.
    pub(super) leaked_bytes: usize,
    /// Findings.
    pub(super) findings: usize,
    /// The turns that would have leaked, or of which there is a finding.
    pub(super) found: Vec<FoundTurn>,
}

/// A turn that would have leaked, or of which there is a finding.
#[derive(Debug, Serialize)]
pub(super) struct FoundTurn {
    /// The conversation's id.
    pub(super) conversation: String,
    /// Place of the turn in it, from 1.
    pub(super) turn: usize,
    /// Findings in its messages.
    #[serde(flatten)]
    pub(super) lint: TurnLint,
}

pub(super) fn of(transcript: &Transcript, settings: &Settings) -> TranscriptLint {
    let mut all = TranscriptLint::default();
    for conversation in &transcript.conversations {
        for (index, turn) in conversation.turns.iter().enumerate() {
            let lint = lint_turn(turn, settings);
            all.turns += usize::from(!lint.messages.is_empty());
            let (leaked, findings) = (lint.leaked_bytes(), lint.findings());
            all.leaking_turns += usize::from(leaked > 0);
            all.leaked_bytes += leaked;
            all.findings += findings;
            if leaked + findings > 0 {
                all.found.push(FoundTurn {
                    conversation: conversation.id.clone(),
                    turn: index + 1,
                    lint,
                });
            }
        }
    }
    all
}
