//! The credentials that a configuration refers to, to be masked by their value.

use super::{ChannelConfig, Config, Secret as Reference, SecretError};
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
    /// Every credential that can be read now. One that cannot is told of where it is used.
    pub fn credentials(&self, base: &Path) -> Vec<Secret> {
        let agent = &self.agent;
        let endpoints = [&agent.openai, &agent.anthropic, &agent.letta];
        let keys = endpoints.into_iter().map(|endpoint| &endpoint.api_key);
        let keys = keys.chain([&self.speech.api_key, &self.transcription.api_key]);
        let of_channels = self.channels.values().flat_map(ChannelConfig::secrets);
        let references = keys
            .flatten()
            .chain(agent.acp.secrets().map(|(_, secret)| secret))
            .chain(of_channels.map(|(_, secret)| secret))
            .chain(self.hooks.iter().filter_map(|hook| hook.secret.as_ref()));
        let read = |secret: &Reference| secret.resolve(base).ok().map(Secret::new);
        references.filter_map(read).collect()
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
                    [channels.whatsapp]\nverify_token = { file = \"verify\" }\ntoken = { file = \"none\" }\n";
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
    }
}
