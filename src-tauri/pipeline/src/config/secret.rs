//! Secrets by reference. The value is read when it is used and never printed, stored or compared.

use super::keyring::{self, KeyringError};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The place where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Secret {
    /// In an environment variable.
    Env(String),
    /// In a file, without the line break at its end. Relative: below the configuration file's folder.
    File(PathBuf),
    /// In the system's keyring, under this name; `foldback secret set NAME` puts it there.
    Keyring(String),
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reference)
    }
}

/// Reads a reference. Whoever writes the secret itself in its place must not find it in an error message, which
/// is what the derived reader would do.
struct Reference;

impl<'de> de::Visitor<'de> for Reference {
    type Value = Secret;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reference to a secret, such as { env = \"NAME\" }, { file = \"PATH\" } or { keyring = \"NAME\" }")
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Secret, E> {
        Err(E::custom(format_args!(
            "expected {}; the secret itself never stands here",
            &self as &dyn de::Expected
        )))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Secret, A::Error> {
        let wrong = || de::Error::custom(format_args!("expected {}", &Self as &dyn de::Expected));
        let Some(kind) = map.next_key::<String>()? else {
            return Err(wrong());
        };
        let secret = match kind.as_str() {
            "env" => Secret::Env(map.next_value()?),
            "file" => Secret::File(map.next_value()?),
            "keyring" => Secret::Keyring(map.next_value()?),
            _ => return Err(wrong()),
        };
        match map.next_key::<String>()? {
            None => Ok(secret),
            Some(_) => Err(wrong()),
        }
    }
}

/// The reason for which a secret cannot be had. Never holds any of it.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set, or empty.
    #[error("the environment variable {0} is not set")]
    NoVariable(String),
    /// The file cannot be read.
    #[error("the secret file {path} cannot be read: {source}")]
    NoFile {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is empty.
    #[error("the secret file {0} is empty")]
    Empty(PathBuf),
    /// The system's keyring does not give it.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
}

impl Secret {
    /// Reads the secret. Relative files lie below `base`.
    pub fn resolve(&self, base: &Path) -> Result<String, SecretError> {
        match self {
            Self::Env(name) => match std::env::var(name) {
                Ok(value) if !value.is_empty() => Ok(value),
                _ => Err(SecretError::NoVariable(name.clone())),
            },
            Self::File(path) => {
                let path = base.join(path);
                let text = std::fs::read_to_string(&path).map_err(|source| SecretError::NoFile {
                    path: path.clone(),
                    source,
                })?;
                let value = text.trim_end_matches(['\r', '\n']);
                if value.is_empty() {
                    Err(SecretError::Empty(path))
                } else {
                    Ok(value.to_owned())
                }
            }
            Self::Keyring(name) => Ok(keyring::read(name)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_place_of_a_reference_is_not_repeated() {
        for text in [
            "api_key = \"sk-TOPSECRET\"",
            "api_key = { value = \"sk-TOPSECRET\" }",
            "api_key = 4711",
        ] {
            let text = format!("[agent.openai]\n{text}\n");
            let error = crate::config::parse(&text, Path::new("x.toml"))
                .unwrap_err()
                .to_string();
            assert!(!error.contains("TOPSECRET"), "{error}");
            assert!(
                error.contains("{ env = \"NAME\" }") && error.contains("x.toml:2:"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_file_gives_its_text_without_the_last_break() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("token"), "s3cret\r\n").unwrap();
        assert_eq!(
            Secret::File("token".into()).resolve(dir.path()).unwrap(),
            "s3cret"
        );
        std::fs::write(dir.path().join("none"), "\n").unwrap();
        assert!(matches!(
            Secret::File("none".into()).resolve(dir.path()),
            Err(SecretError::Empty(_))
        ));
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = |secret: Secret| secret.resolve(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(missing(Secret::Env("FOLDBACK_NO_SUCH".into())).contains("FOLDBACK_NO_SUCH"));
        assert!(missing(Secret::File("t".into())).contains("/nowhere/t"));
        // With a keyring it is not there, and without one nobody can be asked.
        let none = missing(Secret::Keyring("foldback-no-such".into()));
        assert!(
            none.contains("foldback-no-such") && none.contains("keyring"),
            "{none}"
        );
    }
}
