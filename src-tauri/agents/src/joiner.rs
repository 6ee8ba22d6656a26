//! Puts characters together that a backend split between two deltas.
//!
//! Two kinds of splits are seen in the wild: raw UTF-8 bytes of one character in two JSON strings (servers that
//! stream a tokeniser's bytes), and the two halves of a surrogate pair as `\ud83d` and `\ude00` in two strings
//! (servers that cut UTF-16). `serde_json` hands the latter out as three bytes each when bytes are asked for.

/// Joins one lane of text. Holds at most three bytes.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    held: Vec<u8>,
}

impl Joiner {
    /// Takes a delta and gives the text that is whole. What can never become whole is U+FFFD.
    pub(crate) fn push(&mut self, delta: &[u8]) -> String {
        let joined;
        let mut bytes = delta;
        if !self.held.is_empty() {
            joined = [std::mem::take(&mut self.held).as_slice(), delta].concat();
            bytes = &joined;
        }
        let mut text = String::with_capacity(bytes.len());
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(rest) => {
                    text.push_str(rest);
                    return text;
                }
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            text.push_str(std::str::from_utf8(valid).unwrap_or_default());
            match surrogate(rest) {
                Surrogate::Pair(character) => {
                    text.push(character);
                    bytes = &rest[6..];
                }
                Surrogate::Open => {
                    self.held = rest.to_vec();
                    return text;
                }
                Surrogate::Lone => {
                    text.push(char::REPLACEMENT_CHARACTER);
                    bytes = &rest[3..];
                }
                Surrogate::None => {
                    let Some(len) = error.error_len() else {
                        self.held = rest.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    bytes = &rest[len..];
                }
            }
        }
    }

    /// The end of the lane: what is still open is one U+FFFD.
    pub(crate) fn finish(&mut self) -> &'static str {
        if std::mem::take(&mut self.held).is_empty() {
            ""
        } else {
            "\u{fffd}"
        }
    }
}

enum Surrogate {
    /// High and low half, together one character.
    Pair(char),
    /// A high half, or the beginning of one or of a pair: more may come.
    Open,
    /// A half that has lost the other one.
    Lone,
    /// No surrogate.
    None,
}

/// Reads a surrogate in its three-byte form (ED A0..AF xx high, ED B0..BF xx low) at the start of `bytes`.
fn surrogate(bytes: &[u8]) -> Surrogate {
    match *bytes {
        [
            0xED,
            0xA0..=0xAF,
            0x80..=0xBF,
            0xED,
            low @ 0xB0..=0xBF,
            last @ 0x80..=0xBF,
            ..,
        ] => {
            let half = |middle: u8, last: u8| (u32::from(middle) & 0x0F) << 6 | (u32::from(last) & 0x3F);
            let (high, low) = (half(bytes[1], bytes[2]), half(low, last));
            char::from_u32(0x1_0000 + (high << 10) + low).map_or(Surrogate::Lone, Surrogate::Pair)
        }
        [0xED, 0xA0..=0xBF]
        | [0xED, 0xA0..=0xAF, 0x80..=0xBF]
        | [0xED, 0xA0..=0xAF, 0x80..=0xBF, 0xED]
        | [0xED, 0xA0..=0xAF, 0x80..=0xBF, 0xED, 0xB0..=0xBF] => Surrogate::Open,
        [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => Surrogate::Lone,
        _ => Surrogate::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn join(pieces: &[&[u8]]) -> Vec<String> {
        let mut joiner = Joiner::default();
        let mut texts: Vec<String> = pieces.iter().map(|piece| joiner.push(piece)).collect();
        texts.push(joiner.finish().to_owned());
        texts
    }

    #[test]
    fn joins_bytes_of_a_character() {
        assert_eq!(join(&[b"a\xF0\x9F", b"\x98\x80b"]), ["a", "😀b", ""]);
        assert_eq!(join(&[b"\xC3"]), ["", "\u{fffd}"]);
        assert_eq!(join(&[b"\xC3", b"a"]), ["", "\u{fffd}a", ""]);
        assert_eq!(join(&[b"a\xFFb"]), ["a\u{fffd}b", ""]);
    }

    #[test]
    fn joins_halves_of_a_surrogate_pair() {
        let (high, low) = (b"\xED\xA0\xBD", b"\xED\xB8\x80");
        assert_eq!(join(&[high, low]), ["", "😀", ""]);
        assert_eq!(
            join(&[b"x\xED\xA0\xBD\xED", b"\xB8", b"\x80y"]),
            ["x", "", "😀y", ""]
        );
        assert_eq!(join(&[high, b"x"]), ["", "\u{fffd}x", ""]);
        assert_eq!(join(&[high, high, low]), ["", "\u{fffd}", "😀", ""]);
        assert_eq!(join(&[low, high]), ["\u{fffd}", "", "\u{fffd}"]);
    }

    proptest! {
        #[test]
        fn every_cut_gives_the_same_text(text in "\\PC{0,40}", cuts in prop::collection::vec(0_usize..160, 0..8)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
            prop_assert_eq!(join(&pieces).concat(), text);
        }

        #[test]
        fn any_bytes_give_the_same_text_for_every_cut(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let whole = join(&[&bytes]).concat();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(join(&single).concat(), whole);
        }
    }
}
