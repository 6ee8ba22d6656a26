//! The start of the clean text: is it, or does it begin with, a token?

use super::{InCode, Token, is_edge};
use crate::Span;
use crate::lex::Source;
use crate::rules::{Rule as G, Rules};

/// Most characters beside the token under the whole-text rule, on each side.
const MOST_BESIDE: u32 = 16;
/// Most edge characters at a token.
const MOST_EDGES: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Lead,
    /// So many bytes of the token have been read.
    Token(usize),
    /// The token is complete; so many edge characters follow.
    After(u32),
    /// The whole-text rule only: so many characters follow the last token.
    Trail {
        count: u32,
        only_white: bool,
    },
}

/// What is known after a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Open,
    Text,
    Silent,
    /// `HEARTBEAT_OK` ends so many bytes into the piece.
    Acknowledged(usize),
}

/// The machine that reads the start of the text, character by character.
#[derive(Debug)]
pub(super) struct Front {
    state: State,
    token: Token,
    lead: u32,
    edges: bool,
    first: Option<usize>,
    last: usize,
    code: Option<(usize, usize)>,
    heartbeat: bool,
    rules: Rules,
}

impl Front {
    pub(super) fn new(heartbeat: bool, rules: Rules) -> Self {
        Self {
            state: State::Lead,
            token: Token::NoReply,
            lead: 0,
            edges: true,
            first: None,
            last: 0,
            code: None,
            heartbeat,
            rules,
        }
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.first.is_none()
    }

    /// Whether a token was read at the start, though the text is more than that.
    pub(super) fn holds_token(&self) -> bool {
        matches!(self.state, State::After(_) | State::Trail { .. })
    }

    pub(super) fn token(&self) -> Token {
        self.token
    }

    /// Whether what was read is text before the reader; `HEARTBEAT_OK` followed by white space is not.
    pub(super) fn has_text(&self, white: bool) -> bool {
        self.first.is_some() && !(self.acknowledges() && white)
    }

    /// Whether what was read is a `HEARTBEAT_OK`, so that white space would make the text begin again.
    pub(super) fn acknowledges(&self) -> bool {
        matches!(self.state, State::After(_)) && self.token == Token::HeartbeatOk
    }

    pub(super) fn read(&mut self, source: &Source, text: &str, code: InCode, span: Span) -> Verdict {
        self.first.get_or_insert(span.start);
        for (at, c) in text.char_indices() {
            source.spend(1);
            match self.step(c, code) {
                Verdict::Open => {}
                Verdict::Acknowledged(_) => return Verdict::Acknowledged(at),
                verdict => return verdict,
            }
        }
        self.last = span.end;
        Verdict::Open
    }

    fn step(&mut self, c: char, code: InCode) -> Verdict {
        match self.state {
            State::Lead => self.lead(c, code),
            State::Token(read) => {
                let word = self.token.word();
                if !word[read..].starts_with(c) {
                    return Verdict::Text;
                }
                self.state = if read + 1 == word.len() {
                    State::After(0)
                } else {
                    State::Token(read + 1)
                };
                Verdict::Open
            }
            State::After(edges) if self.token == Token::HeartbeatOk => {
                let word = c.is_alphanumeric() || c == '_';
                if word && edges == 0 {
                    return Verdict::Text;
                }
                if is_edge(c) && edges < MOST_EDGES {
                    self.state = State::After(edges + 1);
                    return Verdict::Open;
                }
                Verdict::Acknowledged(0)
            }
            State::After(_) => {
                let word = c.is_alphanumeric() || c == '_';
                if !word && self.edges && self.code.is_none() && self.rules.on(G::FirstToken) {
                    return Verdict::Silent;
                }
                self.trail(c, 0, true)
            }
            State::Trail { only_white: true, .. } if c == 'N' => {
                self.state = State::Token(1);
                Verdict::Open
            }
            State::Trail { count, only_white } => self.trail(c, count, only_white),
        }
    }

    fn lead(&mut self, c: char, code: InCode) -> Verdict {
        if let Some(token) = Token::starting(c, self.heartbeat) {
            self.token = token;
            self.state = State::Token(1);
            return match code {
                InCode::No if token == Token::NoReply || self.edges => Verdict::Open,
                InCode::Inline { start, end, run }
                    if self.first == Some(start)
                        && run <= 2
                        && token == Token::NoReply
                        && self.rules.on(G::CodeSpanToken) =>
                {
                    self.code = Some((start, end));
                    Verdict::Open
                }
                _ if !self.rules.on(G::TokenInCode) => Verdict::Open,
                _ => Verdict::Text,
            };
        }
        self.lead += 1;
        self.edges &= is_edge(c) && self.lead <= MOST_EDGES;
        if c.is_alphanumeric() || self.lead > MOST_BESIDE {
            Verdict::Text
        } else {
            Verdict::Open
        }
    }

    fn trail(&mut self, c: char, count: u32, only_white: bool) -> Verdict {
        let only_white = only_white && c.is_whitespace();
        self.state = State::Trail {
            count: count + 1,
            only_white,
        };
        let too_long = count + 1 > MOST_BESIDE && !only_white;
        if c.is_alphanumeric() || too_long || !self.rules.on(G::WholeToken) {
            Verdict::Text
        } else {
            Verdict::Open
        }
    }

    /// The verdict when the text ends here.
    pub(super) fn end(&self) -> Verdict {
        let whole_span = self
            .code
            .is_none_or(|(start, end)| self.first == Some(start) && self.last == end);
        match self.state {
            State::After(_) if self.token == Token::HeartbeatOk => Verdict::Acknowledged(0),
            State::After(_) | State::Trail { .. } if whole_span && self.rules.on(G::WholeToken) => {
                Verdict::Silent
            }
            _ => Verdict::Text,
        }
    }
}
