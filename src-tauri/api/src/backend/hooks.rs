//! The configuration's hooks, and their work beside the bot.

use super::Backend;
use foldback_agents::Program;
use foldback_hooks::{Destination, Hook, Hooks};
use foldback_pipeline::config::{Config, CredentialReader, HookConfig, SecretError};
use foldback_wire::Seq;

/// A hook that cannot be told of anything.
#[derive(Debug, thiserror::Error)]
#[error("the hook {name:?}: {source}")]
pub struct HookSetupError {
    name: String,
    source: SecretError,
}

/// The hooks of a configuration.
///
/// # Errors
/// Where a key that signs cannot be read: an alarm that its receiver refuses is found out when it is needed.
pub(super) fn build(config: &Config, credentials: &CredentialReader) -> Result<Vec<Hook>, HookSetupError> {
    config
        .hooks
        .iter()
        .map(|hook| hook_of(hook, credentials))
        .collect()
}

fn hook_of(hook: &HookConfig, credentials: &CredentialReader) -> Result<Hook, HookSetupError> {
    let secret = hook.secret.as_ref().map(|secret| credentials.read(secret));
    let secret = secret.transpose().map_err(|source| HookSetupError {
        name: hook.name.clone(),
        source,
    })?;
    // The configuration has either.
    let destination = match (&hook.url, Program::of(&hook.run)) {
        (None, Some(program)) => Destination::Program(program),
        (url, _) => Destination::Url {
            url: url.clone().unwrap_or_default(),
            secret,
        },
    };
    Ok(Hook {
        name: hook.name.clone(),
        filter: hook.events.filter(),
        destination,
        timeout: hook.timeout.0,
    })
}

impl Backend {
    /// Tells the hooks of what happens after `from`, until the backend ends.
    pub(super) async fn tell_hooks(self, hooks: Vec<Hook>, from: Seq) {
        let shared = &self.shared;
        let hooks = Hooks::new(shared.journal.clone(), shared.clock.clone(), hooks);
        if let Err(error) = hooks.run(from).await {
            tracing::error!(%error, "no hook is told any more");
        }
    }
}
