//! The backend `acp` of a configuration.

use super::agents::{AgentError, unusable};
use foldback_agents::{AcpAgent, AcpConfig, Secret};
use foldback_pipeline::config::{self, EnvValue};
use foldback_wire::Clock;
use std::{path::Path, sync::Arc};

/// The agent that a configuration names. Nothing is started before the first message.
pub(super) fn build(
    from: &config::AcpConfig,
    base: &Path,
    clock: &Arc<dyn Clock>,
) -> Result<AcpAgent, AgentError> {
    // The program may not know where we are, nor the protocol take a relative folder.
    let base = std::path::absolute(base).map_err(|e| unusable("agent.acp.directory", &e))?;
    let program = from.program(&base).map_err(|e| unusable("the backend acp", &e))?;
    let mut config = AcpConfig::new(program, from.folder(&base));
    config.args = from.command[1..].to_vec();
    for (name, value) in &from.env {
        let value = match value {
            EnvValue::Text(text) => text.clone(),
            EnvValue::Secret(secret) => {
                let value = secret
                    .resolve(&base)
                    .map_err(|e| unusable(&format!("agent.acp.env.{name}"), &e))?;
                config.secrets.push(Secret::new(value.clone()));
                value
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
