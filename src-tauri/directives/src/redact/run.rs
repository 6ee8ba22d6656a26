//! The automaton of the patterns at work: every pattern from every byte, all at once.

use super::{
    compile::{Before, Masks, Node, Patterns, Place, holds, taken},
    memo::Situation,
};
use crate::Span;
use std::{cmp::Reverse, collections::VecDeque};

/// No byte.
pub(super) const NONE: usize = usize::MAX;

/// A pattern that may still match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    pub(super) at: Place,
    /// Where what it would mask begins, once that is known.
    pub(super) from: usize,
    /// Where it ends, where that is not the end of the pattern.
    pub(super) to: usize,
}

/// What stands behind a state.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// Not yet known.
    Unread,
    /// This byte, or the end.
    Is(Option<u8>),
}

/// The automaton at work.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    pub(super) threads: Vec<Thread>,
    /// Room for the threads that pass the next byte, and for those behind it.
    ready: Vec<Thread>,
    next: Vec<Thread>,
    walk: Vec<Thread>,
    /// When each state was reached last.
    seen: Vec<u64>,
    round: u64,
    /// Bytes read.
    pub(super) read: usize,
    before: Before,
    /// The character that the last byte belongs to; the rest of it may not be read.
    character: Span,
    /// Certain secrets, and what the allow list names; in order, apart.
    pub(super) secrets: VecDeque<Span>,
    pub(super) allowed: VecDeque<Span>,
    /// Which pattern found what, where somebody asks.
    pub(super) told: Option<Vec<(Span, u16)>>,
    /// Whether something was found with the last byte.
    found: bool,
    pub(super) work: u64,
}

impl Run {
    /// Takes a byte; answers whether something is found with it.
    pub(super) fn take(&mut self, patterns: &Patterns, byte: u8) -> bool {
        self.work += 1;
        self.found = false;
        let at = self.read;
        if byte & 0xc0 != 0x80 {
            self.character = Span::new(at, at + width(byte));
        }
        let before = self.before;
        let seeds = patterns.seeds(before, byte);
        if !self.threads.is_empty() || !seeds.is_empty() {
            self.pass_assertions(patterns, Some(byte));
            self.read = at + 1;
            self.round += 1;
            let mut ready = std::mem::take(&mut self.ready);
            for thread in ready.drain(..) {
                if let Node::Bytes(ranges) = patterns.node(thread.at)
                    && let Some(to) = taken(ranges, byte)
                {
                    self.reach(patterns, Thread { at: to, ..thread });
                }
            }
            self.ready = ready;
            for seed in seeds {
                let start = self.character.start;
                let (from, to) = match seed.masks {
                    Masks::Nothing => (NONE, NONE),
                    Masks::FromHere => (start, NONE),
                    Masks::Closed if start == at => (start, at),
                    Masks::Closed => (start, self.character.end),
                };
                let at = seed.to;
                let thread = Thread { at, from, to };
                self.reach(patterns, thread);
            }
            self.threads.clear();
            std::mem::swap(&mut self.threads, &mut self.next);
            // Of two threads in one state the one goes on that masks from earlier on, then the one that masks more.
            self.threads
                .sort_by_key(|thread| (thread.from, Reverse(thread.to)));
        }
        self.read = at + 1;
        self.before = Before::of(byte);
        self.found
    }

    /// Counts bytes that remembered steps took.
    pub(super) const fn skip(&mut self, bytes: usize) {
        self.read += bytes;
        self.work += bytes as u64;
    }

    /// What is known now, where that may be remembered.
    pub(super) fn situation(&self) -> Option<Situation> {
        Situation::of(&self.threads, self.read, self.before, self.character)
    }

    /// Goes on from what was remembered.
    pub(super) fn resume(&mut self, patterns: &Patterns, situation: &Situation) {
        self.seen.resize(patterns.nodes.len(), 0);
        self.threads.clear();
        self.threads.extend(situation.threads(self.read));
        self.before = situation.before;
        let (read, left) = situation.character;
        self.character = Span::new(self.read - usize::from(read), self.read + usize::from(left));
    }

    /// Nothing follows; answers whether something is found by that.
    pub(super) fn finish(&mut self, patterns: &Patterns) -> bool {
        self.found = false;
        self.pass_assertions(patterns, None);
        self.ready.clear();
        self.threads.clear();
        self.found
    }

    /// Lets the threads pass the assertions before the next byte.
    fn pass_assertions(&mut self, patterns: &Patterns, after: Option<u8>) {
        self.round += 1;
        for index in 0..self.threads.len() {
            let thread = self.threads[index];
            self.walk(patterns, thread, Next::Is(after));
        }
    }

    /// Enters a state behind the byte that was read last. Assertions wait for the next one.
    fn reach(&mut self, patterns: &Patterns, thread: Thread) {
        self.walk(patterns, thread, Next::Unread);
    }

    /// Goes on from a state without reading: up to states that take a byte and, while what follows is not
    /// known, to assertions.
    fn walk(&mut self, patterns: &Patterns, from: Thread, next: Next) {
        self.walk.push(from);
        while let Some(thread) = self.walk.pop() {
            if std::mem::replace(&mut self.seen[thread.at as usize], self.round) == self.round {
                continue;
            }
            self.work += 1;
            match (patterns.node(thread.at), next) {
                (Node::Bytes(_), Next::Is(_)) => self.ready.push(thread),
                (Node::Bytes(_) | Node::Look(..), Next::Unread) => self.next.push(thread),
                (Node::Look(look, to), Next::Is(after)) => {
                    if holds(*look, self.before, after) {
                        self.walk.push(Thread { at: *to, ..thread });
                    }
                }
                (Node::Split(all), _) => {
                    let on = all.iter().rev().map(|to| Thread { at: *to, ..thread });
                    self.walk.extend(on);
                }
                (Node::Open(to), _) => {
                    let from = thread.from.min(self.begin());
                    self.walk.push(Thread {
                        at: *to,
                        from,
                        ..thread
                    });
                }
                (Node::Close(to), _) => self.walk.push(Thread {
                    at: *to,
                    to: self.end(),
                    ..thread
                }),
                (Node::Match, _) => self.found(patterns, thread),
                (Node::Fail, _) => {}
            }
        }
    }

    /// Where what begins here begins: a character is masked as a whole.
    fn begin(&self) -> usize {
        if self.read < self.character.end {
            self.character.start
        } else {
            self.read
        }
    }

    /// Where what ends here ends.
    fn end(&self) -> usize {
        if self.character.start < self.read {
            self.read.max(self.character.end)
        } else {
            self.read
        }
    }

    fn found(&mut self, patterns: &Patterns, thread: Thread) {
        let mut span = Span::new(thread.from, thread.to.min(self.end()));
        if span.start >= span.end {
            return;
        }
        self.found = true;
        let spans = if patterns.allows(thread.at) {
            &mut self.allowed
        } else {
            self.tell(span, patterns.owner[thread.at as usize]);
            &mut self.secrets
        };
        while let Some(last) = spans.back().filter(|last| last.end >= span.start) {
            span = Span::new(last.start.min(span.start), last.end.max(span.end));
            spans.pop_back();
        }
        spans.push_back(span);
    }

    fn tell(&mut self, span: Span, owner: u16) {
        let Some(told) = &mut self.told else { return };
        // A secret without an end is found again with each further byte.
        match told.iter_mut().rev().find(|(_, other)| *other == owner) {
            Some((last, _)) if last.end >= span.start => {
                *last = Span::new(last.start.min(span.start), last.end.max(span.end));
            }
            _ => told.push((span, owner)),
        }
    }
}

/// How many bytes a character has, by its first.
const fn width(byte: u8) -> usize {
    match byte {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}
