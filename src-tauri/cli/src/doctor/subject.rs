//! What the checks look at, and what they share.

use super::{check::Answer, http::Http};
use foldback_api::{Setup, places};
use foldback_pipeline::config::{self, Config, EndpointConfig, Secret};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::task::spawn_blocking;

/// The bot that is looked at. Cheap to clone: every check takes one along.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) config: Arc<Config>,
    /// The folder that relative paths of the configuration lie below.
    pub(super) base: Arc<Path>,
    /// The configuration's file; `None` for the embedded default.
    pub(super) file: Option<Arc<Path>>,
    workspace: Arc<str>,
    pub(super) data: Arc<Path>,
    pub(super) journal_file: Arc<Path>,
    pub(super) http: Http,
    /// Secrets that were read: they stand masked in every finding.
    read: Arc<Mutex<Vec<String>>>,
}

impl Subject {
    pub(super) fn of(setup: &Setup) -> Self {
        let shared = |path: &Path| Arc::from(path.to_path_buf());
        Self {
            config: Arc::new(setup.config.clone()),
            base: shared(&setup.base),
            file: setup.file.as_deref().map(shared),
            workspace: setup.workspace.as_str().into(),
            data: shared(&setup.data),
            journal_file: shared(&setup.journal_file()),
            http: Http::default(),
            read: Arc::default(),
        }
    }

    /// Value of the secret that the setting `key` names. Where it cannot be read, the answer of a check that needs it:
    /// the question could not be asked.
    pub(super) async fn secret(&self, key: &str, secret: &Secret) -> Result<String, Answer> {
        let (reference, base) = (secret.clone(), Arc::clone(&self.base));
        let value = match spawn_blocking(move || reference.resolve(&base)).await {
            Ok(Ok(value)) => value,
            Ok(Err(error)) => return Err(Answer::unasked(error.to_string(), &format!("see {key}"))),
            Err(error) => return Err(Answer::unasked(error.to_string(), &format!("see {key}"))),
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.push(value.clone());
        Ok(value)
    }

    /// The text with every secret that was read taken out.
    pub(super) fn mask(&self, text: &str) -> String {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
    }

    /// Path of a setting that may be relative.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }

    /// Folder that an ACP agent works in.
    pub(super) fn agent_folder(&self) -> Option<PathBuf> {
        let named = self.config.agent.acp.folder(&self.base);
        named.or_else(|| places::agent_folder(&self.workspace))
    }

    /// Folder that commands of agents work in.
    pub(super) fn command_folder(&self) -> Option<PathBuf> {
        let named = self.config.actions.bash.folder(&self.base);
        named.or_else(|| places::command_folder(&self.workspace))
    }

    /// Backends that some channel uses, those that only step in included.
    pub(super) fn backends(&self) -> BTreeSet<&'static str> {
        let config = &self.config;
        let of_channels = config.channels.keys().map(|id| config.backend_of(id));
        let steps_in = config.agent.fallback.iter().map(|other| other.backend);
        let used = of_channels.chain([config.agent.backend]).chain(steps_in);
        used.map(config::Backend::code).collect()
    }

    /// HTTP backends that some channel uses.
    pub(super) fn endpoints(&self) -> Vec<(&'static str, &EndpointConfig)> {
        let used = self.backends();
        let agent = &self.config.agent;
        let all = [
            ("openai", &agent.openai),
            ("anthropic", &agent.anthropic),
            ("letta", &agent.letta),
        ];
        all.into_iter().filter(|(name, _)| used.contains(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::check::State, *};

    #[tokio::test]
    async fn a_secret_that_was_read_is_masked_and_a_missing_one_is_the_answer() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), "123:abc\n").unwrap();
        let setup = Setup::embedded(
            folder.path().to_owned(),
            folder.path().to_owned(),
            foldback_wire::Actor::Cli,
        );
        let subject = Subject::of(&setup);
        let key = "channels.telegram.token";
        let token = subject.secret(key, &Secret::File("token".into())).await;
        assert_eq!(token.unwrap(), "123:abc");
        assert_eq!(subject.mask("GET /bot123:abc/getMe"), "GET /bot[secret]/getMe");
        let missing = subject
            .secret(key, &Secret::File("none".into()))
            .await
            .unwrap_err();
        assert_eq!(missing.state, State::Unasked);
        assert_eq!(missing.todo.as_deref(), Some("see channels.telegram.token"));
    }
}
