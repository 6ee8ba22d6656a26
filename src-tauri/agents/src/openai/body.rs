//! The body of an answer: a stream of events, or one JSON object from servers that do not stream.

use super::{
    chunk::Chunk,
    failure::{Failure, error_in},
};
use crate::sse::{Decoder, Event, TooLarge};
use foldback_wire::AgentFault;

/// What a body says, as its bytes come.
pub(crate) enum Body {
    /// Nothing but white space so far.
    Blank { limit: usize },
    /// Events.
    Events { decoder: Decoder, seen: bool },
    /// One JSON object, read at the end.
    Whole { json: Vec<u8>, limit: usize },
}

/// What was read.
#[derive(Debug)]
pub(crate) enum Read {
    /// A chunk.
    Chunk(Box<Chunk>),
    /// `[DONE]`: nothing more comes.
    Done,
}

impl Body {
    /// A body whose events, or which as a whole, have at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self::Blank { limit }
    }

    /// Takes what came from the network. What was whole before a fault is given before it.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<Result<Read, Failure>> {
        if let Self::Blank { limit } = *self {
            // The content type is not asked: servers get it wrong in both directions, the first byte does not.
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return Vec::new(),
                Some(b'{') => {
                    let json = Vec::new();
                    *self = Self::Whole { json, limit };
                }
                Some(_) => {
                    let decoder = Decoder::new(limit);
                    *self = Self::Events { decoder, seen: false };
                }
            }
        }
        match self {
            Self::Blank { .. } => Vec::new(),
            Self::Whole { json, limit } => {
                if json.len() + bytes.len() > *limit {
                    return vec![Err(too_large(*limit))];
                }
                json.extend_from_slice(bytes);
                Vec::new()
            }
            Self::Events { decoder, seen } => {
                let mut events = Vec::new();
                let pushed = decoder.push(bytes, &mut events);
                *seen |= !events.is_empty();
                let mut reads: Vec<_> = events.iter().map(read).collect();
                if let Err(TooLarge { limit }) = pushed {
                    reads.push(Err(too_large(limit)));
                }
                reads
            }
        }
    }

    /// The end of the body: what was still open.
    pub(crate) fn finish(self) -> Vec<Result<Read, Failure>> {
        match self {
            Self::Blank { .. } => vec![Err(Failure::passing(
                AgentFault::Disconnected,
                "the answer was empty",
            ))],
            Self::Whole { json, .. } => match serde_json::from_slice(&json) {
                Ok(chunk) => vec![Ok(Read::Chunk(Box::new(chunk))), Ok(Read::Done)],
                Err(error) if error.is_eof() => vec![Err(Failure::passing(
                    AgentFault::Disconnected,
                    "the answer was cut",
                ))],
                Err(error) => vec![Err(malformed(&error))],
            },
            Self::Events { mut decoder, seen } => match decoder.finish().as_ref().map(read) {
                // Cut in the middle of an event: what is not whole was not said.
                Some(Err(failure)) if failure.fault == AgentFault::Malformed => Vec::new(),
                Some(read) => vec![read],
                None if seen => Vec::new(),
                None => vec![Err(Failure::lasting(
                    AgentFault::Malformed,
                    "the answer holds no event",
                ))],
            },
        }
    }
}

fn read(event: &Event) -> Result<Read, Failure> {
    if event.data.trim_ascii() == b"[DONE]" {
        return Ok(Read::Done);
    }
    if event.name == b"error" {
        return Err(Failure::of_stream(&error_in(&event.data)));
    }
    serde_json::from_slice(&event.data)
        .map(|chunk| Read::Chunk(Box::new(chunk)))
        .map_err(|error| malformed(&error))
}

fn malformed(error: &serde_json::Error) -> Failure {
    Failure::lasting(AgentFault::Malformed, format!("not a chat completion: {error}"))
}

fn too_large(limit: usize) -> Failure {
    Failure::lasting(
        AgentFault::TooLarge,
        format!("the answer is longer than {limit} bytes"),
    )
}
