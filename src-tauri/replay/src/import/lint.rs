//! What the bot of a transcript would have leaked without a scanner.

use foldback_directives::Settings;
use foldback_transcripts::{Transcript, TurnLint, lint_turn};
use serde::Serialize;

/// Verdict of the scanner on a transcript's raw output.
#[derive(Debug, Default, Serialize)]
pub struct TranscriptLint {
    /// Turns with raw output.
    pub turns: usize,
    /// Turns of which something would have leaked.
    pub leaking_turns: usize,
    /// Bytes of directives, markers and scaffolding that a chat would have shown.
    pub leaked_bytes: usize,
    /// Findings.
    pub findings: usize,
    /// The turns that would have leaked, or of which there is a finding.
    pub found: Vec<FoundTurn>,
}

/// A turn that would have leaked, or of which there is a finding.
#[derive(Debug, Serialize)]
pub struct FoundTurn {
    /// The conversation's id.
    pub conversation: String,
    /// The conversation's place in the file, from 0.
    #[serde(skip)]
    pub place: usize,
    /// Place of the turn in it, from 1.
    pub turn: usize,
    /// Findings in its messages.
    #[serde(flatten)]
    pub lint: TurnLint,
}

/// Reads every raw text of a transcript with the scanner.
pub fn lint_transcript(transcript: &Transcript, settings: &Settings) -> TranscriptLint {
    let mut all = TranscriptLint::default();
    for (place, conversation) in transcript.conversations.iter().enumerate() {
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
                    place,
                    turn: index + 1,
                    lint,
                });
            }
        }
    }
    all
}
