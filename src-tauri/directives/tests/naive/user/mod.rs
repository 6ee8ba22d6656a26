//! The page about users' messages, read a second time: `/think high explain this`.
//!
//! Written from the page alone, word by word over the whole text and without regard to cost; the values are
//! the page's table. Where the page leaves something open, a comment that begins with "Open:" says what is
//! done here.

mod cut;
mod value;

use foldback_directives::{
    Code, Span,
    inbound::{Inbound, Settings},
};
use serde_json::{Map, Value, json};

use crate::page;
use value::Fit;

/// What two readings of one message must agree on.
#[derive(Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) cleaned: String,
    pub(crate) directive_only: bool,
    /// As they are printed.
    pub(crate) directives: Value,
    pub(crate) findings: Vec<(Span, &'static str)>,
}

/// One directive that was found.
#[derive(Debug)]
struct Found {
    name: &'static str,
    span: Span,
    /// What is set, each with the bytes that say it.
    set: Vec<(&'static str, Value, Span)>,
}

impl Found {
    /// Whether it asks for the current value.
    fn asks(&self) -> bool {
        self.set.is_empty() && self.name != "status"
    }
}

/// The reader's result for a text, compared with the naive reading of it.
pub(crate) fn agree(inbound: &Inbound, text: &str, settings: &Settings) -> Result<(), String> {
    let findings = inbound.diagnostics.iter();
    let reader = Reading {
        cleaned: inbound.cleaned.clone(),
        directive_only: inbound.directive_only,
        directives: serde_json::to_value(&inbound.directives).unwrap_or_default(),
        findings: findings.map(|found| (found.span, found.code.code())).collect(),
    };
    let page = read(text, settings);
    if reader == page {
        return Ok(());
    }
    Err(format!(
        "{text:?}\nunder {settings:?}\nreader {reader:#?}\npage {page:#?}"
    ))
}

/// A text in which code is known.
struct Text<'a> {
    text: &'a str,
    code: Vec<Span>,
}

impl Text<'_> {
    fn holds_code(&self, span: Span) -> bool {
        self.code
            .iter()
            .any(|code| code.start < span.end && span.start < code.end)
    }

    /// The run of what is no white space from `at` on, when none of it is code.
    fn word(&self, at: usize) -> Option<Span> {
        let len = self.text[at..]
            .find(char::is_whitespace)
            .unwrap_or(self.text.len() - at);
        Some(Span::new(at, at + len)).filter(|word| len > 0 && !self.holds_code(*word))
    }

    fn after(&self, at: usize, skipped: fn(char) -> bool) -> usize {
        self.text.len() - self.text[at..].trim_start_matches(skipped).len()
    }
}

/// White space that ends no line.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\n' | '\r')
}

/// Reads one message.
pub(crate) fn read(text: &str, settings: &Settings) -> Reading {
    let known = Text {
        text,
        code: page::code(text),
    };
    let mut found: Vec<Found> = Vec::new();
    let mut findings = Vec::new();
    let mut at = 0;
    while let Some(slash) = text[at..].find('/').map(|skip| at + skip) {
        at = slash + 1;
        let free = text[..slash].chars().next_back().is_none_or(char::is_whitespace);
        if !free || known.holds_code(Span::new(slash, at)) {
            continue;
        }
        match directive(&known, slash, settings, &mut findings) {
            Some(Ok(directive)) => {
                at = directive.span.end;
                found.push(directive);
            }
            Some(Err(wrong)) => at = wrong,
            None => {}
        }
    }
    decide(text, settings, found, findings)
}

/// What stands at a slash: a directive, or where the word begins that is no value of it.
fn directive(
    known: &Text<'_>,
    slash: usize,
    settings: &Settings,
    findings: &mut Vec<(Span, Code)>,
) -> Option<Result<Found, usize>> {
    let text = known.text;
    let from = slash + 1;
    let len = text[from..].find(|c: char| c.is_whitespace() || c == ':');
    let end = len.map_or(text.len(), |len| from + len);
    let (name, alias) = value::named(&text[from..end], settings)?;
    let colon = text[end..].starts_with(':');
    let mut found = Found {
        name,
        // Open: whether a colon without a value belongs to the directive. Here: one that touches the name.
        span: Span::new(slash, end + usize::from(colon)),
        set: Vec::new(),
    };
    found
        .set
        .extend(alias.map(|model| ("model", json!(model), Span::new(from, end))));
    let mut at = known.after(end, char::is_whitespace);
    if text[at..].starts_with(':') {
        at = known.after(at + 1, char::is_whitespace);
    }
    // Open: how values are told from one another. Here: by white space; the next one is on the same line.
    while let Some(word) = known.word(at) {
        let set: Vec<&str> = found.set.iter().map(|(key, ..)| *key).collect();
        let (key, value, len) = match value::fit(name, word.of(text), &set, settings) {
            Fit::Value(key, value, len) => (key, value, len),
            Fit::Wrong => {
                findings.push((word, Code::InvalidValue));
                return Some(Err(word.end));
            }
            Fit::Text => break,
        };
        let span = Span::new(word.start, word.start + len);
        if let Some(before) = found.set.iter().position(|(other, ..)| *other == key) {
            findings.push((found.set.remove(before).2, Code::DuplicateAttribute));
        }
        found.set.push((key, value, span));
        found.span.end = span.end;
        if span.end < word.end || key == "reset" {
            break;
        }
        at = known.after(word.end, is_blank);
    }
    Some(Ok(found))
}

/// What the directives of a message do to it.
fn decide(
    text: &str,
    settings: &Settings,
    mut found: Vec<Found>,
    mut findings: Vec<(Span, Code)>,
) -> Reading {
    let inside = |at: usize| {
        found
            .iter()
            .any(|one| (one.span.start..one.span.end).contains(&at))
    };
    let mut beside = text.char_indices().filter(|(at, _)| !inside(*at));
    let alone = !found.is_empty() && beside.all(|(_, c)| c.is_whitespace());
    if !alone {
        found.retain(|one| !one.asks());
    }
    if !settings.authorized {
        let reason = found.first().map(|one| (one.span, Code::NotAllowed));
        findings = reason.into_iter().collect();
        found.clear();
    }
    let mut directives = Map::new();
    for (at, one) in found.iter().enumerate() {
        if let Some(before) = found[..at].iter().rev().find(|before| before.name == one.name) {
            findings.push((before.span, Code::DuplicateDirective));
        }
        directives.insert(one.name.to_owned(), printed(one));
    }
    findings.sort_by_key(|(span, code)| (span.start, code.code()));
    let spans: Vec<Span> = found.iter().map(|one| one.span).collect();
    let directive_only = alone && !found.is_empty();
    Reading {
        cleaned: if directive_only {
            String::new()
        } else {
            cut::without(text, &spans)
        },
        directive_only,
        directives: directives.into(),
        findings: findings
            .into_iter()
            .map(|(span, code)| (span, code.code()))
            .collect(),
    }
}

fn printed(found: &Found) -> Value {
    let mut fields = Map::new();
    // Open: what a reset says about the rest. Here: nothing else is set.
    let reset = found.set.iter().any(|(key, ..)| *key == "reset");
    for (key, value, _) in &found.set {
        match value {
            Value::Object(several) => fields.extend(several.clone()),
            _ if reset && *key != "reset" => {}
            value => drop(fields.insert((*key).to_owned(), value.clone())),
        }
    }
    fields.into()
}
