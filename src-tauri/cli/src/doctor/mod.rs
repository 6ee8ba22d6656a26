//! `foldback doctor`: is everything as a bot needs it, and what to do where it is not.

mod checks;
mod reach;

use crate::{
    end::{End, Verdict, json_line, stdout},
    places::Place,
    running::runtime,
};
use checks::{Finding, State};
use clap::ValueEnum;
use std::io::Write as _;

/// Check configuration, secrets, folders, journal, channels and agents, and say what to do
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Runs the command: exit code 1 if anything is wrong.
pub(crate) fn run(args: &Args) -> End {
    let findings = runtime()?.block_on(checks::all(&args.place));
    let mut out = stdout();
    for finding in &findings {
        match args.format {
            Format::Json => json_line(&mut out, finding)?,
            Format::Text => {
                let Finding {
                    state,
                    about,
                    found,
                    todo,
                } = finding;
                writeln!(out, "{:<5} {about}: {found}", state.code())?;
                if let Some(todo) = todo {
                    writeln!(out, "      → {todo}")?;
                }
            }
        }
    }
    out.flush()?;
    let wrong = findings.iter().any(|finding| finding.state == State::Wrong);
    Ok(if wrong { Verdict::Fails } else { Verdict::Holds })
}
