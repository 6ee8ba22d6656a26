//! `foldback completions`: what a shell needs to complete commands and options.

use crate::{
    Cli,
    end::{End, Verdict, stdout},
};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// For which shell
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    // Generated into memory first: the generator itself panics when stdout is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "foldback", &mut script);
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Verdict::Holds)
}
