//! Secrets by reference. The value is read when it is used and never printed, stored or compared.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Secret {
    /// In an environment variable.
    Env(String),
    /// In a file, without the line break at its end. Relative: below the configuration file's folder.
    File(PathBuf),
    /// In the system's keyring, under this name.
    Keyring(String),
}

/// Why a secret cannot be had. Never holds any of it.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set, or empty.
    #[error("the environment variable {0} is not set")]
    NoVariable(String),
    /// The file cannot be read.
    #[error("the secret file {path} cannot be read: {source}")]
    NoFile {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is empty.
    #[error("the secret file {0} is empty")]
    Empty(PathBuf),
    /// This build has no keyring.
    #[error(
        "this build cannot read the system keyring; keep {0} in an environment variable or a file instead"
    )]
    NoKeyring(String),
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
            Self::Keyring(name) => Err(SecretError::NoKeyring(name.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(missing(Secret::Keyring("telegram".into())).contains("telegram"));
    }
}
