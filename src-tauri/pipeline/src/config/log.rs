//! Levels of the app's own log.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Levels of the log.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Settings of the app's own log. `RUST_LOG` goes before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Levels, such as `info` or `info,foldback_pipeline=debug`.
    #[serde(deserialize_with = "levels_without_spaces")]
    pub level: String,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            level: "info".to_owned(),
        }
    }
}

impl LogConfig {
    /// True where each part names a level, alone or behind the part of the program that it is for. The filter itself takes
    /// a misspelt level for a part of the program, and says nothing of all others
    /// (<https://docs.rs/tracing-subscriber/latest/tracing_subscriber/filter/struct.EnvFilter.html>).
    pub(super) fn names_levels(&self) -> bool {
        let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
        self.level.split(',').all(|part| {
            let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
            is_level(level)
        })
    }
}

/// Reads levels without the spaces around a comma, an equals sign and the whole: the filter takes ` error` for a part of
/// the program, and says nothing of all others.
fn levels_without_spaces<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let part = |part: &str| part.split('=').map(str::trim).collect::<Vec<_>>().join("=");
    Ok(text.split(',').map(part).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    fn level(written: &str) -> Result<String, String> {
        let parsed = parse(
            &format!("[log]\nlevel = \"{written}\"\n"),
            Path::new("foldback.toml"),
        );
        parsed
            .map(|config| config.log.level)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_level_that_is_none_is_refused() {
        for known in [
            "info",
            "OFF",
            "warn,foldback_pipeline=debug",
            "foldback::api=trace,error",
        ] {
            assert_eq!(level(known).as_deref(), Ok(known));
        }
        for unknown in [
            "inof",
            "",
            "debug,foldback_pipeline",
            "foldback=loud",
            "info,",
            "in fo",
        ] {
            let text = level(unknown).unwrap_err();
            assert!(
                text.starts_with("foldback.toml:2:1: log.level: must be levels"),
                "{unknown}: {text}"
            );
        }
    }

    #[test]
    fn spaces_between_levels_are_not_read() {
        for (written, read) in [
            (" error", "error"),
            ("error\\t", "error"),
            ("info, foldback_api = debug", "info,foldback_api=debug"),
        ] {
            assert_eq!(level(written).as_deref(), Ok(read), "{written:?}");
        }
    }
}
