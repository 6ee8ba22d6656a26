//! The end of the clean text: is its last word a token?

use super::{InCode, Token, is_edge};
use crate::lex::Source;

/// Most edge characters on each side of a token.
const MOST_EDGES: u32 = 4;
/// Most bytes of a word that can be a token: the longer token and eight characters of four bytes.
const MOST_WORD: usize = 12 + 8 * 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    White,
    Lead(u32),
    Token(Token, usize),
    Trail(Token, u32),
}

/// Reads white space and token words for as long as there is nothing else.
#[derive(Debug)]
pub(super) struct Ending {
    state: State,
    heartbeat: bool,
    no_reply: bool,
}

impl Ending {
    pub(super) fn new(heartbeat: bool) -> Self {
        Self {
            state: State::White,
            heartbeat,
            no_reply: false,
        }
    }

    /// Whether the text, ended here, ends in a token.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, State::Trail(..))
    }

    /// Whether one of the tokens is `NO_REPLY`.
    pub(super) fn holds_no_reply(&self) -> bool {
        self.no_reply
    }

    pub(super) fn subject(&self) -> &'static str {
        match self.state {
            State::Token(token, _) | State::Trail(token, _) => token.word(),
            _ => Token::NoReply.word(),
        }
    }

    /// Reads on. `None` while everything may be the ending; else how far the text before is decided: to the
    /// white space with which another ending may begin, or to the first character that is none.
    pub(super) fn read(&mut self, source: &Source, text: &str, code: InCode) -> Option<usize> {
        let stop = text
            .char_indices()
            .find(|(_, c)| !self.step(*c, code))
            .map(|(at, _)| at);
        source.spend(stop.map_or(text.len(), |at| at + 1));
        stop
    }

    fn step(&mut self, c: char, code: InCode) -> bool {
        let next = if c.is_whitespace() {
            matches!(self.state, State::White | State::Trail(..)).then_some(State::White)
        } else if code == InCode::No {
            self.word(c)
        } else {
            None
        };
        if let Some(next) = next {
            self.state = next;
            self.no_reply |= matches!(next, State::Trail(Token::NoReply, _));
        }
        next.is_some()
    }

    fn word(&self, c: char) -> Option<State> {
        let lead = match self.state {
            State::White => 0,
            State::Lead(n) => n,
            State::Token(token, read) => {
                let word = token.word();
                return match word[read..].starts_with(c) {
                    true if read + 1 == word.len() => Some(State::Trail(token, 0)),
                    true => Some(State::Token(token, read + 1)),
                    false => None,
                };
            }
            State::Trail(token, n) => {
                return (is_edge(c) && n < MOST_EDGES).then_some(State::Trail(token, n + 1));
            }
        };
        match Token::starting(c, self.heartbeat) {
            Some(token) => Some(State::Token(token, 1)),
            None => (is_edge(c) && lead < MOST_EDGES).then_some(State::Lead(lead + 1)),
        }
    }

    /// Where in `text`, which ends in no white space, a possible ending begins: at the white space before
    /// its last words.
    #[inline]
    pub(super) fn find(source: &Source, text: &str, heartbeat: bool) -> Option<usize> {
        // Most words cannot be a token: none holds a small letter, or that much punctuation.
        let tail = &text.as_bytes()[text.len().saturating_sub(MOST_EDGES as usize + 1)..];
        let last = tail.iter().rposition(|b| !b.is_ascii_punctuation() || *b == b'_');
        source.spend(tail.len() - last.unwrap_or(0));
        match last {
            None if tail.len() > MOST_EDGES as usize => return None,
            Some(at) if tail[at].is_ascii_lowercase() => return None,
            _ => {}
        }
        Self::find_word(source, text, heartbeat)
    }

    fn find_word(source: &Source, text: &str, heartbeat: bool) -> Option<usize> {
        let mut found = None;
        let mut end = text.len();
        loop {
            let near = text.floor_char_boundary(end.saturating_sub(MOST_WORD + 4));
            let space = text[near..end]
                .char_indices()
                .rev()
                .find(|(_, c)| c.is_whitespace());
            source.spend(end - near);
            let Some((at, c)) = space else { return found };
            let from = near + at + c.len_utf8();
            let mut word = Self::new(heartbeat);
            let viable = word.read(source, &text[from..end], InCode::No).is_none();
            if !viable || (found.is_some() && !word.is_complete()) {
                return found;
            }
            end = text[..from].trim_end().len();
            source.spend(from - end);
            found = Some(end);
            if end == 0 {
                return found;
            }
        }
    }
}
