//! Backends as a person knows them: by their program or model.

use foldback_pipeline::config::{AgentConfig, Backend, Config};

/// The backends that answer: the one that is asked unless a channel names another, then those of such channels.
pub(super) fn backends_in_words(config: &Config) -> String {
    let mut words = vec![in_words(&config.agent, config.agent.backend)];
    for (id, channel) in &config.channels {
        if let Some(own) = channel.backend.filter(|own| *own != config.agent.backend) {
            words.push(format!("on {id} {}", in_words(&config.agent, own)));
        }
    }
    words.join(", ")
}

/// A backend with its program or model. Arguments of a program may be secrets and stay away.
fn in_words(agent: &AgentConfig, backend: Backend) -> String {
    let file = agent.script.file.as_ref().map(|file| file.display().to_string());
    let by = match backend {
        Backend::Script => file.or_else(|| Some("the built-in demonstration".to_owned())),
        Backend::Openai => agent.openai.model.clone(),
        Backend::Anthropic => agent.anthropic.model.clone(),
        Backend::Letta => agent.letta.model.clone(),
        Backend::Acp => agent.acp.command.first().cloned(),
    };
    match by {
        Some(by) => format!("{} ({by})", backend.code()),
        None => backend.code().to_owned(),
    }
}
