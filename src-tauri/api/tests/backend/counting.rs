//! A journal that counts what is read from it.

use foldback_store::{Journal, JournalLayer, MemoryJournal};
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Counting {
    inner: MemoryJournal,
    read: AtomicUsize,
    questions: AtomicUsize,
}

impl Counting {
    pub(crate) fn of(inner: MemoryJournal) -> Self {
        Self {
            inner,
            read: AtomicUsize::new(0),
            questions: AtomicUsize::new(0),
        }
    }

    /// Questions that were answered with events so far.
    pub(crate) fn questions_so_far(&self) -> usize {
        self.questions.load(Ordering::Relaxed)
    }

    /// Events that were read so far.
    pub(crate) fn read_so_far(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }
}

impl JournalLayer for Counting {
    fn below(&self) -> &dyn Journal {
        &self.inner
    }

    fn note_read(&self, events: usize) {
        self.read.fetch_add(events, Ordering::Relaxed);
        self.questions.fetch_add(1, Ordering::Relaxed);
    }
}
