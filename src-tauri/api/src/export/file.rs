//! The file that an export is written to.

use foldback_replay::Replacement;
use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    path::Path,
};

/// The first bytes of a journal: <https://www.sqlite.org/fileformat.html#magic_header_string>.
const JOURNAL: &[u8] = b"SQLite format 3\0";

/// Fails where an export would take the place of a journal or of the configuration.
///
/// # Errors
/// In words, for a person who chose the file.
pub fn check_target(output: &Path, config: Option<&Path>) -> io::Result<()> {
    let mut first = [0; JOURNAL.len()];
    // Nothing is lost where no file is there, or a pipe or device.
    let is_journal =
        output.is_file() && File::open(output)?.read_exact(&mut first).is_ok() && first == JOURNAL;
    let real = |path: &Path| path.canonicalize().ok();
    let is_config =
        config.is_some_and(|config| real(output).is_some_and(|output| real(config) == Some(output)));
    match (is_journal, is_config) {
        (true, _) => Err(io::Error::other(
            "this is a journal; choose another file for the recording",
        )),
        (_, true) => Err(io::Error::other(
            "this is the configuration; choose another file for the recording",
        )),
        _ => Ok(()),
    }
}

/// Writes an export whole or not at all, for its owner alone.
///
/// # Errors
/// As [`check_target`], and where the file cannot be written.
pub fn write_export(output: &Path, config: Option<&Path>, text: &str) -> io::Result<()> {
    check_target(output, config)?;
    let mut file = Replacement::private(output)?;
    file.write_all(text.as_bytes())?;
    file.done()
}
