//! What the scanner tells its listener while it reads.

use crate::{Diagnostic, Directive, Fate, Header, HoldReason, JsonAction, RangeReason, Span, Suppression};

/// One decision. `Show`, `Hide` and, with redaction, `Mask` partition the raw bytes: every byte is in exactly one of them, once, in
/// order. The other steps come as soon as they are known, which may be before the range they lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// Text to append to what the user sees. It is never taken back.
    Show {
        /// The raw bytes.
        span: Span,
        /// What is shown: the raw bytes, or, when `joined`, the white space that stands for them.
        text: &'a str,
        /// Whether this is white space around something stripped.
        joined: bool,
    },
    /// Bytes of a secret; only a [`crate::redact::Reader`] says this.
    Mask {
        /// The raw bytes.
        span: Span,
        /// What is shown for them: the mask, or nothing where the secret goes on.
        text: &'a str,
    },
    /// Bytes that nobody sees.
    Hide {
        /// The raw bytes.
        span: Span,
        /// `Strip` or `Drop`.
        fate: Fate,
        /// Why.
        reason: RangeReason,
    },
    /// A directive to execute, before any text that follows it is shown.
    Directive(&'a Directive),
    /// The header, settled: before the first text is shown. Not sent when there was none.
    Header {
        /// Its valid keys and tags.
        header: &'a Header,
        /// From the first of them to the end of the last; nothing between them is shown.
        span: Span,
    },
    /// A JSON action, at the end of the message.
    Action(&'a JsonAction),
    /// A finding.
    Diagnostic(&'a Diagnostic),
    /// The reply is not delivered; no text was or will be shown.
    Suppressed(Suppression),
    /// What is held back now, after a push that changed it; `None` when nothing is.
    Hold(Option<&'a Hold>),
}

/// Takes the steps of a scanner.
pub trait Sink {
    /// Takes one step; what it borrows is valid during the call only.
    fn step(&mut self, step: Step<'_>);
}

/// Bytes that are not yet decided, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hold {
    /// From the first undecided byte to the end of what was read.
    pub span: Span,
    /// The reason, closed.
    pub reason: HoldReason,
    /// The rule that holds, an id of [`crate::RULES`] or, for redaction, of the pipeline's stage.
    pub rule: &'static str,
    /// What is open: a tag's name, a token, or empty.
    pub subject: &'static str,
    /// Where the thing began that is waited for.
    pub since: usize,
    /// The byte offset at which the wait ends at the latest, where the rule has a bound.
    pub until: Option<usize>,
}

impl Hold {
    /// The rule that fired, with its inputs, in words.
    pub fn why(&self) -> String {
        let about = self.reason.about();
        let (rule, from, len) = (self.rule, self.since, self.span.len());
        let bytes = if len == 1 { "byte" } else { "bytes" };
        let subject = match self.subject {
            "" => String::new(),
            name => format!(" ({name})"),
        };
        let bound = self
            .until
            .map_or_else(String::new, |until| format!(", at the latest at byte {until}"));
        format!("{about} Rule {rule}{subject}: waiting since byte {from}{bound}; {len} {bytes} held.")
    }

    /// What would release the bytes.
    pub fn release(&self) -> &'static str {
        match self.reason {
            HoldReason::TrailingSpace => "Any further text shows it; the end of the message trims it.",
            HoldReason::MaybeMarker => {
                "A character that does not continue the token, or the end of the message."
            }
            HoldReason::MaybeCode => "The closing backticks, a line break, or 16,384 bytes.",
            HoldReason::PartialTag => "The `>` that completes the tag, or anything a tag cannot hold.",
            HoldReason::OpenBlock => "`</actions>`, 65,536 bytes, or the end of the message.",
            HoldReason::OpenDirective => {
                "The closing tag, a blank line, a backtick, another tag, or 4,096 bytes."
            }
            HoldReason::HeaderOpen => "`]]`, a bracket, a line break, or 256 bytes.",
            HoldReason::PartialToken => "`|>`, or a character that a token's name cannot hold.",
            HoldReason::JsonOpen => "The first keys, the end of the value, or 65,536 bytes.",
            HoldReason::GuardOpen => "Its closing tag; the content is never shown.",
            HoldReason::RedactionWindow => {
                "A character that no secret has there, the whole secret (which is masked), or 512 bytes."
            }
            _ => "The next part of the text.",
        }
    }
}
