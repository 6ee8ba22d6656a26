//! Finds secrets in a text that comes in pieces.
//!
//! Every pattern is tried from every byte at once; a secret is the union of all that matches, so that neither
//! order nor cut can matter. A byte is decided as soon as no beginning of a secret that is still possible
//! covers it.

use super::{
    compile::Patterns,
    memo::{END, Memo, START},
    run::{NONE, Run, Thread},
};
use crate::Span;
use std::{collections::VecDeque, sync::Arc};

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
            self.run.resume(&self.patterns, self.memo.situation(here));
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
