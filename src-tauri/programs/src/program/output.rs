//! What a program writes, to a bound.

use rustix::io::{Errno, read};
use std::{io, os::fd::AsFd};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes of one read.
const PIECE: usize = 8 << 10;

/// One of a program's outputs, as far as it was read.
pub(super) struct Output<R> {
    /// Its pipe; never waited for by a read of the system's, which tells of none instead.
    from: Option<R>,
    read: Vec<u8>,
    most: usize,
}

impl<R: AsyncRead + AsFd + Unpin> Output<R> {
    /// An output of which so many bytes are kept.
    pub(super) fn new(from: Option<R>, most: usize) -> Self {
        Self {
            from,
            read: Vec::new(),
            most,
        }
    }

    /// True where there was more than is kept.
    pub(super) fn is_cut(&self) -> bool {
        self.read.len() > self.most
    }

    /// Reads to the end or past the bound. Dropped meanwhile, it has lost nothing.
    pub(super) async fn read(&mut self) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        while !self.is_cut()
            && let Some(from) = &mut self.from
        {
            match from.read(&mut piece).await? {
                0 => break,
                read => self.read.extend_from_slice(&piece[..read]),
            }
        }
        Ok(())
    }

    /// Reads to the end, and drops what is past the bound, so that whoever writes can go on.
    pub(super) async fn read_all(&mut self) -> io::Result<()> {
        self.read().await?;
        if let Some(from) = &mut self.from {
            tokio::io::copy(from, &mut tokio::io::sink()).await?;
        }
        Ok(())
    }

    /// Reads what was written already, and waits for nobody who holds the output open still.
    pub(super) fn read_what_is_there(&mut self) -> io::Result<()> {
        let mut piece = vec![0; PIECE];
        while !self.is_cut()
            && let Some(from) = &self.from
        {
            match read(from, &mut piece) {
                Ok(0) | Err(Errno::AGAIN) => break,
                Ok(read) => self.read.extend_from_slice(&piece[..read]),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The bytes that were read and are kept, up to the bound.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.read.truncate(self.most);
        self.read
    }
}
