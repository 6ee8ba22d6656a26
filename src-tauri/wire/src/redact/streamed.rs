//! Masking a text that comes in pieces, and places of secrets in a text.

use super::Redaction;
use foldback_directives::redact::TextRedactor;
use std::ops::Range;

/// Masks a text that comes in pieces and may be cut later: a cut finds no half of a secret in it. What may be the beginning of
/// a secret waits, at most about 512 bytes; of a secret that is certain nothing is kept, however long it is.
#[derive(Debug, Clone)]
pub struct StreamRedactor(TextRedactor);

impl StreamRedactor {
    /// Takes the next piece; answers what is decided, masked.
    pub fn push(&mut self, text: &str) -> String {
        self.0.push(text)
    }

    /// Answers the rest: nothing follows.
    pub fn finish(self) -> String {
        self.0.finish()
    }
}

impl Redaction {
    /// A redactor of one text, with the secrets that are known now.
    pub fn stream(&self) -> StreamRedactor {
        StreamRedactor(TextRedactor::new(&self.patterns()))
    }

    /// The bytes of each secret in a text, in their order.
    pub fn secret_places(&self, text: &str) -> Vec<Range<usize>> {
        let secrets = self.patterns().secrets(text).into_iter();
        secrets.map(|secret| secret.span.start..secret.span.end).collect()
    }
}
