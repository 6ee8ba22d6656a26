//! Masks secrets in what a turn says: in the clean text after the scanner, in its directives, in its
//! reasoning, and in the raw text that the journal keeps.

use crate::rules::{Rule, Rules};
use foldback_directives::{
    Scanner,
    redact::{RawRedactor, Reader, TextRedactor},
};
use foldback_wire::{Directive, Header, Kind, RangeReason, Span, redact::Redaction};

/// The secrets that are masked in a turn.
pub(crate) struct Redact<'a> {
    redaction: Option<&'a Redaction>,
    rules: Rules,
    /// Reasoning that may go on.
    reasoning: Option<TextRedactor>,
}

impl<'a> Redact<'a> {
    pub(crate) const fn new(redaction: Option<&'a Redaction>, rules: Rules) -> Self {
        Self {
            redaction,
            rules,
            reasoning: None,
        }
    }

    /// The reader of an assistant message.
    pub(crate) fn reader(&self, scanner: Scanner) -> Reader {
        let masks = self.redaction.filter(|_| self.rules.holds(Rule::RedactText));
        let reader = Reader::new(scanner, masks.map(Redaction::patterns).as_ref());
        #[cfg(feature = "mutants")]
        if !self.rules.holds(Rule::RedactWindow) {
            return reader.impatient();
        }
        reader
    }

    /// The raw text of an assistant message, for the journal.
    pub(crate) fn raw(&self) -> RawText {
        let masks = self.redaction.filter(|_| self.rules.holds(Rule::RedactJournal));
        RawText {
            secrets: masks.map(|redaction| RawRedactor::new(&redaction.patterns())),
            read: 0,
            decided: 0,
        }
    }

    /// A directive as it is carried out and journalled.
    pub(crate) fn directive(&self, directive: &Directive) -> Directive {
        let mut masked = directive.clone();
        let Some(redaction) = self.redaction else {
            return masked;
        };
        redaction.directive(&mut masked);
        if !self.rules.holds(Rule::RedactDirectives) {
            let named = masked;
            masked = directive.clone();
            name(&mut masked, &named);
        }
        if !self.rules.holds(Rule::RedactFile) {
            name(&mut masked, directive);
        }
        masked
    }

    /// A header as it is honoured and journalled.
    pub(crate) fn header(&self, header: &Header) -> Header {
        let mut masked = header.clone();
        if let Some(redaction) = self.redaction {
            redaction.header(&mut masked);
        }
        masked
    }

    /// Reasoning, as far as it is decided.
    pub(crate) fn reason(&mut self, text: String) -> Option<Kind> {
        let Some(redaction) = self.redaction else {
            return Some(Kind::Reasoning { text });
        };
        let stream = self
            .reasoning
            .get_or_insert_with(|| TextRedactor::new(&redaction.patterns()));
        reasoning(stream.push(&text))
    }

    /// The rest of the reasoning: something else follows.
    pub(crate) fn end_reasoning(&mut self) -> Option<Kind> {
        reasoning(self.reasoning.take()?.finish())
    }
}

fn reasoning(text: String) -> Option<Kind> {
    (!text.is_empty()).then_some(Kind::Reasoning { text })
}

/// Gives a file the name it has in the other directive.
fn name(file: &mut Directive, other: &Directive) {
    if let (Directive::SendFile { path, .. }, Directive::SendFile { path: name, .. }) = (file, other) {
        path.clone_from(name);
    }
}

/// The raw text of an assistant message. A secret in it is masked length for length, so that every place in
/// it stays true; what may begin one is kept back until that is known.
pub(crate) struct RawText {
    secrets: Option<RawRedactor>,
    /// Bytes read.
    read: usize,
    /// Bytes that have a range.
    decided: usize,
}

/// A piece of raw text for the journal.
pub(crate) struct RawChunk {
    pub(crate) span: Span,
    pub(crate) text: String,
    /// Bytes that had come, where they are more than were told.
    pub(crate) came: Option<usize>,
}

impl RawText {
    /// More text, the first byte that waits for redaction, and what was decided about the text.
    pub(crate) fn push(&mut self, text: &str, waits: Option<usize>, decided: &[Kind]) -> RawChunk {
        let start = self.read;
        self.read += text.len();
        self.learn(decided);
        let Some(secrets) = &mut self.secrets else {
            return RawChunk {
                span: Span::new(start, self.read),
                text: text.to_owned(),
                came: None,
            };
        };
        secrets.push(text);
        // What is known not to go on as a secret; at least all that is decided, as ranges must not come before
        // their text.
        let known = secrets.decided().min(waits.unwrap_or(self.read));
        let (span, text) = secrets.take_to(known.max(self.decided));
        let came = (self.read > span.end).then_some(self.read);
        RawChunk { span, text, came }
    }

    /// Nothing follows: tells what was kept back.
    pub(crate) fn finish(mut self, decided: &[Kind]) -> Option<RawChunk> {
        self.secrets.as_mut()?.finish();
        self.learn(decided);
        let (span, text) = self.secrets.as_mut()?.take_to(self.read);
        (!span.is_empty()).then_some(RawChunk {
            span,
            text,
            came: None,
        })
    }

    fn learn(&mut self, decided: &[Kind]) {
        let Some(secrets) = &mut self.secrets else { return };
        for kind in decided {
            if let Kind::Decided { range, .. } = kind {
                self.decided = range.span.end;
                if range.reason == Some(RangeReason::Redacted) {
                    secrets.mask(range.span);
                }
            }
        }
    }
}
