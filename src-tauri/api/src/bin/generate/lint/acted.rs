//! Bots with actions, whose findings stand on the page.

use crate::record::{Result, paused, repeatable};
use foldback_api::{Backend, Setup, call};
use foldback_directives::{Code, Diagnostic, Dialect};
use foldback_wire::{Actor, rpc::ComposeResult};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// One bot whose owner writes in Compose, and one that another person writes to.
pub(super) struct ActingBots {
    runtime: Runtime,
    owned: Backend,
    other: Backend,
    _folder: TempDir,
}

impl ActingBots {
    pub(super) fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let runtime = paused()?;
        let setup = |owner: &str| {
            let fixtures = folder.path().join("fixtures");
            let mut setup = Setup::embedded(folder.path().to_owned(), fixtures, Actor::Console);
            repeatable(&mut setup);
            setup.demo = false;
            let config = &mut setup.config;
            config.output.dialects.push(Dialect::Json);
            config.commands.owner_allow_from = vec![owner.to_owned()];
            config.actions.event.enabled = true;
            let bash = &mut config.actions.bash;
            bash.enabled = true;
            bash.folder = Some("work".into());
            bash.deny = vec!["shutdown".to_owned().try_into()?];
            Result::Ok(setup)
        };
        let owned = runtime.block_on(Backend::open(setup("console")?))?;
        let other = runtime.block_on(Backend::open(setup("42")?))?;
        Ok(Self {
            runtime,
            owned,
            other,
            _folder: folder,
        })
    }

    /// The findings of Compose in the example of a finding.
    pub(super) fn findings(&self, code: Code) -> Result<Vec<Diagnostic>> {
        let bot = match code {
            Code::ActionNotPermitted => &self.other,
            _ => &self.owned,
        };
        let output = code.example().raw().into_owned();
        let args = json!({ "user_text": "", "agent_output": output, "channels": ["telegram"] });
        let answer = self.runtime.block_on(call(bot, "compose", args));
        let answer = answer.map_err(|failure| failure.message)?;
        let read: ComposeResult = serde_json::from_value(answer)?;
        Ok(read.lints.into_iter().map(|lint| lint.diagnostic).collect())
    }
}
