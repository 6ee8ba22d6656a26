//! What the two processes say to each other: one JSON object a line, a request and its reply. A call has a
//! connection to itself, as it would over HTTP without keep-alive: then a connection that breaks says
//! exactly which call is in doubt.

use crate::sim::CallFault;
use crate::{Ack, Call, Refusal, ThreadPart, ThreadQuery};
use foldback_wire::{Inbound, MessageId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Longest line, in bytes: a file of 20 MB in base64, with room to spare.
const LINE: u64 = 1 << 25;

/// What Foldback or a test asks of the platform.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(super) enum Request {
    /// Perform an operation; answered with `Answer`.
    Perform {
        call: Call,
        /// Of the file, in bytes, where there is one.
        size: Option<u64>,
    },
    /// Somebody writes to the bot; answered with `Noted`.
    Inject { message: Box<Inbound> },
    /// Somebody sends a file, in base64; answered with `Kept`.
    Keep { bytes: String },
    /// Hand over the file of this handle; answered with `File`.
    Fetch { handle: String, limit: u64 },
    /// What was said in a thread; answered with `Thread`.
    ReadThread { query: ThreadQuery },
    /// Plan a fault; answered with `Noted`.
    Plan { fault: CallFault },
    /// Hand over messages on this connection from now on: each is a `Message`, and the next one comes only
    /// after it was `Got`.
    Listen,
    /// The message is durable.
    Got { message: MessageId },
}

/// What the platform says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub(super) enum Reply {
    /// How an operation went.
    Answer { answer: Result<Ack, Refusal> },
    /// The handle of the file.
    Kept { handle: String },
    /// The file, in base64.
    File { file: Result<String, Refusal> },
    /// What was said in a thread; nothing where the platform has no call for it.
    Thread { part: Option<ThreadPart> },
    /// It is done.
    Noted,
    /// Somebody wrote.
    Message { message: Box<Inbound> },
}

/// One connection, seen from either end.
pub(super) struct Line(BufReader<TcpStream>);

impl Line {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    pub(super) async fn write<T: Serialize + Sync>(&mut self, words: &T) -> io::Result<()> {
        let mut line = serde_json::to_vec(words)?;
        line.push(b'\n');
        self.0.write_all(&line).await
    }

    /// The next line; `None` once the other end has closed. What a cancelled read had is lost, so cancel it
    /// only together with the connection.
    pub(super) async fn read<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let mut line = Vec::new();
        let read = (&mut self.0).take(LINE).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a line is cut off or too long",
            ));
        }
        Ok(Some(serde_json::from_slice(&line)?))
    }
}
