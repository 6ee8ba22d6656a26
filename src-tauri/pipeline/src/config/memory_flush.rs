//! Asking an agent to write its memory down before its conversation is compacted.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// What the agent is asked where the configuration has no words of its own.
const PROMPT: &str = "The beginning of this conversation is about to be replaced by a summary. If you keep notes, files or \
    another memory of your own, write down there now, with your tools, what you must not forget: what was decided and \
    promised, what is still open, what people prefer. Nothing that you answer here is sent to anybody. Answer NO_REPLY.";

/// Longest prompt, in bytes.
const LONGEST: usize = 8_000;

/// Asking the agent to write its memory down before its conversation is compacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MemoryFlush {
    /// Whether it is asked, in words of ours.
    Switch(bool),
    /// The words in which it is asked, at most 8,000 bytes.
    Prompt(String),
}

impl Default for MemoryFlush {
    fn default() -> Self {
        Self::Switch(false)
    }
}

impl MemoryFlush {
    /// The words in which the agent is asked; `None` where it is not.
    pub(crate) fn prompt(&self) -> Option<&str> {
        match self {
            Self::Switch(false) => None,
            Self::Switch(true) => Some(PROMPT),
            Self::Prompt(prompt) => Some(prompt),
        }
    }
}

impl<'de> Deserialize<'de> for MemoryFlush {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Switch(bool),
            Prompt(String),
        }
        let right = "it is true, false or what the agent is asked, in at most 8000 bytes";
        match Written::deserialize(deserializer).map_err(|_| D::Error::custom(right))? {
            Written::Switch(is_on) => Ok(Self::Switch(is_on)),
            Written::Prompt(prompt) if !prompt.trim().is_empty() && prompt.len() <= LONGEST => {
                Ok(Self::Prompt(prompt))
            }
            Written::Prompt(_) => Err(D::Error::custom(right)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use std::path::Path;

    fn flush(value: &str) -> Result<MemoryFlush, String> {
        let config = parse(&format!("[agent]\nmemory_flush = {value}\n"), Path::new("f"));
        Ok(config.map_err(|error| error.to_string())?.agent.memory_flush)
    }

    #[test]
    fn the_agent_is_asked_in_our_words_or_in_those_of_the_configuration() {
        assert_eq!(MemoryFlush::default().prompt(), None);
        assert_eq!(flush("false").unwrap().prompt(), None);
        assert_eq!(flush("true").unwrap().prompt(), Some(PROMPT));
        assert_eq!(
            flush("\"Write it down.\"").unwrap().prompt(),
            Some("Write it down.")
        );
    }

    #[test]
    fn what_is_no_prompt_is_refused_with_its_line() {
        for value in ["3", "\" \"", &format!("\"{}\"", "a".repeat(8_001))] {
            let error = flush(value).unwrap_err();
            assert!(error.starts_with("f:2:16: agent.memory_flush: "), "{error}");
        }
    }
}
