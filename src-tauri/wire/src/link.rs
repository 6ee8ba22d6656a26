//! Links to a moment of a turn: `foldback://turn/10@+631ms`. They are read and written here and nowhere else.
//!
//! ```text
//! foldback://turn/10                          the end of turn 10 of the live bot
//! foldback://turn/10@+631ms                   631 ms after its message came in
//! foldback://turn/10@+1.2s                    1200 ms after it
//! foldback://turn/3?file=/home/ana/a%20b.jsonl    turn 3 of that file, opened in a workspace of its own
//! ```

use crate::{TurnId, rpc::TurnLink};
use std::fmt;

/// The beginning of every link.
pub const LINK_SCHEME: &str = "foldback:";

/// Longest link, in bytes.
const LONGEST: usize = 4_096;

/// The reason for which a text is no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// It is of another form.
    Form,
    /// The moment is of another form.
    Moment,
}

/// One sentence for a person.
impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "This is no link to a turn: write it as foldback://turn/10 or foldback://turn/10@+631ms."
            }
            Self::Moment => "The moment in this link cannot be read: write it as +631ms or +1.2s after an @.",
        })
    }
}

impl std::error::Error for LinkError {}

impl TurnLink {
    /// Reads a link. Browsers may have written some of its signs as `%2B`.
    ///
    /// # Errors
    /// In one sentence, where it is none.
    pub fn parse(text: &str) -> Result<Self, LinkError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(LinkError::Form);
        }
        let place = text.strip_prefix("foldback://turn/").ok_or(LinkError::Form)?;
        let (place, query) = place.split_once('?').unwrap_or((place, ""));
        let place = decode(place.trim_end_matches('/')).ok_or(LinkError::Form)?;
        let (turn, moment) = match place.split_once('@') {
            Some((turn, moment)) => (turn, Some(moment)),
            None => (place.as_str(), None),
        };
        let turn = number(turn).filter(|turn| *turn > 0).ok_or(LinkError::Form)?;
        let at_ms = moment
            .map(|moment| milliseconds(moment).ok_or(LinkError::Moment))
            .transpose()?;
        let file = query
            .split('&')
            .find_map(|part| part.strip_prefix("file="))
            .map(|file| decode(file).ok_or(LinkError::Form))
            .transpose()?;
        Ok(Self {
            turn: TurnId(turn),
            at_ms,
            file: file.filter(|file| !file.is_empty()),
        })
    }
}

impl fmt::Display for TurnLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "foldback://turn/{}", self.turn.0)?;
        if let Some(at) = self.at_ms {
            write!(f, "@+{at}ms")?;
        }
        if let Some(file) = &self.file {
            f.write_str("?file=")?;
            for byte in file.bytes() {
                if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
                    write!(f, "{}", char::from(byte))?;
                } else {
                    write!(f, "%{byte:02X}")?;
                }
            }
        }
        Ok(())
    }
}

/// Digits and nothing else.
fn number(text: &str) -> Option<u64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

/// `+631ms`, `+1.2s`.
fn milliseconds(moment: &str) -> Option<u64> {
    let amount = moment.strip_prefix('+')?;
    if let Some(ms) = amount.strip_suffix("ms") {
        return number(ms);
    }
    let seconds = amount.strip_suffix('s')?;
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let part: String = part.chars().chain("000".chars()).take(3).collect();
    number(whole)?.checked_mul(1_000)?.checked_add(number(&part)?)
}

/// Takes `%2B` and the like apart; `None` where what comes of it is no text.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(turn: u64, at_ms: Option<u64>, file: Option<&str>) -> TurnLink {
        TurnLink {
            turn: TurnId(turn),
            at_ms,
            file: file.map(str::to_owned),
        }
    }

    #[test]
    fn a_link_names_a_turn_a_moment_and_a_file() {
        for (text, expected) in [
            ("foldback://turn/10", link(10, None, None)),
            ("foldback://turn/10/", link(10, None, None)),
            ("foldback://turn/10@+631ms", link(10, Some(631), None)),
            ("foldback://turn/10@%2B631ms", link(10, Some(631), None)),
            (" foldback://turn/7@+1.2s\n", link(7, Some(1_200), None)),
            ("foldback://turn/7@+2s", link(7, Some(2_000), None)),
            ("foldback://turn/7@+0.0019s", link(7, Some(1), None)),
            (
                "foldback://turn/3@+5ms?file=/home/ana/a%20b.jsonl",
                link(3, Some(5), Some("/home/ana/a b.jsonl")),
            ),
        ] {
            assert_eq!(TurnLink::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for link in [
            link(1, None, None),
            link(10, Some(631), None),
            link(3, Some(0), Some("/tmp/ä &?=%/turns.jsonl")),
        ] {
            assert_eq!(TurnLink::parse(&link.to_string()), Ok(link));
        }
    }

    #[test]
    fn a_bad_link_gets_one_sentence() {
        for text in [
            "",
            "https://turn/10",
            "foldback://turns/10",
            "foldback://turn/",
            "foldback://turn/0",
            "foldback://turn/ten",
            "foldback://turn/-1",
            "foldback://turn/99999999999999999999",
            "foldback://turn/1?file=%zz",
            "foldback://turn/%ff",
        ] {
            assert_eq!(TurnLink::parse(text), Err(LinkError::Form), "{text}");
        }
        for moment in [
            "",
            "631ms",
            "+",
            "+ms",
            "+1.2.3s",
            "+5",
            "+5m",
            "+-5ms",
            "+1,2s",
            "+99999999999999999999s",
        ] {
            let text = format!("foldback://turn/10@{moment}");
            assert_eq!(TurnLink::parse(&text), Err(LinkError::Moment), "{text}");
        }
    }
}
