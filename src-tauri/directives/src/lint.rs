//! Findings for a person who writes or checks agent output: lines, columns and fixes.

use crate::{Diagnostic, Settings, Span};

/// A place in a text, as editors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode scalars, from 1.
    pub column: usize,
}

/// Converts byte offsets of a text into places.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Reads the line starts of `text` once.
    pub fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { text, starts }
    }

    /// The place of a byte offset; past the end it is the end.
    pub fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.text[self.starts[line - 1]..offset].chars().count() + 1;
        Place { line, column }
    }

    /// The first place of a span.
    pub fn start(&self, span: Span) -> Place {
        self.place(span.start)
    }
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
