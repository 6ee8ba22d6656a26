//! The configuration's hooks, and their work beside the bot.

use super::Backend;
use crate::failure;
use foldback_hooks::{Destination, Hook, HookStatus, Hooks};
use foldback_pipeline::config::{Config, CredentialReader, HookConfig, SecretError};
use foldback_programs::Program;
use foldback_store::Journal;
use foldback_wire::{
    Clock, Kind, Seq,
    rpc::{Failure, HookCall, HookLine},
};
use std::{collections::BTreeMap, sync::Arc};

/// A hook that cannot be told of anything.
#[derive(Debug, thiserror::Error)]
#[error("the hook {name:?}: {source}")]
pub struct HookSetupError {
    name: String,
    source: SecretError,
}

/// The hooks of a configuration on a journal. Those of files that were opened are none: what files tell happened elsewhere.
///
/// # Errors
/// Where a key that signs cannot be read: an alarm that its receiver refuses is found out when it is needed.
pub(super) fn build(
    config: &Config,
    credentials: &CredentialReader,
    is_replayed: bool,
    journal: &Arc<dyn Journal>,
    clock: &Arc<dyn Clock>,
) -> Result<Hooks, HookSetupError> {
    let all = config.hooks.iter().filter(|_| !is_replayed);
    let all = all.map(|hook| hook_of(hook, credentials));
    let all = all.collect::<Result<_, _>>()?;
    Ok(Hooks::new(Arc::clone(journal), Arc::clone(clock), all))
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

/// Tells the hooks of what happens after `from`, until the backend ends.
pub(super) async fn run(hooks: Hooks, from: Seq) {
    if let Err(error) = hooks.run(from).await {
        tracing::error!(%error, "no hook is told any more");
    }
}

impl Backend {
    /// The hooks of the configuration with what becomes of them. There is none beside files that were opened.
    pub(super) async fn list_hooks(&self) -> Result<Vec<HookLine>, Failure> {
        let statuses = self.shared.hooks.read();
        let mut places: Vec<_> = statuses
            .iter()
            .flat_map(|status| status.latest.iter().chain(&status.failures).copied())
            .collect();
        places.sort_unstable();
        places.dedup();
        let journal = &self.shared.journal;
        let mut calls = BTreeMap::new();
        if !places.is_empty() {
            // What was just appended is read only once it is written.
            journal.flush().await.map_err(failure::journal)?;
            for event in journal.pick(&places).await.map_err(failure::journal)? {
                if let Kind::HookEnded(end) = event.kind {
                    let (seq, at) = (event.seq, event.at);
                    calls.insert(seq, HookCall { seq, at, end });
                }
            }
        }
        let configured = self.shared.config.hooks.iter().zip(statuses);
        let line = |(hook, status): (&HookConfig, HookStatus)| HookLine {
            name: hook.name.clone(),
            filter: hook.events.clone().into(),
            destination: destination_in_words(hook),
            signed: hook.secret.is_some(),
            calling: status.calling,
            waiting: status.waiting,
            done: status.done,
            failed: status.failed,
            left_out: status.left_out,
            latest: status.latest.and_then(|seq| calls.get(&seq).cloned()),
            failures: status
                .failures
                .iter()
                .filter_map(|seq| calls.get(seq).cloned())
                .collect(),
        };
        Ok(configured.map(line).collect())
    }
}

/// The program of a hook, or its address as far as it holds no key.
fn destination_in_words(hook: &HookConfig) -> String {
    match &hook.url {
        None => hook.run.first().cloned().unwrap_or_default(),
        Some(url) => {
            let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            // A name and a password may stand before the host.
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::destination_in_words;
    use foldback_pipeline::config::parse;
    use std::path::Path;

    #[test]
    fn an_address_is_shown_without_what_may_be_a_key() {
        let shown = |to: &str| {
            let text = format!("[[hooks]]\nname = \"a\"\nwhere = \"\"\n{to}\n");
            destination_in_words(&parse(&text, Path::new("f")).unwrap().hooks[0])
        };
        for (to, words) in [
            (
                "url = \"https://example.org:8443/hook?key=1\"",
                "https://example.org:8443",
            ),
            ("url = \"https://me:secret@example.org\"", "https://example.org"),
            ("run = [\"notify-send\", \"Foldback\"]", "notify-send"),
        ] {
            assert_eq!(shown(to), words);
        }
    }
}
