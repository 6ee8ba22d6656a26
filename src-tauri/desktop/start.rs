//! Starting the bot behind the window.

use crate::places;
use foldback_api::{Backend, Setup};
use foldback_wire::{Actor, rpc::Failure};
use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Starts the bot that the configuration describes, or the embedded default; else what is wrong, in words.
pub(crate) async fn backend() -> Result<Backend, Failure> {
    let data = places::data().ok_or_else(|| Failure {
        code: "no_data_folder".to_owned(),
        message: "The system does not say where your data is kept.".to_owned(),
        hint: Some("Set FOLDBACK_DATA_DIR to a folder for Foldback's data.".to_owned()),
    })?;
    let setup = match places::config() {
        None => Setup::embedded(data, places::fixtures(), Actor::Console),
        Some(path) => {
            Setup::from_file(&path, data, places::fixtures(), Actor::Console).map_err(|error| Failure {
                code: "bad_configuration".to_owned(),
                message: error.to_string(),
                hint: Some("Mend the file and start Foldback again; `foldback doctor` checks it.".to_owned()),
            })?
        }
    };
    log(&setup);
    Backend::open(setup).await.map_err(|error| Failure {
        code: "cannot_start".to_owned(),
        message: error.to_string(),
        hint: Some(
            "`foldback doctor` says more. Another Foldback may be using the same data folder.".to_owned(),
        ),
    })
}

/// The app's own log: to stderr, and to the drawer in the window.
fn log(setup: &Setup) {
    let filter = EnvFilter::try_from_default_env().or_else(|_| EnvFilter::try_new(&setup.config.log.level));
    let installed = tracing_subscriber::registry()
        .with(filter.unwrap_or_else(|_| EnvFilter::new("info")))
        .with(fmt::layer().with_writer(std::io::stderr))
        .with(setup.log.layer())
        .try_init();
    if let Err(error) = installed {
        eprintln!("foldback-desktop: no log: {error}");
    }
}
