//! A conversation as it was, for agents whose backend keeps none: rebuilt from the journal after a restart, bounded by the
//! model's context, and summarised by the model itself once it is full.

use foldback_wire::{AgentFault, Usage};

/// Bytes of text that count as a token where no backend has told its own count.
const BYTES_PER_TOKEN: usize = 4;

/// Tokens of a text, estimated; rounded up.
pub fn estimated_tokens(text: &str) -> u64 {
    text.len().div_ceil(BYTES_PER_TOKEN) as u64
}

/// One thing that was said or done in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryEntry {
    /// What a user wrote, as the agent was given it.
    User(String),
    /// What the agent answered, as it was delivered.
    Assistant(String),
    /// A tool call, in one line.
    Tool(String),
    /// The end of a turn that was not simply answered, in one line.
    Note(String),
}

impl HistoryEntry {
    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Self::User(text) | Self::Assistant(text) | Self::Tool(text) | Self::Note(text) => text,
        }
    }
}

/// A conversation, oldest entry first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// What was said before the first entry, in the words of a model that summarised it.
    pub summary: Option<String>,
    /// The entries.
    pub entries: Vec<HistoryEntry>,
}

/// What an agent remembers of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversationSize {
    /// Questions with their answers that are remembered word for word.
    pub exchanges: usize,
    /// True where something before them is remembered as a summary.
    pub summarised: bool,
    /// Tokens of all that.
    pub tokens: u64,
    /// True where the backend counted most of them; else they are estimated, four bytes each.
    pub counted: bool,
    /// Tokens that are kept at most.
    pub limit: u64,
}

/// How a conversation is to be compacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionOrder {
    /// Questions with their answers that stay word for word, the latest ones. Fewer stay where these alone take more than
    /// half of what may be kept.
    pub keep: usize,
    /// What the summary is to pay attention to, in an operator's or a user's words; may be empty.
    pub instructions: String,
}

impl Default for CompactionOrder {
    /// The last four stay.
    fn default() -> Self {
        Self {
            keep: 4,
            instructions: String::new(),
        }
    }
}

/// What came of a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// The summary, which also has what an earlier summary said.
    pub summary: String,
    /// Questions with their answers that the summary stands for from now on.
    pub summarised: usize,
    /// Those that stay word for word.
    pub kept: usize,
    /// Tokens before.
    pub tokens_before: u64,
    /// Tokens afterwards, estimated.
    pub tokens_after: u64,
    /// Tokens that the summary itself took, where the backend tells.
    pub usage: Option<Usage>,
}

/// Why a conversation was not compacted; it stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactionError {
    /// The backend keeps the conversation itself.
    #[error("{backend} keeps the conversation itself")]
    NotOurs {
        /// Its name.
        backend: String,
    },
    /// All of it stays word for word.
    #[error("there is nothing to summarise before the last {kept} answers")]
    Nothing {
        /// Answers that stay.
        kept: usize,
    },
    /// The conversation was forgotten, or its beginning dropped, while the model wrote the summary.
    #[error("the conversation changed while the model summarised it")]
    Changed,
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The model did not write a summary.
    #[error("{fault}: {detail}")]
    Failed {
        /// Kind of the failure.
        fault: AgentFault,
        /// Why, in words, without secrets.
        detail: String,
    },
}

impl CompactionError {
    /// This backend keeps the conversation.
    pub(crate) fn not_ours(backend: &str) -> Self {
        Self::NotOurs {
            backend: backend.to_owned(),
        }
    }
}

/// How many of these exchanges are summarised, the oldest ones; `tokens` are those of each. At most `keep` stay word for
/// word, and no more than fit into half of `limit`.
pub(crate) fn plan_compaction(tokens: &[u64], keep: usize, limit: u64) -> usize {
    let mut room = limit / 2;
    let kept = tokens.iter().rev().take(keep).take_while(|tokens| {
        let fits = **tokens <= room;
        room = room.saturating_sub(**tokens);
        fits
    });
    tokens.len() - kept.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_count_as_a_token() {
        assert_eq!(["", "a", "abcd", "abcde"].map(estimated_tokens), [0, 1, 1, 2]);
    }

    #[test]
    fn the_last_ones_stay_as_far_as_they_fit_into_half() {
        assert_eq!(plan_compaction(&[10; 6], 4, 1000), 2);
        assert_eq!(plan_compaction(&[10; 3], 4, 1000), 0, "nothing to summarise");
        assert_eq!(
            plan_compaction(&[10, 10, 10, 30], 4, 90),
            2,
            "30 and 10 of 45, not 10 more"
        );
        assert_eq!(
            plan_compaction(&[10, 60], 4, 100),
            2,
            "the last one alone is too much"
        );
        assert_eq!(plan_compaction(&[10, 10], 0, 100), 2);
        assert_eq!(plan_compaction(&[], 4, 100), 0);
        assert_eq!(plan_compaction(&[u64::MAX, 1], 4, u64::MAX), 1);
    }
}
