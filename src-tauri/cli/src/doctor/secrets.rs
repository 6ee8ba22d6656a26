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

/// Every secret that the bot would read, by the key that names it: those of agents that nobody asks are none.
fn named(subject: &Subject) -> Vec<(String, Secret)> {
    let backends = subject.backends();
    let is_read = |key: &str| {
        let backend = key.strip_prefix("agent.").and_then(|rest| rest.split('.').next());
        backend.is_none_or(|backend| backends.contains(backend))
    };
    let secrets = subject.config.secrets();
    let read = secrets.filter(|(key, _)| is_read(key));
    read.map(|(key, secret)| (key, secret.clone())).collect()
}
