//! Lines of bounded length.

use std::{io, os::fd::AsFd};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, BufReader};

/// Why there is no line.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    /// The line is longer than the limit.
    #[error("a line of more than {0} bytes")]
    TooLong(usize),
    /// The stream is broken.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads lines. A wait that is dropped loses nothing: what was read of a line stays here.
pub(super) struct Lines<R> {
    from: R,
    line: Vec<u8>,
    limit: usize,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    pub(super) fn new(from: R, limit: usize) -> Self {
        Self {
            from,
            line: Vec::new(),
            limit,
        }
    }

    /// The next line without its end; `None` at the end of the stream. A last line without an end is one, too.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, LineError> {
        loop {
            let bytes = self.from.fill_buf().await?;
            if bytes.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok((!rest.is_empty()).then_some(rest));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let take = end.unwrap_or(bytes.len());
            if self.line.len() + take > self.limit {
                return Err(LineError::TooLong(self.limit));
            }
            self.line.extend_from_slice(&bytes[..take]);
            self.from.consume(end.map_or(take, |end| end + 1));
            if end.is_some() {
                return Ok(Some(std::mem::take(&mut self.line)));
            }
        }
    }
}

impl<R: AsyncRead + AsFd + Unpin> Lines<BufReader<R>> {
    /// True where bytes have come that no line was given of: here, or still at the system.
    pub(super) fn has_unread(&self) -> bool {
        let waits = || rustix::io::ioctl_fionread(self.from.get_ref()).is_ok_and(|bytes| bytes > 0);
        !self.line.is_empty() || !self.from.buffer().is_empty() || waits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncWriteExt as _, duplex};

    #[tokio::test]
    async fn lines_come_whole_however_they_are_cut_and_waited_for() {
        let (mut to, from) = duplex(64);
        let mut lines = Lines::new(BufReader::with_capacity(3, from), 10);
        to.write_all(b"abc").await.unwrap();
        // A wait that is given up half way through a line.
        tokio::select! {
            biased;
            line = lines.next() => panic!("{line:?}"),
            () = tokio::task::yield_now() => {}
        }
        to.write_all(b"def\n\n0123456789\nlast").await.unwrap();
        drop(to);
        for expected in ["abcdef", "", "0123456789", "last"] {
            assert_eq!(lines.next().await.unwrap().unwrap(), expected.as_bytes());
        }
        assert!(lines.next().await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_line_without_end_is_given_up_at_the_limit() {
        let limit = crate::AcpLimits::default().line_bytes;
        assert_eq!(limit, 4 * 1024 * 1024);
        let mut lines = Lines::new(BufReader::new(tokio::io::repeat(b'x')), limit);
        assert!(matches!(lines.next().await, Err(LineError::TooLong(_))));
        assert!(lines.line.len() <= limit && lines.line.capacity() <= 2 * limit);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_refused() {
        let mut lines = Lines::new(&b"0123456789x\n"[..], 10);
        assert!(matches!(lines.next().await, Err(LineError::TooLong(10))));
    }
}
