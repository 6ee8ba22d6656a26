//! `foldback schema`: the JSON Schemas of what scripts read and write.

use crate::end::{End, Verdict, stdout};
use clap::ValueEnum;
use foldback_pipeline::config;
use foldback_replay::fixture::Fixture;
use foldback_wire::Event;
use schemars::schema_for;
use std::io::Write as _;

/// Print a JSON Schema
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Of what
    of: Of,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Of {
    /// A fixture, for editors of YAML
    Fixture,
    /// foldback.toml
    Config,
    /// An event of the journal, as `journal query`, `serve --events` and recordings have it
    Events,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let schema = match args.of {
        Of::Fixture => schema_for!(Fixture),
        Of::Config => config::schema(),
        Of::Events => schema_for!(Event),
    };
    let mut out = stdout();
    serde_json::to_writer_pretty(&mut out, &schema)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(Verdict::Holds)
}
