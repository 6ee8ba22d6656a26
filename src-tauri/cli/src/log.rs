//! The app's own log: JSON lines on stderr, without secrets, and without message text above debug level.

use crate::end::Stop;
use foldback_api::{LogBook, Setup};
use std::{
    env,
    io::{self, Write},
    sync::Arc,
};
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Sets the log up, once in a process: levels by `RUST_LOG`, else by the configuration.
pub(crate) fn start(setup: &mut Setup) -> Result<(), Stop> {
    let (name, levels) = match env::var("RUST_LOG") {
        Ok(levels) if !levels.is_empty() => ("RUST_LOG", levels),
        _ => ("log.level", setup.config.log.level.clone()),
    };
    let filter = EnvFilter::try_new(&levels)
        .map_err(|error| Stop::Wrong(format!("{name}: `{levels}` does not name levels: {error}")))?;
    // The book withholds what must not be read; what it writes down is what is said here.
    setup.log = LogBook::echoing(Arc::clone(&setup.clock), |line| {
        let mut words = serde_json::to_vec(line).unwrap_or_default();
        words.push(b'\n');
        // A closed stderr is nobody's problem.
        let _ = io::stderr().lock().write_all(&words);
    });
    tracing_subscriber::registry()
        .with(filter)
        .with(setup.log.layer())
        .try_init()
        .map_err(|error| Stop::Wrong(format!("no log: {error}")))
}
