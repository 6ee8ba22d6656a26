//! `parse --stream`: one chunk a line; after each, what is shown and what is held.

use crate::end::{End, Stop, Verdict, json_line, stdout};
use foldback_directives::{Collect, HoldReason, Scanner, Settings, Sink, Step, redact::Reader};
use foldback_wire::redact::Redaction;
use serde::Serialize;
use std::io::{self, BufRead, Write};

/// What one push released and left undecided.
#[derive(Serialize)]
struct Line<'a> {
    chunk: Option<usize>,
    released: &'a str,
    held: &'a str,
    reason: Option<HoldReason>,
}

#[derive(Serialize)]
struct Last<'a> {
    chunk: Option<usize>,
    released: &'a str,
}

#[derive(Default)]
struct Watch {
    collect: Collect,
    /// Why bytes are held now, and where they begin.
    hold: Option<(HoldReason, usize)>,
    decided: usize,
}

impl Sink for Watch {
    fn step(&mut self, step: Step<'_>) {
        match &step {
            Step::Hold(hold) => self.hold = hold.map(|hold| (hold.reason, hold.span.start)),
            Step::Show { span, .. } | Step::Mask { span, .. } | Step::Hide { span, .. } => {
                self.decided = span.end;
            }
            _ => {}
        }
        self.collect.step(step);
    }
}

/// Answers every chunk; the last two lines finish the message and print the whole answer.
pub(crate) fn run(settings: &Settings, inbound: Option<&str>, secrets: Option<&Redaction>) -> End {
    let mut out = stdout();
    let patterns = secrets.map(Redaction::patterns);
    let mut reader = Reader::new(Scanner::new(settings, inbound), patterns.as_ref());
    let mut watch = Watch::default();
    let mut raw = String::new();
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    let mut chunks = 0_usize;
    for number in 1_usize.. {
        line.clear();
        if stdin.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let chunk: String = serde_json::from_slice(&line)
            .map_err(|error| Stop::Wrong(format!("<stdin>:{number}: expected a JSON string: {error}")))?;
        let shown = watch.collect.clean_text().len();
        raw.push_str(&chunk);
        reader.push(&chunk, &mut watch);
        // Once silence is certain what came before waits no more, though its ranges come only with the end.
        let undecided = |(_, start): &(HoldReason, usize)| &raw[watch.decided.max(*start)..];
        let hold = watch.hold.filter(|hold| !undecided(hold).is_empty());
        let held = hold.as_ref().map_or("", undecided);
        let reason = hold.map(|(reason, _)| reason);
        let released = &watch.collect.clean_text()[shown..];
        json_line(
            &mut out,
            &Line {
                chunk: Some(chunks),
                released,
                held,
                reason,
            },
        )?;
        out.flush()?;
        chunks += 1;
    }
    let shown = watch.collect.clean_text().len();
    reader.finish(&mut watch);
    json_line(
        &mut out,
        &Last {
            chunk: None,
            released: &watch.collect.clean_text()[shown..],
        },
    )?;
    json_line(&mut out, &super::redacted(watch.collect.into_parsed(), secrets))?;
    out.flush()?;
    Ok(Verdict::Holds)
}
