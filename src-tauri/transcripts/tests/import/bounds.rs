//! What is refused as a whole, in one sentence.

use foldback_transcripts::{DamageReason, ReadLimits, Refusal, read};
use std::io::{self, Read};

/// A log of so many bytes, made while it is read; it counts what is taken of it.
struct Log<'a> {
    line: &'a [u8],
    at: usize,
    left: u64,
    taken: &'a mut u64,
}

impl Read for Log<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *into {
            *byte = self.line[self.at];
            self.at = (self.at + 1) % self.line.len();
        }
        let read = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= read as u64;
        *self.taken += read as u64;
        Ok(read)
    }
}

#[test]
fn a_file_of_two_gigabytes_is_refused_in_one_sentence() {
    let limits = ReadLimits {
        file: 2_000_000,
        ..ReadLimits::default()
    };
    let mut taken = 0;
    let log = Log {
        line: b"{\"turnId\":\"1\",\"trigger\":\"user_message\",\"input\":\"x\",\"output\":\"y\"}\n",
        at: 0,
        left: 2_000_000_000,
        taken: &mut taken,
    };
    let refusal = read(log, &limits).unwrap_err();
    assert_eq!(refusal, Refusal::TooLarge { limit: 2_000_000 });
    assert_eq!(
        refusal.to_string(),
        "the file is larger than 2 MB; split it, or raise --max-file"
    );
    assert!(taken <= 2_000_000 + 64 * 1024, "{taken}");
    assert_eq!(limits.check_size(2_000_000_000), Err(refusal));
}

#[test]
fn a_line_over_the_limit_is_named_and_the_rest_comes_in() {
    let line = |text: &str| {
        format!("{{\"turnId\":\"1\",\"trigger\":\"heartbeat\",\"input\":\"\",\"output\":\"{text}\"}}\n")
    };
    let text = format!("{}{}{}", line("one"), line(&"x".repeat(5_000)), line("two"));
    let limits = ReadLimits {
        line: 1_000,
        ..ReadLimits::default()
    };
    let transcript = read(text.as_bytes(), &limits).unwrap();
    assert_eq!(transcript.turns(), 2);
    let damage = transcript.damaged[0];
    assert_eq!((damage.line, damage.reason), (2, DamageReason::TooLong));
    assert_eq!(damage.offset, line("one").len() as u64);
}

#[test]
fn damaged_places_are_counted_beyond_those_that_are_listed() {
    let mut text = "{\"turnId\":\"1\",\"trigger\":\"cron\",\"input\":\"\",\"output\":\"a\"}\n".to_owned();
    text.push_str(&"{bad}\n".repeat(50));
    let limits = ReadLimits {
        damaged: 3,
        ..ReadLimits::default()
    };
    let transcript = read(text.as_bytes(), &limits).unwrap();
    assert_eq!((transcript.damaged.len(), transcript.damaged_places), (3, 50));
}

#[test]
fn what_is_no_transcript_gets_one_sentence_without_its_content() {
    let cases: [(&[u8], Refusal); 8] = [
        (b"", Refusal::Empty),
        (b" \n\n ", Refusal::Empty),
        (b"just a secret text\n", Refusal::Unrecognised),
        (b"{\"level\":30,\"msg\":\"secret\"}\n", Refusal::Unrecognised),
        (
            b"{\"event\":\"secret\",\"timestamp\":\"2026-01-01T00:00:00Z\"}\n",
            Refusal::Unrecognised,
        ),
        (b"{\"messages\":{\"hello\":\"secret\"}}\n", Refusal::Unrecognised),
        (b"PK\x03\x04rest", Refusal::Packed("ZIP")),
        (
            b"{\"foldback\":\"recording\",\"version\":7}\n",
            Refusal::NewerRecording { version: 7, known: 1 },
        ),
    ];
    for (bytes, expected) in cases {
        let refusal = read(bytes, &ReadLimits::default()).unwrap_err();
        assert_eq!(refusal, expected);
        assert!(!refusal.to_string().contains("secret"));
    }
}
