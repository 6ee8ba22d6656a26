//! Starting the bot behind the window.

use foldback_api::{Backend, DemoStart, LogBook, Setup, places};
use foldback_wire::{Actor, rpc::Failure};
use std::{fmt::Display, sync::Arc};
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Starts the bot that the configuration describes, or the embedded default; else what is wrong, in words.
pub(crate) async fn backend() -> Result<Backend, Failure> {
    let mut setup = setup()?;
    log(&mut setup);
    setup.log_in_words();
    Backend::open(setup).await.map_err(|error| Failure {
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
        return Ok(Setup {
            demo_start: DemoStart::EveryStart,
            ..Setup::embedded(data.clone(), places::fixtures(&data), Actor::Console)
        });
    };
    Setup::from_file(&path, data.clone(), places::fixtures(&data), Actor::Console).map_err(|error| Failure {
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

/// The app's own log: in the drawer of the window, and the same lines on stderr. Both come from the book, which
/// withholds secrets and what people wrote.
fn log(setup: &mut Setup) {
    setup.log = LogBook::echoing(Arc::clone(&setup.clock), |line| {
        eprintln!("{} {:5} {} {}", line.at, line.level, line.target, line.message);
    });
    let filter = EnvFilter::try_from_default_env().or_else(|_| EnvFilter::try_new(&setup.config.log.level));
    let installed = tracing_subscriber::registry()
        .with(filter.unwrap_or_else(|_| EnvFilter::new("info")))
        .with(setup.log.layer())
        .try_init();
    if let Err(error) = installed {
        eprintln!("foldback-desktop: no log: {error}");
    }
}
