//! Is this a JSON value whose first key is `actions`, or one action by itself, or meant as one? Read byte by byte, never
//! twice.

mod meant;

use super::super::text::FenceLine;
use super::MAX_VALUE;
use super::alone::{Head, Headed, Later};
use super::state::{ACTIONS, AT_ITS_KEYS, KEYS, State, TYPE, inside};
use crate::Span;
use crate::lex::{Source, is_blank, is_tag_space};

/// What a probe has come to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found {
    /// Something else: text.
    Text,
    /// The first key is `system_message`.
    Inert,
    /// The value is complete; all of it ends at `end`.
    Ends { value: Span, end: usize },
    /// It needs more bytes; `keyed` says that it is known to be `actions`, or an action by itself.
    Cut { keyed: bool },
    /// No end within the bound.
    TooLarge,
}

#[derive(Debug)]
pub(super) struct Probe {
    pub(super) start: usize,
    at: usize,
    state: State,
    /// The mark and the length of the fence it stands in.
    fence: Option<(u8, usize)>,
    /// The line of that fence: one that closes it ends the value too.
    line: FenceLine,
    brace: Option<usize>,
    value_end: usize,
    /// True where one action by itself is read, too.
    reads_alone: bool,
    /// Where the last key behind the payload of an action by itself begins: this is one.
    later: usize,
    alone: bool,
    /// First byte of the name of an action by itself.
    name: usize,
    /// True where that is the name of an action that the host has.
    is_named: bool,
    /// True where such a one has a payload, and is not written as an action by itself.
    is_unreadable: bool,
}

impl Probe {
    pub(super) fn new(source: &Source, start: usize, reads_alone: bool) -> Self {
        let mark = source.byte(start).filter(|b| *b != b'{');
        let state = if mark.is_some() { State::Marks } else { State::Lead };
        Self {
            start,
            at: start,
            state,
            fence: mark.map(|mark| (mark, 0)),
            line: FenceLine::Other,
            brace: None,
            value_end: 0,
            reads_alone,
            later: 0,
            alone: false,
            name: 0,
            is_named: false,
            is_unreadable: false,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// True where it is one action by itself.
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// True where it is meant as an action by itself, and none as it is written.
    pub(super) fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }

    /// Before this byte no value begins, where this one is text: its own keys were read up to there.
    pub(super) fn text_to(&self) -> usize {
        if self.is_named { self.at } else { self.later }
    }

    /// The mark and the length of the fence it stands in, if that is open.
    pub(super) fn fence(&self) -> Option<(u8, usize)> {
        self.fence.filter(|(_, len)| !self.line.closes(*len))
    }

    /// The place at which the value ends at the latest, while it is being read; so long its first keys may take, too, and the
    /// line that opens its fence.
    pub(super) fn bound(&self) -> Option<usize> {
        match self.state {
            State::Marks | State::Info => Some(self.start + MAX_VALUE),
            State::Lead | State::After | State::Close(_) | State::Rest => None,
            _ => self.brace.map(|brace| brace + MAX_VALUE),
        }
    }

    /// Reads on; `names` are those of the actions that the host has.
    pub(super) fn read(&mut self, source: &Source, names: &[String]) -> Found {
        while let Some(b) = source.byte(self.at) {
            source.spend(1);
            if self.bound().is_some_and(|bound| self.at + width(b) > bound) {
                let Some(within) = self.within() else {
                    return Found::Text;
                };
                self.state = within;
                return Found::TooLarge;
            }
            if self.leaves_fence(b) {
                self.value_end = self.at;
                return self.ends(self.at);
            }
            match self.step(b) {
                Ok(Some(state)) => {
                    self.note_name(state, source, names);
                    self.state = state;
                    self.at += 1;
                }
                Ok(None) => return self.ends(self.at),
                Err(found) => return found,
            }
            if let (State::After, None) = (self.state, self.fence) {
                return self.ends(self.at);
            }
        }
        match self.state {
            State::After | State::Rest if source.ended => self.ends(source.end()),
            State::Close(n) if source.ended && self.fence.is_some_and(|(_, len)| n >= len) => {
                self.ends(source.end())
            }
            State::Close(_) if source.ended => Found::Text,
            State::Head(Head::Brace) => Found::Cut { keyed: true },
            _ => Found::Cut {
                keyed: self.within().is_some(),
            },
        }
    }

    /// Follows the value to its end, whatever its size; whether it was reached.
    pub(super) fn follow(&mut self, source: &Source) -> bool {
        while let Some(b) = source.byte(self.at) {
            source.spend(1);
            if self.leaves_fence(b) {
                return true;
            }
            if let State::Value {
                depth,
                string,
                escape,
            } = self.state
            {
                self.state = inside(b, depth, string, escape);
                self.at += 1;
            }
            if !matches!(self.state, State::Value { .. }) {
                return true;
            }
        }
        false
    }

    /// Whether the fence ends before `b`, in the middle of the value: no value goes on after its fence.
    fn leaves_fence(&mut self, b: u8) -> bool {
        let (Some((mark, len)), Some(_)) = (self.fence, self.within()) else {
            return false;
        };
        let leaves = b == b'\n' && self.line.closes(len);
        if !leaves {
            self.line = self.line.after(b, mark, len);
        }
        leaves
    }

    fn ends(&self, end: usize) -> Found {
        Found::Ends {
            value: Span::new(self.brace.unwrap_or(self.start), self.value_end),
            end,
        }
    }

    /// The state after `b` within the value.
    fn go_on(&mut self, b: u8, depth: usize, string: bool, escape: bool) -> State {
        if self.alone && !self.is_unreadable && depth == 1 && !string && b == b',' {
            return State::Next;
        }
        let next = inside(b, depth, string, escape);
        if matches!(next, State::After) {
            self.value_end = self.at + 1;
        }
        next
    }

    /// The state after `b`; `None` when the fence ends before it.
    fn step(&mut self, b: u8) -> Result<Option<State>, Found> {
        let (mark, len) = self.fence.unwrap_or((0, 0));
        Ok(Some(match self.state {
            State::Marks if b == mark => {
                self.fence = Some((mark, len + 1));
                State::Marks
            }
            State::Marks if len < 3 => return Err(Found::Text),
            State::Marks | State::Info if b == b'\n' => State::Lead,
            State::Marks | State::Info if b != b'`' => State::Info,
            State::Lead if is_tag_space(b) => State::Lead,
            State::Lead if b == b'{' => {
                self.brace = Some(self.at);
                State::Brace
            }
            State::Brace if is_tag_space(b) => State::Brace,
            State::Brace if b == b'"' => State::FirstKey,
            State::FirstKey => match KEYS.iter().position(|key| key[0] == b) {
                Some(key) if key != TYPE || self.reads_alone => State::Key(key, 1),
                _ => return Err(Found::Text),
            },
            State::Key(key, read) if KEYS[key][read] != b => return Err(Found::Text),
            State::Key(key, read) if read + 1 == KEYS[key].len() => State::Colon(key),
            State::Key(key, read) => State::Key(key, read + 1),
            State::Colon(key) if is_tag_space(b) => State::Colon(key),
            State::Colon(ACTIONS) if b == b':' => AT_ITS_KEYS,
            State::Colon(TYPE) if b == b':' => State::Head(Head::Quote),
            State::Colon(_) if b == b':' => return Err(Found::Inert),
            State::Head(head) => match head.after(b) {
                Headed::On(head) => State::Head(head),
                Headed::Payload => {
                    self.alone = true;
                    State::Value {
                        depth: 2,
                        string: false,
                        escape: false,
                    }
                }
                Headed::Text if self.is_named => self.unlike(head, b)?,
                Headed::Text => return Err(Found::Text),
            },
            State::Search(search) => self.search(search, b)?,
            State::Next if is_tag_space(b) => State::Next,
            State::Next if b == b'"' => {
                self.later = self.at + 1;
                State::Later(Later::START)
            }
            State::Later(key) => match key.after(b) {
                Some(key) if key.is_whole() => AT_ITS_KEYS,
                Some(key) => State::Later(key),
                None if self.is_named => {
                    self.is_unreadable = true;
                    inside(b, 1, true, false)
                }
                None => return Err(Found::Text),
            },
            State::Next => self.go_on(b, 1, false, false),
            State::Value {
                depth,
                string,
                escape,
            } => self.go_on(b, depth, string, escape),
            State::After if is_tag_space(b) => State::After,
            State::After if b == mark => State::Close(1),
            State::Close(n) if b == mark => State::Close(n + 1),
            State::Close(n) if n < len => return Err(Found::Text),
            State::Close(_) | State::Rest if b == b'\n' => return Ok(None),
            State::Close(_) | State::Rest if is_blank(b) || b == b'\r' => State::Rest,
            _ => return Err(Found::Text),
        }))
    }
}

/// How many bytes the character has that begins with `b`; none where one goes on.
fn width(b: u8) -> usize {
    match b {
        0x00..=0x7F => 1,
        0x80..=0xBF => 0,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0.. => 4,
    }
}
