//! What an import found, for people and for programs.

use super::shown;
use crate::plain::plain;
use foldback_replay::import::{FoundTurn, ImportedFile, TranscriptLint};
use foldback_transcripts::{FormatContent, FormatRow, Transcript};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

/// Most places and turns that are listed for people; JSON has all.
const LISTED: usize = 20;

/// A format, as `--formats` lists it.
#[derive(Serialize)]
pub(super) struct FormatLine {
    format: &'static str,
    name: &'static str,
    content: FormatContent,
    losses: &'static [&'static str],
}

impl FormatLine {
    pub(super) const fn of(row: &FormatRow) -> Self {
        Self {
            format: row.code,
            name: row.name,
            content: row.content,
            losses: row.losses,
        }
    }
}

/// An import as one object.
#[derive(Serialize)]
pub(super) struct ImportLine<'a> {
    file: String,
    #[serde(flatten)]
    transcript: &'a Transcript,
    turns: usize,
    messages: usize,
    lint: &'a TranscriptLint,
}

pub(super) fn json<'a>(imported: &'a ImportedFile, lint: &'a TranscriptLint) -> ImportLine<'a> {
    ImportLine {
        file: shown(&imported.source),
        transcript: &imported.transcript,
        turns: imported.transcript.turns(),
        messages: imported.transcript.messages(),
        lint,
    }
}

/// `3 turns`, `1 turn`.
fn many(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// Writes what was found, a line a thing. Nothing of the file's content stands in it but the names of conversations.
pub(super) fn text(out: &mut impl Write, imported: &ImportedFile, lint: &TranscriptLint) -> io::Result<()> {
    let transcript = &imported.transcript;
    let row = transcript.format.row();
    let holds = match row.content {
        FormatContent::Raw => "raw output",
        FormatContent::Delivered => "delivered text only",
        FormatContent::Log => "no texts",
    };
    writeln!(out, "{}: {}, {holds}", shown(&imported.source), row.name)?;
    let mut counts = vec![many(transcript.conversations.len(), "conversation")];
    for (count, what) in [
        (transcript.turns(), "turn"),
        (transcript.messages(), "message"),
        (transcript.log.len(), "log line"),
    ] {
        if count > 0 {
            counts.push(many(count, what));
        }
    }
    writeln!(out, "  read      {}", counts.join(", "))?;
    if transcript.is_raw() {
        leaks(out, lint)?;
    }
    for loss in transcript.losses {
        writeln!(out, "  lost      {loss}")?;
    }
    counted(out, "left out", &transcript.aside)?;
    counted(out, "unknown", &transcript.unknown)?;
    for damage in transcript.damaged.iter().take(LISTED) {
        let (line, offset, reason) = (damage.line, damage.offset, damage.reason.about());
        writeln!(out, "  damaged   line {line}, byte {offset}: {reason}")?;
    }
    let listed = transcript.damaged.len().min(LISTED) as u64;
    if transcript.damaged_places > listed {
        writeln!(
            out,
            "  damaged   {} more places",
            transcript.damaged_places - listed
        )?;
    }
    for note in &transcript.notes {
        writeln!(out, "  note      {note}")?;
    }
    if imported.others > 0 {
        writeln!(
            out,
            "  note      Other files in the folder that are no transcript: {}.",
            imported.others
        )?;
    }
    Ok(())
}

/// What would have leaked, a line a turn.
fn leaks(out: &mut impl Write, lint: &TranscriptLint) -> io::Result<()> {
    if lint.leaked_bytes == 0 && lint.findings == 0 {
        return writeln!(
            out,
            "  leaks     A bot without a scanner would have shown no directive."
        );
    }
    writeln!(
        out,
        "  leaks     A bot without a scanner would have shown {} of directives in {}; {}.",
        many(lint.leaked_bytes, "byte"),
        many(lint.leaking_turns, "turn"),
        many(lint.findings, "finding"),
    )?;
    for found in lint.found.iter().take(LISTED) {
        writeln!(out, "            {}", told(found))?;
    }
    if lint.found.len() > LISTED {
        writeln!(
            out,
            "            and {} more",
            many(lint.found.len() - LISTED, "turn")
        )?;
    }
    Ok(())
}

fn told(found: &FoundTurn) -> String {
    let FoundTurn {
        conversation,
        turn,
        lint,
        place: _,
    } = found;
    let leaks = lint.messages.iter().flat_map(|message| &message.leaks);
    let reasons: BTreeSet<&str> = leaks
        .filter_map(|leak| leak.reason)
        .map(foldback_wire::RangeReason::code)
        .collect();
    let codes = lint.messages.iter().flat_map(|message| &message.diagnostics);
    let codes: BTreeSet<&str> = codes.map(|diagnostic| diagnostic.code.code()).collect();
    let mut what = Vec::new();
    if lint.leaked_bytes() > 0 {
        let reasons: Vec<&str> = reasons.into_iter().collect();
        what.push(format!(
            "{} ({})",
            many(lint.leaked_bytes(), "byte"),
            reasons.join(", ")
        ));
    }
    what.extend(codes.into_iter().map(str::to_owned));
    format!("{}, turn {turn}: {}", plain(conversation), what.join(", "))
}

fn counted(out: &mut impl Write, what: &str, counts: &BTreeMap<String, u64>) -> io::Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{count} × {name}"))
        .collect();
    writeln!(out, "  {what:<9} {}", counts.join(", "))
}
