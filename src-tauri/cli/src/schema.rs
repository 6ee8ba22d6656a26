//! `foldback schema`: what scripts and platforms read and write, for editors, checks and apps.

use crate::{
    end::{End, Stop, Verdict, stdout},
    running::wrong,
};
use clap::ValueEnum;
use foldback_agents::Rule;
use foldback_api::{Setup, places, typescript};
use foldback_channels::slack_manifest;
use foldback_pipeline::{command_menu, config};
use foldback_replay::fixture::Fixture;
use foldback_wire::{Actor, Event};
use schemars::schema_for;
use std::{io::Write as _, path::PathBuf};

/// Print the JSON Schema of a file or an event, the list of commands, or a Slack app's slash commands
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Of what
    of: Of,

    /// For slack-manifest: the configuration with the bot's own commands [default: `FOLDBACK_CONFIG`, else foldback.toml
    /// in the system's folder for configurations, else the embedded default]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// For slack-manifest: the public https address at which the app's events arrive; without it they come in Socket Mode
    #[arg(long, value_name = "URL")]
    url: Option<String>,
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
    /// The bot's commands as the slash commands of a Slack app's manifest, in YAML
    SlackManifest,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let is_manifest = matches!(args.of, Of::SlackManifest);
    if !is_manifest && (args.config.is_some() || args.url.is_some()) {
        return Err(Stop::Wrong(
            "--config and --url belong to slack-manifest".to_owned(),
        ));
    }
    let mut out = stdout();
    match args.of {
        Of::Fixture => serde_json::to_writer_pretty(&mut out, &schema_for!(Fixture))?,
        Of::Config => serde_json::to_writer_pretty(&mut out, &config::schema())?,
        Of::Script => serde_json::to_writer_pretty(&mut out, &schema_for!(Vec<Rule>))?,
        Of::Events => serde_json::to_writer_pretty(&mut out, &schema_for!(Event))?,
        Of::Commands => serde_json::to_writer_pretty(&mut out, &typescript::commands())?,
        Of::SlackManifest => {
            out.write_all(manifest(args)?.as_bytes())?;
            out.flush()?;
            return Ok(Verdict::Holds);
        }
    }
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(Verdict::Holds)
}

/// The slash commands of the bot that is configured.
fn manifest(args: &Args) -> Result<String, Stop> {
    if let Some(url) = &args.url
        && !url.starts_with("https://")
    {
        return Err(Stop::Wrong(format!(
            "--url {url}: Slack sends commands to an https:// address only"
        )));
    }
    let file = args.config.clone().or_else(places::config_file);
    let setup = Setup::in_places(file.as_deref(), Actor::Cli).map_err(wrong)?;
    let commands = command_menu(&setup.config);
    if commands.is_empty() {
        return Err(Stop::Wrong(
            "commands.enabled = false: the bot reads no commands, so Slack needs none".to_owned(),
        ));
    }
    Ok(slack_manifest(&commands, args.url.as_deref()))
}
