//! The body of an answer: a stream of events, or one JSON object from servers that do not stream.

use super::{
    error_body::error_in,
    failure::Failure,
    sse::{Decoder, EVENT_BYTES, Event, TooLarge},
};
use foldback_wire::AgentFault;
use serde::de::IgnoredAny;

/// Longest answer in bytes that is one JSON object: it is parsed as a whole.
const WHOLE_BYTES: usize = 10 * 1024 * 1024;

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
    /// The data of an event, or a whole answer.
    Data(Vec<u8>),
    /// The data of an event that the end of the body cut off: it may be whole or not.
    Rest(Vec<u8>),
    /// `[DONE]`, or the end of a whole answer: nothing more comes.
    Done,
}

impl Body {
    /// A body of at most `limit` bytes. No event may have more than [`EVENT_BYTES`], no JSON object more than 10 MiB.
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
                    let (json, limit) = (Vec::new(), limit.min(WHOLE_BYTES));
                    *self = Self::Whole { json, limit };
                }
                Some(_) => {
                    let decoder = Decoder::new(limit.min(EVENT_BYTES));
                    *self = Self::Events { decoder, seen: false };
                }
            }
        }
        match self {
            Self::Blank { .. } => Vec::new(),
            Self::Whole { json, limit } => {
                if json.len() + bytes.len() > *limit {
                    return vec![Err(Failure::too_large(*limit))];
                }
                json.extend_from_slice(bytes);
                Vec::new()
            }
            Self::Events { decoder, seen } => {
                let mut events = Vec::new();
                let pushed = decoder.push(bytes, &mut events);
                *seen |= !events.is_empty();
                let mut reads: Vec<_> = events.into_iter().map(|event| read(event, Read::Data)).collect();
                if let Err(TooLarge { limit }) = pushed {
                    let detail = format!("an event of the stream is longer than {limit} bytes");
                    reads.push(Err(Failure::lasting(AgentFault::TooLarge, detail)));
                }
                reads
            }
        }
    }

    /// The end of the body: what was still open.
    pub(crate) fn finish(self) -> Vec<Result<Read, Failure>> {
        let cut = |detail: &str| vec![Err(Failure::passing(AgentFault::Disconnected, detail))];
        match self {
            Self::Blank { .. } => cut("the answer was empty"),
            Self::Whole { json, .. } => match serde_json::from_slice::<IgnoredAny>(&json) {
                Err(error) if error.is_eof() => cut("the answer was cut"),
                _ => vec![Ok(Read::Data(json)), Ok(Read::Done)],
            },
            Self::Events { mut decoder, seen } => match decoder.finish() {
                Some(event) => vec![read(event, Read::Rest)],
                None if seen => Vec::new(),
                None => vec![Err(Failure::lasting(
                    AgentFault::Malformed,
                    "the answer holds no event",
                ))],
            },
        }
    }
}

fn read(event: Event, data: impl FnOnce(Vec<u8>) -> Read) -> Result<Read, Failure> {
    if event.data.trim_ascii() == b"[DONE]" {
        return Ok(Read::Done);
    }
    if event.name == b"error" {
        return Err(Failure::of_stream(&error_in(&event.data)));
    }
    Ok(data(event.data))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that are taken of 30 MB in pieces of 64 KB, which begin in this way and then go on without an end; and the
    /// words of the failure.
    fn taken_of(begin: &str) -> (usize, String) {
        let mut body = Body::new(50_000_000);
        assert!(body.push(begin.as_bytes()).is_empty());
        let piece = vec![b'x'; 64 * 1024];
        for taken in 1..=30_000_000 / piece.len() {
            let mut reads = body.push(&piece);
            if let Some(Err(failure)) = reads.pop() {
                assert_eq!(failure.fault, AgentFault::TooLarge);
                return (taken * piece.len(), failure.detail);
            }
        }
        panic!("30 MB were taken");
    }

    #[test]
    fn an_event_without_end_is_given_up_before_two_megabytes_are_kept() {
        let (taken, words) = taken_of("data: ");
        assert!(taken < 2_000_000, "{taken}");
        assert_eq!(words, "an event of the stream is longer than 1048576 bytes");
        let (taken, words) = taken_of("{\"choices\": \"");
        assert!(taken < 11_000_000, "{taken}");
        assert_eq!(words, "the answer is longer than 10485760 bytes");
    }
}
