//! Reading a filter. Recursive descent: or, and (also unsaid), not, and what an event is tested for.

use super::{
    fields::{FIELDS, Field, Name, SHORT, Values},
    tree::{Compare, Node, Term},
    values::{self, When},
};
use foldback_wire::{ChannelId, Span, rpc::FilterError};

/// How deep parentheses and negations may nest. People stay below five; the stack has room for thousands.
const DEEPEST: usize = 64;

/// Longest filter, in bytes; a hundred lists of channels fit.
const LONGEST: usize = 4_096;

/// Largest compiled expression, in bytes; enough for a large one, and nothing that hurts.
const LARGEST_REGEX: usize = 1 << 20;

type Result<T> = std::result::Result<T, FilterError>;

/// The tree of a filter; `None` where there is nothing to test. Where `channels` are given, there are no others.
pub(super) fn parse(text: &str, channels: Option<&[ChannelId]>) -> Result<Option<Node>> {
    if text.len() > LONGEST {
        let message = format!(
            "a filter has at most {LONGEST} bytes, and this has {}",
            text.len()
        );
        return Err(error(0..text.len(), message, None));
    }
    let mut parser = Parser {
        text,
        channels,
        at: 0,
        depth: 0,
    };
    parser.skip_space();
    if parser.rest().is_empty() {
        return Ok(None);
    }
    let node = parser.alternatives()?;
    if parser.rest().is_empty() {
        Ok(Some(node))
    } else {
        // Only a parenthesis ends the list early.
        Err(error(parser.at..parser.at + 1, "this `)` closes nothing", None))
    }
}

/// An expression, as filters use it.
pub(super) fn regex(pattern: &str, any_case: bool) -> std::result::Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(pattern)
        .case_insensitive(any_case)
        .size_limit(LARGEST_REGEX)
        .build()
}

struct Parser<'a> {
    text: &'a str,
    channels: Option<&'a [ChannelId]>,
    /// Byte offset of what is read next.
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// The keyword that comes next, if one does.
    fn keyword(&self) -> Option<&'a str> {
        let rest = self.rest();
        let word = &rest[..rest.find(values::ends_word).unwrap_or(rest.len())];
        values::is_keyword(word).then_some(word)
    }

    fn take_keyword(&mut self, keyword: &str) -> bool {
        let found = self.keyword().filter(|word| word.eq_ignore_ascii_case(keyword));
        self.at += found.map_or(0, str::len);
        self.skip_space();
        found.is_some()
    }

    fn alternatives(&mut self) -> Result<Node> {
        let mut nodes = vec![self.conjunction()?];
        while self.take_keyword("or") {
            nodes.push(self.conjunction()?);
        }
        self.joined(Node::any(nodes))
    }

    fn conjunction(&mut self) -> Result<Node> {
        let mut nodes = vec![self.operand()?];
        loop {
            let said = self.take_keyword("and");
            let ends = self.rest().is_empty()
                || self.rest().starts_with(')')
                || self.keyword().is_some_and(|word| word.eq_ignore_ascii_case("or"));
            if ends && !said {
                return self.joined(Node::all(nodes));
            }
            nodes.push(self.operand()?);
        }
    }

    /// Lists here have at least one element, so there is always a node.
    fn joined(&self, node: Option<Node>) -> Result<Node> {
        node.ok_or_else(|| error(self.at..self.at, "a test is missing here", None))
    }

    /// A test, a group, or the negation of one.
    fn operand(&mut self) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(error(self.at..self.text.len(), "this nests too deeply", None));
        }
        let start = self.at;
        let node = if self.take_keyword("not") {
            Node::Not(Box::new(self.operand()?))
        } else if let Some(word) = self.keyword() {
            let message =
                format!("`{word}` needs a test on both sides; for the word itself write it in quotes");
            return Err(error(
                start..start + word.len(),
                message,
                Some(format!("\"{word}\"")),
            ));
        } else if self.rest().starts_with('-') {
            self.at += 1;
            let next = self.rest().chars().next();
            if next.is_none_or(|c| values::ends_word(c) && c != '(') {
                let message =
                    "`-` needs something right after it to leave out; for the sign itself write it in quotes";
                return Err(error(start..start + 1, message, Some("\"-\"".into())));
            }
            Node::Not(Box::new(self.operand()?))
        } else if self.rest().starts_with('(') {
            self.group()?
        } else {
            self.test()?
        };
        self.depth -= 1;
        self.skip_space();
        Ok(node)
    }

    fn group(&mut self) -> Result<Node> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let node = self.alternatives()?;
        if !self.rest().starts_with(')') {
            return Err(error(start..start + 1, "this `(` is never closed", None));
        }
        self.at += 1;
        Ok(node)
    }

    fn test(&mut self) -> Result<Node> {
        let rest = self.rest();
        if rest.is_empty() || rest.starts_with(')') {
            return Err(error(
                self.at..self.at + rest.len().min(1),
                "a test is missing here",
                None,
            ));
        }
        if rest.starts_with('"') {
            return self.quoted().map(Node::Word);
        }
        if rest.starts_with('/') {
            return self.expression();
        }
        if let Some(length) = values::field_name(rest) {
            return self.field(length);
        }
        let word = &rest[..rest.find(values::ends_word).unwrap_or(rest.len())];
        self.at += word.len();
        Ok(Node::Word(word.to_owned()))
    }

    /// A text in quotes, with `\"` and `\\` in it.
    fn quoted(&mut self) -> Result<String> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                _ => text.push(c),
            }
        }
        Err(error(
            self.at..self.text.len(),
            "this quote is never closed",
            None,
        ))
    }

    /// `/expression/` or `/expression/i`.
    fn expression(&mut self) -> Result<Node> {
        let start = self.at;
        let mut pattern = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        let length = loop {
            match chars.next() {
                None => {
                    let message = "this expression has no closing `/`; for a path write it in quotes";
                    return Err(error(start..self.text.len(), message, None));
                }
                Some((offset, '/')) => break offset + 1,
                Some((_, '\\')) => match chars.next() {
                    Some((_, '/')) => pattern.push('/'),
                    next => pattern.extend(['\\'].into_iter().chain(next.map(|(_, c)| c))),
                },
                Some((_, c)) => pattern.push(c),
            }
        };
        let rest = &self.rest()[length..];
        let flags = &rest[..rest.find(values::ends_word).unwrap_or(rest.len())];
        let end = start + length + flags.len();
        if !matches!(flags, "" | "i") {
            let whole = &self.text[start..end];
            let message =
                format!("`{flags}` is no flag of an expression, only `i` is; for a path write it in quotes");
            let quoted = format!("\"{}\"", whole.replace('\\', "\\\\"));
            return Err(error(start..end, message, Some(quoted)));
        }
        if let Err(fault) = regex(&pattern, flags == "i") {
            let fault = fault.to_string();
            // The last line says what is wrong; those before it draw the place.
            let what = fault
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            let message = format!("this expression cannot be read: {what}");
            return Err(error(start..start + length, message, None));
        }
        self.at = end;
        Ok(Node::Regex {
            pattern,
            any_case: flags == "i",
        })
    }

    /// A field's test; its name is `length` bytes long and an operator follows.
    fn field(&mut self, length: usize) -> Result<Node> {
        let start = self.at;
        let code = &self.rest()[..length];
        let Some(field) = Field::find(code) else {
            let known = FIELDS.iter().map(|field| field.code);
            let suggestion = nearest(code, known).map(str::to_owned);
            let message = match &suggestion {
                Some(_) => format!("unknown field “{code}”"),
                None => format!("unknown field “{code}”; to search the text, use quotes"),
            };
            return Err(error(start..start + length, message, suggestion));
        };
        self.at += length;
        let rest = self.rest();
        let Some((sign, compare)) = Compare::ALL.into_iter().find(|(sign, _)| rest.starts_with(sign)) else {
            return Err(error(self.at..self.at, "an operator is missing here", None));
        };
        if compare != Compare::Is && field.operators().len() == 1 {
            let message = format!("`{code}` takes `:`, as in `{}`", field.example);
            return Err(error(self.at..self.at + sign.len(), message, Some(":".into())));
        }
        self.at += sign.len();
        let mut terms = vec![self.term(field)?];
        while self.rest().starts_with([',', '|']) {
            self.at += 1;
            terms.push(self.term(field)?);
        }
        Ok(Node::Field {
            field,
            compare,
            values: terms,
        })
    }

    fn term(&mut self, field: &'static Field) -> Result<Term> {
        let start = self.at;
        let quoted = self.rest().starts_with('"');
        let text = if quoted {
            self.quoted()?
        } else {
            let rest = self.rest();
            let raw = &rest[..rest.find(values::ends_value).unwrap_or(rest.len())];
            self.at += raw.len();
            if raw.is_empty() {
                let message = format!("`{}` needs a value, as in `{}`", field.code, field.example);
                return Err(error(start..start, message, None));
            }
            raw.to_owned()
        };
        let span = start..self.at;
        let bad = |what: &str| {
            let message = format!("`{text}` is not {what}, as in `{}`", field.example);
            error(span.clone(), message, None)
        };
        match field.values {
            Values::Closed(known) => code(field, &known(), &text, span),
            Values::Id if !quoted && text.contains('*') => Ok(Term::Pattern(text)),
            Values::Id if field.name == Name::Channel => self.channel(text, span),
            Values::Id | Values::Text => Ok(Term::Text(text)),
            Values::Number => values::number(&text)
                .map(Term::Number)
                .ok_or_else(|| bad("a number")),
            Values::Duration => {
                let what = "a length of time (units ms, s, m, h, d)";
                values::duration(&text).map(Term::Number).ok_or_else(|| bad(what))
            }
            Values::Size => values::size(&text)
                .map(Term::Number)
                .ok_or_else(|| bad("a number of bytes (units k, m, g)")),
            Values::Time => {
                let what = "a time (how long ago, a day, or RFC 3339)";
                When::parse(&text).map(Term::When).ok_or_else(|| bad(what))
            }
        }
    }

    fn channel(&self, id: String, span: std::ops::Range<usize>) -> Result<Term> {
        let Some(channels) = self.channels else {
            return Ok(Term::Text(id));
        };
        let known = || channels.iter().map(ChannelId::as_str);
        if known().any(|known| known == id) {
            return Ok(Term::Text(id));
        }
        let suggestion = nearest(&id, known()).map(str::to_owned);
        let message = match &suggestion {
            Some(_) => format!("unknown channel “{id}”"),
            None => format!(
                "unknown channel “{id}”; use {}",
                known().collect::<Vec<_>>().join(", ")
            ),
        };
        Err(error(span, message, suggestion))
    }
}

/// The value of a closed field, or its short form.
fn code(
    field: &'static Field,
    known: &[super::fields::Value],
    text: &str,
    span: std::ops::Range<usize>,
) -> Result<Term> {
    let short = SHORT
        .iter()
        .find(|(name, short, _)| *name == field.name && short.eq_ignore_ascii_case(text));
    let text = short.map_or(text, |(.., long)| long);
    if let Some(value) = known.iter().find(|value| value.code.eq_ignore_ascii_case(text)) {
        return Ok(Term::Code(value.code));
    }
    let suggestion = nearest(text, known.iter().map(|value| value.code)).map(str::to_owned);
    let message = if suggestion.is_some() {
        format!("`{}:` has no “{text}”", field.code)
    } else {
        let known: Vec<_> = known.iter().map(|value| value.code).collect();
        format!("`{}:` has no “{text}”; use {}", field.code, known.join(", "))
    };
    Err(error(span, message, suggestion))
}

fn error(
    span: std::ops::Range<usize>,
    message: impl Into<String>,
    suggestion: Option<String>,
) -> FilterError {
    FilterError {
        span: Span::new(span.start, span.end),
        message: message.into(),
        suggestion,
    }
}

/// What was probably meant. 0.8 finds one slip in four letters and swapped letters, and little by chance.
pub(super) fn nearest<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let text = text.to_ascii_lowercase().replace('-', "_");
    let scored = known.map(|word| (strsim::jaro_winkler(&text, word), word));
    scored
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
}
