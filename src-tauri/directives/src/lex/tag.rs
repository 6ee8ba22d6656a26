//! One tag: name, attributes, `>`. Resumable, so that a tag that arrives byte by byte is read once.

mod quoted;
mod usual;

pub(crate) use quoted::Quotes;

use super::{Source, attribute::Attribute, is_name, is_name_start, is_tag_space};
use crate::Span;

/// Most bytes of a tag.
pub(crate) const MAX_TAG: usize = 8_192;
/// Most bytes of a quoted value.
pub(crate) const MAX_VALUE: usize = 4_096;

/// A complete tag; [`Lexer::attributes`] has what stands in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag {
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) closing: bool,
    pub(crate) self_closing: bool,
}

impl Tag {
    fn begin(start: usize) -> Self {
        let here = Span::new(start, start);
        Self {
            span: here,
            name: here,
            closing: false,
            self_closing: false,
        }
    }
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

/// Where in a tag the lexer stands. What it has read of an attribute lies in [`Open`], so that this is one
/// byte: it changes several times a tag.
#[derive(Debug, Clone, Copy)]
enum State {
    Name,
    /// Between attributes.
    Between,
    AttributeName,
    AfterName,
    BeforeValue,
    /// A value begins with a backslash: perhaps a backslash quote.
    Backslash,
    Quoted,
    Unquoted,
    /// An unquoted value that ends in a slash, and white space.
    UnquotedSlash,
    Slash,
    Closing,
    Ended(Lexed),
}

/// The attribute that is being read; only the fields that its state needs mean something.
#[derive(Debug, Default)]
struct Open {
    name: Span,
    /// Whether white space or a quoted value came before.
    spaced: bool,
    /// The kind of quote.
    quote: usize,
    /// Where the value begins.
    from: usize,
    /// Where an unquoted value that ends in a slash ends.
    to: usize,
    /// The last LF of the value so far.
    lf: Option<usize>,
}

/// Reads one tag, which starts with `<`.
#[derive(Debug)]
pub(crate) struct Lexer {
    at: usize,
    state: State,
    open: Open,
    tag: Tag,
    attributes: Vec<Attribute>,
    valued: bool,
}

impl Lexer {
    pub(crate) fn new(start: usize) -> Self {
        Self {
            at: start + 1,
            state: State::Name,
            open: Open::default(),
            tag: Tag::begin(start),
            attributes: Vec::new(),
            valued: false,
        }
    }

    pub(crate) fn start(&self) -> usize {
        self.tag.span.start
    }

    /// The tag, once it is complete.
    pub(crate) fn tag(&self) -> Tag {
        self.tag
    }

    /// The attributes read so far.
    pub(crate) fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Whether this, ended here, is a tag cut off: its name alone, or with an attribute that has `=`.
    pub(crate) fn could_be_cut_off(&self) -> bool {
        let alone = self.attributes.is_empty()
            && matches!(
                self.state,
                State::Name | State::Between | State::Slash | State::Closing
            );
        let valued = self.attributes.iter().any(|a| a.value.is_some());
        alone || valued || self.valued
    }

    /// Begins a new tag; the memory for attributes stays.
    fn restart(&mut self, start: usize) {
        self.at = start + 1;
        self.state = State::Name;
        self.tag = Tag::begin(start);
        self.attributes.clear();
        self.valued = false;
    }

    /// Reads the tag at `start`, up to `end`: goes on where it stopped if this is the tag it was reading.
    pub(crate) fn read(&mut self, start: usize, source: &Source, quotes: &mut Quotes, end: usize) -> Lexed {
        self.read_named(start, 0, source, quotes, end)
    }

    /// The same where a name of `known` bytes is known to stand.
    pub(crate) fn read_named(
        &mut self,
        start: usize,
        known: usize,
        source: &Source,
        quotes: &mut Quotes,
        end: usize,
    ) -> Lexed {
        if self.start() != start {
            self.attributes.clear();
            if self.usual(start, known, source, end) {
                return Lexed::Complete;
            }
            self.restart(start);
        }
        self.read_on(source, quotes, end)
    }

    fn read_on(&mut self, source: &Source, quotes: &mut Quotes, end: usize) -> Lexed {
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
                // A closing tag that is more than its name is none.
                let lexed = if self.tag.closing {
                    Lexed::NoTag
                } else {
                    Lexed::Malformed
                };
                self.state = State::Ended(lexed);
                lexed
            }
            _ => Lexed::More,
        }
    }

    #[inline]
    fn skip(&mut self, source: &Source, limit: usize, what: impl Fn(u8) -> bool) {
        let skipped = source
            .bytes(self.at, limit)
            .iter()
            .take_while(|b| what(**b))
            .count();
        source.spend(skipped);
        self.at += skipped;
    }

    /// One step from `self.at < limit`; `None` when it needs bytes past `limit`.
    #[inline]
    fn step(&mut self, source: &Source, quotes: &mut Quotes, limit: usize) -> Option<State> {
        let b = source.byte(self.at)?;
        Some(match self.state {
            State::Name => self.name(source, limit, b),
            State::Between => match b {
                b'>' => self.complete(false),
                b'/' => {
                    self.at += 1;
                    State::Slash
                }
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    self.between(true)
                }
                _ if self.open.spaced && is_name_start(b) => {
                    self.open.name = Span::new(self.at, self.at);
                    State::AttributeName
                }
                _ => State::Ended(Lexed::Malformed),
            },
            State::AttributeName => {
                self.skip(source, limit, is_name);
                if self.at == limit {
                    State::AttributeName
                } else {
                    self.open.name.end = self.at;
                    self.open.spaced = false;
                    State::AfterName
                }
            }
            State::AfterName => match b {
                b'=' => {
                    self.at += 1;
                    self.valued = true;
                    State::BeforeValue
                }
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    self.open.spaced = true;
                    State::AfterName
                }
                _ => {
                    self.attribute(None);
                    State::Between
                }
            },
            State::BeforeValue => self.before_value(source, limit, b),
            State::Backslash => match b {
                b'"' => self.quote(2, 1),
                b'\'' => self.quote(3, 1),
                _ => {
                    self.open.from = self.at - 1;
                    State::Unquoted
                }
            },
            State::Quoted => return self.quoted(source, quotes, limit),
            State::Unquoted => self.unquoted(source, limit),
            State::UnquotedSlash => match b {
                b'>' => self.value_then(self.open.to - 1, true),
                _ if is_tag_space(b) => {
                    self.skip(source, limit, is_tag_space);
                    State::UnquotedSlash
                }
                _ => {
                    self.attribute(Some(self.open.to));
                    self.between(true)
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

    fn between(&mut self, spaced: bool) -> State {
        self.open.spaced = spaced;
        State::Between
    }

    /// A quoted value begins after a quote of this kind, `len` bytes on.
    fn quote(&mut self, kind: usize, len: usize) -> State {
        self.at += len;
        self.open.quote = kind;
        self.open.from = self.at;
        self.open.lf = None;
        State::Quoted
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
            (false, false) => self.between(false),
        }
    }

    fn before_value(&mut self, source: &Source, limit: usize, b: u8) -> State {
        if is_tag_space(b) {
            self.skip(source, limit, is_tag_space);
            return State::BeforeValue;
        }
        match source.char(self.at) {
            Some('"') => self.quote(0, 1),
            Some('\'') => self.quote(1, 1),
            Some('\\') => {
                self.at += 1;
                State::Backslash
            }
            Some('“') => self.quote(4, '“'.len_utf8()),
            Some('‘') => self.quote(5, '‘'.len_utf8()),
            _ => {
                self.open.from = self.at;
                State::Unquoted
            }
        }
    }

    fn unquoted(&mut self, source: &Source, limit: usize) -> State {
        let inside = |b: u8| !is_tag_space(b) && !matches!(b, b'<' | b'>' | b'"' | b'\'' | b'`' | b'=');
        self.skip(source, limit, inside);
        if self.at == limit {
            return State::Unquoted;
        }
        let from = self.open.from;
        let slash = self.at > from && source.byte(self.at - 1) == Some(b'/');
        match source.byte(self.at) {
            Some(b'>') => self.value_then(self.at - usize::from(slash), slash),
            Some(b) if is_tag_space(b) && slash => {
                self.open.to = self.at;
                State::UnquotedSlash
            }
            Some(b) if is_tag_space(b) && self.at > from => {
                self.attribute(Some(self.at));
                self.between(true)
            }
            _ => State::Ended(Lexed::Malformed),
        }
    }

    /// The attribute is read; its value, if it has one, ends at `to`.
    fn attribute(&mut self, to: Option<usize>) {
        self.attributes.push(Attribute {
            name: self.open.name,
            value: to.map(|to| Span::new(self.open.from, to)),
            plain: false,
        });
    }

    /// An unquoted value up to `to`, before the closing `>`, at which `self.at` stands. An empty one is
    /// malformed.
    fn value_then(&mut self, to: usize, self_closing: bool) -> State {
        if self.open.from == to {
            return State::Ended(Lexed::Malformed);
        }
        self.attribute(Some(to));
        self.complete(self_closing)
    }

    fn complete(&mut self, self_closing: bool) -> State {
        self.at += 1;
        self.tag.self_closing = self_closing;
        self.tag.span.end = self.at;
        State::Ended(Lexed::Complete)
    }
}
