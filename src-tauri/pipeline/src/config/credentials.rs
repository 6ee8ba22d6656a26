//! The credentials that a configuration refers to, to be masked by their value.

use super::{Config, Secret as Reference, SecretError};
use foldback_wire::{Secret, redact::Redaction};
use std::{
    path::{Path, PathBuf},
    slice,
};

/// Reads credentials where a configuration says they are. Each is masked by its value from the moment it is read, and
/// still is when another one has taken its place.
#[derive(Debug, Clone)]
pub struct CredentialReader {
    base: PathBuf,
    redaction: Option<Redaction>,
}

impl CredentialReader {
    /// Relative files lie below `base`. Without redaction nothing is masked.
    pub fn new(base: PathBuf, redaction: Option<Redaction>) -> Self {
        Self { base, redaction }
    }

    /// The credential, as it is now.
    ///
    /// # Errors
    /// [`SecretError`] where it is not there, or cannot be read.
    pub fn read(&self, reference: &Reference) -> Result<Secret, SecretError> {
        let credential = Secret::new(reference.resolve(&self.base)?);
        if let Some(redaction) = &self.redaction {
            redaction.learn(slice::from_ref(&credential));
        }
        Ok(credential)
    }
}

impl Config {
    /// Every reference to a secret that the configuration has, with the key that names it. What is done with all secrets
    /// begins here, so that a new one is forgotten nowhere.
    pub fn secrets(&self) -> impl Iterator<Item = (String, &Reference)> {
        let agent = &self.agent;
        let keys = [
            ("agent.openai.api_key", &agent.openai.api_key),
            ("agent.anthropic.api_key", &agent.anthropic.api_key),
            ("agent.letta.api_key", &agent.letta.api_key),
            ("speech.api_key", &self.speech.api_key),
            ("transcription.api_key", &self.transcription.api_key),
        ];
        let keys = keys
            .into_iter()
            .filter_map(|(key, secret)| Some((key.to_owned(), secret.as_ref()?)));
        let of_channels = self.channels.iter().flat_map(|(id, channel)| {
            let secrets = channel.secrets();
            secrets.map(move |(key, secret)| (format!("channels.{id}.{key}"), secret))
        });
        let of_hooks = self.hooks.iter().filter_map(|hook| {
            let key = format!("hooks.{}.secret", hook.name);
            Some((key, hook.secret.as_ref()?))
        });
        keys.chain(agent.acp.secrets()).chain(of_channels).chain(of_hooks)
    }

    /// The files that secrets are read from, as they are named.
    pub fn secret_files(&self) -> impl Iterator<Item = &Path> {
        self.secrets().filter_map(|(_, secret)| match secret {
            Reference::File(path) => Some(path.as_path()),
            Reference::Env(_) | Reference::Keyring(_) => None,
        })
    }

    /// Every credential that can be read now. One that cannot is told of where it is used.
    pub fn credentials(&self, base: &Path) -> Vec<Secret> {
        let read = |(_, secret): (_, &Reference)| secret.resolve(base).ok().map(Secret::new);
        self.secrets().filter_map(read).collect()
    }

    /// Masks what `[redact]` says, and the configuration's own credentials. `None` when redaction is off.
    pub fn redaction(&self, base: &Path) -> Option<Redaction> {
        Redaction::knowing(&self.redact, &self.credentials(base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn every_reference_to_a_credential_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            "openai",
            "anthropic",
            "letta",
            "speech",
            "heard",
            "env",
            "token",
            "app",
            "signing",
            "verify",
            "hook",
        ];
        for name in names {
            std::fs::write(folder.path().join(name), format!("value of {name}\n")).unwrap();
        }
        let text = "[agent.openai]\napi_key = { file = \"openai\" }\n\
                    [agent.anthropic]\napi_key = { file = \"anthropic\" }\n\
                    [agent.letta]\napi_key = { file = \"letta\" }\n\
                    [agent.acp]\nenv = { KEY = { file = \"env\" }, PLAIN = \"no secret\" }\n\
                    [speech]\napi_key = { file = \"speech\" }\n\
                    [transcription]\napi_key = { file = \"heard\" }\n\
                    [channels.slack]\ntoken = { file = \"token\" }\napp_token = { file = \"app\" }\n\
                    signing_secret = { file = \"signing\" }\n\
                    [channels.whatsapp]\nverify_token = { file = \"verify\" }\ntoken = { file = \"none\" }\n\
                    [[hooks]]\nname = \"told\"\nwhere = \"\"\nurl = \"https://example.org\"\n\
                    secret = { file = \"hook\" }\n";
        let config = parse(text, Path::new("test.toml")).unwrap();
        let mut read: Vec<_> = config
            .credentials(folder.path())
            .iter()
            .map(|secret| secret.expose().to_owned())
            .collect();
        read.sort_unstable();
        let mut expected = names.map(|name| format!("value of {name}"));
        expected.sort_unstable();
        assert_eq!(read, expected);
        // They are the files that nobody else may read, and each has the key that names it.
        let mut files: Vec<_> = config.secret_files().filter_map(Path::to_str).collect();
        files.sort_unstable();
        let mut expected = [&names[..], &["none"]].concat();
        expected.sort_unstable();
        assert_eq!(files, expected);
        let keys: Vec<_> = config.secrets().map(|(key, _)| key).collect();
        for key in [
            "agent.acp.env.KEY",
            "channels.slack.app_token",
            "hooks.told.secret",
        ] {
            assert!(keys.iter().any(|known| known == key), "{key}: {keys:?}");
        }
    }
}
