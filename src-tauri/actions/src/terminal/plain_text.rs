//! Output of a terminal as plain text: what a person would read of it, line by line.
//!
//! `vte` reads the escape sequences, which leave nothing behind but what they do to the line: a progress bar that goes back to
//! the beginning of its line and writes it anew gives one line, not a hundred. What a sequence does beyond the line
//! (colours, titles, jumps to other lines) is left out. A secret that a sequence goes through is one again, and masked.

use super::capture::Capture;
use foldback_wire::redact::Redaction;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use vte::{Params, Parser, Perform};

/// Longest line that can still be changed, in characters; what is beyond begins a new part of the same line.
const LONGEST_LINE: usize = 16_384;

/// Output that is made plain as it comes.
pub(super) struct PlainText {
    parser: Parser,
    lines: Lines,
}

impl PlainText {
    /// Keeps at most so many bytes of the text, with the secrets masked.
    pub(super) fn new(most: usize, secrets: Option<&Redaction>) -> Self {
        Self {
            parser: Parser::new(),
            lines: Lines {
                line: Vec::new(),
                at: 0,
                text: Capture::new(most, secrets),
            },
        }
    }

    /// Takes what came next. Bytes that are no UTF-8 become `U+FFFD`.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.lines, bytes);
    }

    /// Reads to the end. What is not kept is read, too, so that its writer can go on. A pipe that breaks has ended.
    pub(super) async fn read(&mut self, from: Option<impl AsyncRead + Unpin>) {
        let Some(mut from) = from else { return };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            self.add(&buffer[..read]);
        }
    }

    /// All of it.
    pub(super) fn finish(mut self) -> Capture {
        self.lines.flush();
        self.lines.text
    }
}

/// The lines that are over, and the one that is written.
struct Lines {
    line: Vec<char>,
    at: usize,
    text: Capture,
}

impl Lines {
    fn put(&mut self, c: char) {
        if self.at >= LONGEST_LINE {
            self.flush();
        }
        if self.at > self.line.len() {
            self.line.resize(self.at, ' ');
        }
        match self.line.get_mut(self.at) {
            Some(cell) => *cell = c,
            None => self.line.push(c),
        }
        self.at += 1;
    }

    /// Hands the line over, without an end.
    fn flush(&mut self) {
        let text: String = self.line.drain(..).collect();
        self.text.add(text.as_bytes());
        self.at = 0;
    }

    fn end_line(&mut self) {
        self.flush();
        self.text.add(b"\n");
    }
}

impl Perform for Lines {
    fn print(&mut self, c: char) {
        self.put(c);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.end_line(),
            b'\r' => self.at = 0,
            b'\t' => self.put('\t'),
            0x08 => self.at = self.at.saturating_sub(1),
            _ => {}
        }
    }

    /// The sequences that change the line: <https://vt100.net/docs/vt510-rm/chapter4.html>.
    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], _: bool, action: char) {
        if !intermediates.is_empty() {
            return;
        }
        let first = parameters
            .iter()
            .next()
            .and_then(|values| values.first())
            .copied();
        let count = usize::from(first.unwrap_or_default().max(1));
        match action {
            'C' => self.at = (self.at + count).min(LONGEST_LINE),
            'D' => self.at = self.at.saturating_sub(count),
            'G' => self.at = (count - 1).min(LONGEST_LINE),
            // Another line: this one is over.
            'H' | 'f' | 'E' | 'F' | 'd' if !self.line.is_empty() => self.end_line(),
            'K' => match first.unwrap_or_default() {
                0 => self.line.truncate(self.at),
                1 => self
                    .line
                    .iter_mut()
                    .take(self.at + 1)
                    .for_each(|cell| *cell = ' '),
                _ => self.line.clear(),
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_directives::redact::RedactSettings;

    fn plain(bytes: &[u8]) -> String {
        // Whole, and byte by byte: a sequence may come in parts.
        let mut whole = PlainText::new(100_000, None);
        whole.add(bytes);
        let mut parts = PlainText::new(100_000, None);
        for byte in bytes {
            parts.add(&[*byte]);
        }
        let (whole, parts) = (whole.finish().item("x"), parts.finish().item("x"));
        assert_eq!(whole.text, parts.text);
        whole.text
    }

    #[test]
    fn sequences_leave_only_what_a_person_reads() {
        for (raw, read) in [
            ("\x1b[1;31mred\x1b[0m\r\n", "red\n"),
            ("10%\r20%\r100%\r\n", "100%\n"),
            ("long line\rshort\x1b[K\n", "short\n"),
            ("abc\x08\x08x\n", "axc\n"),
            ("\x1b]0;a title\x07text", "text"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("a\tb", "a\tb"),
            ("a\x1b[3Cb", "a   b"),
            ("\x1b[2J\x1b[Hone\x1b[5;1Htwo", "one\ntwo"),
            ("\x1bPq binary \x1b\\after", "after"),
            ("bell\x07 null\0", "bell null"),
            ("ä🦀\r\n", "ä🦀\n"),
        ] {
            assert_eq!(plain(raw.as_bytes()), read, "{raw:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_repaired_and_a_sequence_without_an_end_holds_nothing() {
        assert_eq!(plain(b"a\xff\xfeb"), "a\u{fffd}\u{fffd}b");
        let mut text = PlainText::new(64, None);
        text.add(b"\x1b]0;");
        for _ in 0..10_000 {
            text.add(&[b'x'; 1_000]);
        }
        text.add(b"\x07end");
        assert_eq!(text.finish().item("x").text, "end");
    }

    #[test]
    fn a_secret_that_sequences_go_through_is_masked() {
        let secrets = Redaction::new(&RedactSettings::default()).unwrap();
        for raw in [
            "ghp_\x1b[0mabcdefghijklmnopqrstuvwxyz0123456789\n",
            "ghp_abcdefghij\x1b]0;title\x07klmnopqrstuvwxyz0123456789\n",
            "ghp_abcdefghijx\x08klmnopqrstuvwxyz0123456789\n",
        ] {
            let mut text = PlainText::new(1_000, Some(&secrets));
            raw.bytes().for_each(|byte| text.add(&[byte]));
            let item = text.finish().item("x");
            assert!(!item.text.contains("klmnop"), "{item:?}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_bounded_and_whole() {
        let mut text = PlainText::new(100_000, None);
        text.add(&vec![b'x'; 50_000]);
        assert!(text.lines.line.len() <= LONGEST_LINE);
        assert_eq!(text.finish().item("x").bytes, 50_000);
    }
}
