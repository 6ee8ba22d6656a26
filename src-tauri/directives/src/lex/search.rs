//! Forward searches that remember how far they have looked.

use memchr::memmem::Finder;

use super::tag::MAX_TAG;
use super::{Source, is_tag_space, same_word};
use crate::Span;

/// Searches for the closing tags of one name: `</name`, white space, `>`.
#[derive(Debug)]
pub(crate) struct CloseSearch {
    name: String,
    /// Finds the `</` of any.
    slash: Finder<'static>,
    from: usize,
    at: usize,
    space: usize,
    found: Option<Span>,
}

impl CloseSearch {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            slash: Finder::new("</"),
            from: 0,
            at: 0,
            space: 0,
            found: None,
        }
    }

    /// The first closing tag that starts at or after `from`, among the bytes that have arrived.
    pub(crate) fn find(&mut self, source: &Source, from: usize) -> Option<Span> {
        if from < self.from || from > self.at {
            (self.from, self.at, self.space, self.found) = (from, from, 0, None);
        }
        if let Some(found) = self.found {
            if found.start >= from {
                return Some(found);
            }
            (self.from, self.at, self.space, self.found) = (from, found.end.max(from), 0, None);
        }
        let end = source.end();
        while self.at < end {
            let rest = source.bytes(self.at, end);
            let Some(skip) = self.slash.find(rest) else {
                source.spend(rest.len());
                self.at = end - usize::from(rest.ends_with(b"<"));
                break;
            };
            source.spend(skip + 2);
            self.at += skip;
            let name_end = self.at + 2 + self.name.len();
            if self.space < name_end {
                let there = &rest[skip + 2..];
                let len = there.len().min(self.name.len());
                source.spend(1);
                if !same_word(&there[..len], &self.name.as_bytes()[..len]) {
                    self.at += 2;
                    continue;
                }
                source.spend(len);
                if len < self.name.len() {
                    break;
                }
                self.space = name_end;
            }
            // A longer one is no tag.
            let cap = self.at + MAX_TAG;
            while self.space < cap && source.byte(self.space).is_some_and(is_tag_space) {
                source.spend(1);
                self.space += 1;
            }
            match source.byte(self.space).filter(|_| self.space < cap) {
                None if self.space < cap => break,
                Some(b'>') => {
                    self.found = Some(Span::new(self.at, self.space + 1));
                    return self.found;
                }
                _ => self.at += 1,
            }
        }
        None
    }
}

/// Searches for a fixed word such as `-->`.
#[derive(Debug)]
pub(crate) struct WordSearch {
    word: &'static str,
    from: usize,
    at: usize,
}

impl WordSearch {
    pub(crate) fn new(word: &'static str) -> Self {
        Self { word, from: 0, at: 0 }
    }

    /// One past the first occurrence that starts at or after `from` and ends by `end`.
    pub(crate) fn find(&mut self, source: &Source, from: usize, end: usize) -> Option<usize> {
        if from < self.from || from > self.at {
            (self.from, self.at) = (from, from);
        }
        let first = self.word.as_bytes()[0];
        while self.at < end {
            let Some(skip) = memchr::memchr(first, source.bytes(self.at, end)) else {
                source.spend(end - self.at);
                self.at = end;
                break;
            };
            source.spend(skip + 1);
            self.at += skip;
            match source.stands(self.at, end, self.word) {
                None => break,
                Some(true) => return Some(self.at + self.word.len()),
                Some(false) => self.at += 1,
            }
        }
        None
    }
}
