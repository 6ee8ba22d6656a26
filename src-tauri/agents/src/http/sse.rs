//! Server-sent events, decoded as the bytes come (WHATWG HTML, section 9.2.6 "Interpreting an event stream").
//!
//! An own decoder, because a line stays bytes here: a model's tokeniser may split a character between two
//! events, and only the agent can put it together again. Linear in the bytes read, whatever the cut.

/// Longest event in bytes. Models send a few hundred; a line without an end would otherwise be kept, and then parsed at
/// many times its size, up to the length of a whole answer.
pub(crate) const EVENT_BYTES: usize = 1024 * 1024;

/// One event. `data` lines are joined with a line feed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The `event` field; empty where there was none.
    pub(crate) name: Vec<u8>,
    /// The `data` field.
    pub(crate) data: Vec<u8>,
}

/// An event is larger than is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge {
    /// How many bytes are.
    pub(crate) limit: usize,
}

/// Decodes one stream. Holds at most one event and one line.
#[derive(Debug)]
pub(crate) struct Decoder {
    limit: usize,
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    after_cr: bool,
    at_start: bool,
}

const BOM: &[u8] = "\u{feff}".as_bytes();

impl Decoder {
    /// A decoder that accepts events of up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            after_cr: false,
            at_start: true,
        }
    }

    /// Takes what came from the network and appends the events that it completed.
    pub(crate) fn push(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLarge> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.extend(line)?;
            events.extend(self.end_line());
            bytes = match rest {
                [b'\r'] => {
                    // The line feed of this CRLF may come with the next read.
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.extend(bytes)
    }

    /// The event that the end of the stream cut off. The standard drops it; servers that forget the last
    /// blank line are common, and a caller that parses its data finds out whether it is whole.
    pub(crate) fn finish(&mut self) -> Option<Event> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_line()
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.limit {
            return Err(TooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_start) && line.starts_with(BOM) {
            line.drain(..BOM.len());
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (&line[..], &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = value.to_vec(),
            // Comments have an empty field; ids and reconnection times mean nothing for a single answer.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
        let mut decoder = Decoder::new(1000);
        let mut events = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut events).expect("small events");
        }
        events.extend(decoder.finish());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        events
            .into_iter()
            .map(|event| (text(event.name), text(event.data)))
            .collect()
    }

    fn data(stream: &str) -> Vec<String> {
        decode([stream.as_bytes()])
            .into_iter()
            .map(|(_, data)| data)
            .collect()
    }

    #[test]
    fn follows_the_standard() {
        assert_eq!(data("data: a\n\ndata: b\n\n"), ["a", "b"]);
        assert_eq!(data("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), ["a", "b", "c"]);
        assert_eq!(data("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(data("data:a\ndata: b\ndata:  c\ndata\n\n"), ["a\nb\n c\n"]);
        assert_eq!(data(": ping\n\n:\n\nid: 4\nretry: 10\n\nfoo: bar\n\n"), [""; 0]);
        assert_eq!(data("data:\n\n"), [""]);
        assert_eq!(
            decode([b"event: error\ndata: {}\n\ndata: x\n\n".as_slice()]),
            [
                ("error".to_owned(), "{}".to_owned()),
                (String::new(), "x".to_owned())
            ]
        );
    }

    #[test]
    fn gives_the_last_event_without_its_blank_line() {
        assert_eq!(data("data: a\n"), ["a"]);
        assert_eq!(data("data: a"), ["a"]);
        assert_eq!(data("data: a\n\nda"), ["a"]);
    }

    #[test]
    fn refuses_an_event_without_end() {
        let mut decoder = Decoder::new(10);
        let mut events = Vec::new();
        assert_eq!(decoder.push(b"data: 1234", &mut events), Ok(()));
        assert_eq!(decoder.push(b"5", &mut events), Err(TooLarge { limit: 10 }));
        let mut decoder = Decoder::new(10);
        assert_eq!(
            decoder.push(b"data: 123\ndata: 4567", &mut events),
            Err(TooLarge { limit: 10 })
        );
    }

    proptest! {
        #[test]
        fn every_cut_gives_the_same_events(
            lines in prop::collection::vec("(data|event|id|)(:| |: )?[é€a ]{0,4}(\n|\r\n|\r|\n\n|\r\n\r\n)", 0..20),
            cuts in prop::collection::vec(0_usize..200, 0..20),
        ) {
            let stream = lines.concat();
            let bytes = stream.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]);
            prop_assert_eq!(decode(pieces), decode([bytes]));
            prop_assert_eq!(decode(bytes.chunks(1)), decode([bytes]));
        }
    }
}
