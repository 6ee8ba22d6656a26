//! Directives in what a user writes: `/think high explain this`.
//!
//! One message in, what to set and the text for the agent out. A directive is recognised outside code only, at
//! the start or after white space; a word that is no value of it stays in the text, and nothing is guessed.

mod code;
mod cut;
mod lines;
mod read;
mod set;
mod table;
mod value;
mod words;
mod written;

#[cfg(test)]
mod tests;

use crate::{Code, Diagnostic, Span};
use read::{Found, Reader};
use value::Value;

pub use lines::{BracketedLine, bracketed_lines, without_spans};
pub use set::{Directives, Exec, Level, Model, Queue, Status};
pub use table::{Argument, Form, Row, TABLE};
pub use value::Kind;
pub use words::{
    Elevated, ExecAsk, ExecHost, ExecSecurity, QueueDrop, QueueMode, Reasoning, Think, Verbose, Word,
};

/// What is known about the sender and the models when a message is read. The default allows nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whether the sender may use directives.
    pub authorized: bool,
    /// Names of models that are directives themselves: `/opus`. Names of commands are no aliases.
    pub aliases: Vec<String>,
    /// The models there are, as `provider/model` or `model`. Aliases and numbers are taken besides. `None`:
    /// whatever has the form of a model is taken.
    pub models: Option<Vec<String>>,
    /// The levels of thinking that the model takes. `None`: all.
    pub think: Option<Vec<Think>>,
}

impl Settings {
    /// Settings of a sender who may use directives.
    pub fn authorized() -> Self {
        Self {
            authorized: true,
            ..Self::default()
        }
    }

    /// Why a value of the right form is not taken after all: what is expected instead.
    fn refuses(&self, row: &Row, value: Value<'_>) -> Option<String> {
        match (row.name, value, &self.think, &self.models) {
            ("think", Value::Word(_), Some(levels), _) => {
                let level = value.word(Think::ALL)?;
                let known = level == Think::Default || levels.contains(&level);
                (!known).then(|| {
                    let codes: Vec<_> = levels.iter().map(|level| level.code()).collect();
                    format!("this model takes {}", codes.join(", "))
                })
            }
            ("model", Value::Model(model, _), _, Some(models)) => {
                let mut names = models.iter().chain(&self.aliases);
                let known = names.any(|name| {
                    let short = name.rsplit('/').next();
                    name.eq_ignore_ascii_case(model) || short.is_some_and(|s| s.eq_ignore_ascii_case(model))
                });
                let number = model.bytes().all(|b| b.is_ascii_digit());
                (!known && !number).then(|| "no such model".to_owned())
            }
            _ => None,
        }
    }
}

/// What one message says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub struct Inbound {
    /// The text without its directives, for the agent.
    pub cleaned: String,
    /// Whether there are directives and no text: they are for the session. Otherwise they are for this turn.
    pub directive_only: bool,
    /// What is set or asked.
    pub directives: Directives,
    /// Findings, by start of span, then code.
    pub diagnostics: Vec<Diagnostic>,
    /// Ranges of the text in which the directives stand, in order. Without those of a sender who may not use them.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub spans: Vec<Span>,
}

/// Reads one message.
///
/// Of directives that may not be used nothing is taken: the text stays as it is, with one finding.
pub fn parse(text: &str, settings: &Settings) -> Inbound {
    let mut reader = Reader::new(text, settings);
    reader.read();
    let Reader {
        mut found,
        findings: mut diagnostics,
        ..
    } = reader;
    let directive_only = !found.is_empty() && nothing_beside(text, &found);
    if !directive_only {
        // In prose a question is a word.
        found.retain(|found| !found.asks());
    }
    if !settings.authorized {
        diagnostics = Vec::from_iter(found.first().map(refused));
        found.clear();
    }
    let mut directives = Directives::default();
    let mut seen: Vec<(&str, Span)> = Vec::with_capacity(TABLE.len());
    for one in &found {
        match seen.iter_mut().find(|(name, _)| *name == one.row.name) {
            None => seen.push((one.row.name, one.span)),
            Some((name, span)) => {
                let message = format!("/{name} stands twice; the last counts");
                diagnostics.push(Diagnostic::new(Code::DuplicateDirective, *span, message));
                *span = one.span;
            }
        }
        (one.row.begin)(&mut directives);
        for given in &one.given {
            (given.argument.set)(&mut directives, given.value);
        }
    }
    diagnostics.sort_by_key(|found| (found.span.start, found.code));
    let directive_only = directive_only && !found.is_empty();
    let spans: Vec<Span> = found.iter().map(|found| found.span).collect();
    let cleaned = if directive_only {
        String::new()
    } else {
        cut::without(text, &spans)
    };
    Inbound {
        cleaned,
        directive_only,
        directives,
        diagnostics,
        spans,
    }
}

fn nothing_beside(text: &str, found: &[Found<'_>]) -> bool {
    let mut at = 0;
    for one in found {
        if !text[at..one.span.start].trim().is_empty() {
            return false;
        }
        at = one.span.end;
    }
    text[at..].trim().is_empty()
}

fn refused(found: &Found<'_>) -> Diagnostic {
    let message = format!("the sender may not use /{}", found.row.name);
    Diagnostic::new(Code::NotAllowed, found.span, message)
}
