//! Speech: what speaks and what listens. No word is spoken: a service is asked for its list of models, or for the voice.

use super::{
    check::{Answer, Check},
    http::Reply,
    servers::public,
    subject::Subject,
};
use foldback_agents::speech::{DEFAULT_COMMAND, ElevenLabsVoice};
use foldback_pipeline::config::{Secret, SpeechBackend, TranscriptionBackend};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let config = &subject.config;
    let (speech, transcription) = (&config.speech, &config.transcription);
    let mut checks = Vec::new();
    match speech.backend {
        SpeechBackend::None => {}
        SpeechBackend::Tone => checks.push(Check::answered(
            "speech.backend",
            "the configuration for a voice",
            Answer::note(
                "tone: voice notes are tones, not words",
                "name a backend that speaks: openai, elevenlabs or command",
            ),
        )),
        SpeechBackend::Command => {
            let first = speech.command.first();
            checks.push(program(first.map_or(DEFAULT_COMMAND[0], String::as_str)));
        }
        SpeechBackend::Openai => checks.extend(models(&Service {
            subject,
            table: "speech",
            base_url: speech.base_url.as_deref(),
            api_key: speech.api_key.as_ref(),
            model: speech.model.as_deref(),
        })),
        SpeechBackend::Elevenlabs => checks.extend(voice(subject)),
    }
    match transcription.backend {
        TranscriptionBackend::None => {}
        TranscriptionBackend::Openai => checks.extend(models(&Service {
            subject,
            table: "transcription",
            base_url: transcription.base_url.as_deref(),
            api_key: transcription.api_key.as_ref(),
            model: transcription.model.as_deref(),
        })),
    }
    checks
}

/// A table of the configuration that names an OpenAI-compatible service.
struct Service<'a> {
    subject: &'a Subject,
    table: &'static str,
    base_url: Option<&'a str>,
    api_key: Option<&'a Secret>,
    model: Option<&'a str>,
}

/// The service's list of models, asked for with the key. An address that is not set is what putting the bot together
/// finds.
fn models(service: &Service<'_>) -> Option<Check> {
    let (table, subject) = (service.table, service.subject.clone());
    let url = format!("{}/models", service.base_url?.trim_end_matches('/'));
    let (key, model) = (service.api_key.cloned(), service.model.map(str::to_owned));
    let asked = format!("GET {url}");
    Some(Check::new(format!("{table}.base_url"), asked, async move {
        let reply = async {
            let key = match &key {
                Some(key) => Some(subject.secret(&format!("{table}.api_key"), key).await?),
                None => None,
            };
            let bearer = key.map(|key| format!("Bearer {key}"));
            let headers: Vec<_> = bearer
                .iter()
                .map(|value| ("authorization", value.as_str()))
                .collect();
            Ok(subject.http.get(&url, &headers).await?)
        };
        match reply.await {
            Ok(reply) => {
                let tried = match key {
                    None => KeyTried::NoKey,
                    Some(_) if reply.status != 200 => KeyTried::Tried,
                    Some(_) => match subject.http.get(&url, &[]).await {
                        Ok(Reply { status: 200, .. }) => KeyTried::Public,
                        _ => KeyTried::Tried,
                    },
                };
                judge_models(table, &reply, model.as_deref(), tried)
            }
            Err(answer) => answer,
        }
    }))
}

/// The part of a key in a list of models that came.
#[derive(Debug, Clone, Copy)]
enum KeyTried {
    /// Without it the list does not come.
    Tried,
    /// The list comes to anyone.
    Public,
    /// There is none.
    NoKey,
}

impl KeyTried {
    const fn about(self) -> &'static str {
        match self {
            Self::Tried => "answers and takes the key",
            Self::Public => "lists its models to anyone, so the key was not tried",
            Self::NoKey => "lists its models without a key",
        }
    }
}

fn judge_models(table: &str, reply: &Reply, model: Option<&str>, tried: KeyTried) -> Answer {
    let list = reply.json().and_then(|json| json["data"].as_array().cloned());
    let about = tried.about();
    match (reply.status, list, model) {
        _ if reply.refuses_key() && matches!(tried, KeyTried::NoKey) => Answer::wrong(
            format!("wants a key ({})", reply.status),
            &format!("name the key's place in {table}.api_key"),
        ),
        _ if reply.refuses_key() => refused(table, reply.status),
        (200, Some(list), Some(model)) if !list.iter().any(|listed| listed["id"] == model) => Answer::note(
            format!("{about}; {model} is not in its list of models"),
            &format!("look whether {table}.model is right: some services list only a part"),
        ),
        (200, Some(_), _) if matches!(tried, KeyTried::Public) => {
            public("model", &format!("{table}.api_key"))
        }
        (200, Some(_), Some(model)) => Answer::fine(format!("{about}; it has {model}")),
        (200, Some(_), None) => Answer::fine(about),
        (status, ..) => Answer::unasked(
            format!("answers {status} and has no list of models, so key and model were not tried"),
            &format!("look at {table}.base_url where this is not the service that was meant"),
        ),
    }
}

fn refused(table: &str, status: u16) -> Answer {
    let todo = format!("mend {table}.api_key");
    Answer::wrong(format!("refuses the key with {status}"), &todo)
}

/// The voice at ElevenLabs, asked for with the key.
fn voice(subject: &Subject) -> Option<Check> {
    let speech = &subject.config.speech;
    let root = speech.base_url.as_deref().unwrap_or(ElevenLabsVoice::BASE_URL);
    let voice = speech.voice.as_deref()?;
    let url = format!("{}/voices/{voice}", root.trim_end_matches('/'));
    let (subject, key) = (subject.clone(), speech.api_key.clone());
    Some(Check::new("speech.voice", format!("GET {url}"), async move {
        let reply = async {
            let Some(key) = &key else {
                return Err(Answer::wrong("there is no key to ask with", "set speech.api_key"));
            };
            let key = subject.secret("speech.api_key", key).await?;
            Ok(subject.http.get(&url, &[("xi-api-key", &key)]).await?)
        };
        match reply.await {
            Ok(Reply { status: 200, .. }) => Answer::fine("answers, takes the key and has the voice"),
            Ok(Reply {
                status: status @ (401 | 403),
                ..
            }) => refused("speech", status),
            Ok(Reply {
                status: status @ (400 | 404 | 422),
                ..
            }) => Answer::wrong(
                format!("does not know the voice: {status}"),
                "mend speech.voice: it is an id",
            ),
            Ok(Reply { status, .. }) => Answer::unasked(
                format!("answers {status}, so key and voice were not tried"),
                "try again later, or look at speech.base_url",
            ),
            Err(answer) => answer,
        }
    }))
}

fn program(name: &str) -> Check {
    let name = name.to_owned();
    Check::blocking("speech.command", format!("for the program {name}"), move || {
        if is_program(&name) {
            return Answer::fine(format!("{name} is there"));
        }
        let todo = "install it (Debian: apt-get install espeak-ng), or name another program";
        Answer::wrong(format!("{name} is not there"), todo)
    })
}

/// A program can be started by its path, or by its name on `PATH`.
fn is_program(name: &str) -> bool {
    let can_run = |path: &Path| {
        let mode = fs::metadata(path).map(|meta| meta.is_file().then(|| meta.permissions().mode()));
        matches!(mode, Ok(Some(mode)) if mode & 0o111 != 0)
    };
    if name.contains('/') {
        return can_run(Path::new(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| can_run(&folder.join(name)))
}
