//! Reading files and stdin, with errors that name the file.

use crate::end::Stop;
use std::{
    fs,
    io::{self, Read},
    path::Path,
};

/// The name under which stdin is reported.
pub(crate) const STDIN: &str = "<stdin>";

/// Reads a whole file, or stdin for `-`, as UTF-8.
pub(crate) fn read(path: &Path) -> Result<String, Stop> {
    let name = name(path);
    let mut bytes = Vec::new();
    let read = if is_stdin(path) {
        io::stdin().lock().read_to_end(&mut bytes).map(drop)
    } else {
        fs::read(path).map(|content| bytes = content)
    };
    read.map_err(|error| Stop::Wrong(format!("{name}: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        Stop::Wrong(format!("{name}:{line}: not UTF-8 at byte {at}"))
    })
}

/// How a path is called in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        STDIN.to_owned()
    } else {
        path.display().to_string()
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
