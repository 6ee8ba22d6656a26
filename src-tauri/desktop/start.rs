//! Starting the bot behind the window.

use foldback_api::{Backend, Setup, places};
use foldback_wire::{Actor, rpc::Failure};
use std::{
    fmt::Display,
    io::{self, IsTerminal as _},
};
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Starts the bot that the configuration describes, or the embedded default; else what is wrong, in words.
pub(crate) async fn backend() -> Result<Backend, Failure> {
    let setup = setup();
    log(setup.as_ref().ok());
    Backend::open(setup?).await.map_err(|error| Failure {
        code: "cannot_start".to_owned(),
        message: sentence(&error),
        hint: Some(
            "Nothing was changed. `foldback doctor` checks folders, journal and endpoints.".to_owned(),
        ),
    })
}

fn setup() -> Result<Setup, Failure> {
    let data = places::data_folder().ok_or_else(|| Failure {
        code: "no_data_folder".to_owned(),
        message: "The system does not say where your data is kept.".to_owned(),
        hint: Some("Set FOLDBACK_DATA_DIR to a folder for Foldback's data.".to_owned()),
    })?;
    let Some(path) = places::config_file() else {
        return Ok(Setup::embedded(data, places::fixtures_folder(), Actor::Console));
    };
    Setup::from_file(&path, data, places::fixtures_folder(), Actor::Console).map_err(|error| Failure {
        code: "bad_configuration".to_owned(),
        message: sentence(&error),
        hint: Some("Mend the file and start Foldback again; `foldback doctor` checks it.".to_owned()),
    })
}

/// An error as a sentence: errors are written to stand after a colon.
fn sentence(error: &impl Display) -> String {
    let text = error.to_string();
    let text = text
        .strip_prefix("the ")
        .map_or(text.clone(), |rest| format!("The {rest}"));
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{text}{end}")
}

/// The app's own log: to stderr, and to the drawer in the window.
fn log(setup: Option<&Setup>) {
    let level = setup.map_or("info", |setup| setup.config.log.level.as_str());
    let filter = EnvFilter::try_from_default_env().or_else(|_| EnvFilter::try_new(level));
    let installed = tracing_subscriber::registry()
        .with(filter.unwrap_or_else(|_| EnvFilter::new("info")))
        .with(
            fmt::layer()
                .with_writer(io::stderr)
                .with_ansi(io::stderr().is_terminal()),
        )
        .with(setup.map(|setup| setup.log.layer()))
        .try_init();
    if let Err(error) = installed {
        eprintln!("foldback-desktop: no log: {error}");
    }
}
