//! The options that choose the grammar, shared by every command that reads agent output.

use crate::end::Stop;
use foldback_directives::{Dialect, Placement, Settings, redact::RedactSettings};
use foldback_wire::redact::Redaction;

/// Options of the output grammar.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Grammar {
    /// Dialects to read [default: actions,silence,header,guard]
    #[arg(long, value_delimiter = ',', value_name = "DIALECTS", value_parser = dialect)]
    dialects: Option<Vec<Dialect>>,

    /// Where blocks are executed [default: anywhere]
    #[arg(long, value_name = "anywhere|start", value_parser = placement)]
    placement: Option<Placement>,

    /// Read as the answer to a heartbeat, in which `HEARTBEAT_OK` counts
    #[arg(long)]
    heartbeat: bool,

    /// Set anything else of the grammar or of redaction, as in the configuration file
    #[arg(long = "set", value_name = "output.KEY=VALUE")]
    set: Vec<String>,

    /// Mask secrets, as the bot does before it sends
    #[arg(long)]
    redact: bool,
}

impl Grammar {
    /// The scanner's settings.
    pub(crate) fn settings(&self) -> Result<Settings, Stop> {
        let mut settings = Settings::default();
        for pair in self.set.iter().filter(|pair| !is_redaction(pair)) {
            settings
                .set_pair(pair)
                .map_err(|error| Stop::Wrong(format!("--set {error}")))?;
        }
        if let Some(dialects) = &self.dialects {
            settings.dialects.clone_from(dialects);
        }
        if let Some(placement) = self.placement {
            settings.placement = placement;
        }
        settings.heartbeat |= self.heartbeat;
        Ok(settings)
    }

    /// What is masked, where that was asked for.
    pub(crate) fn secrets(&self) -> Result<Option<Redaction>, Stop> {
        let mut settings = RedactSettings::default();
        for pair in self.set.iter().filter(|pair| is_redaction(pair)) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| Stop::Wrong(format!("--set {pair}: expected redact.KEY=VALUE")))?;
            settings
                .set(key.trim(), value)
                .map_err(|error| Stop::Wrong(format!("--set {error}")))?;
        }
        Ok(Redaction::new(&settings).filter(|_| self.redact))
    }
}

fn is_redaction(pair: &str) -> bool {
    pair.starts_with("redact.")
}

fn dialect(name: &str) -> Result<Dialect, String> {
    Dialect::from_code(name.trim()).ok_or_else(|| expected(Dialect::ALL.iter().map(|d| d.code())))
}

fn placement(name: &str) -> Result<Placement, String> {
    Placement::from_code(name).ok_or_else(|| expected(Placement::ALL.iter().map(|p| p.code())))
}

fn expected<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("expected {}", names.collect::<Vec<_>>().join(", "))
}
