//! The echo guard: what the user wrote is not executed because the agent repeats it.

use std::collections::HashSet;

use crate::lex::Source;
use crate::lex::search::CloseSearch;
use crate::lex::tag::{Lexed, Lexer, Quotes};
use crate::names::{Name, Named, Names};
use crate::{CHILDREN, Span};

/// The exact texts of the directives and headers in the message that triggered the turn.
///
/// Read once, by the same lexer, wherever in the message they stand: in code or in prose, a directive that
/// the agent then repeats is the user's, not the agent's.
#[derive(Debug, Default)]
pub(super) struct Echo {
    texts: HashSet<String>,
}

impl Echo {
    pub(super) fn read(inbound: &str, names: &Names) -> Self {
        let mut source = Source::default();
        source.push(inbound);
        source.ended = true;
        let mut echo = Self::default();
        echo.headers(inbound);
        echo.directives(&source, names);
        echo
    }

    pub(super) fn repeats(&self, text: &str) -> bool {
        !self.texts.is_empty() && self.texts.contains(text)
    }

    /// Every `[[…]]` without bracket or line break inside.
    fn headers(&mut self, inbound: &str) {
        let mut open = None;
        let bytes = inbound.as_bytes();
        let mut at = 0;
        while at + 1 < bytes.len() {
            match (bytes[at], bytes[at + 1]) {
                (b'[', b'[') => open = Some(at),
                (b']', b']') => {
                    if let Some(open) = open.take() {
                        self.texts.insert(inbound[open..at + 2].to_owned());
                    }
                }
                (b'\n' | b']', _) => open = None,
                (b'[', _) if open.is_none_or(|open| at > open + 1) => open = None,
                _ => {}
            }
            at += 1;
        }
    }

    fn directives(&mut self, source: &Source, names: &Names) {
        let end = source.end();
        let mut quotes = Quotes::default();
        let mut closes: Vec<CloseSearch> = CHILDREN.iter().map(|row| CloseSearch::new(row.name)).collect();
        // The outermost and the innermost opening tag before each closing one, so that the texts kept stay
        // in proportion to the message.
        let mut pairs: Vec<Option<(Span, usize, usize)>> = vec![None; CHILDREN.len()];
        let mut at = 0;
        while let Some(skip) = memchr::memchr(b'<', source.bytes(at, end)) {
            at += skip;
            if let Named::Known(Name::Child(index)) = names.at(source, at, end, true) {
                let mut lexer = Lexer::new(at);
                if lexer.read(source, &mut quotes, end) == Lexed::Complete && !lexer.tag().closing {
                    let tag = lexer.tag();
                    self.keep(source, tag.span);
                    if CHILDREN[index].paired && !tag.self_closing {
                        self.pair(
                            source,
                            &mut pairs[index],
                            closes[index].find(source, tag.span.end),
                            at,
                        );
                    }
                }
            }
            at += 1;
        }
        for (close, first, last) in pairs.into_iter().flatten() {
            self.keep(source, Span::new(first, close.end));
            self.keep(source, Span::new(last, close.end));
        }
    }

    fn pair(
        &mut self,
        source: &Source,
        open: &mut Option<(Span, usize, usize)>,
        close: Option<Span>,
        at: usize,
    ) {
        let Some(close) = close else { return };
        match open {
            Some((known, _, last)) if *known == close => *last = at,
            _ => {
                if let Some((known, first, last)) = open.replace((close, at, at)) {
                    self.keep(source, Span::new(first, known.end));
                    self.keep(source, Span::new(last, known.end));
                }
            }
        }
    }

    fn keep(&mut self, source: &Source, span: Span) {
        self.texts.insert(source.str(span).to_owned());
    }
}
