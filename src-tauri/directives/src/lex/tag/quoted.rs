//! A quoted value: up to its closing quote, with no blank line in it.

use super::{Lexed, Lexer, MAX_VALUE, Open, State};
use crate::lex::{Source, is_blank_line};

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

impl Lexer {
    pub(super) fn quoted(&mut self, source: &Source, quotes: &mut Quotes, limit: usize) -> Option<State> {
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
}
