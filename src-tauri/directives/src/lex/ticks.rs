//! Runs of backticks on one line: which of them close each other.

use std::collections::BTreeMap;

use super::Source;

/// Most bytes of an inline code span, both runs included.
pub(crate) const MAX_SPAN: usize = 16_384;

#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    len: usize,
    /// The next run of the same length, an index.
    twin: Option<usize>,
}

/// What is known about a run of backticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// An equal run ends here.
    At(usize),
    /// There is none.
    Never,
    /// It is not known yet.
    Unknown,
}

/// Looks ahead on one line and records every run of backticks once, so that any number of questions about
/// any runs costs no more than reading the line once.
#[derive(Debug, Default)]
pub(crate) struct Ticks {
    from: usize,
    to: usize,
    line_end: Option<usize>,
    open: Option<usize>,
    runs: Vec<Run>,
    last: BTreeMap<usize, usize>,
    current: usize,
}

impl Ticks {
    /// A run that begins at `start` and ends at `after` is asked about from now on. Unless looking ahead
    /// has come past it already, it begins a new line of questions: its own bytes need not be there any more.
    pub(crate) fn begin(&mut self, start: usize, after: usize) {
        let seen = self.from <= start && start < self.to && self.line_end.is_none_or(|end| start < end);
        if seen {
            // Looking ahead may have come to an end within the run, whose bytes are all ticks.
            self.to = self.to.max(after);
        } else {
            *self = Self {
                from: start,
                to: after,
                ..Self::default()
            };
            self.record(start, after - start);
        }
    }

    /// Reads on to the end of the line or of what has arrived. `start` is where a run begins.
    fn look(&mut self, source: &Source, start: usize) {
        if self.line_end.is_none() {
            self.read(source);
        }
        while self.runs.get(self.current).is_some_and(|run| run.start < start) {
            source.spend(1);
            self.current += 1;
        }
    }

    fn read(&mut self, source: &Source) {
        let end = source.end();
        while self.to < end {
            if let Some(open) = self.open {
                let ticks = source
                    .bytes(self.to, end)
                    .iter()
                    .take_while(|b| **b == b'`')
                    .count();
                source.spend(ticks + 1);
                self.to += ticks;
                if self.to < end {
                    self.close(open);
                }
                continue;
            }
            let rest = source.bytes(self.to, end);
            let skip = memchr::memchr2(b'`', b'\n', rest);
            source.spend(skip.unwrap_or(rest.len()));
            match skip {
                None => self.to = end,
                Some(skip) => {
                    self.to += skip;
                    if rest[skip] == b'\n' {
                        self.line_end = Some(self.to);
                        return;
                    }
                    self.open = Some(self.to);
                }
            }
        }
        if source.ended {
            if let Some(open) = self.open {
                self.close(open);
            }
            self.line_end = Some(end);
        }
    }

    fn close(&mut self, open: usize) {
        self.record(open, self.to - open);
        self.open = None;
    }

    fn record(&mut self, start: usize, len: usize) {
        let index = self.runs.len();
        if let Some(before) = self.last.insert(len, index) {
            self.runs[before].twin = Some(index);
        }
        self.runs.push(Run {
            start,
            len,
            twin: None,
        });
    }

    /// Where the run that begins at `start` is closed on its line, within [`MAX_SPAN`].
    pub(crate) fn closing(&mut self, source: &Source, start: usize) -> Closing {
        self.look(source, start);
        let Some(run) = self.runs.get(self.current).copied() else {
            return Closing::Unknown;
        };
        let limit = start + MAX_SPAN;
        match run.twin.map(|twin| self.runs[twin]) {
            Some(twin) if twin.start + twin.len <= limit => Closing::At(twin.start + twin.len),
            Some(_) => Closing::Never,
            None if self.line_end.is_some() || self.to >= limit + usize::from(self.open.is_some()) => {
                Closing::Never
            }
            None => Closing::Unknown,
        }
    }

    /// Whether another backtick stands on the line after the run that begins at `start`.
    pub(crate) fn more_on_line(&mut self, source: &Source, start: usize) -> Option<bool> {
        self.look(source, start);
        if self.runs.len() > self.current + 1 || (self.runs.len() > self.current && self.open.is_some()) {
            return Some(true);
        }
        self.line_end.map(|_| false)
    }

    /// Where the run that begins at `start`, and has been recorded, ends.
    pub(crate) fn end_of(&mut self, source: &Source, start: usize) -> usize {
        self.look(source, start);
        self.runs
            .get(self.current)
            .map_or(start, |run| run.start + run.len)
    }

    /// The first run that begins at `from` or after it, and before `end`: where it begins and ends, as far
    /// as it has arrived.
    pub(crate) fn next_run(&mut self, source: &Source, from: usize, end: usize) -> Option<(usize, usize)> {
        self.look(source, from);
        let recorded = self
            .runs
            .get(self.current)
            .map(|run| (run.start, run.start + run.len));
        let open = self.open.filter(|open| *open >= from).map(|open| (open, self.to));
        recorded.or(open).filter(|(next, _)| *next < end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Closing, Ticks};
    use crate::lex::Source;

    #[test]
    fn a_run_that_arrives_in_two_pieces_is_looked_at_once() {
        let (mut source, mut ticks) = (Source::default(), Ticks::default());
        source.push("` a``");
        ticks.begin(0, 1);
        assert_eq!(ticks.closing(&source, 0), Closing::Unknown);
        source.push("`` b````");
        source.forget(7);
        ticks.begin(3, 7);
        assert_eq!(ticks.closing(&source, 3), Closing::Unknown);
        source.push("\n");
        assert_eq!(ticks.closing(&source, 3), Closing::At(13));
    }
}
