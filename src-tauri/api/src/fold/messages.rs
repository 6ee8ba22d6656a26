//! Assistant messages: raw text, chunks, decided ranges, holds, findings.

use super::when::When;
use foldback_wire::{
    Body, Hold, Kind, Range, RangeReason, Span,
    rpc::{Chunk, HoldEntry, MessageDetail},
};

/// The assistant messages of a turn, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Messages {
    all: Vec<MessageDetail>,
}

impl Messages {
    pub(super) fn all(&self) -> &[MessageDetail] {
        &self.all
    }

    pub(super) fn get(&self, message: u32) -> Option<&MessageDetail> {
        self.all.get(message as usize)
    }

    /// Whether `hold` goes on where the last one of its message stands, with more bytes.
    pub(super) fn continues(&self, message: u32, hold: &Hold) -> bool {
        self.get(message)
            .and_then(|m| m.holds.last())
            .is_some_and(|last| last.until_seq.is_none() && same_wait(&last.hold, hold))
    }

    /// The text a body stands for, as far as it has come.
    pub(super) fn resolve(&self, body: &Body) -> Option<String> {
        match body {
            Body::Literal { text, .. } | Body::Aside { text } => Some(text.clone()),
            Body::Clean { message, span } => {
                let clean = &self.get(*message)?.clean;
                clean
                    .get(span.start..span.end.min(clean.len()))
                    .map(str::to_owned)
            }
        }
    }

    pub(super) fn push(&mut self, when: When, kind: &Kind) {
        match kind {
            Kind::Chunk {
                message,
                span,
                text,
                came,
            } => self.chunk(when, *message, came.unwrap_or(span.end), text),
            Kind::Decided { message, range } => decide(self.at(*message), range),
            Kind::Held { message, hold } => held(self.at(*message), when, hold),
            Kind::Released { message } => release(self.at(*message), when),
            Kind::HeaderRead { message, header, .. } => self.at(*message).header = header.clone(),
            Kind::Diagnosed { message, diagnostic } => {
                self.at(*message).diagnostics.push(diagnostic.clone());
            }
            Kind::Suppressed { message, reason, .. } => self.at(*message).suppressed = Some(*reason),
            Kind::MessageEnded {
                message, narration, ..
            } => {
                let ended = self.at(*message);
                ended.narration = *narration;
                ended.ended = true;
                release(ended, when);
            }
            _ => {}
        }
    }

    /// How many bytes of a message have come; the last of them may not be told yet.
    pub(super) fn came(&self, message: u32) -> usize {
        self.get(message).map_or(0, came)
    }

    fn chunk(&mut self, when: When, message: u32, end: usize, text: &str) {
        let message = self.at(message);
        message.raw.push_str(text);
        let start = came(message);
        // What only tells the rest of chunks before is no chunk.
        if end > start {
            message.chunks.push(Chunk {
                seq: when.seq,
                at_ms: when.ms,
                span: Span::new(start, end),
            });
        }
    }

    /// The message with this number; events name messages in order, so at most one is added.
    fn at(&mut self, message: u32) -> &mut MessageDetail {
        while self.all.len() <= message as usize {
            self.all.push(MessageDetail {
                message: self.all.len() as u32,
                raw: String::new(),
                clean: String::new(),
                chunks: Vec::new(),
                ranges: Vec::new(),
                holds: Vec::new(),
                header: foldback_wire::Header::default(),
                diagnostics: Vec::new(),
                suppressed: None,
                narration: false,
                ended: false,
            });
        }
        &mut self.all[message as usize]
    }
}

/// How many bytes have come.
pub(super) fn came(message: &MessageDetail) -> usize {
    message.chunks.last().map_or(0, |chunk| chunk.span.end)
}

/// Holds with the same reason from the same byte are one wait for a person, however often it grew.
pub(super) fn same_wait(a: &Hold, b: &Hold) -> bool {
    a.reason == b.reason && a.span.start == b.span.start
}

fn decide(message: &mut MessageDetail, range: &Range) {
    if range.fate == foldback_wire::Fate::Show {
        match &range.shown_as {
            Some(text) => message.clean.push_str(text),
            None => message.clean.push_str(
                message
                    .raw
                    .get(range.span.start..range.span.end)
                    .unwrap_or_default(),
            ),
        }
    }
    join(&mut message.ranges, range.clone());
}

/// Appends a range, or lengthens the last one when both say the same: how a text was cut into chunks must not
/// show in what was decided about it.
pub(super) fn join(ranges: &mut Vec<Range>, range: Range) {
    match ranges.last_mut() {
        // A secret that goes on.
        Some(last)
            if last.reason == Some(RangeReason::Redacted)
                && (range.reason, range.shown_as.as_deref()) == (last.reason, Some(""))
                && last.span.end == range.span.start =>
        {
            last.span.end = range.span.end;
        }
        Some(last)
            if (last.fate, last.reason, last.span.end) == (range.fate, range.reason, range.span.start)
                && last.shown_as.is_none()
                && range.shown_as.is_none() =>
        {
            last.span.end = range.span.end;
        }
        _ => ranges.push(range),
    }
}

fn held(message: &mut MessageDetail, when: When, hold: &Hold) {
    if let Some(open) = message.holds.last_mut().filter(|h| h.until_seq.is_none())
        && same_wait(&open.hold, hold)
    {
        open.hold = hold.clone();
        return;
    }
    release(message, when);
    message.holds.push(HoldEntry {
        seq: when.seq,
        until_seq: None,
        from_ms: when.ms,
        until_ms: None,
        hold: hold.clone(),
    });
}

fn release(message: &mut MessageDetail, when: When) {
    if let Some(open) = message.holds.last_mut().filter(|h| h.until_seq.is_none()) {
        open.until_seq = Some(when.seq);
        open.until_ms = Some(when.ms);
    }
}
