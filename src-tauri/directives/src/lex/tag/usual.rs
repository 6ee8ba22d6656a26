//! The tags that are written as most are: read in one go.

use super::{Attribute, Lexed, Lexer, State, Tag};
use crate::Span;
use crate::lex::{NAME, Source, is_name_start};

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

impl Lexer {
    /// Reads a tag that is written as most are, `<name name="value" />`, in one go if it has arrived whole;
    /// whether it did; `known` bytes of its name are known. All others go their way through the states.
    pub(super) fn usual(&mut self, start: usize, known: usize, source: &Source, limit: usize) -> bool {
        let near = source.bytes(start, limit.min(start + USUAL).max(start));
        let past = |table: &[bool; 256], at: usize| {
            let rest = near.get(at..).unwrap_or_default();
            let len = rest.iter().position(|b| !table[usize::from(*b)]);
            at + len.unwrap_or(rest.len())
        };
        let closing = near.get(1) == Some(&b'/');
        let from = 1 + usize::from(closing);
        if !near.get(from).is_some_and(|b| is_name_start(*b)) {
            return false;
        }
        let name = past(&NAME, from + known);
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
}
