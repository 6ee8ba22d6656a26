//! Findings for a person who writes or checks agent output: lines, columns and fixes.

use std::cell::Cell;

use crate::{Diagnostic, Settings, Span};

/// A place in a text, as editors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode scalars, from 1.
    pub column: usize,
}

/// Every so many bytes the scalars before are counted, so that a place costs no more on a long line.
const STEP: usize = 256;

/// Converts byte offsets of a text into places. Each costs the same wherever it is and however long its line.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// How many scalars begin before each multiple of [`STEP`].
    scalars: Vec<usize>,
    work: Cell<u64>,
}

impl<'a> Lines<'a> {
    /// Reads the line starts of `text` once.
    pub fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let steps = text.as_bytes().chunks(STEP).scan(0, |before, step| {
            *before += begun(step);
            Some(*before)
        });
        Self {
            text,
            starts,
            scalars: std::iter::once(0).chain(steps).collect(),
            work: Cell::new(0),
        }
    }

    /// The place of a byte offset; past the end it is the end.
    pub fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.before(offset) - self.before(self.starts[line - 1]) + 1;
        Place { line, column }
    }

    /// How many scalars begin before a byte.
    fn before(&self, offset: usize) -> usize {
        let step = offset / STEP;
        let rest = &self.text.as_bytes()[step * STEP..offset];
        self.work.set(self.work.get() + rest.len() as u64);
        self.scalars[step] + begun(rest)
    }

    /// How many bytes were examined for places so far. For tests of linearity.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// The first place of a span.
    pub fn start(&self, span: Span) -> Place {
        self.place(span.start)
    }
}

/// How many scalars begin in these bytes of a text.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

/// All findings of one assistant message that its text alone can show, by start of span, then code.
///
/// ```
/// use foldback_directives::{Code, Lines, Settings, lint};
///
/// let text = "Hello\n<actions>\n  <raect emoji=\"eyes\" />\n</actions>";
/// let found = &lint(text, &Settings::default())[0];
/// assert_eq!(found.code, Code::UnknownDirective);
/// assert_eq!(found.fix.as_ref().unwrap().title, "Write react");
///
/// let place = Lines::new(text).start(found.span);
/// assert_eq!((place.line, place.column), (3, 3));
/// ```
pub fn lint(text: &str, settings: &Settings) -> Vec<Diagnostic> {
    crate::parse(text, settings, None).diagnostics
}
