//! The installation of the app's own log, once in a process.

use super::LogBook;
use crate::Setup;
use foldback_wire::rpc::LogLine;
use std::{env, sync::Arc};
use tracing_subscriber::{
    EnvFilter,
    filter::ParseError,
    layer::SubscriberExt as _,
    util::{SubscriberInitExt as _, TryInitError},
};

/// The variable that names levels before the configuration does.
const VARIABLE: &str = "RUST_LOG";

/// The reason why there is no log as it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A text does not name levels.
    #[error("{name}: `{levels}` does not name levels: {source}")]
    Levels {
        /// The variable or the setting that holds the text.
        name: &'static str,
        /// The text.
        levels: String,
        /// The part of it that is wrong.
        source: ParseError,
    },
    /// The process has a log already.
    #[error("no log: {0}")]
    Taken(#[from] TryInitError),
}

impl Setup {
    /// Levels of the log: those that `RUST_LOG` names, else those of the configuration.
    ///
    /// # Errors
    /// [`LogError::Levels`] where they are no levels.
    pub fn log_levels(&self) -> Result<EnvFilter, LogError> {
        levels(env::var(VARIABLE).ok(), &self.config.log.level)
    }

    /// Makes the log of this bot the log of the process. `echo` is handed each line once it is without secrets and
    /// without what people wrote; it must not log itself.
    ///
    /// # Errors
    /// [`LogError::Taken`] at a second call in a process.
    pub fn install_log(
        &mut self,
        levels: EnvFilter,
        echo: impl Fn(&LogLine) + Send + Sync + 'static,
    ) -> Result<(), LogError> {
        self.log = LogBook::echoing(Arc::clone(&self.clock), echo);
        let installed = tracing_subscriber::registry()
            .with(levels)
            .with(self.log.layer())
            .try_init();
        Ok(installed?)
    }
}

fn levels(variable: Option<String>, configured: &str) -> Result<EnvFilter, LogError> {
    let (name, levels) = match variable {
        Some(levels) if !levels.is_empty() => (VARIABLE, levels),
        _ => ("log.level", configured.to_owned()),
    };
    EnvFilter::try_new(&levels).map_err(|source| LogError::Levels { name, levels, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_goes_before_the_setting_unless_it_is_empty() {
        let named = |variable: Option<&str>| {
            let levels = levels(variable.map(str::to_owned), "info,foldback_store=debug");
            levels.map_or_else(|error| error.to_string(), |levels| levels.to_string())
        };
        assert_eq!(named(Some("warn")), "warn");
        for unset in [None, Some("")] {
            assert_eq!(named(unset), "foldback_store=debug,info");
        }
        let wrong = named(Some("foldback=loud"));
        assert!(
            wrong.starts_with("RUST_LOG: `foldback=loud` does not name levels: "),
            "{wrong}"
        );
    }
}
