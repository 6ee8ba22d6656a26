//! An assistant message as it was when exactly so many bytes of it had come: the scanner reads them again.

use super::{
    holding::recount,
    messages::{join, same_wait},
};
use foldback_directives::{
    HoldReason, Scanner, Settings, Sink, Step,
    redact::{Patterns, Reader},
};
use foldback_wire::{
    Directive, DirectiveRef, Event, Fate, Header, Hold, Kind, Range, RangeReason,
    rpc::{Chunk, MessageDetail, MomentMessage},
};

/// What the scanner said after some bytes.
pub(super) struct Reading {
    pub(super) message: MomentMessage,
    pub(super) directives: Vec<Directive>,
    /// What it decided last.
    pub(super) latest: Option<Kind>,
}

/// Lets the scanner read the first `bytes` of a message, in the chunks in which they came, so that a hold
/// began when it began.
pub(super) fn read(
    source: &MessageDetail,
    events: &[Event],
    bytes: usize,
    settings: &Settings,
    inbound: Option<&str>,
) -> Reading {
    let message = MomentMessage {
        message: source.message,
        raw_bytes: bytes,
        ranges: Vec::new(),
        hold: None,
        held_since_ms: None,
        released: String::new(),
        header: Header::default(),
        diagnostics: Vec::new(),
        suppressed: None,
        ended: false,
    };
    let mut reading = Reading {
        message,
        directives: Vec::new(),
        latest: None,
    };
    // The journal keeps secrets masked; they are known again by how they are written there.
    let mut scanner = Reader::new(Scanner::new(settings, inbound), Some(&Patterns::masked()));
    let mut done = 0;
    for Chunk { at_ms, span, .. } in &source.chunks {
        let end = span.end.min(bytes);
        let Some(text) = source.raw.get(done..end).filter(|text| !text.is_empty()) else {
            continue;
        };
        let before = reading.message.hold.clone();
        scanner.push(text, &mut reading);
        done = end;
        let (hold, since) = (&reading.message.hold, &mut reading.message.held_since_ms);
        *since = match (before, hold) {
            (_, None) => None,
            (Some(a), Some(b)) if same_wait(&a, b) => *since,
            _ => Some(*at_ms),
        };
    }
    let read_to = reading.message.ranges.last().map_or(0, |range| range.span.end);
    if let Some(hold) = redaction_hold(source, events, bytes, read_to) {
        reading.withhold(hold, &source.raw);
    }
    if source.ended && bytes == source.raw.len() {
        // The end of a message decides what was open; the hold map shows the same after its last byte.
        scanner.finish(&mut reading);
        reading.message.hold = None;
        reading.message.held_since_ms = None;
        reading.message.ended = true;
    }
    reading
}

/// The wait for a secret that the journal tells of when the chunk with this byte had come, if it had begun by
/// then. Whether the journal's text is masked was decided later; so only its events know that it waited. A hold
/// of the scanner covers such a wait too, where it begins before what the scanner decides (`read_to`).
fn redaction_hold(
    source: &MessageDetail,
    events: &[Event],
    bytes: usize,
    read_to: usize,
) -> Option<(Hold, u64)> {
    let chunk = source.chunks.iter().position(|chunk| bytes <= chunk.span.end)?;
    let next = source.chunks.get(chunk + 1).map_or(u64::MAX, |next| next.seq);
    let before = events.iter().take_while(|event| event.seq.0 < next);
    let hold = before
        .filter_map(|event| match &event.kind {
            Kind::Held { message, hold } if *message == source.message => Some(Some(hold)),
            Kind::Released { message } | Kind::MessageEnded { message, .. } if *message == source.message => {
                Some(None)
            }
            _ => None,
        })
        .last()??;
    let from = hold.span.start;
    let waits = from < bytes && (hold.reason == HoldReason::RedactionWindow || from < read_to);
    let entry = source.holds.iter().rev().find(|entry| entry.seq < next)?;
    waits.then(|| (hold.clone(), entry.from_ms))
}

impl Reading {
    /// Takes back what was shown of a text that still waited, and says since when.
    fn withhold(&mut self, (mut hold, since_ms): (Hold, u64), raw: &str) {
        let message = &mut self.message;
        let from = hold.span.start;
        message.ranges.retain_mut(|range| {
            range.span.end = range.span.end.min(from);
            range.span.start < from
        });
        let shown = message.ranges.iter().filter(|range| range.fate == Fate::Show);
        message.released = shown
            .map(|range| range.shown_as.as_deref().unwrap_or_else(|| range.span.of(raw)))
            .collect();
        if hold.span.end != message.raw_bytes {
            // Within a chunk less waits than the journal says of its end.
            hold.span.end = message.raw_bytes;
            recount(&mut hold);
        }
        self.latest = Some(Kind::Held {
            message: message.message,
            hold: hold.clone(),
        });
        message.hold = Some(hold);
        message.held_since_ms = Some(since_ms);
    }
}

impl Reading {
    /// Joins a range to those before it.
    fn decide(&mut self, range: Range) {
        self.latest = Some(Kind::Decided {
            message: self.message.message,
            range: range.clone(),
        });
        join(&mut self.message.ranges, range);
    }
}

impl Sink for Reading {
    fn step(&mut self, step: Step<'_>) {
        let message = self.message.message;
        match step {
            Step::Show { span, text, joined } => {
                self.message.released.push_str(text);
                self.decide(Range {
                    span,
                    fate: Fate::Show,
                    reason: joined.then_some(RangeReason::JoinedSpace),
                    shown_as: joined.then(|| text.to_owned()),
                });
            }
            Step::Mask { span, text } => {
                self.message.released.push_str(text);
                self.decide(Range {
                    span,
                    fate: Fate::Show,
                    reason: Some(RangeReason::Redacted),
                    shown_as: Some(text.to_owned()),
                });
            }
            Step::Hide { span, fate, reason } => self.decide(Range {
                span,
                fate,
                reason: Some(reason),
                shown_as: None,
            }),
            Step::Directive(directive) => {
                let index = self.directives.len() as u32;
                self.latest = Some(Kind::Directive {
                    at: DirectiveRef { message, index },
                    directive: directive.clone(),
                });
                self.directives.push(directive.clone());
            }
            Step::Hold(hold) => {
                let hold = hold.map(held);
                let latest = hold.clone().map(|hold| Kind::Held { message, hold });
                self.latest = latest.or_else(|| self.latest.take());
                self.message.hold = hold;
            }
            Step::Header { header, span } => {
                self.latest = Some(Kind::HeaderRead {
                    message,
                    header: header.clone(),
                    span,
                });
                self.message.header = header.clone();
            }
            Step::Diagnostic(diagnostic) => {
                self.latest = Some(Kind::Diagnosed {
                    message,
                    diagnostic: diagnostic.clone(),
                });
                self.message.diagnostics.push(diagnostic.clone());
            }
            Step::Suppressed(reason) => {
                self.latest = Some(Kind::Suppressed {
                    message,
                    reason,
                    decided_by: None,
                });
                self.message.suppressed = Some(reason);
            }
            Step::Action(_) => {}
        }
    }
}

/// A hold of the scanner in the words of the journal.
fn held(hold: &foldback_directives::Hold) -> Hold {
    Hold {
        span: hold.span,
        reason: hold.reason,
        rule: hold.rule.to_owned(),
        because: hold.why(),
        releases: hold.release().to_owned(),
    }
}
