//! The efforts that models of `OpenAI` take (<https://platform.openai.com/docs/guides/reasoning>, and the field
//! `reasoning_effort` of <https://platform.openai.com/docs/api-reference/chat/create>).

use crate::levels::LevelSupport;
use foldback_wire::ThinkLevel;

/// The value of an effort in the API.
pub(super) const fn effort(level: ThinkLevel) -> &'static str {
    match level {
        ThinkLevel::Off => "none",
        level => level.code(),
    }
}

/// True for a model that does not think: there is nothing to switch off, and the API refuses every effort.
pub(super) fn never_thinks(model: &str) -> bool {
    let model = own_name(model);
    ["gpt-3", "gpt-4", "chatgpt-"]
        .iter()
        .any(|family| model.starts_with(family))
}

/// True for a model of `OpenAI`'s own that is known to reason.
pub(super) fn reasons(model: &str) -> bool {
    !never_thinks(model) && levels(model) != LevelSupport::Any
}

/// The levels of a model. The server of a model that is not `OpenAI`'s own is asked for any.
pub(super) fn levels(model: &str) -> LevelSupport {
    use ThinkLevel::{High, Low, Medium, Minimal, Off, XHigh};
    let levels: &[ThinkLevel] = match own_name(model).as_str() {
        name if never_thinks(name) => &[Off],
        name if is_o_series(name) => &[Low, Medium, High],
        "gpt-5-pro" => &[High],
        "gpt-5-codex" => &[Low, Medium, High],
        name => match version(name) {
            Some(0) => &[Minimal, Low, Medium, High],
            Some(1) if name.contains("-max") => &[Off, Low, Medium, High, XHigh],
            Some(1) => &[Off, Low, Medium, High],
            Some(_) if name.contains("-pro") => &[Medium, High, XHigh],
            Some(_) => &[Off, Low, Medium, High, XHigh],
            None => return LevelSupport::Any,
        },
    };
    LevelSupport::Options(levels.iter().map(|level| level.code().to_owned()).collect())
}

/// A model's name without the vendor that gateways write before it.
fn own_name(model: &str) -> String {
    model.rsplit('/').next().unwrap_or_default().to_ascii_lowercase()
}

/// `o1`, `o3-mini`, `o4-mini-2025-04-16`.
fn is_o_series(name: &str) -> bool {
    let number = name.strip_prefix('o').and_then(|rest| rest.split('-').next());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The number behind the point of a `gpt-5`; 0 where there is none.
fn version(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("gpt-5")?;
    match rest.strip_prefix('.') {
        Some(minor) => minor.split('-').next()?.parse().ok(),
        None => (rest.is_empty() || rest.starts_with('-')).then_some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_has_the_levels_of_its_page() {
        for (model, options) in [
            ("gpt-4o", "off"),
            ("o4-mini-2025-04-16", "low medium high"),
            ("gpt-5", "minimal low medium high"),
            ("openai/GPT-5-mini", "minimal low medium high"),
            ("gpt-5-pro", "high"),
            ("gpt-5.1", "off low medium high"),
            ("gpt-5.1-codex-max", "off low medium high xhigh"),
            ("gpt-5.2", "off low medium high xhigh"),
            ("gpt-5.2-pro", "medium high xhigh"),
        ] {
            assert_eq!(levels(model).options().join(" "), options, "{model}");
        }
        for model in ["qwen3-8b", "gpt-oss-120b", "olmo-2", "gpt-50", "m"] {
            assert_eq!(levels(model), LevelSupport::Any, "{model}");
        }
    }

    #[test]
    fn off_is_called_none() {
        assert_eq!(effort(ThinkLevel::Off), "none");
        assert_eq!(effort(ThinkLevel::XHigh), "xhigh");
    }
}
