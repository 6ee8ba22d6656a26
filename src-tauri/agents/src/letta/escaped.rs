//! Text that an older Letta server streams as it stands in the JSON of a tool call.
//!
//! Up to 0.11 an agent speaks by calling the tool `send_message`, and the server cuts the text out of the arguments
//! while they come (`letta/interfaces/openai_streaming_interface.py`, 0.11.7). It does not decode them until they are
//! whole. Then it looks for what is new by taking the text so far out of the decoded one, does not find it, and sends
//! the whole message once more. `He said "hi" to me.` comes as
//!
//! ```text
//! "He said "   "\"hi"   "\" to me."   "He said "hi" to me."
//! ```
//!
//! where the chat would read the backslashes, and then everything again. A text whose only escapes are line breaks ends
//! with an empty piece instead of the repetition.
//!
//! So what follows the first backslash of a message is kept back as long as it could be the inside of a JSON string: no
//! line break, no quotation mark without a backslash, no escape that JSON does not have. A server that streams plain text
//! breaks this within a few words where it writes code or formulas, and then everything goes out at once. Otherwise the
//! repetition tells, or the end of the message.

/// Most bytes of a message that are kept to recognise its repetition.
const KEPT_BYTES: usize = 32 * 1024;

/// The text of one message as its pieces come.
#[derive(Debug, Default)]
pub(super) struct EscapedText {
    /// Before the first backslash; passed on already.
    before: Vec<u8>,
    /// From the first backslash on; kept back.
    kept: Vec<u8>,
    /// The pieces are text as it is.
    plain: bool,
}

impl EscapedText {
    /// Takes a piece and gives what can be said.
    pub(super) fn push(&mut self, piece: Vec<u8>) -> Vec<u8> {
        if self.plain {
            return piece;
        }
        if self.kept.is_empty() {
            return self.begin(piece);
        }
        if let Some(new) = self.repeated(&piece) {
            *self = Self::default();
            self.plain = true;
            return new;
        }
        self.kept.extend_from_slice(&piece);
        let long = self.before.len() + self.kept.len() > KEPT_BYTES;
        if long || whole_part(&self.kept).is_none() {
            return self.give_up(Vec::new());
        }
        Vec::new()
    }

    /// The rest to say where this piece tells that the pieces before it were escaped.
    fn repeated(&self, piece: &[u8]) -> Option<Vec<u8>> {
        let escaped = self.before.len() + self.kept.len();
        // No escape is longer than six times what it means.
        if !piece.is_empty() && piece.len() * 6 < escaped {
            return None;
        }
        let decoded = decoded(&[&self.before[..], &self.kept].concat())?;
        let rest = if piece.is_empty() && only_line_breaks(&self.kept) {
            Some(piece)
        } else {
            let telling = decoded.len() > 1 && !decoded.trim_ascii().is_empty();
            piece.strip_prefix(&decoded[..]).filter(|_| telling)
        };
        Some([&decoded[self.before.len()..], rest?].concat())
    }

    /// Takes a piece while no backslash has come.
    fn begin(&mut self, piece: Vec<u8>) -> Vec<u8> {
        let at = piece.iter().position(|byte| *byte == b'\\');
        let (text, escaped) = piece.split_at(at.unwrap_or(piece.len()));
        let long = self.before.len() + piece.len() > KEPT_BYTES;
        if long || whole_part(text).is_none() || whole_part(escaped).is_none() {
            return self.give_up(piece);
        }
        self.before.extend_from_slice(text);
        self.kept.extend_from_slice(escaped);
        text.to_vec()
    }

    /// The pieces of this message are plain text: what was kept, and what has just come.
    fn give_up(&mut self, piece: Vec<u8>) -> Vec<u8> {
        let kept = std::mem::take(self).kept;
        self.plain = true;
        [kept, piece].concat()
    }

    /// The message ends: what was kept back of it.
    pub(super) fn end(&mut self) -> Vec<u8> {
        std::mem::take(self).kept
    }
}

/// Number of bytes that can be the inside of a JSON string (RFC 8259, section 7), without an escape at the end that has only
/// begun; `None` where they cannot.
fn whole_part(raw: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        at += match byte {
            0..0x20 | b'"' => return None,
            b'\\' => match raw.get(at + 1) {
                None => return Some(at),
                Some(b'u') => {
                    let digits = &raw[at + 2..raw.len().min(at + 6)];
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    if digits.len() < 4 {
                        return Some(at);
                    }
                    6
                }
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                Some(_) => return None,
            },
            _ => 1,
        };
    }
    Some(raw.len())
}

/// Meaning of the inside of a JSON string. `None` where it is none, and where it ends in half a surrogate pair.
fn decoded(raw: &[u8]) -> Option<Vec<u8>> {
    let whole = std::str::from_utf8(&raw[..whole_part(raw)?]).ok()?;
    let text: String = serde_json::from_str(&format!("\"{whole}\"")).ok()?;
    Some(text.into_bytes())
}

fn only_line_breaks(raw: &[u8]) -> bool {
    raw.split(|byte| *byte == b'\\')
        .skip(1)
        .all(|after| after.first() == Some(&b'n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pieces: &[&str]) -> String {
        let mut text = EscapedText::default();
        let mut said: Vec<u8> = pieces
            .iter()
            .flat_map(|piece| text.push(piece.as_bytes().to_vec()))
            .collect();
        said.extend(text.end());
        String::from_utf8(said).expect("UTF-8")
    }

    /// Each as the code of Letta 0.11.7 cuts it.
    #[test]
    fn text_that_comes_escaped_and_once_more_is_said_once_as_it_is() {
        for (pieces, text) in [
            (&["Hel", "lo t", "here"][..], "Hello there"),
            (
                &["He", " said", " \\\"h", "i\\\"", " to m", "He said \"hi\" to me"],
                "He said \"hi\" to me",
            ),
            (&["one", "\\ntw", "one\ntwo"], "one\ntwo"),
            (&["one", "\\ntwo", ""], "one\ntwo"),
            (
                &[
                    "\\u0",
                    "0e9",
                    " and",
                    " \\\"x\\",
                    "\"\\nm",
                    "ore",
                    " line",
                    "é and \"x\"\nmore lines",
                ],
                "é and \"x\"\nmore lines",
            ),
            (&["pat", "h C:", "\\\\ne", "path C:\\new"], "path C:\\new"),
            (&["\\\"", "a", "\\\"", "\"a\""], "\"a\""),
        ] {
            assert_eq!(said(pieces), text, "{pieces:?}");
        }
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        for pieces in [
            &["C:\\new", "\\table and more"][..],
            &["ha", "ha", "haha"],
            &["a\\", "b c"],
            &["print(\"a\\n\")", " \\n", ""],
            &["\\(x\\)", " is\n", "\\frac"],
            &["\\n", "\n"],
            &["\\ud83d", "\\ude00"],
            &["é\\u00", "e9"],
        ] {
            assert_eq!(said(pieces), pieces.concat(), "{pieces:?}");
        }
    }

    #[test]
    fn text_that_cannot_be_escaped_is_not_kept_back() {
        let mut text = EscapedText::default();
        assert_eq!(text.push(b"a \\n".to_vec()), b"a ");
        assert_eq!(text.push(b" \"b\"".to_vec()), b"\\n \"b\"");
        assert_eq!(text.push(b"\\n".to_vec()), b"\\n");
        let mut long = EscapedText::default();
        let mut pushed = 0;
        while long.push(b"\\\\ and so on ".to_vec()).is_empty() {
            pushed += 1;
        }
        assert!(pushed <= KEPT_BYTES / 12, "{pushed}");
    }
}
