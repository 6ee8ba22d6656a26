//! `foldback secret`: puts secrets into the system's keyring, for `{ keyring = "NAME" }` in the configuration.

use crate::end::{End, Stop, Verdict, complain};
use foldback_pipeline::config::keyring;
use std::io::{self, IsTerminal as _};

/// Keep tokens and keys in the system's keyring; the configuration names them, as in token = { keyring = "telegram" }
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Keep a secret: asked for on a terminal without showing it, else the first line of stdin
    Set {
        /// The name that the configuration uses
        name: String,
    },
    /// Remove a secret
    Remove {
        /// The name that the configuration uses
        name: String,
    },
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let done = match &args.command {
        Command::Set { name } => keyring::store_secret(name, &ask(name)?),
        Command::Remove { name } => keyring::remove(name),
    };
    match done {
        Ok(()) => Ok(Verdict::Holds),
        // There is nothing to remove: the state asked for does not come from this command.
        Err(error @ keyring::KeyringError::Missing(_)) => {
            complain(error);
            Ok(Verdict::Fails)
        }
        Err(error) => Err(Stop::Wrong(error.to_string())),
    }
}

fn ask(name: &str) -> Result<String, Stop> {
    let secret = if io::stdin().is_terminal() {
        rpassword::prompt_password(format!("{name}: "))?
    } else {
        let mut line = String::new();
        io::stdin().read_line(&mut line)?;
        line
    };
    let secret = secret.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        return Err(Stop::Wrong(format!(
            "nothing is kept as {name}: the secret is empty"
        )));
    }
    Ok(secret.to_owned())
}
