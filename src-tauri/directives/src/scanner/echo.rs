//! The echo guard: what the user wrote is not executed because the agent repeats it.

use std::collections::HashSet;

use crate::lex::Source;
use crate::lex::tag::{Lexed, Lexer, Quotes};
use crate::names::{Name, Named, Names};

/// What of the message that triggered the turn could be repeated.
///
/// It is read once, by the same lexer, wherever in the message it stands: in code or in prose, a directive
/// that the agent then repeats is the user's, not the agent's.
#[derive(Debug, Default)]
pub(super) struct Echo {
    inbound: String,
    /// The opening tags of children, and the headers, as they are written.
    texts: HashSet<String>,
}

impl Echo {
    pub(super) fn read(inbound: &str, names: &Names) -> Self {
        let mut source = Source::default();
        source.push(inbound);
        source.ended = true;
        let mut echo = Self::default();
        echo.headers(inbound);
        echo.tags(&source, names);
        if !echo.is_empty() {
            inbound.clone_into(&mut echo.inbound);
        }
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
    /// the user wrote the tag, the whole message must be searched for the rest.
    pub(super) fn repeats(&self, tag: &str, directive: &str) -> bool {
        self.texts.contains(tag)
            && (tag.len() == directive.len()
                || memchr::memmem::find(self.inbound.as_bytes(), directive.as_bytes()).is_some())
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

    /// Every opening tag of a child.
    fn tags(&mut self, source: &Source, names: &Names) {
        let (mut lexer, mut quotes) = (Lexer::new(0), Quotes::default());
        let (mut at, end) = (0, source.end());
        while let Some(skip) = memchr::memchr(b'<', source.bytes(at, end)) {
            at += skip;
            if let Named::Known(Name::Child(_)) = names.at(source, at, end, true)
                && lexer.read(at, source, &mut quotes, end) == Lexed::Complete
                && !lexer.tag().closing
            {
                self.texts.insert(source.str(lexer.tag().span).to_owned());
            }
            at += 1;
        }
    }
}
