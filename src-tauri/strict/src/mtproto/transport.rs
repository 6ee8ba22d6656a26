//! The full transport: length, number, payload, checksum. <https://core.telegram.org/mtproto/mtproto-transports#full>

use super::rules::{CHECKSUM, LENGTH, NUMBER};
use crate::Rule;
use flate2::Crc;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Most bytes of a packet.
const MOST: u32 = 1 << 21;

/// Reading or writing ended.
#[derive(Debug)]
pub(super) enum ConnectionEnd {
    /// By the other side, or by an error of the network.
    Network,
    /// For a packet that is none.
    Broken(Rule),
}

impl From<io::Error> for ConnectionEnd {
    fn from(_: io::Error) -> Self {
        Self::Network
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Reads packets.
#[derive(Debug)]
pub(super) struct Reader<R> {
    from: R,
    read: u32,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, read: 0 }
    }

    /// The next payload.
    pub(super) async fn next(&mut self) -> Result<Vec<u8>, ConnectionEnd> {
        let length = self.from.read_u32_le().await?;
        if !(16..=MOST).contains(&length) || length % 4 != 0 {
            return Err(ConnectionEnd::Broken(LENGTH));
        }
        let mut packet = vec![0; length as usize];
        packet[..4].copy_from_slice(&length.to_le_bytes());
        self.from.read_exact(&mut packet[4..]).await?;
        let (counted, sum) = packet.split_at(packet.len() - 4);
        if checksum(counted).to_le_bytes() != sum {
            return Err(ConnectionEnd::Broken(CHECKSUM));
        }
        if counted[4..8] != self.read.to_le_bytes() {
            return Err(ConnectionEnd::Broken(NUMBER));
        }
        self.read += 1;
        Ok(counted[8..].to_vec())
    }
}

/// Writes packets.
#[derive(Debug)]
pub(super) struct Writer<W> {
    to: W,
    written: u32,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, written: 0 }
    }

    pub(super) async fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let length = payload.len() as u32 + 12;
        let mut packet = length.to_le_bytes().to_vec();
        packet.extend(self.written.to_le_bytes());
        packet.extend(payload);
        packet.extend(checksum(&packet).to_le_bytes());
        self.written += 1;
        self.to.write_all(&packet).await
    }

    /// Sends an error of the transport: <https://core.telegram.org/mtproto/mtproto-transports#transport-errors>.
    pub(super) async fn send_error(&mut self, code: i32) -> io::Result<()> {
        self.to.write_all(&(-code).to_le_bytes()).await
    }
}
