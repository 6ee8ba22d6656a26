//! Agents: the program of an ACP agent, the servers of the others.

use super::{
    acp,
    check::{Answer, Check},
    reach::reach_url,
    subject::Subject,
};
use foldback_pipeline::config::{self, Config, EndpointConfig};

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let mut checks = Vec::new();
    if subject.backends().contains("acp") {
        checks.extend(acp::checks(subject));
    }
    for (backend, endpoint) in subject.endpoints() {
        checks.extend(server(&subject.config, backend, endpoint));
    }
    checks
}

fn server(config: &Config, backend: &str, endpoint: &EndpointConfig) -> Vec<Check> {
    let mut checks = Vec::new();
    let about = format!("agent.{backend}.base_url");
    let default = (backend == "anthropic").then_some(config::ANTHROPIC);
    checks.push(match endpoint.base_url.as_deref().or(default) {
        None => Check::answered(
            about,
            "the configuration for an address",
            Answer::wrong("is not set", "name the server's address"),
        ),
        Some(url) => connection(about, url, "start the server, or mend the address"),
    });
    let about = format!("agent.{backend}.model");
    let asked = "the configuration for a model";
    match &endpoint.model {
        Some(model) => checks.push(Check::answered(about, asked, Answer::fine(model.clone()))),
        None if names_models(config, backend) => {}
        None => {
            let todo = "name a model that the server has; for letta, an agent";
            checks.push(Check::answered(about, asked, Answer::wrong("is not set", todo)));
        }
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

/// A check that connects to a URL's host and asks nothing.
fn connection(about: impl Into<String>, url: &str, todo: &'static str) -> Check {
    let url = url.to_owned();
    Check::new(about, format!("{url} for a connection"), async move {
        match reach_url(&url).await {
            Ok(()) => Answer::fine(format!("{url} answers")),
            Err(error) => Answer::wrong(error, todo),
        }
    })
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
