//! How models of Anthropic are asked to think: by a budget of tokens up to version 4.5
//! (<https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>), by an effort from 4.6
//! (<https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking>); 4.7 and later refuse a budget.

use crate::levels::LevelSupport;
use foldback_wire::ThinkLevel;
use serde_json::{Map, Value, json};

/// Least budget in tokens that the API takes.
const LEAST: u32 = 1024;

/// The way of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thinking {
    /// It does not think.
    Never,
    /// Within a budget.
    Budget,
    /// As it likes, with an effort; whether there is one above `high` and below `max`.
    Adaptive { xhigh: bool },
}

impl Thinking {
    /// A name that tells no version is that of a gateway, and asked as most models are.
    fn of(model: &str) -> Self {
        match version(model) {
            None => Self::Budget,
            Some(version) if version < (3, 7) => Self::Never,
            Some(version) if version < (4, 6) => Self::Budget,
            Some(version) => Self::Adaptive {
                xhigh: version > (4, 6),
            },
        }
    }
}

/// The version in a name such as `claude-opus-4-7`, `claude-haiku-4-5-20251001` or `claude-3-7-sonnet-20250219`.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, name) = model.rsplit_once("claude-")?;
    let numbers = name.split(['-', '.', '@', ':']);
    let mut numbers = numbers
        .skip_while(|part| !part.starts_with(|first: char| first.is_ascii_digit()))
        .map_while(|part| part.parse().ok())
        // A date is none.
        .take_while(|number: &u32| *number < 100);
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

/// Tokens that a level may think for. With the tokens of an answer that are asked for where nothing is configured,
/// they stay within the 32,000 tokens that every model with a budget can write.
const fn budget(level: ThinkLevel) -> u32 {
    match level {
        ThinkLevel::Off => 0,
        ThinkLevel::Minimal => LEAST,
        ThinkLevel::Low => 2048,
        ThinkLevel::Medium => 8192,
        ThinkLevel::High => 16_384,
        ThinkLevel::XHigh => 20_480,
        ThinkLevel::Max => 23_552,
    }
}

/// The levels of a model; `most` is how long an answer may be, in tokens, where that is configured.
pub(super) fn levels(model: &str, most: Option<u64>) -> LevelSupport {
    use ThinkLevel::{High, Low, Max, Medium, Off, XHigh};
    let levels: &[ThinkLevel] = match Thinking::of(model) {
        Thinking::Never => &[Off],
        Thinking::Budget if most.is_some_and(|most| most <= u64::from(LEAST)) => &[Off],
        Thinking::Budget => ThinkLevel::ALL,
        Thinking::Adaptive { xhigh: false } => &[Off, Low, Medium, High, Max],
        Thinking::Adaptive { xhigh: true } => &[Off, Low, Medium, High, XHigh, Max],
    };
    LevelSupport::Options(levels.iter().map(|level| level.code().to_owned()).collect())
}

/// Asks for a level that the model has. A configured length of answers is kept: the budget counts into it.
pub(super) fn ask(level: ThinkLevel, model: &str, most: Option<u64>, fields: &mut Map<String, Value>) {
    let thinking = match (Thinking::of(model), level) {
        (Thinking::Never, _) => {
            fields.remove("thinking");
            return;
        }
        (_, ThinkLevel::Off) => json!({"type": "disabled"}),
        (Thinking::Budget, level) => {
            let mut budget = u64::from(budget(level));
            if let Some(most) = most {
                // It has to be less, and something has to be left for the answer.
                budget = budget.min((most / 4 * 3).max(u64::from(LEAST)));
            } else {
                let answer = fields
                    .get("max_tokens")
                    .and_then(Value::as_u64)
                    .unwrap_or_default();
                fields.insert("max_tokens".to_owned(), json!(answer + budget));
            }
            // The API refuses them beside a budget.
            fields.remove("temperature");
            fields.remove("top_k");
            json!({"type": "enabled", "budget_tokens": budget})
        }
        (Thinking::Adaptive { .. }, level) => {
            let config = fields.entry("output_config").or_insert_with(|| json!({}));
            if let Some(config) = config.as_object_mut() {
                config.insert("effort".to_owned(), json!(level.code()));
            }
            json!({"type": "adaptive"})
        }
    };
    fields.insert("thinking".to_owned(), thinking);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_tells_the_way() {
        use Thinking::{Adaptive, Budget, Never};
        for (model, way) in [
            ("claude-3-5-sonnet-20241022", Never),
            ("claude-3-haiku-20240307", Never),
            ("claude-3-7-sonnet-20250219", Budget),
            ("claude-sonnet-4-20250514", Budget),
            ("anthropic/claude-sonnet-4.5", Budget),
            ("claude-haiku-4-5@20251001", Budget),
            ("claude-opus-4-6", Adaptive { xhigh: false }),
            ("claude-opus-4-7", Adaptive { xhigh: true }),
            ("claude-sonnet-5", Adaptive { xhigh: true }),
            ("claude-fable-5-1", Adaptive { xhigh: true }),
            ("my-gateway-model", Budget),
        ] {
            assert_eq!(Thinking::of(model), way, "{model}");
        }
    }

    fn asked(level: ThinkLevel, model: &str, most: Option<u64>) -> Value {
        let mut fields = Map::new();
        fields.insert("max_tokens".to_owned(), json!(most.unwrap_or(8192)));
        fields.insert("temperature".to_owned(), json!(0.3));
        ask(level, model, most, &mut fields);
        Value::Object(fields)
    }

    #[test]
    fn a_budget_stays_below_the_length_of_the_answer() {
        assert_eq!(
            asked(ThinkLevel::High, "claude-sonnet-4-5", None),
            json!({"max_tokens": 24_576, "thinking": {"type": "enabled", "budget_tokens": 16_384}})
        );
        assert_eq!(
            asked(ThinkLevel::High, "claude-sonnet-4-5", Some(4000)),
            json!({"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 3000}})
        );
        assert_eq!(
            asked(ThinkLevel::High, "claude-sonnet-4-5", Some(1025))["thinking"]["budget_tokens"],
            1024
        );
        for level in &ThinkLevel::ALL[1..] {
            let fields = asked(*level, "claude-opus-4-1", None);
            let budget = fields["thinking"]["budget_tokens"].as_u64().expect("a budget");
            let most = fields["max_tokens"].as_u64().expect("a length");
            assert!(
                u64::from(LEAST) <= budget && budget < most && most <= 32_000,
                "{fields}"
            );
        }
        let small = levels("claude-sonnet-4-5", Some(1024));
        assert_eq!(small.options(), ["off"], "no budget fits");
    }

    #[test]
    fn off_and_efforts_leave_the_rest_alone() {
        assert_eq!(
            asked(ThinkLevel::Off, "claude-opus-4-7", None),
            json!({"max_tokens": 8192, "temperature": 0.3, "thinking": {"type": "disabled"}})
        );
        assert_eq!(
            asked(ThinkLevel::XHigh, "claude-opus-4-7", None),
            json!({"max_tokens": 8192, "temperature": 0.3, "thinking": {"type": "adaptive"},
                "output_config": {"effort": "xhigh"}})
        );
        assert_eq!(
            asked(ThinkLevel::Off, "claude-3-5-haiku-latest", None),
            json!({"max_tokens": 8192, "temperature": 0.3})
        );
        assert_eq!(
            levels("claude-opus-4-6", None).options(),
            ["off", "low", "medium", "high", "max"]
        );
    }
}
