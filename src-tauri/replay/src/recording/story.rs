//! A turn told in lines that do not depend on how fast machine and platform were: what was decided about
//! every byte, what the user ended up with, what was refused, how it ended. Two tellings are compared line by
//! line.

use crate::{
    deliveries::fold,
    ends::{Thing, ends},
};
use foldback_pipeline::is_own_file;
use foldback_wire::{
    Event, Gate, Inbound, Kind, MessageId, OpKind, OutcomeCode, Range, Terminal,
    rpc::{Comparison, Mismatch},
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Messages that came in, by their ids: those have the same ids when they are played again.
pub(super) type Known<'a> = BTreeSet<&'a MessageId>;

/// A turn as it was recorded or played.
pub(super) struct Turn<'a> {
    pub(super) message: &'a Inbound,
    pub(super) events: Vec<Event>,
    /// The process ended in the middle of it.
    cut: bool,
}

impl<'a> Turn<'a> {
    pub(super) const fn new(message: &'a Inbound) -> Self {
        Self {
            message,
            events: Vec::new(),
            cut: false,
        }
    }

    /// A process began: what had not ended then was cut off.
    pub(super) fn cut(&mut self) {
        self.cut |= !self.ended();
    }

    /// Why it is not compared, if so: of a turn that was not over nobody can say what it would have come to.
    pub(super) fn unjudged(&self) -> Option<&'static str> {
        if self.cut {
            Some("the process ended in the middle of it")
        } else if self.ended() {
            None
        } else {
            Some("the recording ends in the middle of it")
        }
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.cut
    }

    fn ended(&self) -> bool {
        let ended = |event: &Event| matches!(event.kind, Kind::TurnEnded { .. });
        self.events.iter().any(ended)
    }

    /// Whether it came when the process was ending.
    pub(super) fn came_too_late(&self) -> bool {
        let refused = |event: &Event| {
            matches!(
                event.kind,
                Kind::Stopping {
                    gate: Gate::ShuttingDown,
                    ..
                }
            )
        };
        self.events.iter().any(refused)
    }

    /// The turn of which this message was a copy, if it was stopped as one.
    pub(super) fn copy_of(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            Kind::Stopping {
                gate: Gate::Duplicate,
                inputs,
                ..
            } => inputs.get("first_turn").map(String::as_str),
            _ => None,
        })
    }

    /// The turn in lines.
    pub(super) fn lines(&self, known: &Known<'_>) -> Vec<String> {
        let mut ranges: BTreeMap<u32, Vec<Range>> = BTreeMap::new();
        let mut first = Vec::new();
        let mut read = Vec::new();
        let mut findings = Vec::new();
        let mut holds = Vec::new();
        let mut last = Vec::new();
        for event in &self.events {
            match &event.kind {
                Kind::Stopping { stage, gate, .. } => first.push(format!("{stage} stops it: {gate}")),
                Kind::Gathered { index, fate, .. } => first.push(format!("file {index}: {fate}")),
                Kind::Decided { message, range } => decide(ranges.entry(*message).or_default(), range),
                Kind::HeaderRead { message, header, .. } => {
                    read.push(format!("header of message {message}: {}", json(header)));
                }
                Kind::Directive { at, directive } => read.push(format!(
                    "directive {} of message {}: {}",
                    at.index,
                    at.message,
                    json(directive)
                )),
                // Whether it was carried out is not told: that is never done again.
                Kind::Action { message, action, .. } => {
                    read.push(format!("action of message {message}: {}", json(action)));
                }
                // When one is found depends on how the text was cut; which are found does not.
                Kind::Diagnosed { message, diagnostic } => {
                    findings.push((*message, diagnostic.span.start, diagnostic.code.code()));
                }
                // As a hold grows it is told again and again.
                Kind::Held { message, hold } => {
                    let hold = format!(
                        "message {message} is held from byte {}: {}",
                        hold.span.start, hold.reason
                    );
                    if holds.last() != Some(&hold) {
                        holds.push(hold);
                    }
                }
                Kind::Suppressed { message, reason, .. } => {
                    last.push(format!("message {message} is suppressed: {reason}"));
                }
                Kind::Skipped { at, outcome, .. } => last.push(format!(
                    "directive {} of message {}: {}",
                    at.index, at.message, outcome.code
                )),
                Kind::RunFailed { fault, .. } => last.push(format!("the agent fails: {fault}")),
                Kind::TurnEnded { terminal } => last.push(format!("it ends: {}", ending(terminal))),
                _ => {}
            }
        }
        let decided = ranges.into_iter().flat_map(|(message, ranges)| {
            ranges.into_iter().map(
                move |Range {
                          span, fate, reason, ..
                      }| {
                    let reason = reason.map_or_else(String::new, |reason| format!(", {reason}"));
                    format!(
                        "message {message}, bytes {}..{}: {fate}{reason}",
                        span.start, span.end
                    )
                },
            )
        });
        let found = |(message, byte, code)| format!("finding in message {message}, byte {byte}: {code}");
        findings.sort_unstable();
        let mut lines = first;
        lines.extend(decided);
        lines.extend(read);
        lines.extend(findings.into_iter().map(found));
        lines.extend(holds);
        lines.extend(self.delivered(known));
        lines.extend(last);
        lines
    }

    /// A text without the code that somebody unknown was told: it is drawn anew each time.
    fn without_code(&self, text: String) -> String {
        let code = self.events.iter().find_map(|event| match &event.kind {
            Kind::Pairing { code, .. } => code.as_deref(),
            _ => None,
        });
        match code {
            Some(code) => text.replace(code, "(a code)"),
            None => text,
        }
    }

    /// What the user ended up with, and what was not taken.
    fn delivered(&self, known: &Known<'_>) -> Vec<String> {
        let deliveries = fold(&self.events, &self.message.channel).deliveries;
        let about = |message: &Option<MessageId>| match message {
            Some(id) if known.contains(id) => format!(" to {id}"),
            Some(_) => " to a message of the bot".to_owned(),
            None => String::new(),
        };
        let mut lines: Vec<String> = ends(&deliveries)
            .into_iter()
            .map(|end| match end.thing {
                Thing::Send { text, reply_to, .. } => {
                    format!("text{}: {:?}", about(&reply_to), self.without_code(text))
                }
                Thing::React { emoji, message, .. } => format!("reaction{}: {emoji}", about(&message)),
                Thing::File {
                    path,
                    caption,
                    reply_to,
                    ..
                } => {
                    // Of a file of the bot's own, journal and turn give the path: another one here.
                    let path = if is_own_file(&path) {
                        "the rest of the answer"
                    } else {
                        &path
                    };
                    let caption = caption.map_or_else(String::new, |text| format!(" with {text:?}"));
                    format!("file{}: {path}{caption}", about(&reply_to))
                }
                Thing::Voice { text } => format!("voice note: {text:?}"),
            })
            .collect();
        let counts = |d: &&foldback_wire::Delivery| d.op != OpKind::Typing;
        let refused = deliveries.iter().filter(counts).filter(|d| {
            matches!(
                d.outcome,
                OutcomeCode::Failed
                    | OutcomeCode::Unknown
                    | OutcomeCode::Unsupported
                    | OutcomeCode::NotAllowed
                    | OutcomeCode::Missing
            )
        });
        lines.extend(refused.map(|d| format!("{}: {}", d.op, d.outcome)));
        if deliveries.iter().any(|d| d.outcome == OutcomeCode::DryRun) {
            lines.push("all of it a dry run".to_owned());
        }
        lines
    }
}

/// Joins what was decided in several steps: where the steps lie is not a decision.
fn decide(ranges: &mut Vec<Range>, range: &Range) {
    match ranges.last_mut() {
        Some(last)
            if last.span.end == range.span.start
                && (last.fate, last.reason) == (range.fate, range.reason) =>
        {
            last.span.end = range.span.end;
        }
        _ => ranges.push(range.clone()),
    }
}

fn json(value: &impl Serialize) -> String {
    // Names and texts only: there is nothing in it that JSON cannot say.
    serde_json::to_string(value).unwrap_or_default()
}

/// How a turn ended, without the words of a failure.
fn ending(terminal: &Terminal) -> String {
    match terminal {
        Terminal::Failed { .. } => "failed".to_owned(),
        Terminal::Unknown { .. } => "unknown".to_owned(),
        other => other.to_string(),
    }
}

/// The first line in which two tellings of a turn differ, with both tellings.
pub(super) fn divergence(at: &str, then: &[String], now: &[String]) -> Option<(Mismatch, Comparison)> {
    let place = (0..then.len().max(now.len())).find(|line| then.get(*line) != now.get(*line))?;
    let line = |lines: &[String]| lines.get(place).map_or("nothing more", String::as_str).to_owned();
    let mismatch = Mismatch {
        at: at.to_owned(),
        expected: line(then),
        actual: line(now),
        message: "here it goes another way than recorded".to_owned(),
    };
    let text = |lines: &[String]| lines.join("\n");
    let comparison = Comparison {
        expected: text(then),
        actual: text(now),
    };
    Some((mismatch, comparison))
}
