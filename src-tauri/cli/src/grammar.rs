//! The options that choose the grammar, shared by every command that reads agent output.

use crate::end::Stop;
use foldback_directives::{Dialect, Placement, Settings};

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

    /// Set anything else of the grammar, as in the configuration file
    #[arg(long = "set", value_name = "output.KEY=VALUE")]
    set: Vec<String>,
}

impl Grammar {
    /// The scanner's settings.
    pub(crate) fn settings(&self) -> Result<Settings, Stop> {
        let mut settings = Settings::default();
        for pair in &self.set {
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
