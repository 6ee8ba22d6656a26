//! Finds secrets in a text that comes in pieces.
//!
//! Every pattern is tried from every byte at once; a secret is the union of all that matches, so that neither
//! order nor cut can matter. A byte is decided as soon as no beginning of a secret that is still possible
//! covers it.

use super::{
    compile::{Before, Node, Patterns, Place, holds, taken},
    memo::{END, Memo, START, Situation},
};
use crate::Span;
use std::{collections::VecDeque, sync::Arc};

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

/// A stretch of text that is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) end: usize,
    pub(crate) secret: bool,
}

/// Looks for secrets.
#[derive(Debug, Clone)]
pub(crate) struct Finder {
    patterns: Arc<Patterns>,
    memo: Arc<Memo>,
    run: Run,
    /// The remembered situation that the automaton is in; of `run` then only what was found and read is true.
    here: Option<u16>,
    decided: usize,
    /// How far it may be decided, and what is waited for there; until more is read.
    held: Option<(usize, &'static str)>,
}

impl Finder {
    pub(crate) fn new(patterns: Arc<Patterns>) -> Self {
        Self {
            memo: patterns.memo(),
            patterns,
            run: Run::default(),
            here: Some(START),
            decided: 0,
            held: None,
        }
    }

    /// Steps taken so far, for the proof that work is linear.
    pub(crate) const fn work(&self) -> u64 {
        self.run.work
    }

    /// Bytes that are decided.
    pub(crate) const fn decided(&self) -> usize {
        self.decided
    }

    /// Reads on.
    pub(crate) fn push(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        loop {
            if let Some(from) = self.here {
                let (to, read) = self.memo.follow(from, rest);
                self.here = Some(to);
                self.run.skip(read);
                rest = &rest[read..];
            }
            let Some((byte, after)) = rest.split_first() else {
                break;
            };
            self.step(*byte);
            rest = after;
        }
        self.held = self.first_open();
    }

    /// Reads a byte with which no remembered step goes on.
    fn step(&mut self, byte: u8) {
        let from = self.here;
        self.leave_memo();
        let found = self.run.take(&self.patterns, byte);
        if !found {
            let situation = self.run.situation();
            self.here = situation.and_then(|situation| self.memo.number(situation));
        }
        if let Some(from) = from {
            self.memo.remember(from, byte, self.here);
        }
        if self.here.is_none() && self.memo.is_worn() {
            self.memo = self.patterns.memo_after(&self.memo);
        }
    }

    /// Brings the automaton to where the remembered steps led.
    fn leave_memo(&mut self) {
        if let Some(here) = self.here.take() {
            self.run.seen.resize(self.patterns.nodes.len(), 0);
            self.run.resume(self.memo.situation(here));
        }
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self) {
        self.held = None;
        let from = self.here;
        if from.is_some_and(|from| self.memo.follow(from, &[END]).1 == 1) {
            return;
        }
        self.leave_memo();
        let found = self.run.finish(&self.patterns);
        if let Some(from) = from {
            self.memo.remember(from, END, (!found).then_some(from));
        }
    }

    /// Waits for nothing that was read.
    #[cfg(feature = "mutants")]
    pub(crate) fn give_up(&mut self) {
        self.leave_memo();
        self.run.threads.clear();
        self.held = None;
    }

    /// Where the first byte lies that is waited for, and which secret might begin there.
    pub(crate) const fn held(&self) -> Option<(usize, &'static str)> {
        self.held
    }

    /// The next stretch that is decided.
    pub(crate) fn next(&mut self) -> Option<Stretch> {
        let limit = self.held.map_or(self.run.read, |(at, _)| at);
        let at = self.decided;
        if at >= limit {
            return None;
        }
        let Run { secrets, allowed, .. } = &mut self.run;
        let (covered, secret_to) = cover(secrets, at);
        let (shown, shown_to) = if covered {
            cover(allowed, at)
        } else {
            (false, NONE)
        };
        self.decided = secret_to.min(limit).min(shown_to);
        Some(Stretch {
            end: self.decided,
            secret: covered && !shown,
        })
    }

    fn first_open(&self) -> Option<(usize, &'static str)> {
        match self.here {
            Some(here) => self.first_of(self.memo.situation(here).threads(self.run.read)),
            None => self.first_of(self.run.threads.iter().copied()),
        }
    }

    fn first_of(&self, threads: impl Iterator<Item = Thread>) -> Option<(usize, &'static str)> {
        let Run { secrets, read, .. } = &self.run;
        let open = threads.take_while(|thread| thread.from != NONE);
        let waits = open.filter_map(|thread| {
            let from = thread.from.max(self.decided);
            let next = secrets.partition_point(|secret| secret.end <= from);
            let secret = secrets.get(next);
            if self.patterns.allows(thread.at) {
                // A certain secret waits too, while the allow list may yet show it.
                return secret.map(|secret| (secret.start.max(from), "allow"));
            }
            let uncovered = match secret {
                Some(secret) if secret.start <= from => secret.end,
                _ => from,
            };
            (uncovered < *read).then(|| (uncovered, self.patterns.name(thread.at)))
        });
        waits.min()
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

/// Whether a byte lies in one of the spans, and up to where that stays so. Forgets what lies before it.
fn cover(spans: &mut VecDeque<Span>, at: usize) -> (bool, usize) {
    while spans.front().is_some_and(|span| span.end <= at) {
        spans.pop_front();
    }
    match spans.front() {
        Some(span) if span.start <= at => (true, span.end),
        Some(span) => (false, span.start),
        None => (false, NONE),
    }
}

/// The automaton at work.
#[derive(Debug, Clone, Default)]
struct Run {
    threads: Vec<Thread>,
    /// Room for the threads that pass the next byte, and for those behind it.
    ready: Vec<Thread>,
    next: Vec<Thread>,
    walk: Vec<Thread>,
    /// When each state was reached last.
    seen: Vec<u64>,
    round: u64,
    /// Bytes read.
    read: usize,
    before: Before,
    /// The character that the last byte belongs to; the rest of it may not be read.
    character: Span,
    /// Certain secrets, and what the allow list names; in order, apart.
    secrets: VecDeque<Span>,
    allowed: VecDeque<Span>,
    /// Whether something was found with the last byte.
    found: bool,
    work: u64,
}

impl Run {
    /// Takes a byte; answers whether something is found with it.
    fn take(&mut self, patterns: &Patterns, byte: u8) -> bool {
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
                let from = if seed.masks { self.character.start } else { NONE };
                let thread = Thread {
                    at: seed.to,
                    from,
                    to: NONE,
                };
                self.reach(patterns, thread);
            }
            self.threads.clear();
            std::mem::swap(&mut self.threads, &mut self.next);
            // Of two threads in one state the earlier goes on: it masks all that the later would.
            self.threads.sort_by_key(|thread| thread.from);
        }
        self.read = at + 1;
        self.before = Before::of(byte);
        self.found
    }

    /// Counts bytes that remembered steps took.
    const fn skip(&mut self, bytes: usize) {
        self.read += bytes;
        self.work += bytes as u64;
    }

    /// What is known now, where that may be remembered.
    fn situation(&self) -> Option<Situation> {
        Situation::of(&self.threads, self.read, self.before, self.character)
    }

    fn resume(&mut self, situation: &Situation) {
        self.threads.clear();
        self.threads.extend(situation.threads(self.read));
        self.before = situation.before;
        let (read, left) = situation.character;
        self.character = Span::new(self.read - usize::from(read), self.read + usize::from(left));
    }

    /// Nothing follows; answers whether something is found by that.
    fn finish(&mut self, patterns: &Patterns) -> bool {
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
            &mut self.secrets
        };
        while let Some(last) = spans.back().filter(|last| last.end >= span.start) {
            span = Span::new(last.start.min(span.start), last.end.max(span.end));
            spans.pop_back();
        }
        spans.push_back(span);
    }
}
