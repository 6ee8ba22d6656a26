//! How a command ends, and stdout that may be closed at any time.

use foldback_wire::visible_json;
use std::{
    fmt,
    io::{self, BufWriter, Write},
    process::ExitCode,
};

/// What a command found, when it could do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Fine: exit code 0.
    Holds,
    /// The thing checked does not hold: exit code 1.
    Fails,
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Wrong use or unreadable input; the text names file, line and field.
    Wrong(String),
    /// The reader of stdout went away (`| head`), which is not an error: exit code 0.
    Closed,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Wrong(error.to_string())
        }
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(kind) => io::Error::from(kind).into(),
            None => Self::Wrong(error.to_string()),
        }
    }
}

/// A command's end.
pub(crate) type End = Result<Verdict, Stop>;

/// The exit code of an end, after telling stderr what went wrong.
pub(crate) fn exit(end: End) -> ExitCode {
    match end {
        Ok(Verdict::Holds) | Err(Stop::Closed) => ExitCode::SUCCESS,
        Ok(Verdict::Fails) => ExitCode::from(1),
        Err(Stop::Wrong(message)) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Says something on stderr. A closed stderr is nobody's problem.
pub(crate) fn complain(message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "foldback: {message}");
}

/// Buffered stdout.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Writes one value as one line of JSON, in which nothing is hidden from whoever reads it in a terminal.
pub(crate) fn json_line(out: &mut impl Write, value: &impl serde::Serialize) -> Result<(), Stop> {
    let json = serde_json::to_string(value)?;
    out.write_all(visible_json(&json).as_bytes())?;
    out.write_all(b"\n")?;
    Ok(())
}
