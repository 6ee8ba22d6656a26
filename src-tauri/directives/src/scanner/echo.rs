//! The echo guard: what the user wrote is not executed because the agent repeats it.

use std::collections::HashSet;

use crate::Span;
use crate::lex::Source;
use crate::lex::search::CloseSearch;
use crate::lex::tag::{Lexed, Lexer, Quotes};
use crate::names::{Name, Named, Names};

/// The exact texts of the directives and headers in the message that triggered the turn.
///
/// Read once, by the same lexer, wherever in the message they stand: in code or in prose, a directive that
/// the agent then repeats is the user's, not the agent's.
#[derive(Debug, Default)]
pub(super) struct Echo {
    texts: HashSet<String>,
}

/// The first and the last opening tag before one end.
#[derive(Debug, Clone, Copy)]
struct Pair {
    end: usize,
    first: usize,
    last: usize,
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

    /// Whether the user's message held nothing that could be repeated.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn repeats(&self, text: &str) -> bool {
        self.texts.contains(text)
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
        let (children, end) = (names.children(), source.end());
        let (mut lexer, mut quotes) = (Lexer::new(0), Quotes::default());
        let mut closes: Vec<CloseSearch> = children.iter().map(|row| CloseSearch::new(row.name)).collect();
        // The outermost and the innermost opening tag before each closing one, so that the texts kept stay
        // in proportion to the message.
        // An unclosed one goes to the end of its block.
        let mut pairs: Vec<Option<Pair>> = vec![None; 2 * children.len()];
        let mut blocks = CloseSearch::new("actions");
        let mut at = 0;
        while let Some(skip) = memchr::memchr(b'<', source.bytes(at, end)) {
            at += skip;
            if let Named::Known(Name::Child(index)) = names.at(source, at, end, true)
                && lexer.read(at, source, &mut quotes, end) == Lexed::Complete
                && !lexer.tag().closing
            {
                let tag = lexer.tag();
                self.keep(source, tag.span);
                if children[index].paired && !tag.self_closing {
                    let close = closes[index].find(source, tag.span.end).map(|close| close.end);
                    self.pair(source, &mut pairs[2 * index], close, at);
                    let block = blocks.find(source, tag.span.end).map(|close| close.start);
                    self.pair(source, &mut pairs[2 * index + 1], block, at);
                }
            }
            at += 1;
        }
        for pair in pairs.into_iter().flatten() {
            self.keep_pair(source, pair);
        }
    }

    fn pair(&mut self, source: &Source, open: &mut Option<Pair>, end: Option<usize>, at: usize) {
        let Some(end) = end else { return };
        match open {
            Some(pair) if pair.end == end => pair.last = at,
            _ => {
                if let Some(pair) = open.replace(Pair {
                    end,
                    first: at,
                    last: at,
                }) {
                    self.keep_pair(source, pair);
                }
            }
        }
    }

    fn keep_pair(&mut self, source: &Source, pair: Pair) {
        self.keep(source, Span::new(pair.first, pair.end));
        self.keep(source, Span::new(pair.last, pair.end));
    }

    fn keep(&mut self, source: &Source, span: Span) {
        self.texts.insert(source.str(span).to_owned());
    }
}
