//! Which secrets stand in a text, and what they were known by: for people who look at a text, not for delivery.

use super::{Patterns, find::Finder};
use crate::Span;
use std::sync::Arc;

/// What a secret was known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnownBy {
    /// A row of [`SECRETS`](super::SECRETS), by its id.
    Known(&'static str),
    /// A pattern of the operator, by its place in [`RedactSettings::extra`](super::RedactSettings::extra).
    Own(usize),
}

/// A stretch of a text that is masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes.
    pub span: Span,
    /// All that found some of it, each once.
    pub by: Vec<KnownBy>,
}

impl Patterns {
    /// The secrets of a text, in their order: exactly the stretches that [`Patterns::redact`] masks.
    ///
    /// ```
    /// use foldback_directives::redact::{KnownBy, Patterns, RedactSettings};
    ///
    /// let patterns = Patterns::new(&RedactSettings::default());
    /// let found = &patterns.secrets("DB_PASSWORD=hunter2 is it")[0];
    /// assert_eq!((found.span.start, found.span.end), (12, 19));
    /// assert_eq!(found.by, [KnownBy::Known("named")]);
    /// ```
    pub fn secrets(self: &Arc<Self>, text: &str) -> Vec<Secret> {
        let mut finder = Finder::telling(Arc::clone(self));
        finder.push(text);
        finder.finish();
        let mut secrets: Vec<Secret> = Vec::new();
        let mut at = 0;
        while let Some(stretch) = finder.next() {
            let span = Span::new(at, stretch.end);
            at = stretch.end;
            match secrets.last_mut() {
                _ if !stretch.secret => {}
                Some(last) if last.span.end == span.start => last.span.end = span.end,
                _ => secrets.push(Secret { span, by: Vec::new() }),
            }
        }
        for (span, owner) in finder.told() {
            let first = secrets.partition_point(|secret| secret.span.end <= span.start);
            let covered = secrets[first..]
                .iter_mut()
                .take_while(|secret| secret.span.start < span.end);
            for secret in covered {
                secret.by.push(self.known_by(*owner));
            }
        }
        for secret in &mut secrets {
            secret.by.sort_unstable();
            secret.by.dedup();
        }
        secrets
    }
}
