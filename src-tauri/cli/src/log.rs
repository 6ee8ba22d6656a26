//! The app's own log: JSON lines on stderr, without secrets, and without message text above debug level.

use crate::{end::Stop, running::wrong};
use foldback_api::Setup;
use std::io::{self, Write};

/// Sets the log up, once in a process: levels by `RUST_LOG`, else by the configuration.
pub(crate) fn start(setup: &mut Setup) -> Result<(), Stop> {
    let levels = setup.log_levels().map_err(wrong)?;
    let installed = setup.install_log(levels, |line| {
        let mut words = serde_json::to_vec(line).unwrap_or_default();
        words.push(b'\n');
        // A closed stderr is nobody's problem.
        let _ = io::stderr().lock().write_all(&words);
    });
    installed.map_err(wrong)
}
