//! One tag: name, attributes, `>`. Resumable, so that a tag that arrives byte by byte is read once.

use super::{Source, decode::decode, is_name, is_name_start, is_tag_space, search::is_blank_line};
use crate::Span;

/// Most bytes of a tag.
pub(crate) const MAX_TAG: usize = 8_192;
/// Most bytes of a quoted value.
pub(crate) const MAX_VALUE: usize = 4_096;

/// The quotes a value may stand in: opening and closing.
const QUOTES: [(&str, &str); 6] = [
    ("\"", "\""),
    ("'", "'"),
    ("\\\"", "\\\""),
    ("\\'", "\\'"),
    ("“", "”"),
    ("‘", "’"),
];

/// For each kind of quote, a stretch that is known to hold no closing quote and no blank line.
#[derive(Debug, Default)]
pub(crate) struct Quotes {
    clear: [Clear; 6],
}

#[derive(Debug, Default, Clone, Copy)]
struct Clear {
    from: usize,
    to: usize,
    /// The last LF in it.
    lf: Option<usize>,
}

/// An attribute as written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) name: Span,
    /// Between the quotes; `None` for a bare attribute.
    pub(crate) value: Option<Span>,
}

impl Attribute {
    pub(crate) fn span(&self) -> Span {
        Span::new(
            self.name.start,
            self.value.map_or(self.name.end, |value| value.end),
        )
    }

    pub(crate) fn is_named(&self, source: &Source, name: &str) -> bool {
        source.str(self.name).eq_ignore_ascii_case(name)
    }

    pub(crate) fn text(&self, source: &Source) -> String {
        self.value
            .map_or_else(String::new, |value| decode(source.str(value)).into_owned())
    }
}

/// A complete tag.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) closing: bool,
    pub(crate) self_closing: bool,
    pub(crate) attributes: Vec<Attribute>,
}

/// What reading a tag has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lexed {
    /// Complete; [`Lexer::tag`] has it.
    Complete,
    /// It needs more bytes.
    More,
    /// It can never be completed.
    Malformed,
    /// No tag at all.
    NoTag,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Name,
    /// Between attributes; whether white space or a quoted value came before.
    Between(bool),
    AttributeName(usize),
    AfterName(Span, bool),
    BeforeValue(Span),
    /// A value begins with a backslash: perhaps a backslash quote.
    Backslash(Span),
    /// The attribute, the kind of quote, where the value begins, its last LF so far.
    Quoted(Span, usize, usize, Option<usize>),
    Unquoted(Span, usize),
    UnquotedSlash(Span, usize, usize),
    Slash,
    Closing,
    Ended(Lexed),
}

/// Reads one tag, which starts with `<`.
#[derive(Debug)]
pub(crate) struct Lexer {
    at: usize,
    state: State,
    tag: Tag,
    valued: bool,
}

impl Lexer {
    pub(crate) fn new(start: usize) -> Self {
        let here = Span::new(start, start);
        let tag = Tag {
            span: here,
            name: here,
            closing: false,
            self_closing: false,
            attributes: Vec::new(),
        };
        Self {
            at: start + 1,
            state: State::Name,
            tag,
            valued: false,
        }
    }

    pub(crate) fn start(&self) -> usize {
        self.tag.span.start
    }

    /// The tag, once it is complete.
    pub(crate) fn tag(&self) -> &Tag {
        &self.tag
    }

    /// Whether this, ended here, is a tag cut off: its name alone, or with an attribute that has `=`.
    pub(crate) fn could_be_cut_off(&self) -> bool {
        let alone = self.tag.attributes.is_empty()
            && matches!(
                self.state,
                State::Name | State::Between(_) | State::Slash | State::Closing
            );
        let valued = self.tag.attributes.iter().any(|a| a.value.is_some());
        alone || valued || self.valued
    }

    /// Reads on, up to `end`.
    pub(crate) fn read(&mut self, source: &Source, quotes: &mut Quotes, end: usize) -> Lexed {
        let cap = self.start() + MAX_TAG;
        let limit = end.min(cap);
        while self.at < limit && !matches!(self.state, State::Ended(_)) {
            source.spend(1);
            let Some(next) = self.step(source, quotes, limit) else {
                break;
            };
            self.state = next;
        }
        match self.state {
            State::Ended(lexed) => lexed,
            _ if limit == cap => {
                self.state = State::Ended(Lexed::Malformed);
                Lexed::Malformed
            }
            _ => Lexed::More,
        }
    }

    fn skip(&mut self, source: &Source, limit: usize, what: fn(u8) -> bool) {
        let skipped = source
            .bytes(self.at, limit)
            .iter()
            .take_while(|b| what(**b))
            .count();
        source.spend(skipped);
        self.at += skipped;
    }

    /// One step from `self.at < limit`; `None` when it needs bytes past `limit`.
    fn step(&mut self, source: &Source, quotes: &mut Quotes, limit: usize) -> Option<State> {
        let b = source.byte(self.at)?;
        Some(match self.state {
            State::Name => self.name(source, limit, b),
            State::Between(spaced) => match b {
                b'>' => self.complete(false),
                b'/' => {
                    self.at += 1;
                    State::Slash
                }
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    State::Between(true)
                }
                _ if spaced && is_name_start(b) => State::AttributeName(self.at),
                _ => State::Ended(Lexed::Malformed),
            },
            State::AttributeName(from) => {
                self.skip(source, limit, is_name);
                if self.at == limit {
                    self.state
                } else {
                    State::AfterName(Span::new(from, self.at), false)
                }
            }
            State::AfterName(name, spaced) => match b {
                b'=' => {
                    self.at += 1;
                    self.valued = true;
                    State::BeforeValue(name)
                }
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    State::AfterName(name, true)
                }
                _ => {
                    self.tag.attributes.push(Attribute { name, value: None });
                    State::Between(spaced)
                }
            },
            State::BeforeValue(name) => self.before_value(source, limit, name, b),
            State::Backslash(name) => {
                let kind = match b {
                    b'"' => Some(2),
                    b'\'' => Some(3),
                    _ => None,
                };
                match kind {
                    Some(kind) => {
                        self.at += 1;
                        State::Quoted(name, kind, self.at, None)
                    }
                    None => State::Unquoted(name, self.at - 1),
                }
            }
            State::Quoted(name, kind, from, lf) => {
                return self.quoted(source, quotes, limit, (name, kind, from, lf));
            }
            State::Unquoted(name, from) => self.unquoted(source, limit, name, from),
            State::UnquotedSlash(name, from, to) => match b {
                b'>' => self.value_then(name, from, to - 1, true),
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    self.state
                }
                _ => {
                    self.value(name, from, to);
                    State::Between(true)
                }
            },
            State::Slash | State::Closing => match b {
                b'>' => self.complete(matches!(self.state, State::Slash)),
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    self.state
                }
                _ if self.tag.closing => State::Ended(Lexed::NoTag),
                _ => State::Ended(Lexed::Malformed),
            },
            State::Ended(_) => self.state,
        })
    }

    fn name(&mut self, source: &Source, limit: usize, b: u8) -> State {
        if self.tag.name.is_empty() {
            if b == b'/' && !self.tag.closing {
                self.tag.closing = true;
                self.at += 1;
                return State::Name;
            }
            if !is_name_start(b) {
                return State::Ended(Lexed::NoTag);
            }
            self.tag.name = Span::new(self.at, self.at);
        }
        self.skip(source, limit, is_name);
        self.tag.name.end = self.at;
        match (self.at == limit, self.tag.closing) {
            (true, _) => State::Name,
            (false, true) => State::Closing,
            (false, false) => State::Between(false),
        }
    }

    fn before_value(&mut self, source: &Source, limit: usize, name: Span, b: u8) -> State {
        if is_tag_space(b) {
            self.skip(source, limit, is_tag_space);
            return self.state;
        }
        let kind = match source.char(self.at) {
            Some('"') => 0,
            Some('\'') => 1,
            Some('\\') => {
                self.at += 1;
                return State::Backslash(name);
            }
            Some('“') => 4,
            Some('‘') => 5,
            _ => return State::Unquoted(name, self.at),
        };
        self.at += QUOTES[kind].0.len();
        State::Quoted(name, kind, self.at, None)
    }

    fn quoted(
        &mut self,
        source: &Source,
        quotes: &mut Quotes,
        limit: usize,
        (name, kind, from, mut lf): (Span, usize, usize, Option<usize>),
    ) -> Option<State> {
        let (_, close) = QUOTES[kind];
        let clear = &mut quotes.clear[kind];
        let known = clear.from <= from && from < clear.to;
        if self.at == from && known {
            self.at = clear.to.min(limit);
            lf = clear.lf.filter(|lf| *lf >= from && *lf < self.at);
        } else if !known || clear.to < self.at {
            *clear = Clear {
                from,
                to: self.at,
                lf,
            };
        }
        let most = from + MAX_VALUE + 1;
        let mut closed = None;
        while closed.is_none() && self.at < limit.min(most) {
            let rest = source.bytes(self.at, limit.min(most));
            let skip = memchr::memchr2(close.as_bytes()[0], b'\n', rest).unwrap_or(rest.len());
            source.spend(skip + 1);
            self.at += skip;
            match rest.get(skip) {
                None => {}
                Some(b'\n') => {
                    if lf.is_some_and(|lf| is_blank_line(source, lf, self.at)) {
                        closed = Some(State::Ended(Lexed::Malformed));
                    } else {
                        lf = Some(self.at);
                        self.at += 1;
                    }
                }
                // In a plain quote a backslash before the quote escapes it.
                Some(b'"' | b'\'') if self.at > from && source.byte(self.at - 1) == Some(b'\\') => {
                    self.at += 1;
                }
                Some(_) => match source.stands(self.at, limit, close) {
                    Some(true) => closed = Some(State::Between(true)),
                    Some(false) => self.at += 1,
                    None => break,
                },
            }
        }
        if self.at > clear.to {
            clear.to = self.at;
            clear.lf = lf;
        }
        match closed {
            Some(State::Between(_)) => {
                self.value(name, from, self.at);
                self.at += close.len();
                closed
            }
            Some(_) => closed,
            None if self.at >= most => Some(State::Ended(Lexed::Malformed)),
            None => {
                self.state = State::Quoted(name, kind, from, lf);
                None
            }
        }
    }

    fn unquoted(&mut self, source: &Source, limit: usize, name: Span, from: usize) -> State {
        let inside = |b: u8| !is_tag_space(b) && !matches!(b, b'<' | b'>' | b'"' | b'\'' | b'`' | b'=');
        self.skip(source, limit, inside);
        if self.at == limit {
            return self.state;
        }
        let slash = self.at > from && source.byte(self.at - 1) == Some(b'/');
        match source.byte(self.at) {
            Some(b'>') => self.value_then(name, from, self.at - usize::from(slash), slash),
            Some(b) if is_tag_space(b) && slash => State::UnquotedSlash(name, from, self.at),
            Some(b) if is_tag_space(b) && self.at > from => {
                self.value(name, from, self.at);
                State::Between(true)
            }
            _ => State::Ended(Lexed::Malformed),
        }
    }

    fn value(&mut self, name: Span, from: usize, to: usize) {
        self.tag.attributes.push(Attribute {
            name,
            value: Some(Span::new(from, to)),
        });
    }

    /// An unquoted value before the closing `>`, at which `self.at` stands. An empty one is malformed.
    fn value_then(&mut self, name: Span, from: usize, to: usize, self_closing: bool) -> State {
        if from == to {
            return State::Ended(Lexed::Malformed);
        }
        self.value(name, from, to);
        self.complete(self_closing)
    }

    fn complete(&mut self, self_closing: bool) -> State {
        self.at += 1;
        self.tag.self_closing = self_closing;
        self.tag.span.end = self.at;
        State::Ended(Lexed::Complete)
    }
}
