//! Agents: the program of an ACP agent, the servers of the others.

use super::{
    acp,
    check::{Answer, Check},
    servers,
    subject::Subject,
};
use foldback_pipeline::config::{self, Config, EndpointConfig};

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let mut checks = Vec::new();
    if subject.backends().contains("acp") {
        checks.extend(acp::checks(subject));
    }
    for (backend, endpoint) in subject.endpoints() {
        checks.extend(server(subject, backend, endpoint));
    }
    checks
}

fn server(subject: &Subject, backend: &'static str, endpoint: &EndpointConfig) -> Vec<Check> {
    let mut checks = servers::checks(subject, backend, endpoint);
    if endpoint.model.is_none() && !names_models(&subject.config, backend) {
        let todo = "name a model that the server has; for letta, an agent";
        let about = format!("agent.{backend}.model");
        let asked = "the configuration for a model";
        checks.push(Check::answered(about, asked, Answer::wrong("is not set", todo)));
    }
    if backend == "letta" {
        let todo = "let only chats in that may know of each other";
        let note = Answer::note("all chats share the memory of its agent", todo);
        checks.push(Check::answered("agent.letta", "the backend's nature", note));
    }
    if backend == "anthropic" && endpoint.api_key.is_none() {
        let todo = "name its place in agent.anthropic.api_key, unless a gateway adds one";
        let about = format!("agent.{backend}.api_key");
        checks.push(Check::answered(
            about,
            "the configuration for a key",
            Answer::note("is not set", todo),
        ));
    }
    checks
}

/// A backend that is used only as one that steps in, each time with a model of its own, needs no model.
fn names_models(config: &Config, backend: &str) -> bool {
    let is = |used: config::Backend| used.code() == backend;
    let mut channels = config.channels.keys().map(|id| config.backend_of(id));
    let mut fallback = config.agent.fallback.iter();
    !is(config.agent.backend)
        && !channels.any(is)
        && fallback.all(|alternative| !is(alternative.backend) || alternative.model.is_some())
}
