//! Ways to cut a text into chunks.

use std::str::FromStr;

/// A way to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// One chunk.
    None,
    /// One byte at a time. Bytes of one character arrive together: the agent layer puts characters together
    /// before the scanner sees them.
    Bytes,
    /// Pseudo-random chunks of 1 to 16 characters.
    Seed(u64),
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "bytes" => Ok(Self::Bytes),
            seed => seed
                .parse()
                .map(Self::Seed)
                .map_err(|_| "expected none, bytes or a number".to_owned()),
        }
    }
}

impl Cut {
    /// The chunks of `text`; together they are `text`.
    pub(crate) fn chunks(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        let mut state = match self {
            Self::Seed(seed) => seed,
            _ => 0,
        };
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let characters = match self {
                Self::None => usize::MAX,
                Self::Bytes => 1,
                Self::Seed(_) => 1 + (split_mix(&mut state) % 16) as usize,
            };
            let end = rest
                .char_indices()
                .nth(characters)
                .map_or(rest.len(), |(at, _)| at);
            let (chunk, tail) = rest.split_at(end);
            rest = tail;
            Some(chunk)
        })
    }
}

/// `SplitMix64`: the same seed gives the same cut on every machine and in every version.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Grüße <actions>\n<react emoji=\"👍\"/>\n</actions> und mehr davon";

    #[test]
    fn every_cut_gives_the_whole_text() {
        for cut in [Cut::None, Cut::Bytes, Cut::Seed(0), Cut::Seed(7)] {
            assert_eq!(cut.chunks(TEXT).collect::<String>(), TEXT, "{cut:?}");
        }
        assert_eq!(Cut::None.chunks(TEXT).count(), 1);
        assert_eq!(Cut::Bytes.chunks(TEXT).count(), TEXT.chars().count());
    }

    #[test]
    fn seeds_differ_and_repeat() {
        let cut = |seed| Cut::Seed(seed).chunks(TEXT).map(str::len).collect::<Vec<_>>();
        assert_eq!(cut(1), cut(1));
        assert_ne!(cut(1), cut(2));
    }
}
