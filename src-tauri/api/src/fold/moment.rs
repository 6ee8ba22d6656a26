//! A turn as it was at a moment, by event or by byte.

use super::{
    TurnFold, chat,
    messages::{came, join, same_wait},
    when::millis,
};
use foldback_directives::{
    HoldReason, Scanner, Settings, Sink, Step,
    redact::{Patterns, Reader},
};
use foldback_wire::{
    Capabilities, Directive, Event, Fate, Hold, Kind, Range, RangeReason, TurnId,
    rpc::{Chunk, DirectiveEntry, MessageDetail, Moment, MomentMessage},
};

impl TurnFold {
    /// The turn right after a place of the journal.
    pub fn until(turn: TurnId, events: &[Event], seq: u64) -> Self {
        Self::of(turn, events.iter().take_while(|event| event.seq.0 <= seq))
    }

    /// The moment after the last event folded in; `None` when no message is known then.
    pub fn moment(&self, capabilities: &Capabilities) -> Option<Moment> {
        let inbound = self.inbound.as_ref()?;
        let ledger = self.ledger.entries(&self.messages);
        let at_ms = millis(self.began, self.last);
        let waiting = self.ledger.waiting();
        Some(Moment {
            seq: self.head,
            at: self.last,
            at_ms,
            messages: self.messages.all().iter().map(message).collect(),
            directives: self.directives.entries(&self.ledger),
            seen: chat::seen(
                inbound,
                &self.files,
                capabilities,
                &ledger,
                self.typing.shown(at_ms),
            ),
            ledger,
            waiting: waiting.map(|wait| wait.reason.about().to_owned()),
            waiting_ms: waiting
                .and_then(|wait| wait.until)
                .map(|until| millis(self.last, until)),
        })
    }

    /// The same, with one assistant message as it was when exactly `bytes` of it had come: the scanner reads
    /// them again. `events` are all of the turn, since the byte may lie in a chunk that ends later.
    pub fn moment_at_byte(
        &self,
        capabilities: &Capabilities,
        events: &[Event],
        (number, bytes): (u32, usize),
        settings: &Settings,
    ) -> Option<Moment> {
        let mut moment = self.moment(capabilities)?;
        let whole = Self::of(self.turn, events);
        let Some(source) = whole.messages.get(number) else {
            return Some(moment);
        };
        let bytes = source.raw.floor_char_boundary(bytes.min(source.raw.len()));
        let inbound = self.inbound.as_ref().map(|m| m.text.as_str());
        let read = read(source, events, bytes, settings, inbound, whole.first_chunk_ms());
        moment
            .directives
            .retain(|entry| entry.message != number || (entry.index as usize) < read.directives.len());
        let known = moment.directives.iter().filter(|e| e.message == number).count();
        let new = read
            .directives
            .into_iter()
            .enumerate()
            .skip(known)
            .map(|(index, directive)| DirectiveEntry {
                seq: moment.seq,
                message: number,
                index: index as u32,
                at_ms: moment.at_ms,
                directive,
                op: None,
                outcome: None,
                took_ms: None,
            });
        moment.directives.extend(new);
        let place = number as usize;
        moment.messages.truncate(place + 1);
        while moment.messages.len() <= place {
            let next = moment.messages.len() as u32;
            moment.messages.push(whole.messages.get(next).map(message)?);
        }
        moment.messages[place] = read.message;
        Some(moment)
    }

    /// From the turn's beginning to its first chunk.
    fn first_chunk_ms(&self) -> u64 {
        self.decisions
            .iter()
            .find(|d| d.kind == foldback_wire::rpc::DecisionKind::Chunk)
            .map_or(0, |d| d.at_ms)
    }
}

fn message(detail: &MessageDetail) -> MomentMessage {
    let hold = detail.holds.last().filter(|hold| hold.until_seq.is_none());
    MomentMessage {
        message: detail.message,
        raw_bytes: came(detail),
        ranges: detail.ranges.clone(),
        hold: hold.map(|h| h.hold.clone()),
        held_since_ms: hold.map(|h| h.from_ms),
        released: detail.clean.clone(),
    }
}

/// What the scanner said after some bytes.
struct Reading {
    message: MomentMessage,
    directives: Vec<Directive>,
}

/// Lets the scanner read the first `bytes` of a message, in the chunks in which they came, so that a hold
/// began when it began.
fn read(
    source: &MessageDetail,
    events: &[Event],
    bytes: usize,
    settings: &Settings,
    inbound: Option<&str>,
    first_ms: u64,
) -> Reading {
    let message = MomentMessage {
        message: source.message,
        raw_bytes: bytes,
        ranges: Vec::new(),
        hold: None,
        held_since_ms: None,
        released: String::new(),
    };
    let mut reading = Reading {
        message,
        directives: Vec::new(),
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
            _ => Some(first_ms + at_ms),
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
        if hold.span.end > message.raw_bytes
            && let Some((rule, _)) = hold.because.rsplit_once("; ")
        {
            // Within a chunk less waits than the journal says of its end.
            hold.because = format!("{rule}; {} bytes held.", message.raw_bytes - from);
        }
        hold.span.end = message.raw_bytes;
        message.hold = Some(hold);
        message.held_since_ms = Some(since_ms);
    }
}

impl Sink for Reading {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Show { span, text, joined } => {
                self.message.released.push_str(text);
                let range = Range {
                    span,
                    fate: Fate::Show,
                    reason: joined.then_some(RangeReason::JoinedSpace),
                    shown_as: joined.then(|| text.to_owned()),
                };
                join(&mut self.message.ranges, range);
            }
            Step::Mask { span, text } => {
                self.message.released.push_str(text);
                let range = Range {
                    span,
                    fate: Fate::Show,
                    reason: Some(RangeReason::Redacted),
                    shown_as: Some(text.to_owned()),
                };
                join(&mut self.message.ranges, range);
            }
            Step::Hide { span, fate, reason } => {
                join(
                    &mut self.message.ranges,
                    Range {
                        span,
                        fate,
                        reason: Some(reason),
                        shown_as: None,
                    },
                );
            }
            Step::Directive(directive) => self.directives.push(directive.clone()),
            Step::Hold(hold) => self.message.hold = hold.map(held),
            Step::Header { .. } | Step::Action(_) | Step::Diagnostic(_) | Step::Suppressed(_) => {}
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
