//! A connection to the daemon: JSON-RPC 2.0, one message a line.
//! <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc#basic-usage>

use crate::Unreadable;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// Longest line that is read, in bytes. A message has at most some kilobytes of text, and files do not come in
/// lines; a longer line is passed over.
const LINE: usize = 1 << 22;

/// What a daemon listens on.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// One connection. One call is under way on it at a time.
pub(super) struct Link {
    wire: BufReader<Box<dyn Wire>>,
    /// The line that is being read, which may have been left halfway.
    line: Vec<u8>,
    /// Bytes of that line so far, once it is too long.
    passed: Option<u64>,
    calls: u64,
    /// Longest line that is read, where a longer one is an error.
    most: Option<usize>,
}

/// What the daemon is asked.
#[derive(Serialize)]
struct Call<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: &'a Map<String, Value>,
}

/// What the daemon says.
#[derive(Debug)]
enum Heard {
    Answer(Option<u64>, Result<Value, Fault>),
    Received(Received),
}

/// A notification that a message came, or a line that cannot be read and may have been one.
pub(super) type Received = Result<Value, Unreadable>;

/// A refusal as JSON-RPC has it.
#[derive(Debug, Deserialize)]
pub(super) struct Fault {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) data: Value,
}

#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    id: Value,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<Fault>,
}

impl Link {
    pub(super) fn new(wire: Box<dyn Wire>) -> Self {
        Self {
            wire: BufReader::new(wire),
            line: Vec::new(),
            passed: None,
            calls: 0,
            most: None,
        }
    }

    /// The same for one call that is answered in a line of at most `most` bytes; a longer one is not read.
    pub(super) fn for_a_line_of(self, most: usize) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    /// Calls a method and reads until it is answered. What is received meanwhile goes to `received`.
    pub(super) async fn call(
        &mut self,
        method: &str,
        params: &Map<String, Value>,
        received: impl FnMut(Received),
    ) -> io::Result<Result<Value, Fault>> {
        self.calls += 1;
        let mut line = serde_json::to_vec(&Call {
            jsonrpc: "2.0",
            id: self.calls,
            method,
            params,
        })?;
        line.push(b'\n');
        self.wire.write_all(&line).await?;
        drop(line);
        self.wire.flush().await?;
        self.answer(received).await
    }

    /// Reads until the last call is answered, as its caller does who has not been dropped.
    pub(super) async fn answer(
        &mut self,
        mut received: impl FnMut(Received),
    ) -> io::Result<Result<Value, Fault>> {
        loop {
            match self.next().await? {
                // A line that the daemon could not read is answered without its id.
                Heard::Answer(None, Err(fault)) => return Ok(Err(fault)),
                Heard::Answer(id, outcome) if id == Some(self.calls) => return Ok(outcome),
                Heard::Answer(..) => {}
                Heard::Received(message) => received(message),
            }
        }
    }

    /// The next message that the daemon received. May be dropped and called again: nothing is lost.
    pub(super) async fn received(&mut self) -> io::Result<Received> {
        loop {
            if let Heard::Received(message) = self.next().await? {
                return Ok(message);
            }
        }
    }

    /// The next line that means something.
    async fn next(&mut self) -> io::Result<Heard> {
        loop {
            let line: Line = match self.next_line().await? {
                Ok(line) if line.trim_ascii().is_empty() => continue,
                Ok(line) => match serde_json::from_slice(&line) {
                    Ok(read) => read,
                    Err(error) => return Ok(Heard::Received(Err(Unreadable::new("line", &error, &line)))),
                },
                Err(unreadable) => return Ok(Heard::Received(Err(unreadable))),
            };
            match (line.method.as_deref(), line.error) {
                (Some("receive"), _) => return Ok(Heard::Received(Ok(line.params))),
                (Some(_), _) => {}
                (None, Some(fault)) => return Ok(Heard::Answer(line.id.as_u64(), Err(fault))),
                (None, None) => return Ok(Heard::Answer(line.id.as_u64(), Ok(line.result))),
            }
        }
    }

    /// The next line, unless it is too long. Half a line at the end of the connection is none.
    async fn next_line(&mut self) -> io::Result<Result<Vec<u8>, Unreadable>> {
        loop {
            let bytes = self.wire.fill_buf().await?;
            if bytes.is_empty() {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "signal-cli closed the connection",
                ));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let (piece, taken) = match end {
                Some(end) => (&bytes[..end], end + 1),
                None => (bytes, bytes.len()),
            };
            let length = self.line.len() + piece.len();
            if self.most.is_some_and(|most| length > most) {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            if let Some(passed) = &mut self.passed {
                *passed += piece.len() as u64;
            } else if length > self.most.unwrap_or(LINE) {
                self.passed = Some(length as u64);
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(piece);
            }
            self.wire.consume(taken);
            if end.is_none() {
                continue;
            }
            return Ok(match self.passed.take() {
                Some(bytes) => {
                    let error = format!("it has more than {LINE} bytes");
                    Err(Unreadable {
                        bytes,
                        ..Unreadable::new("line", &error, &[])
                    })
                }
                None => Ok(std::mem::take(&mut self.line)),
            });
        }
    }
}
