//! Messages that come while their conversation is busy.

use super::Interval;
use foldback_directives::inbound::{QueueDrop, QueueMode};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::num::NonZeroU32;

/// Messages that wait for a running turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QueueConfig {
    /// The fate of a message that comes while a run is active; `steer` when absent. `queue` means `steer`, too.
    #[serde(deserialize_with = "mode")]
    pub mode: Option<QueueMode>,
    /// With `collect`, how long it must be quiet before the messages that wait are answered; 500ms when absent.
    pub debounce: Option<Interval>,
    /// Most messages that wait in one conversation; 20 when absent.
    pub cap: Option<usize>,
    /// The message that goes when one more comes; with `summarize`, as when absent, the oldest, and the agent is given a
    /// summary of it.
    pub drop: Option<QueueDrop>,
    /// Most messages of one sender on a channel within a minute, in all their chats together; more are stopped. 0 sets
    /// no limit. When absent, 60 on real platforms and no limit on simulated ones.
    pub per_sender: Option<u32>,
}

impl QueueConfig {
    /// Most messages of one sender within a minute on a channel, which is simulated or real; 0 where there is no limit.
    pub(crate) fn most_of_sender(&self, is_simulated: bool) -> u32 {
        // Whoever tries the bot, perhaps with a script, is no flood.
        self.per_sender.unwrap_or(if is_simulated { 0 } else { 60 })
    }
}

/// Messages of one channel that wait for a running turn; what is absent, `queue` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChannelQueueConfig {
    /// See `queue.mode`.
    #[serde(deserialize_with = "mode")]
    pub mode: Option<QueueMode>,
    /// See `queue.debounce`.
    pub debounce: Option<Interval>,
    /// See `queue.cap`; at least 1.
    pub cap: Option<NonZeroU32>,
    /// See `queue.drop`.
    pub drop: Option<QueueDrop>,
}

/// A mode by any of the words that a directive takes.
fn mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<QueueMode>, D::Error> {
    let Some(written) = Option::<String>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let known = QueueMode::ALL.iter().zip(QueueMode::WORDS);
    let meant = known.into_iter().find(|(_, word)| {
        let mut names = std::iter::once(&word.canonical).chain(word.aliases);
        names.any(|name| name.eq_ignore_ascii_case(&written))
    });
    if let Some((mode, _)) = meant {
        return Ok(Some(*mode));
    }
    let names: Vec<_> = QueueMode::ALL.iter().map(|mode| mode.code()).collect();
    let names = names.join("`, `");
    Err(D::Error::custom(format!(
        "{written:?} is no mode of the queue; it is one of `{names}`"
    )))
}
