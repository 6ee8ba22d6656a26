//! Starting the bot behind the window.

use foldback_api::{Backend, DemoStart, LogBook, Setup, WindowOrder, order_window, places};
use foldback_wire::{Actor, LINK_SCHEME, rpc::Failure};
use std::{fmt::Display, sync::Arc};
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Files and links that the program was started with, as absolute paths.
pub(crate) fn targets() -> Vec<String> {
    let named = std::env::args_os().skip(1);
    let target = |target: std::ffi::OsString| match target.into_string() {
        Ok(target) if target.starts_with(LINK_SCHEME) => Some(target),
        // Flags are those of a desktop or of WebKit.
        Ok(target) if target.starts_with('-') || target.is_empty() => None,
        Ok(target) => {
            let path = std::path::absolute(&target)
                .ok()
                .and_then(|path| path.into_os_string().into_string().ok());
            Some(path.unwrap_or(target))
        }
        Err(_) => None,
    };
    named.filter_map(target).collect()
}

/// Hands files and links to a window that runs already; false where none does.
pub(crate) async fn hand_over(targets: &[String]) -> bool {
    let Ok(setup) = setup() else { return false };
    let order = WindowOrder::Open {
        targets: targets.to_vec(),
    };
    let told = order_window(&setup.journal_file(), order).await;
    matches!(told, Some(Ok(_)))
}

/// Starts the bot that the configuration describes, or the embedded default; else what is wrong, in words.
pub(crate) async fn backend() -> Result<Backend, Failure> {
    let mut setup = setup()?;
    setup.window = true;
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
