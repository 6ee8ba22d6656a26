//! The backend `acp`.

use super::{Interval, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

/// A program that speaks the Agent Client Protocol. Every conversation has a process of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AcpConfig {
    /// The program and its arguments. A relative path: below the configuration file's folder; a bare name: in `PATH`.
    pub command: Vec<String>,
    /// Its working directory. Relative: below the configuration file's folder. When absent, a folder of the
    /// configuration's name in `foldback-agent` in the system's folder for states, such as
    /// `~/.local/state/foldback-agent/foldback`. Made when it does not exist.
    pub directory: Option<PathBuf>,
    /// Confines it with bubblewrap, which has to be installed: it reads the machine but not Foldback's configuration,
    /// data and secret files, and writes only its working directory, `files.send_dir` and temporary files.
    pub confine: bool,
    /// Variables of its environment, which is empty but for these and `HOME`, `LANG`, `LC_ALL`, `LC_CTYPE`, `LOGNAME`,
    /// `PATH`, `SHELL`, `TMPDIR`, `TZ` and `USER`: text, or a reference to a secret.
    pub env: BTreeMap<String, EnvValue>,
    /// The way in which it is asked to sign in, by its own id of the way; it is not asked when absent.
    pub sign_in: Option<String>,
    /// The mode of its sessions, by its own id of it.
    pub mode: Option<String>,
    /// Options of its sessions, by its own ids of option and value, such as `model`.
    pub options: BTreeMap<String, String>,
    /// Longest wait for a process that is ready for a prompt.
    pub start_timeout: Interval,
    /// Longest wait for the first sign of an answer.
    pub first_byte_timeout: Interval,
    /// Longest silence in an answer. A tool that runs and a permission that is waited for are none.
    pub silence_timeout: Interval,
    /// Longest answer, tools and permissions included.
    pub total_timeout: Interval,
    /// The time for which a process is kept for the next message. After that its session is taken up by a new one,
    /// where the agent can.
    pub keep: Interval,
    /// Most processes at a time. One that waits for its next message makes room for another conversation.
    pub max_processes: usize,
}

impl Default for AcpConfig {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            directory: None,
            confine: false,
            env: BTreeMap::new(),
            sign_in: None,
            mode: None,
            options: BTreeMap::new(),
            start_timeout: Interval::minutes(1),
            first_byte_timeout: Interval::minutes(2),
            silence_timeout: Interval::minutes(2),
            total_timeout: Interval::minutes(30),
            keep: Interval::minutes(15),
            max_processes: 16,
        }
    }
}

/// A variable's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "text, or a reference to a secret, such as { env = \"NAME\" }, { file = \"PATH\" } or { keyring = \"NAME\" }"
)]
pub enum EnvValue {
    /// Text.
    Text(String),
    /// A secret, by reference.
    Secret(Secret),
}

impl AcpConfig {
    /// The program as it would be started, with relative paths below `base`.
    pub fn program(&self, base: &Path) -> Result<PathBuf, ProgramError> {
        let program = self.command.first().filter(|program| !program.is_empty());
        let program = program.ok_or(ProgramError::Missing)?;
        let found = if program.contains('/') {
            Some(base.join(program)).filter(|path| runs(path))
        } else {
            in_path(program)
        };
        found.ok_or_else(|| ProgramError::NotFound(program.clone()))
    }

    /// Its working directory, where one is named.
    pub fn folder(&self, base: &Path) -> Option<PathBuf> {
        Some(base.join(self.directory.as_deref()?))
    }

    /// The program bubblewrap, where it confines the agent.
    ///
    /// # Errors
    /// It is not installed.
    pub fn bubblewrap(&self) -> Result<Option<PathBuf>, ProgramError> {
        let wanted = self.confine.then_some("agent.acp.confine");
        wanted.map(bubblewrap_in_path).transpose()
    }

    /// The secrets in its environment, with their keys.
    pub fn secrets(&self) -> impl Iterator<Item = (String, &Secret)> {
        self.env.iter().filter_map(|(name, value)| match value {
            EnvValue::Secret(secret) => Some((format!("agent.acp.env.{name}"), secret)),
            EnvValue::Text(_) => None,
        })
    }
}

/// The reason for which there is no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// None is named.
    #[error("agent.acp.command is not set")]
    Missing,
    /// It is not there, or may not be run.
    #[error("agent.acp.command: there is no program {0} that can be run")]
    NotFound(String),
    /// A program is to be confined by this setting, and what confines it is not there.
    #[error("{0}: there is no program bwrap; install the package bubblewrap, or set it to false")]
    NoBubblewrap(&'static str),
}

/// The program bubblewrap, which a setting asks for.
pub(super) fn bubblewrap_in_path(setting: &'static str) -> Result<PathBuf, ProgramError> {
    in_path("bwrap").ok_or(ProgramError::NoBubblewrap(setting))
}

fn in_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|path| runs(path))
}

fn runs(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_program_is_found_where_a_shell_would() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str| {
            let config = AcpConfig {
                command: vec![name.to_owned()],
                ..AcpConfig::default()
            };
            config.program(folder.path())
        };
        assert!(program("sh").unwrap().ends_with("sh"));
        assert_eq!(program(""), Err(ProgramError::Missing));
        assert_eq!(
            program("no-such-agent"),
            Err(ProgramError::NotFound("no-such-agent".to_owned()))
        );
        fs::write(folder.path().join("plain"), "").unwrap();
        assert!(program("./plain").is_err(), "it may not be run");
    }

    #[test]
    fn a_variable_is_text_or_a_reference_and_a_mistake_is_not_quoted() {
        let config: AcpConfig = toml::from_str("env = { A = \"a\", B = { env = \"KEY\" } }").unwrap();
        assert_eq!(config.env["A"], EnvValue::Text("a".to_owned()));
        let secrets: Vec<_> = config.secrets().collect();
        assert_eq!(
            secrets,
            [("agent.acp.env.B".to_owned(), &Secret::Env("KEY".to_owned()))]
        );
        let wrong = toml::from_str::<AcpConfig>("env = { B = { value = \"sk-secret\" } }");
        let words = wrong.unwrap_err().message().to_owned();
        assert!(
            words.contains("a reference to a secret") && !words.contains("sk-secret"),
            "{words}"
        );
    }
}
