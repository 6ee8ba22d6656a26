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
    /// Sends blocks; when absent, where the channel cannot edit. Text that goes out so may turn out to stand before a tool
    /// call. With `narration = "hide"` nothing goes out before it is known to be the answer.
    pub enabled: Option<bool>,
    /// Fewest characters of a block that goes out before the end, in the channel's unit; 800 when absent, or `max` where
    /// that is less.
    pub min: Option<NonZeroU32>,
    /// Most characters of a message, in the channel's unit; the channel's own limit when absent, or where that is less.
    pub max: Option<NonZeroU32>,
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
            enabled: None,
            min: None,
            max: None,
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

/// Fewest characters of a block where nothing is set: fewer would make a chat of tiny messages.
const LEAST: u32 = 800;

impl BlocksConfig {
    /// True where blocks are sent on a channel that can edit, or cannot.
    pub(crate) fn is_on(&self, can_edit: bool) -> bool {
        self.enabled.unwrap_or(!can_edit)
    }

    /// Fewest units of a block that goes out before the end.
    pub(crate) fn least(&self) -> usize {
        let most = self.max.map_or(u32::MAX, NonZeroU32::get);
        self.min.map_or(LEAST.min(most), NonZeroU32::get) as usize
    }

    /// Most units of a message; `None` where the channel's limit is the only one.
    pub(crate) fn most(&self) -> Option<usize> {
        self.max.map(|most| most.get() as usize)
    }

    /// True where a block can have both.
    pub(crate) fn fits(&self) -> bool {
        match (self.min, self.max) {
            (Some(min), Some(max)) => min <= max,
            _ => true,
        }
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
            enabled: Some(true),
            min: NonZeroU32::new(10),
            max: NonZeroU32::new(20),
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
        assert_eq!(blocks("max = 100").unwrap().least(), 100);
        assert_eq!(blocks("min = 7").unwrap().least(), 7);
        assert!(blocks("").unwrap().is_on(false) && !blocks("").unwrap().is_on(true));
        assert!(!blocks("enabled = false").unwrap().is_on(false));
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
