//! Byte ranges into the raw output of one assistant message.

/// A half-open range of UTF-8 byte offsets into the raw text, `start..end`. Printed as `[start, end]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "serde", serde(from = "[usize; 2]", into = "[usize; 2]"))]
#[cfg_attr(feature = "serde", schemars(with = "[usize; 2]"))]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "[number, number]"))]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Length in bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether no byte lies in it.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether the two ranges share a byte.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The bytes of `text` in this range.
    ///
    /// # Panics
    /// When the range does not lie on character boundaries of `text`.
    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

impl From<[usize; 2]> for Span {
    fn from([start, end]: [usize; 2]) -> Self {
        Self { start, end }
    }
}

impl From<Span> for [usize; 2] {
    fn from(span: Span) -> Self {
        [span.start, span.end]
    }
}
