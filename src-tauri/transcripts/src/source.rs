//! Bytes of a file, taken piece by piece and never more than the limits allow.

use crate::{DamageReason, ReadLimits, Refusal};
use std::io::{self, Read};

/// Bytes that are read at once, and that a format is recognised in.
const PIECE: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file that is read once, from its beginning.
pub(crate) struct Source<'a> {
    input: Box<dyn Read + 'a>,
    limits: ReadLimits,
    piece: Vec<u8>,
    /// Place in the piece.
    next: usize,
    /// Bytes of the file before the piece.
    before: u64,
    ended: bool,
    line: u64,
    /// Most bytes that were held at once, pieces and lines together.
    peak: usize,
}

/// A line that is not blank.
pub(crate) struct Line {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// The byte it begins at.
    pub(crate) offset: u64,
    /// Its bytes without the line break.
    pub(crate) bytes: Result<Vec<u8>, DamageReason>,
    /// Whether a line break ends it; else the file does.
    pub(crate) ended: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn new(input: Box<dyn Read + 'a>, limits: ReadLimits) -> Self {
        Self {
            input,
            limits,
            piece: Vec::new(),
            next: 0,
            before: 0,
            ended: false,
            line: 1,
            peak: 0,
        }
    }

    /// The beginning of the file, which stays to be read.
    pub(crate) fn prefix(&mut self) -> Result<&[u8], Refusal> {
        self.fill()?;
        if self.piece.starts_with(BYTE_ORDER_MARK) {
            self.next = BYTE_ORDER_MARK.len();
        }
        Ok(&self.piece[self.next..])
    }

    /// What is left of the piece that is held.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.piece[self.next..]
    }

    /// Line of the next byte, from 1.
    pub(crate) const fn line(&self) -> u64 {
        self.line
    }

    /// Place of the next byte in the file.
    pub(crate) const fn offset(&self) -> u64 {
        self.before + self.next as u64
    }

    /// Longest line or element.
    pub(crate) const fn limit(&self) -> usize {
        self.limits.line
    }

    /// Notes that so many bytes are held beside the piece.
    pub(crate) fn hold(&mut self, bytes: usize) {
        self.peak = self.peak.max(bytes + self.piece.len());
    }

    #[cfg(test)]
    pub(crate) const fn peak(&self) -> usize {
        self.peak
    }

    /// Reads the next piece; the one before is gone.
    fn fill(&mut self) -> Result<(), Refusal> {
        self.before += self.piece.len() as u64;
        self.next = 0;
        self.piece.resize(PIECE, 0);
        let mut filled = 0;
        while filled < PIECE && !self.ended {
            match self.input.read(&mut self.piece[filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.piece.truncate(filled);
        self.hold(0);
        self.limits.check_size(self.before + filled as u64)
    }

    /// The next byte, which stays; `None` at the end.
    pub(crate) fn peek(&mut self) -> Result<Option<u8>, Refusal> {
        if self.next == self.piece.len() && !self.ended {
            self.fill()?;
        }
        Ok(self.piece.get(self.next).copied())
    }

    /// Passes the byte that [`Self::peek`] showed.
    pub(crate) fn pass(&mut self) {
        if self.piece.get(self.next) == Some(&b'\n') {
            self.line += 1;
        }
        self.next = (self.next + 1).min(self.piece.len());
    }

    /// The next line that is not blank; `None` at the end.
    pub(crate) fn next_line(&mut self) -> Result<Option<Line>, Refusal> {
        loop {
            let Some(line) = self.any_line()? else {
                return Ok(None);
            };
            if line
                .bytes
                .as_ref()
                .map_or(true, |bytes| !bytes.trim_ascii().is_empty())
            {
                return Ok(Some(line));
            }
        }
    }

    /// The next line, blank or not; `None` at the end.
    pub(crate) fn any_line(&mut self) -> Result<Option<Line>, Refusal> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let (number, offset) = (self.line, self.offset());
        let mut bytes = Vec::new();
        let mut too_long = false;
        let ended = loop {
            if self.peek()?.is_none() {
                break false;
            }
            let rest = &self.piece[self.next..];
            let end = rest.iter().position(|byte| *byte == b'\n');
            let part = &rest[..end.unwrap_or(rest.len())];
            if too_long || bytes.len() + part.len() > self.limits.line {
                too_long = true;
                bytes = Vec::new();
            } else {
                bytes.extend_from_slice(part);
            }
            self.next += part.len();
            self.hold(bytes.capacity());
            if end.is_some() {
                self.pass();
                break true;
            }
        };
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Ok(Some(Line {
            number,
            offset,
            bytes: if too_long {
                Err(DamageReason::TooLong)
            } else {
                Ok(bytes)
            },
            ended,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &[u8], line: usize) -> Source<'_> {
        let limits = ReadLimits {
            line,
            ..ReadLimits::default()
        };
        Source::new(Box::new(text), limits)
    }

    #[test]
    fn lines_have_their_place_and_lose_mark_and_carriage_return() {
        let mut source = source(b"\xef\xbb\xbfone\r\n\n  \ntwo", 100);
        source.prefix().unwrap();
        let one = source.next_line().unwrap().unwrap();
        assert_eq!((one.number, one.offset, one.ended), (1, 3, true));
        assert_eq!(one.bytes.unwrap(), b"one");
        let two = source.next_line().unwrap().unwrap();
        assert_eq!((two.number, two.offset, two.ended), (4, 12, false));
        assert!(source.next_line().unwrap().is_none());
    }

    #[test]
    fn a_line_over_the_limit_is_named_and_never_held() {
        let mut text = vec![b'x'; 3_000_000];
        text.extend_from_slice(b"\nnext\n");
        let mut source = source(&text, 1_000);
        let long = source.next_line().unwrap().unwrap();
        assert_eq!(long.bytes, Err(DamageReason::TooLong));
        let next = source.next_line().unwrap().unwrap();
        assert_eq!((next.number, next.offset), (2, 3_000_001));
        assert_eq!(next.bytes.unwrap(), b"next");
        assert!(source.peak() <= PIECE + 2 * 1_000, "{}", source.peak());
    }

    /// Two gigabytes that are made while they are read.
    struct Endless(u64);

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let more = into.len().min(usize::try_from(self.0).unwrap_or(usize::MAX));
            into[..more].fill(b'x');
            self.0 -= more as u64;
            Ok(more)
        }
    }

    #[test]
    fn a_file_over_the_limit_is_refused_and_never_held() {
        let limits = ReadLimits {
            line: 10_000,
            file: 1_000_000,
            ..ReadLimits::default()
        };
        let mut source = Source::new(Box::new(Endless(2_000_000_000)), limits);
        assert_eq!(
            source.next_line().err(),
            Some(Refusal::TooLarge { limit: 1_000_000 })
        );
        assert!(source.peak() <= PIECE + 20_000, "{}", source.peak());
        assert!(source.before <= 1_000_000 + PIECE as u64);
    }
}
