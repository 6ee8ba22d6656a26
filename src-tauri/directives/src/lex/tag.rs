//! One tag: name, attributes, `>`. Resumable, so that a tag that arrives byte by byte is read once.

use super::{
    NAME, Source, attribute::Attribute, is_name, is_name_start, is_tag_space, search::is_blank_line,
};
use crate::Span;

/// Most bytes of a tag.
pub(crate) const MAX_TAG: usize = 8_192;
/// Most bytes of a quoted value.
pub(crate) const MAX_VALUE: usize = 4_096;

/// Longest tag that is read in one go.
const USUAL: usize = 256;

/// The bytes of a quoted value that stand for themselves, whatever is around them.
static PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    table[b'"' as usize] = false;
    table[b'\\' as usize] = false;
    table[b'&' as usize] = false;
    table[b'\n' as usize] = false;
    table
};

/// The quotes a value may stand in, by what closes them: straight, backslash and curly ones.
const QUOTES: [&str; 6] = ["\"", "'", "\\\"", "\\'", "”", "’"];

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

/// A complete tag; [`Lexer::attributes`] has what stands in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tag {
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) closing: bool,
    pub(crate) self_closing: bool,
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
        let here = Span::new(start, start);
        Self {
            at: start + 1,
            state: State::Name,
            open: Open::default(),
            tag: Tag {
                span: here,
                name: here,
                closing: false,
                self_closing: false,
            },
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
        let here = Span::new(start, start);
        self.at = start + 1;
        self.state = State::Name;
        self.tag = Tag {
            span: here,
            name: here,
            closing: false,
            self_closing: false,
        };
        self.attributes.clear();
        self.valued = false;
    }

    /// Reads the tag at `start`, up to `end`: goes on where it stopped if this is the tag it was reading.
    pub(crate) fn read(&mut self, start: usize, source: &Source, quotes: &mut Quotes, end: usize) -> Lexed {
        if self.start() != start {
            self.attributes.clear();
            if self.usual(start, source, end) {
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
                self.state = State::Ended(Lexed::Malformed);
                Lexed::Malformed
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

    /// Reads a tag that is written as most are, `<name name="value" />`, in one go if it has arrived whole;
    /// whether it did. All others go their way through the states.
    fn usual(&mut self, start: usize, source: &Source, limit: usize) -> bool {
        let near = source.bytes(start, limit.min(start + USUAL).max(start));
        let past = |table: &[bool; 256], mut at: usize| {
            while near.get(at).is_some_and(|b| table[usize::from(*b)]) {
                at += 1;
            }
            at
        };
        let closing = near.get(1) == Some(&b'/');
        let from = 1 + usize::from(closing);
        if !near.get(from).is_some_and(|b| is_name_start(*b)) {
            return false;
        }
        let name = past(&NAME, from);
        let (mut at, mut self_closing) = (name, false);
        let complete = loop {
            match near[at..] {
                [b'>', ..] => break true,
                [b'/', b'>', ..] | [b' ', b'/', b'>', ..] if !closing => {
                    at += 1 + usize::from(near[at] == b' ');
                    self_closing = true;
                }
                [b' ', first, ..] if is_name_start(first) && !closing => {
                    let equals = past(&NAME, at + 1);
                    let value = equals + 2;
                    if !near[equals..].starts_with(b"=\"") {
                        break false;
                    }
                    let quote = past(&PLAIN, value);
                    if near.get(quote) != Some(&b'"') {
                        break false;
                    }
                    self.attributes.push(Attribute {
                        name: Span::new(start + at + 1, start + equals),
                        value: Some(Span::new(start + value, start + quote)),
                        plain: true,
                    });
                    at = quote + 1;
                }
                _ => break false,
            }
        };
        source.spend(at + 1);
        if complete {
            self.tag = Tag {
                span: Span::new(start, start + at + 1),
                name: Span::new(start + from, start + name),
                closing,
                self_closing,
            };
            self.state = State::Ended(Lexed::Complete);
        }
        complete
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

    fn quoted(&mut self, source: &Source, quotes: &mut Quotes, limit: usize) -> Option<State> {
        let Open {
            quote: kind,
            from,
            mut lf,
            ..
        } = self.open;
        let close = QUOTES[kind];
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
                    Some(true) => closed = Some(State::Between),
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
            Some(State::Between) => {
                self.attribute(Some(self.at));
                self.at += close.len();
                Some(self.between(true))
            }
            Some(_) => closed,
            None if self.at >= most => Some(State::Ended(Lexed::Malformed)),
            None => {
                self.open.lf = lf;
                None
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
