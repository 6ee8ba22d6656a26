//! The echo guard: what the user wrote is not executed because the agent repeats it.

use std::collections::HashSet;

use super::within::Within;
use crate::Span;
use crate::lex::Source;
use crate::lex::tag::{Lexed, Lexer, Quotes};
use crate::names::{Name, Named, Names};

/// What of the message that triggered the turn could be repeated.
///
/// It is read once, by the same lexer, wherever in the message it stands: in code or in prose, a directive
/// that the agent then repeats is the user's, not the agent's.
#[derive(Debug, Default)]
pub(super) struct Echo {
    /// The opening tags of children, and the headers, as they are written.
    texts: HashSet<String>,
    /// Every text in the message, where it holds the opening tag of a child that wraps something.
    within: Option<Within>,
}

impl Echo {
    /// Reads the user's message; `count` counts what was examined of it.
    pub(super) fn read(inbound: &str, names: &Names, count: &Source) -> Self {
        let mut source = Source::default();
        source.push(inbound);
        source.ended = true;
        let mut echo = Self::default();
        source.spend(2 * inbound.len());
        echo.headers(inbound);
        if echo.tags(&source, names) {
            echo.within = Some(Within::of(inbound, &source));
        }
        count.spend_like(&source);
        echo
    }

    /// Whether the user's message held nothing that could be repeated.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether the user wrote this header.
    pub(super) fn repeats_header(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Whether the user wrote this directive, which begins with this tag. Only if it wraps something, and if
    /// the user wrote the tag, the rest is looked up too.
    pub(super) fn repeats(&self, source: &Source, tag: Span, directive: Span) -> bool {
        source.spend(tag.len());
        self.texts.contains(source.str(tag))
            && (tag == directive
                || self
                    .within
                    .as_ref()
                    .is_some_and(|within| within.contains(source.str(directive), source)))
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

    /// Every opening tag of a child; whether one of them wraps something.
    fn tags(&mut self, source: &Source, names: &Names) -> bool {
        let (mut lexer, mut quotes) = (Lexer::new(0), Quotes::default());
        let (mut at, end, mut wraps) = (0, source.end(), false);
        while let Some(skip) = memchr::memchr(b'<', source.bytes(at, end)) {
            at += skip;
            if let Named::Known(Name::Child(index)) = names.at(source, at, end, true)
                && lexer.read(at, source, &mut quotes, end) == Lexed::Complete
                && !lexer.tag().closing
            {
                wraps |= names.children()[index].paired && !lexer.tag().self_closing;
                self.texts.insert(source.str(lexer.tag().span).to_owned());
            }
            at += 1;
        }
        wraps
    }
}
