//! How a channel answers.

use super::Interval;
use crate::split::BlockBreak;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::{num::NonZeroU32, time::Duration};

/// The moment from which a channel shows that an answer is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TypingMode {
    /// It is never shown.
    Never,
    /// From the beginning of the turn.
    #[default]
    Instant,
    /// From the first reasoning of the agent, or its first text where it tells of none.
    Thinking,
    /// From the first text that the chat is to see; not for an answer that stays silent.
    Message,
}

/// Sending an answer in blocks while it grows, as messages of their own that are not edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BlocksConfig {
    /// Sends blocks. What an agent says before a tool call is then shown, too, unless `narration` is `hide`: with that,
    /// nothing goes out before it is known to be the answer.
    pub enabled: bool,
    /// Fewest characters of a block, but for the last, in the channel's unit.
    pub min: NonZeroU32,
    /// Most characters of a block, in the channel's unit; the channel's own limit where that is less.
    pub max: NonZeroU32,
    /// The finest place at which a block ends that has less than `max`. One that has more is cut at the best place before
    /// that: after a paragraph, a line, a sentence, a word.
    #[serde(rename = "break")]
    pub ends_at: BlockBreak,
    /// How long no text must come before a block goes out that has less than `max`.
    pub coalesce: Interval,
    /// The pause before each block but the first: `off`, `natural` (0.8 to 2.5 seconds) or `{ min = "1s", max = "3s" }`.
    pub delay: PauseConfig,
}

impl Default for BlocksConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            min: NonZeroU32::MIN.saturating_add(799),
            max: NonZeroU32::MIN.saturating_add(1_199),
            ends_at: BlockBreak::default(),
            coalesce: Interval::seconds(1),
            delay: PauseConfig::default(),
        }
    }
}

/// A pause between blocks, as a person makes while they write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PauseConfig {
    /// None.
    #[default]
    Off,
    /// 0.8 to 2.5 seconds, by chance.
    Natural,
    /// From one time to another, by chance.
    #[serde(untagged)]
    Range {
        /// The shortest.
        min: Interval,
        /// The longest.
        max: Interval,
    },
}

/// Longest pause that may be set.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

impl<'de> Deserialize<'de> for PauseConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Word(String),
            Range { min: Interval, max: Interval },
        }
        let right =
            "it is `off`, `natural` or a range such as { min = \"1s\", max = \"3s\" } of at most one minute";
        match Written::deserialize(deserializer).map_err(|_| D::Error::custom(right))? {
            Written::Word(word) if word == "off" => Ok(Self::Off),
            Written::Word(word) if word == "natural" => Ok(Self::Natural),
            Written::Range { min, max } if min <= max && max.0 <= LONGEST_PAUSE => {
                Ok(Self::Range { min, max })
            }
            Written::Word(_) | Written::Range { .. } => Err(D::Error::custom(right)),
        }
    }
}

impl BlocksConfig {
    /// True where a block can have both.
    pub(crate) fn fits(&self) -> bool {
        self.min <= self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use std::path::Path;

    fn blocks(keys: &str) -> Result<BlocksConfig, String> {
        let text = format!("[channels.signal.blocks]\n{keys}\n");
        let config = parse(&text, Path::new("f")).map_err(|error| error.to_string())?;
        Ok(config.channels.values().next().unwrap().blocks)
    }

    #[test]
    fn every_key_of_blocks_is_read() {
        let read = blocks(
            "enabled = true\nmin = 10\nmax = 20\nbreak = \"sentence\"\ncoalesce = \"0ms\"\ndelay = { min = \"1s\", max = \"3s\" }",
        );
        let expected = BlocksConfig {
            enabled: true,
            min: NonZeroU32::new(10).unwrap(),
            max: NonZeroU32::new(20).unwrap(),
            ends_at: BlockBreak::Sentence,
            coalesce: Interval::seconds(0),
            delay: PauseConfig::Range {
                min: Interval::seconds(1),
                max: Interval::seconds(3),
            },
        };
        assert_eq!(read, Ok(expected));
        assert_eq!(blocks("delay = \"natural\"").unwrap().delay, PauseConfig::Natural);
        assert_eq!(blocks(""), Ok(BlocksConfig::default()));
    }

    #[test]
    fn what_no_block_can_keep_is_refused_with_its_line() {
        for (keys, place) in [
            ("max = 10\nmin = 11", "f:3:1: channels.signal.blocks.min: "),
            ("min = 0", "f:2:7: channels.signal.blocks.min: "),
            ("break = \"word\"", "f:2:9: channels.signal.blocks.break: "),
            ("delay = \"long\"", "f:2:9: channels.signal.blocks.delay: "),
            (
                "delay = { min = \"2s\", max = \"1s\" }",
                "f:2:9: channels.signal.blocks.delay: ",
            ),
            (
                "delay = { min = \"2s\", max = \"2h\" }",
                "f:2:9: channels.signal.blocks.delay: ",
            ),
        ] {
            let error = blocks(keys).unwrap_err();
            assert!(error.starts_with(place), "{keys}: {error}");
        }
    }
}
