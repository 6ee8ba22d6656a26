//! The backend `acp` of a configuration.

use super::agents::{AgentError, unusable};
use crate::places;
use foldback_agents::{AcpAgent, AcpConfig};
use foldback_pipeline::config::{self, Config, CredentialReader, EnvValue};
use foldback_programs::Confinement;
use foldback_store::real_journal;
use foldback_wire::Clock;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The places of a bot that its agent lies beside, or is not to see.
pub(super) struct Surroundings {
    /// The folder that relative paths of the configuration lie below.
    pub(super) base: PathBuf,
    /// Reads the agents' credentials.
    pub(super) credentials: CredentialReader,
    /// The configuration's file; `None` for the embedded default.
    pub(super) file: Option<PathBuf>,
    /// The name of the configuration.
    pub(super) workspace: String,
    /// The data folder.
    pub(super) data: PathBuf,
    /// The journal's file, where there is one.
    pub(super) journal: Option<PathBuf>,
}

/// The agent that a configuration names. Nothing is started before the first message.
pub(super) fn build(
    all: &Config,
    around: &Surroundings,
    clock: &Arc<dyn Clock>,
) -> Result<AcpAgent, AgentError> {
    let from = &all.agent.acp;
    // The program may not know where we are, nor the protocol take a relative folder.
    let base = std::path::absolute(&around.base).map_err(|e| unusable("agent.acp.directory", &e))?;
    let program = from.program(&base).map_err(|e| unusable("the backend acp", &e))?;
    let mut config = AcpConfig::new(program, folder(from, &base, &around.workspace)?);
    config.args = from.command[1..].to_vec();
    if let Some(bubblewrap) = from.bubblewrap().map_err(|e| unusable("the backend acp", &e))? {
        let outgoing = base.join(&all.files.send_dir);
        fs::create_dir_all(&outgoing).map_err(|e| unusable("files.send_dir", &e))?;
        config.confinement = Some(confinement(bubblewrap, all, &base, around, vec![outgoing]));
    }
    for (name, value) in &from.env {
        let value = match value {
            EnvValue::Text(text) => text.clone(),
            EnvValue::Secret(secret) => {
                let read = around.credentials.read(secret);
                let value = read.map_err(|e| unusable(&format!("agent.acp.env.{name}"), &e))?;
                config.secrets.push(value.clone());
                value.expose().to_owned()
            }
        };
        config.env.insert(name.clone(), value);
    }
    config.sign_in.clone_from(&from.sign_in);
    config.mode.clone_from(&from.mode);
    config.options.clone_from(&from.options);
    config.limits.start = from.start_timeout.0;
    config.limits.first_byte = from.first_byte_timeout.0;
    config.limits.silence = from.silence_timeout.0;
    config.limits.total = from.total_timeout.0;
    config.limits.idle = from.keep.0;
    config.limits.processes = from.max_processes;
    Ok(AcpAgent::new(config, Arc::clone(clock)))
}

/// The working directory: the one that is named, else one outside of configuration and data.
fn folder(from: &config::AcpConfig, base: &Path, workspace: &str) -> Result<PathBuf, AgentError> {
    let folder = from.folder(base).or_else(|| places::agent_folder(workspace));
    folder.ok_or_else(|| AgentError::Missing("agent.acp.directory".to_owned()))
}

/// The space of a program that is confined: everything of ours is hidden, but the folders that it may write.
pub(super) fn confinement(
    bubblewrap: PathBuf,
    all: &Config,
    base: &Path,
    around: &Surroundings,
    writable: Vec<PathBuf>,
) -> Confinement {
    let mut hidden = vec![around.data.clone()];
    hidden.extend(around.file.clone());
    hidden.extend(places::config_folder());
    if let Some(journal) = &around.journal {
        let real = real_journal(journal);
        for end in ["", "-wal", "-shm", ".lock", ".sock"] {
            let mut file = real.clone().into_os_string();
            file.push(end);
            hidden.push(file.into());
        }
        if real != *journal {
            hidden.push(journal.clone());
        }
    }
    hidden.extend(all.secret_files().map(|file| base.join(file)));
    Confinement {
        bubblewrap,
        hidden,
        writable,
    }
}
