//! How the backends that are asked over HTTP are configured.

use super::agents::{AgentError, unusable};
use foldback_agents::{Api, HttpConfig};
use foldback_pipeline::config::{
    ANTHROPIC, AgentConfig, Backend, CredentialReader, EndpointConfig, OpenaiApi,
};

/// What the agent of a backend needs to know, with another model than the configured one where it is named.
/// `openai`, `anthropic` and `letta` are asked over HTTP; no other backend gets here.
pub(super) fn config(
    agent: &AgentConfig,
    backend: Backend,
    model: Option<&str>,
    credentials: &CredentialReader,
) -> Result<(Api, HttpConfig), AgentError> {
    let key = |name: &str| format!("agent.{}.{name}", backend.code());
    let (api, endpoint) = match backend {
        Backend::Anthropic => (Api::Anthropic, &agent.anthropic),
        Backend::Letta => (Api::Letta, &agent.letta),
        _ => match agent.openai.api.unwrap_or_default() {
            OpenaiApi::Chat => (Api::Chat, &agent.openai),
            OpenaiApi::Responses => (Api::Responses, &agent.openai),
        },
    };
    refuse_foreign(api, endpoint, key)?;
    let root = match (&endpoint.base_url, api) {
        (Some(root), _) => root.as_str(),
        (None, Api::Anthropic) => ANTHROPIC,
        (None, _) => return Err(AgentError::Missing(key("base_url"))),
    };
    let model = model
        .or(endpoint.model.as_deref())
        .ok_or_else(|| AgentError::Missing(key("model")))?;
    let mut config = HttpConfig::new(root, model);
    if let Some(secret) = &endpoint.api_key {
        let read = credentials.read(secret);
        config.api_key = Some(read.map_err(|e| unusable(&key("api_key"), &e))?);
    }
    config.system.clone_from(&endpoint.system_prompt);
    config.max_tokens = endpoint.max_tokens;
    config.images = endpoint.images.unwrap_or(api == Api::Anthropic);
    config.extra.clone_from(&endpoint.extra);
    if let Some(limit) = endpoint.timeout {
        config.timeouts.first_byte = limit.0;
        config.timeouts.silence = limit.0;
    }
    Ok((api, config))
}

/// Refuses keys that a backend would pass over in silence.
fn refuse_foreign(
    api: Api,
    endpoint: &EndpointConfig,
    key: impl Fn(&str) -> String,
) -> Result<(), AgentError> {
    if endpoint.api.is_some() && !matches!(api, Api::Chat | Api::Responses) {
        return Err(unusable(&key("api"), &"only openai has several protocols"));
    }
    if api == Api::Letta && endpoint.system_prompt.is_some() {
        return Err(unusable(
            &key("system_prompt"),
            &"a Letta agent has its own, at the server",
        ));
    }
    if api == Api::Letta && endpoint.max_tokens.is_some() {
        return Err(unusable(
            &key("max_tokens"),
            &"it is set at the Letta server, for the agent",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn read(toml: &str, backend: Backend, model: Option<&str>) -> Result<(Api, HttpConfig), String> {
        let parsed =
            foldback_pipeline::config::parse(toml, Path::new("foldback.toml")).expect("a configuration");
        let credentials = CredentialReader::new("/".into(), None);
        config(&parsed.agent, backend, model, &credentials).map_err(|error| error.to_string())
    }

    #[test]
    fn every_key_of_an_endpoint_reaches_its_agent() {
        let (api, config) = read(
            "[agent.openai]\napi = \"responses\"\nbase_url = \"http://h/v1\"\nmodel = \"m\"\nimages = true\n\
             max_tokens = 7\nsystem_prompt = \"s\"\ntimeout = \"3s\"\n[agent.openai.extra]\ntemperature = 0\n",
            Backend::Openai,
            None,
        )
        .expect("usable");
        assert_eq!(
            (api, config.base_url.as_str(), config.model.as_str()),
            (Api::Responses, "http://h/v1", "m")
        );
        assert_eq!(
            (config.images, config.max_tokens, config.system.as_deref()),
            (true, Some(7), Some("s"))
        );
        assert_eq!(config.timeouts.silence.as_secs(), 3);
        assert_eq!(config.extra["temperature"], 0);
    }

    #[test]
    fn what_is_missing_has_a_default_or_is_named() {
        let anthropic = "[agent.anthropic]\nmodel = \"m\"\n";
        let (api, config) = read(anthropic, Backend::Anthropic, None).expect("usable");
        assert_eq!(
            (api, config.base_url.as_str(), config.images),
            (Api::Anthropic, ANTHROPIC, true)
        );
        let (_, config) = read(anthropic, Backend::Anthropic, Some("other")).expect("usable");
        assert_eq!(config.model, "other");
        for (toml, backend, words) in [
            ("", Backend::Openai, "agent.openai.base_url is not set"),
            ("", Backend::Anthropic, "agent.anthropic.model is not set"),
            (
                "[agent.letta]\nmodel = \"a\"\n",
                Backend::Letta,
                "agent.letta.base_url is not set",
            ),
        ] {
            assert_eq!(read(toml, backend, None).expect_err(words), words);
        }
    }

    #[test]
    fn keys_of_other_backends_are_refused() {
        for (line, backend) in [
            ("api = \"chat\"", Backend::Anthropic),
            ("api = \"chat\"", Backend::Letta),
            ("system_prompt = \"s\"", Backend::Letta),
            ("max_tokens = 1", Backend::Letta),
        ] {
            let name = backend.code();
            let toml = format!("[agent.{name}]\nbase_url = \"http://h\"\nmodel = \"m\"\n{line}\n");
            let error = read(&toml, backend, None).expect_err(line);
            let key = line.split(' ').next().expect("a key");
            assert!(error.starts_with(&format!("agent.{name}.{key}: ")), "{error}");
        }
    }
}
