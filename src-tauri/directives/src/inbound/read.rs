//! Finds the directives in a message, reading forwards only.

use super::Settings;
use super::code::plain;
use super::table::{Argument, Form, MODEL, Row, TABLE};
use super::value::Value;
use crate::lex::Source;
use crate::{Code, Diagnostic, Span};

/// Punctuation that may follow a value without a space.
const AFTER: [char; 7] = [',', '.', ';', ':', '!', '?', ')'];

/// One value, and the bytes that give it.
#[derive(Debug)]
pub(super) struct Given<'t> {
    pub(super) argument: &'static Argument,
    pub(super) value: Value<'t>,
    span: Span,
}

/// One directive in the text.
#[derive(Debug)]
pub(super) struct Found<'t> {
    pub(super) row: &'static Row,
    pub(super) span: Span,
    pub(super) given: Vec<Given<'t>>,
}

impl Found<'_> {
    /// Whether it has no value although it takes one.
    pub(super) const fn asks(&self) -> bool {
        self.given.is_empty() && !self.row.arguments.is_empty()
    }
}

/// What a word behind a directive is to it.
enum Fit<'t> {
    Given(Given<'t>),
    /// It names an argument, or looks like one, but its value is none: what is expected instead.
    Wrong(String),
    /// It belongs to the text.
    Text,
}

/// Reads one message.
pub(super) struct Reader<'t> {
    text: &'t str,
    settings: &'t Settings,
    source: Source,
    pub(super) found: Vec<Found<'t>>,
    pub(super) findings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, settings: &'t Settings) -> Self {
        let mut source = Source::default();
        source.push(text);
        source.ended = true;
        Self {
            text,
            settings,
            source,
            found: Vec::new(),
            findings: Vec::new(),
        }
    }

    pub(super) fn read(&mut self) {
        for part in self.plain() {
            let mut at = part.start;
            while let Some(skip) = memchr::memchr(b'/', &self.text.as_bytes()[at..part.end]) {
                self.source.spend(skip + 1);
                at = self.directive(at + skip, part.end);
            }
            self.source.spend(part.end - at);
        }
    }

    /// What is no code.
    pub(super) fn plain(&self) -> Vec<Span> {
        plain(self.text, &self.source)
    }

    /// How many bytes were examined, those looked at again counted again.
    #[cfg(test)]
    pub(super) fn work(&self) -> u64 {
        self.source.work()
    }

    /// Reads what may be a directive at a slash; says where to go on.
    fn directive(&mut self, slash: usize, limit: usize) -> usize {
        let from = slash + 1;
        if !self.text[..slash]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace)
        {
            return from;
        }
        let end = self.until(from, limit, |c| c.is_whitespace() || matches!(c, ':' | '/'));
        let next = self.text[end..].chars().next();
        if next.is_some_and(|c| !c.is_whitespace() && c != ':') {
            return end;
        }
        let Some((row, given)) = self.named(Span::new(from, end)) else {
            return end;
        };
        let mut found = Found {
            row,
            span: Span::new(slash, end + usize::from(next == Some(':'))),
            given,
        };
        let mut at = self.until(end, limit, |c| !c.is_whitespace());
        if self.text[at..limit].starts_with(':') {
            at = self.until(at + 1, limit, |c| !c.is_whitespace());
        }
        if let Err((span, expected)) = self.arguments(&mut found, at, limit) {
            let message = format!(
                "`{}` is no value of /{}: {expected}",
                span.of(self.text),
                row.name
            );
            self.findings
                .push(Diagnostic::new(Code::InvalidValue, span, message));
            return span.start;
        }
        let end = found.span.end;
        self.found.push(found);
        end
    }

    /// The directive of a name; the name of a model's alias is a directive with its value.
    fn named(&self, span: Span) -> Option<(&'static Row, Vec<Given<'t>>)> {
        let name = span.of(self.text);
        if let Some(row) = TABLE.iter().find(|row| row.is(name)) {
            return Some((row, Vec::new()));
        }
        let mut aliases = self.settings.aliases.iter();
        let alias = aliases.find(|alias| alias.eq_ignore_ascii_case(name))?;
        let given = Given {
            argument: &MODEL.arguments[0],
            value: Value::Model(alias, None),
            span,
        };
        Some((MODEL, vec![given]))
    }

    /// Reads the words from `at` on as far as they are arguments. The error is a word that is no value.
    fn arguments(&mut self, found: &mut Found<'t>, at: usize, limit: usize) -> Result<(), (Span, String)> {
        let mut at = at;
        while at < limit {
            let end = self.until(at, limit, char::is_whitespace);
            // A word that goes on as code is none.
            if end == limit && limit < self.text.len() {
                return Ok(());
            }
            let word = Span::new(at, end);
            match self.fit(found, word) {
                Fit::Wrong(expected) => return Err((word, expected)),
                Fit::Text => return Ok(()),
                Fit::Given(given) => {
                    let span = given.span;
                    let last = given.argument.form == Form::Last;
                    let name = given.argument.name;
                    if let Some(before) = found.given.iter().find(|g| g.argument.name == name) {
                        self.findings.push(Diagnostic::new(
                            Code::DuplicateAttribute,
                            before.span,
                            format!("`{name}` stands twice in /{}; the last counts", found.row.name),
                        ));
                        found.given.retain(|g| g.argument.name != name);
                    }
                    found.given.push(given);
                    found.span.end = span.end;
                    if last || span.end < end {
                        return Ok(());
                    }
                    at = self.until(end, limit, |c| !is_blank(c));
                }
            }
        }
        Ok(())
    }

    fn fit(&self, found: &Found<'t>, word: Span) -> Fit<'t> {
        let text = word.of(self.text);
        let bare = text.trim_end_matches(AFTER);
        self.source.spend(2 * text.len());
        let (row, empty) = (found.row, found.given.is_empty());
        let key = text.find(['=', ':']).map(|at| text.split_at(at));
        for argument in row.arguments {
            let given = |value, len| {
                Fit::Given(Given {
                    argument,
                    value,
                    span: Span::new(word.start, word.start + len),
                })
            };
            match (argument.form, key) {
                (Form::Keyed(kind), Some((name, value))) if name.eq_ignore_ascii_case(argument.name) => {
                    let value = value[1..].trim_end_matches(AFTER);
                    return kind.read(value).map_or_else(
                        || Fit::Wrong(kind.expected()),
                        |read| given(read, name.len() + 1 + value.len()),
                    );
                }
                (Form::Bare(kind), _) if row.list || empty => {
                    if let Some(value) = kind.read(bare) {
                        return match self.settings.refuses(row, value) {
                            Some(expected) => Fit::Wrong(expected),
                            None => given(value, bare.len()),
                        };
                    }
                }
                (Form::Flag, _) if !empty && bare.eq_ignore_ascii_case(argument.name) => {
                    return given(Value::Set, bare.len());
                }
                (Form::Last, _) if bare.eq_ignore_ascii_case(argument.name) => {
                    return given(Value::Set, bare.len());
                }
                _ => {}
            }
        }
        if empty && !row.arguments.is_empty() && text.starts_with(char::is_alphanumeric) {
            return Fit::Wrong(expected(row));
        }
        Fit::Text
    }

    /// The first character from `from` on that `stops`, or `limit`.
    fn until(&self, from: usize, limit: usize, stops: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[from..limit];
        let len = rest.find(stops).unwrap_or(rest.len());
        self.source.spend(len + 1);
        from + len
    }
}

/// White space within a line.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\n' | '\r')
}

/// What may follow a directive, for a person who wrote something else.
fn expected(row: &Row) -> String {
    let each = row.arguments.iter().filter_map(|argument| match argument.form {
        Form::Bare(kind) => Some(kind.expected()),
        Form::Keyed(_) => Some(format!("{}=", argument.name)),
        Form::Last => Some(argument.name.to_owned()),
        Form::Flag => None,
    });
    each.collect::<Vec<_>>().join(", ")
}
