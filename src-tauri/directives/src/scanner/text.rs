//! Text and code: the fast way over what is plain, and the states of code spans and fences.

use super::{Next, Scanner};
use crate::lex::ticks::{Closing, MAX_SPAN};
use crate::lex::{first_of, is_blank, line::Line};
use crate::names::Named;
use crate::rules::Rule as G;
use crate::silence::{InCode, Token};
use crate::{Dialect, Fate, HoldReason, RangeReason, Sink, Span};

/// Where the reader stands as to code.
#[derive(Debug, Clone, Copy)]
pub(super) enum Coding {
    None,
    /// In a run of backticks.
    Ticks {
        start: usize,
        fence: bool,
    },
    /// After a run of backticks that may or may not be closed.
    Undecided {
        start: usize,
        after: usize,
        fence: bool,
    },
    /// In a code span that ends at `end`.
    Inline {
        start: usize,
        end: usize,
        run: usize,
    },
    /// In a run of tildes that opens a line.
    Tildes {
        start: usize,
    },
    Fence {
        mark: u8,
        len: usize,
        line: FenceLine,
    },
}

/// What the current line of a fence holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum FenceLine {
    /// Something that cannot close it.
    Other,
    /// Blanks and `>` marks.
    Lead,
    /// So many of the fence's marks.
    Marks(usize),
    /// Enough marks, then blanks.
    Blanks,
    /// Enough marks, perhaps blanks, then a CR.
    Return,
}

impl FenceLine {
    /// The line after one more byte.
    pub(super) fn after(self, b: u8, mark: u8, len: usize) -> Self {
        match self {
            _ if b == b'\n' => Self::Lead,
            Self::Lead if is_blank(b) || b == b'>' => Self::Lead,
            Self::Lead if b == mark => Self::Marks(1),
            Self::Marks(n) if b == mark => Self::Marks(n + 1),
            Self::Marks(n) if n < len => Self::Other,
            Self::Marks(_) | Self::Blanks if is_blank(b) => Self::Blanks,
            Self::Marks(_) | Self::Blanks if b == b'\r' => Self::Return,
            _ => Self::Other,
        }
    }

    /// Whether the line, ended here, closes a fence of `len` marks.
    pub(super) fn closes(self, len: usize) -> bool {
        match self {
            Self::Marks(n) => n >= len,
            Self::Blanks | Self::Return => true,
            Self::Other | Self::Lead => false,
        }
    }
}

/// What a byte may be beside text.
#[derive(Debug, Clone, Copy)]
enum Special {
    None,
    /// A mark of code, or the `{` of a JSON value.
    Mark(u8),
    /// The `<` of a tag or of a control token.
    Tag(Named),
}

impl Scanner {
    /// One step outside unclosed blocks. The reader stands before the end of what has arrived.
    pub(super) fn next(&mut self, sink: &mut dyn Sink) -> Next {
        match self.coding {
            _ if self.drops_json() => self.drop_json(sink),
            Coding::None => self.open_text(sink),
            Coding::Ticks { start, fence } => {
                let ticks = self.run(b'`');
                if ticks > 0 {
                    self.show(self.at + ticks, InCode::No, sink);
                } else {
                    let fence = fence && self.at - start >= 3;
                    self.search.ticks.begin(start, self.at);
                    self.coding = Coding::Undecided {
                        start,
                        after: self.at,
                        fence,
                    };
                }
                Next::On
            }
            Coding::Tildes { start } => {
                let tildes = self.run(b'~');
                if tildes > 0 {
                    self.show(self.at + tildes, InCode::No, sink);
                } else {
                    let len = self.at - start;
                    let fence = Coding::Fence {
                        mark: b'~',
                        len,
                        line: FenceLine::Other,
                    };
                    self.coding = if len >= 3 && self.rules.on(G::TildeFence) {
                        fence
                    } else {
                        Coding::None
                    };
                }
                Next::On
            }
            Coding::Undecided { start, after, fence } => self.undecided(start, after, fence, sink),
            Coding::Inline { start, end, run } => {
                let stop = end.min(self.source.end());
                self.show(stop, InCode::Inline { start, end, run }, sink);
                if stop == end {
                    self.coding = Coding::None;
                }
                Next::On
            }
            Coding::Fence { mark, len, line } => self.fence(mark, len, line, sink),
        }
    }

    fn run(&self, mark: u8) -> usize {
        let run = self
            .source
            .bytes(self.at, self.source.end())
            .iter()
            .take_while(|b| **b == mark)
            .count();
        self.source.spend(run + 1);
        run
    }

    fn open_text(&mut self, sink: &mut dyn Sink) -> Next {
        let white = self.source.char(self.at).is_some_and(char::is_whitespace);
        if !self.out.has_text(white) {
            // What stands on the line, if anything, is a `HEARTBEAT_OK` that is taken out.
            if !self.line.only_white() {
                self.line = Line::START;
            }
            if let Some(next) = self.before_text(sink) {
                return next;
            }
        }
        let (stop, special) = self.plain();
        if stop > self.at {
            self.show(stop, InCode::No, sink);
        }
        let may_be_json = match special {
            Special::Mark(b'{') => true,
            Special::Mark(_) => self.line.opens_fence(),
            _ => false,
        };
        if may_be_json && let Some(next) = self.json_value(sink) {
            return next;
        }
        match special {
            Special::None => Next::On,
            Special::Tag(named) => self.angle(named, sink),
            Special::Mark(b'`') => {
                let fence = self.line.opens_fence() && self.rules.on(G::Fence);
                self.coding = Coding::Ticks {
                    start: self.at,
                    fence,
                };
                self.line.feed('`');
                Next::On
            }
            Special::Mark(b'~') => {
                self.coding = Coding::Tildes { start: self.at };
                self.line.feed('~');
                Next::On
            }
            Special::Mark(_) => self.show_one(sink),
        }
    }

    /// White space, invisible characters and headers before the first text.
    fn before_text(&mut self, sink: &mut dyn Sink) -> Option<Next> {
        let c = self.source.char(self.at)?;
        match c {
            '\u{FEFF}' | '\u{200B}' if self.rules.on(G::Invisible) => {
                let span = Span::new(self.at, self.at + c.len_utf8());
                self.hide(span, Fate::Strip, RangeReason::Invisible, sink);
                Some(Next::On)
            }
            '[' if self.reads(Dialect::Header) => Some(self.header(sink)),
            _ if c.is_whitespace() => {
                let end = self.white_end(self.at, self.source.end());
                for c in self.source.str(Span::new(self.at, end)).chars() {
                    self.line.feed(c);
                }
                self.show(end, InCode::No, sink);
                Some(Next::On)
            }
            _ => None,
        }
    }

    /// The next byte, from the reader on, that may be more than text. Follows the line on the way.
    fn plain(&mut self) -> (usize, Special) {
        let (start, mut end) = (self.at, self.source.end());
        if self.out.may_begin_again() {
            // What is special here and waits is looked at again and again; its word must not be.
            let special = self
                .source
                .byte(start)
                .map_or(Special::None, |b| self.special(start, b));
            if !matches!(special, Special::None) {
                return (start, special);
            }
            end = self.word_end(end);
        }
        let text = self.source.str(Span::new(start, end));
        let bytes = text.as_bytes();
        let (mut at, mut special) = (0, Special::None);
        while at < bytes.len() {
            if self.line.is_body() {
                match first_of(b'<', b'`', b'\n', &bytes[at..]) {
                    None => at = bytes.len(),
                    Some(skip) if bytes[at + skip] == b'\n' => {
                        at += skip + 1;
                        self.line.feed('\n');
                    }
                    Some(skip) => {
                        at += skip;
                        special = self.special(start + at, bytes[at]);
                        if !matches!(special, Special::None) {
                            break;
                        }
                        at += 1;
                    }
                }
                continue;
            }
            special = self.special(start + at, bytes[at]);
            if !matches!(special, Special::None) {
                break;
            }
            let c = match bytes[at] {
                b if b.is_ascii() => char::from(b),
                _ => text[at..].chars().next().unwrap_or_default(),
            };
            self.line.feed(c);
            at += c.len_utf8();
        }
        self.source.spend(at + 1);
        (start + at, special)
    }

    /// What the byte `b` at `at` may be beside text.
    #[inline]
    fn special(&self, at: usize, b: u8) -> Special {
        let mark = match b {
            b'<' => return self.may_be_tag(at).map_or(Special::None, Special::Tag),
            b'`' => true,
            b'~' => self.line.opens_fence(),
            b'{' => self.line.only_white() && self.reads(Dialect::Json),
            _ => false,
        };
        if mark { Special::Mark(b) } else { Special::None }
    }

    /// What the name after the `<` at `at` may be, if it may begin something this scanner knows.
    fn may_be_tag(&self, at: usize) -> Option<Named> {
        let control = self.source.byte(at + 1) == Some(b'|') && self.reads(Dialect::Guard);
        let named = self
            .names
            .at(&self.source, at, self.source.end(), self.source.ended);
        (control || named != Named::Unknown).then_some(named)
    }

    /// The end of the word, or of the white space, at which the reader stands. In front of a token that is
    /// taken out the text goes on word by word, since what follows it may be the start of the text.
    fn word_end(&self, end: usize) -> usize {
        let rest = self.source.str(Span::new(self.at, end));
        let white = rest.starts_with(char::is_whitespace);
        let len = rest
            .find(|c: char| c.is_whitespace() != white)
            .unwrap_or(rest.len());
        self.source.spend(len + 1);
        self.at + len
    }

    /// After backticks of which it is not known whether they open code: text goes on, only what would be
    /// more than text outside code waits.
    fn undecided(&mut self, start: usize, after: usize, fence: bool, sink: &mut dyn Sink) -> Next {
        if fence {
            match self.search.ticks.more_on_line(&self.source, start) {
                Some(true) => {
                    self.coding = Coding::Undecided {
                        start,
                        after,
                        fence: false,
                    };
                    return Next::On;
                }
                Some(false) => {
                    self.coding = Coding::Fence {
                        mark: b'`',
                        len: after - start,
                        line: FenceLine::Other,
                    };
                    return Next::On;
                }
                None => {}
            }
        } else {
            match self.search.ticks.closing(&self.source, start) {
                Closing::At(end) if self.rules.on(G::InlineCode) => {
                    let run = after - start;
                    self.coding = if end > self.at {
                        Coding::Inline { start, end, run }
                    } else {
                        // All of it went by before the byte after the closing run came.
                        self.out.was_code(Span::new(start, end), run, &self.source, sink);
                        self.passed_run(end)
                    };
                    return Next::On;
                }
                Closing::At(_) | Closing::Never => {
                    let end = self.search.ticks.end_of(&self.source, start);
                    self.coding = self.passed_run(start + 1);
                    // The last of them may have gone by in part.
                    if matches!(self.coding, Coding::None) && end > self.at {
                        self.show(end, InCode::No, sink);
                    }
                    return Next::On;
                }
                Closing::Unknown => {}
            }
        }
        let stop = self.candidate();
        if stop > self.at {
            self.line.feed('`');
            self.show(stop, InCode::No, sink);
            return Next::On;
        }
        let until = (!fence).then_some(start + MAX_SPAN);
        let rule = if fence { G::Fence } else { G::InlineCode };
        self.wait(HoldReason::MaybeCode, rule, "", until)
    }

    /// A run from `from` on that went by as text meanwhile may open code itself.
    fn passed_run(&mut self, from: usize) -> Coding {
        match self.search.ticks.next_run(&self.source, from, self.at) {
            Some((start, after)) => Coding::Undecided {
                start,
                after,
                fence: false,
            },
            None => Coding::None,
        }
    }

    /// The next byte that could be a directive or a token if this is no code. Where the text may begin again,
    /// any byte could begin what stands at a start.
    fn candidate(&self) -> usize {
        if self.out.begins_again_after_white() {
            return self.at;
        }
        let end = self.source.end();
        let mut at = self.at;
        let silence = self.reads(Dialect::Silence);
        let token = |at, token: Token| silence && self.source.stands(at, end, token.word()) != Some(false);
        while let Some(skip) = first_of(b'<', b'N', b'H', self.source.bytes(at, end)) {
            self.source.spend(skip + 1);
            at += skip;
            let possible = match self.source.byte(at) {
                Some(b'<') => self.may_be_tag(at).is_some(),
                Some(b'N') => token(at, Token::NoReply),
                _ => self.settings.heartbeat && token(at, Token::HeartbeatOk),
            };
            if possible {
                return at;
            }
            at += 1;
        }
        self.source.spend(end - at);
        end
    }

    /// In a fence everything is text; only its end is looked for.
    fn fence(&mut self, mark: u8, len: usize, mut line: FenceLine, sink: &mut dyn Sink) -> Next {
        let (start, end) = (self.at, self.source.end());
        let bytes = self.source.bytes(start, end);
        let mut at = 0;
        let mut closed = false;
        while at < bytes.len() && !closed {
            let b = bytes[at];
            line = match line {
                FenceLine::Other => {
                    let skip = memchr::memchr(b'\n', &bytes[at..]);
                    at = skip.map_or(bytes.len(), |skip| at + skip + 1);
                    line = if skip.is_some() {
                        FenceLine::Lead
                    } else {
                        FenceLine::Other
                    };
                    continue;
                }
                _ if b == b'\n' && line.closes(len) => {
                    closed = self.rules.on(G::FenceCloses);
                    FenceLine::Lead
                }
                _ => line.after(b, mark, len),
            };
            at += usize::from(!closed);
        }
        self.source.spend(at + 1);
        self.coding = if closed {
            Coding::None
        } else {
            Coding::Fence { mark, len, line }
        };
        if at > 0 {
            self.show(start + at, InCode::Fence, sink);
        }
        Next::On
    }
}
