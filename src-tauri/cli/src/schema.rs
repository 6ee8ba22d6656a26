//! `foldback schema`: what scripts read and write, for editors and checks.

use crate::end::{End, Verdict, stdout};
use clap::ValueEnum;
use foldback_agents::Rule;
use foldback_api::typescript;
use foldback_pipeline::config;
use foldback_replay::fixture::Fixture;
use foldback_wire::Event;
use schemars::schema_for;
use std::io::Write as _;

/// Print the JSON Schema of a file or an event, or the list of commands
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
    /// The file of the script agent, for editors of YAML
    Script,
    /// An event of the journal, as `journal query`, `serve --events` and recordings have it
    Events,
    /// The commands that `serve --commands` takes, as a list: what each does, takes and gives
    Commands,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let mut out = stdout();
    match args.of {
        Of::Fixture => serde_json::to_writer_pretty(&mut out, &schema_for!(Fixture))?,
        Of::Config => serde_json::to_writer_pretty(&mut out, &config::schema())?,
        Of::Script => serde_json::to_writer_pretty(&mut out, &schema_for!(Vec<Rule>))?,
        Of::Events => serde_json::to_writer_pretty(&mut out, &schema_for!(Event))?,
        Of::Commands => serde_json::to_writer_pretty(&mut out, &typescript::commands())?,
    }
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(Verdict::Holds)
}
