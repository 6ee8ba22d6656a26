//! The beginning and the end of an output of any length.
//!
//! Secrets are masked before anything is cut: of a private key whose first line is left out, the rest would not be recognised,
//! nor half a token. An example, where 8 KiB are kept of an output that has a key around its 4096th byte:
//!
//! ```text
//!   read     …text -----BEGIN PRIVATE KEY----- MIIEvQ… (3 KiB) -----END PRIVATE KEY----- text…
//!   masked   …text [redacted] text…              at most about 512 bytes wait for what follows
//!   kept     its first 4 KiB and its last 4 KiB
//! ```

use foldback_wire::{
    ResultItem,
    redact::{Redaction, StreamRedactor},
};
use std::{collections::VecDeque, mem};

/// Output as it comes: everything is counted, a beginning and an end are kept.
#[derive(Debug)]
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    most_head: usize,
    most_tail: usize,
    /// Length of the output as it came.
    bytes: u64,
    /// Length of what head and tail are cut from.
    masked_bytes: u64,
    masking: Option<Masking>,
}

/// The masking of an output as it comes.
#[derive(Debug)]
struct Masking {
    redactor: StreamRedactor,
    /// The beginning of a character.
    part: Vec<u8>,
}

impl Capture {
    /// Keeps at most so many bytes, half of them from the beginning and half from the end, with the secrets masked.
    pub(super) fn new(most: usize, secrets: Option<&Redaction>) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            most_head: most.div_ceil(2),
            most_tail: most / 2,
            bytes: 0,
            masked_bytes: 0,
            masking: secrets.map(|secrets| Masking {
                redactor: secrets.stream(),
                part: Vec::new(),
            }),
        }
    }

    /// Takes what came next.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        match &mut self.masking {
            None => self.keep(bytes),
            Some(masking) => {
                let masked = masking.add(bytes);
                self.keep(masked.as_bytes());
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.masked_bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.most_head - self.head.len()));
        self.head.extend(head);
        // Only the end of what is more than the tail takes.
        let rest = &rest[rest.len().saturating_sub(self.most_tail)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.most_tail);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// As a result. Bytes that are no UTF-8 become `U+FFFD`, but for those that only a cut made so.
    pub(super) fn item(mut self, label: &str) -> ResultItem {
        if let Some(masking) = self.masking.take() {
            let rest = masking.finish();
            self.keep(rest.as_bytes());
        }
        let kept = (self.head.len() + self.tail.len()) as u64;
        let (mut head, mut tail) = (self.head, Vec::from(self.tail));
        if kept == self.masked_bytes {
            // Nothing is between them.
            head.append(&mut tail);
            return ResultItem {
                bytes: self.bytes,
                ..ResultItem::new(label, String::from_utf8_lossy(&head))
            };
        }
        head.truncate(whole_characters(&head));
        let begun = tail
            .iter()
            .take(3)
            .take_while(|byte| is_continuation(**byte))
            .count();
        let tail = &tail[begun..];
        // Masking changed lengths: the places are as near as they can be.
        let from = (head.len() as u64).min(self.bytes);
        let omitted = (from, self.bytes.saturating_sub(tail.len() as u64).max(from));
        let is_text = str::from_utf8(&head).is_ok() && str::from_utf8(tail).is_ok();
        let (head, tail) = (String::from_utf8_lossy(&head), String::from_utf8_lossy(tail));
        // Repaired text may be longer than all bytes were; something is left out of it all the same.
        let longer = (head.len() + tail.len()) as u64 + 1;
        let item = ResultItem::of_parts(label, head, tail, self.bytes.max(longer));
        ResultItem {
            bytes: self.bytes,
            omitted: if is_text && kept <= self.bytes {
                item.omitted
            } else {
                Some(omitted)
            },
            ..item
        }
    }
}

impl Masking {
    /// Takes what came next; answers what is decided. Bytes that are no UTF-8 become `U+FFFD`.
    fn add(&mut self, bytes: &[u8]) -> String {
        self.part.extend(bytes);
        let part = mem::take(&mut self.part);
        let whole = whole_characters(&part);
        self.part.extend(&part[whole..]);
        self.redactor.push(&String::from_utf8_lossy(&part[..whole]))
    }

    /// The rest.
    fn finish(mut self) -> String {
        let mut rest = self.redactor.push(&String::from_utf8_lossy(&self.part));
        rest += &self.redactor.finish();
        rest
    }
}

const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The bytes up to a character that is cut off at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let end = bytes.len();
    for back in 1..=end.min(3) {
        let byte = bytes[end - back];
        if is_continuation(byte) {
            continue;
        }
        let needed = match byte {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if needed > back { end - back } else { end };
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::redact::RedactSettings;

    fn item(most: usize, bytes: &[u8]) -> ResultItem {
        let mut capture = Capture::new(most, None);
        capture.add(bytes);
        capture.item("stdout")
    }

    /// Keeps an output that comes in pieces of so many bytes.
    fn masked(most: usize, text: &str, piece: usize) -> ResultItem {
        let secrets = Redaction::new(&RedactSettings::default()).unwrap();
        let mut capture = Capture::new(most, Some(&secrets));
        text.as_bytes().chunks(piece).for_each(|bytes| capture.add(bytes));
        capture.item("stdout")
    }

    /// Any 12 characters of a secret that are kept of an output.
    fn shown<'a>(item: &ResultItem, secret: &'a str) -> Option<&'a str> {
        let mut parts = (0..secret.len() - 12).map(|at| &secret[at..at + 12]);
        parts.find(|part| item.text.contains(part) || item.tail.contains(part))
    }

    #[test]
    fn of_a_private_key_that_a_cut_goes_through_nothing_is_kept() {
        let line = |n| format!("MIIEvQ{n:02}IBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c\n");
        let body = (0..60).map(line).collect::<Vec<_>>().concat();
        let key = format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n");
        // The cuts go through its first line, its middle and its last line.
        for before in [0, 1_000, 2_040, 2_055, 3_000, 5_900] {
            let text = format!("{}{key}{}", "a line\n".repeat(before / 7), "the end\n".repeat(10));
            for piece in [7, 16_384] {
                let item = masked(4_096, &text, piece);
                for line in body.lines() {
                    assert_eq!(shown(&item, line), None, "{before} {item:?}");
                }
                assert_eq!(item.bytes, text.len() as u64);
                assert!((item.text + &item.tail).ends_with("the end\n"));
            }
        }
    }

    #[test]
    fn of_a_token_that_a_cut_goes_through_nothing_is_kept() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for before in 30..80 {
            // No white space is near, so that the cut goes through a word.
            let text = format!("{}\"{token}\"{}", "x".repeat(before), "y".repeat(1_000));
            let item = masked(128, &text, 5);
            assert_eq!(shown(&item, &token), None, "{before} {item:?}");
            assert!(item.tail.ends_with('y'));
            let text = format!("{}\"{token}\"{}", "x".repeat(1_000), "y".repeat(before));
            let item = masked(128, &text, 5);
            assert_eq!(shown(&item, &token), None, "{before} {item:?}");
        }
    }

    #[test]
    fn masked_output_that_fits_is_whole_and_characters_in_pieces_are_too() {
        let item = masked(100, "ä🦀 ok\n", 1);
        assert_eq!((item.text.as_str(), item.omitted), ("ä🦀 ok\n", None));
        assert_eq!(item.bytes, 10);
    }

    #[test]
    fn what_fits_is_kept_whole() {
        for text in ["", "a", "no line end", "eins\nzwei\n"] {
            let item = item(20, text.as_bytes());
            assert_eq!(
                (item.text.as_str(), item.tail.as_str(), item.omitted),
                (text, "", None)
            );
            assert_eq!(item.bytes, text.len() as u64);
        }
    }

    #[test]
    fn of_what_is_too_long_both_ends_are_kept_and_the_rest_is_counted() {
        let lines: Vec<_> = (0..50_000).map(|n| format!("{n}\n")).collect();
        let text = lines.concat();
        let item = item(64, text.as_bytes());
        let (from, to) = item.omitted.expect("a gap");
        assert!(
            text.starts_with(&item.text) && item.text.starts_with("0\n1\n"),
            "{item:?}"
        );
        assert!(
            text.ends_with(&item.tail) && item.tail.ends_with("49999\n"),
            "{item:?}"
        );
        assert_eq!(
            (item.text.len() as u64, item.bytes - item.tail.len() as u64),
            (from, to)
        );
        assert_eq!(item.bytes, text.len() as u64);
        assert!(item.text.len() + item.tail.len() <= 64);
    }

    #[test]
    fn a_cut_through_a_character_makes_no_broken_one() {
        for most in 3..40 {
            let text = "a🦀ä".repeat(30);
            let item = item(most, text.as_bytes());
            assert!(
                text.starts_with(&item.text) && text.ends_with(&item.tail),
                "{most}: {item:?}"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_repaired() {
        let item = item(100, b"a\xff\xfeb\xe2\x82");
        assert_eq!(item.text, "a\u{fffd}\u{fffd}b\u{fffd}");
        assert_eq!((item.bytes, item.omitted), (6, None));
        let item = super::tests::item(4, &[0xFF; 10]);
        assert_eq!((item.bytes, item.omitted), (10, Some((2, 8))));
        assert_eq!(item.text + &item.tail, "\u{fffd}".repeat(4));
    }
}
