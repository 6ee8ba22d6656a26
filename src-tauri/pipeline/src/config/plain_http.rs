//! Keys that would travel unencrypted to another machine. Channels refuse that for their tokens; so do the backends and
//! the services of speech, unless a setting allows it for a network that one trusts.

use super::{Config, Secret};
use foldback_agents::is_sent_openly;

/// The table of the first service whose key would travel in the open, where its setting does not allow that.
pub(super) fn exposed_key(config: &Config) -> Option<&'static str> {
    let agent = &config.agent;
    let endpoints = [
        ("agent.openai", &agent.openai),
        ("agent.anthropic", &agent.anthropic),
        ("agent.letta", &agent.letta),
    ];
    let endpoints = endpoints.into_iter().map(|(table, of)| {
        (
            table,
            of.base_url.as_ref(),
            of.api_key.as_ref(),
            of.allow_plain_http,
        )
    });
    let (speech, heard) = (&config.speech, &config.transcription);
    let services = [
        (
            "speech",
            speech.base_url.as_ref(),
            speech.api_key.as_ref(),
            speech.allow_plain_http,
        ),
        (
            "transcription",
            heard.base_url.as_ref(),
            heard.api_key.as_ref(),
            heard.allow_plain_http,
        ),
    ];
    let exposed = |url: Option<&String>, key: Option<&Secret>| {
        key.is_some() && url.is_some_and(|url| is_sent_openly(url))
    };
    endpoints
        .chain(services)
        .find(|(_, url, key, allowed)| !allowed && exposed(*url, *key))
        .map(|(table, ..)| table)
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    fn read(text: &str) -> Result<(), String> {
        let read = parse(text, Path::new("foldback.toml"));
        read.map(drop).map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_does_not_travel_unencrypted_to_another_machine_unless_a_setting_allows_it() {
        let with_key = |table: &str, url: &str, more: &str| {
            format!("[{table}]\nbase_url = \"{url}\"\napi_key = {{ env = \"KEY\" }}\n{more}")
        };
        for table in [
            "agent.openai",
            "agent.anthropic",
            "agent.letta",
            "speech",
            "transcription",
        ] {
            let refused = read(&with_key(table, "http://192.168.1.4:8080/v1", "")).unwrap_err();
            let expected = format!(
                "foldback.toml:2:1: {table}.base_url: the key would travel unencrypted to another machine; use https, \
                 or set {table}.allow_plain_http = true where the network is trusted"
            );
            assert_eq!(refused, expected);
            for url in [
                "https://192.168.1.4/v1",
                "http://127.0.0.1:1/v1",
                "http://[::1]:1",
                "http://localhost:1",
            ] {
                assert_eq!(read(&with_key(table, url, "")), Ok(()), "{url}");
            }
            let allowed = with_key(table, "http://litellm:4000/v1", "allow_plain_http = true\n");
            assert_eq!(read(&allowed), Ok(()));
            assert_eq!(
                read(&format!("[{table}]\nbase_url = \"http://litellm:4000/v1\"\n")),
                Ok(()),
                "no key"
            );
        }
    }
}
