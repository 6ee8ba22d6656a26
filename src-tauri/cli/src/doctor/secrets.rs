//! Secrets: is there one at each place that is named?

use super::{
    check::{Answer, Check, State},
    rights::open_to_others,
    subject::Subject,
};
use foldback_pipeline::config::Secret;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    named(subject)
        .into_iter()
        .map(|(about, secret)| {
            let asked = match &secret {
                Secret::Env(name) => format!("the environment variable {name}"),
                Secret::File(path) => format!("the file {}", subject.path(path).display()),
                Secret::Keyring(name) => format!("the system's keyring for {name}"),
            };
            let (subject, key) = (subject.clone(), about.clone());
            Check::new(about, asked, async move {
                match subject.secret(&key, &secret).await {
                    Ok(_) => match open_file(&subject, &secret) {
                        None => Answer::fine("there is one; it is not shown"),
                        Some((file, mode)) => Answer::note(
                            format!("there is one; other users may read the file ({mode})"),
                            &format!("chmod 600 {file}"),
                        ),
                    },
                    Err(missing) => Answer {
                        state: State::Wrong,
                        todo: Some("put it there, or name another place".to_owned()),
                        ..missing
                    },
                }
            })
        })
        .collect()
}

/// The file of a secret and its rights, where other users may read it.
fn open_file(subject: &Subject, secret: &Secret) -> Option<(String, String)> {
    let Secret::File(path) = secret else {
        return None;
    };
    let path = subject.path(path);
    Some((path.display().to_string(), open_to_others(&path)?))
}

/// Every secret, by the key that names it.
fn named(subject: &Subject) -> Vec<(String, Secret)> {
    let config = &subject.config;
    let mut named = Vec::new();
    for (backend, endpoint) in subject.endpoints() {
        if let Some(secret) = &endpoint.api_key {
            named.push((format!("agent.{backend}.api_key"), secret.clone()));
        }
    }
    if subject.backends().contains("acp") {
        let secrets = config.agent.acp.secrets();
        named.extend(secrets.map(|(key, secret)| (key, secret.clone())));
    }
    let speech = [
        ("speech.api_key", &config.speech.api_key),
        ("transcription.api_key", &config.transcription.api_key),
    ];
    for (about, secret) in speech {
        named.extend(secret.clone().map(|secret| (about.to_owned(), secret)));
    }
    for (id, channel) in &config.channels {
        let of_channel = channel.secrets();
        named.extend(of_channel.map(|(key, secret)| (format!("channels.{id}.{key}"), secret.clone())));
    }
    named
}
