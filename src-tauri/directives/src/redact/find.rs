//! Finds secrets in a text that comes in pieces.
//!
//! Every pattern is tried from every byte at once; a secret is the union of all that matches, so that neither
//! order nor cut can matter. A byte is decided as soon as no beginning of a secret that is still possible
//! covers it.

use super::compile::{Node, Patterns, Place, holds, taken};
use crate::Span;
use std::{collections::VecDeque, sync::Arc};

/// No byte.
const NONE: usize = usize::MAX;

/// A pattern that may still match.
#[derive(Debug, Clone, Copy)]
struct Thread {
    at: Place,
    /// Where what it would mask begins, once that is known.
    from: usize,
    /// Where it ends, where that is not the end of the pattern.
    to: usize,
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
    run: Run,
    decided: usize,
    /// How far it may be decided, and what is waited for there; until more is read.
    held: Option<(usize, &'static str)>,
}

impl Finder {
    pub(crate) fn new(patterns: Arc<Patterns>) -> Self {
        let run = Run::new(patterns.nodes.len());
        Self {
            patterns,
            run,
            decided: 0,
            held: None,
        }
    }

    /// The same, but it remembers which pattern found what.
    pub(super) fn telling(patterns: Arc<Patterns>) -> Self {
        let mut finder = Self::new(patterns);
        finder.run.told = Some(Vec::new());
        finder
    }

    /// What was found and by which pattern, in no order.
    pub(super) fn told(&self) -> &[(Span, u16)] {
        self.run.told.as_deref().unwrap_or_default()
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
        for byte in text.bytes() {
            self.run.take(&self.patterns, byte);
        }
        self.held = self.first_open();
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self) {
        self.run.finish(&self.patterns);
        self.held = None;
    }

    /// Waits for nothing that was read.
    #[cfg(feature = "mutants")]
    pub(crate) fn give_up(&mut self) {
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
        let Run {
            threads,
            secrets,
            read,
            ..
        } = &self.run;
        let open = threads.iter().filter(|thread| thread.from != NONE);
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
#[derive(Debug, Clone)]
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
    before: Option<u8>,
    /// Where the character begins that the last byte belongs to.
    character: usize,
    /// Certain secrets, and what the allow list names; in order, apart.
    secrets: VecDeque<Span>,
    allowed: VecDeque<Span>,
    /// Which pattern found what, where somebody asks.
    told: Option<Vec<(Span, u16)>>,
    work: u64,
}

impl Run {
    fn new(states: usize) -> Self {
        Self {
            threads: Vec::new(),
            ready: Vec::new(),
            next: Vec::new(),
            walk: Vec::new(),
            seen: vec![0; states],
            round: 0,
            read: 0,
            before: None,
            character: 0,
            secrets: VecDeque::new(),
            allowed: VecDeque::new(),
            told: None,
            work: 0,
        }
    }

    fn take(&mut self, patterns: &Patterns, byte: u8) {
        self.work += 1;
        let at = self.read;
        if byte & 0xc0 == 0x80 {
            // A character is masked as a whole.
            for spans in [&mut self.secrets, &mut self.allowed] {
                if let Some(last) = spans.back_mut().filter(|last| last.end == at) {
                    last.end += 1;
                }
            }
        } else {
            self.character = at;
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
                let from = if seed.masks { self.character } else { NONE };
                let thread = Thread {
                    at: seed.to,
                    from,
                    to: NONE,
                };
                self.reach(patterns, thread);
            }
            self.threads.clear();
            std::mem::swap(&mut self.threads, &mut self.next);
        }
        self.read = at + 1;
        self.before = Some(byte);
    }

    fn finish(&mut self, patterns: &Patterns) {
        self.pass_assertions(patterns, None);
        self.ready.clear();
        self.threads.clear();
    }

    /// Lets the threads pass the assertions before the next byte.
    fn pass_assertions(&mut self, patterns: &Patterns, after: Option<u8>) {
        // Of two threads in one state the earlier goes on: it masks all that the later would.
        self.threads.sort_by_key(|thread| thread.from);
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
        let at = self.read;
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
                    let from = thread.from.min(at);
                    self.walk.push(Thread {
                        at: *to,
                        from,
                        ..thread
                    });
                }
                (Node::Close(to), _) => self.walk.push(Thread {
                    at: *to,
                    to: at,
                    ..thread
                }),
                (Node::Match, _) => self.found(patterns, thread),
                (Node::Fail, _) => {}
            }
        }
    }

    fn found(&mut self, patterns: &Patterns, thread: Thread) {
        let mut span = Span::new(thread.from, thread.to.min(self.read));
        if span.start >= span.end {
            return;
        }
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
