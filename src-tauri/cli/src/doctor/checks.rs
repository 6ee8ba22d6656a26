//! What is looked at.

use super::reach::{reach, reach_url};
use crate::{end::Stop, places::Place};
use foldback_agents::speech::DEFAULT_COMMAND;
use foldback_api::{Backend, Setup};
use foldback_pipeline::config::{
    self, ChannelConfig, Config, EndpointConfig, Secret, SpeechBackend, SpeechConfig,
};
use foldback_store::{Journal as _, MemoryJournal, SqliteJournal};
use foldback_wire::ChannelId;
use serde::Serialize;
use std::{collections::BTreeSet, fs, io, os::unix::fs::PermissionsExt as _, path::Path, sync::Arc};

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Fine,
    /// It works, but perhaps not as it was meant.
    Note,
    Wrong,
}

impl State {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Note => "note",
            Self::Wrong => "wrong",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) state: State,
    /// What was looked at: a key of the configuration, or a word.
    pub(super) about: String,
    pub(super) found: String,
    /// What to do about it.
    pub(super) todo: Option<String>,
}

/// All findings, in the order in which they were made.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, state: State, about: impl Into<String>, found: impl Into<String>, todo: Option<&str>) {
        self.0.push(Finding {
            state,
            about: about.into(),
            found: found.into(),
            todo: todo.map(str::to_owned),
        });
    }

    fn fine(&mut self, about: impl Into<String>, found: impl Into<String>) {
        self.add(State::Fine, about, found, None);
    }

    fn note(&mut self, about: impl Into<String>, found: impl Into<String>, todo: &str) {
        self.add(State::Note, about, found, Some(todo));
    }

    fn wrong(&mut self, about: impl Into<String>, found: impl Into<String>, todo: &str) {
        self.add(State::Wrong, about, found, Some(todo));
    }
}

/// Looks at everything. What cannot be looked at because of an earlier finding is left out.
pub(super) async fn all(place: &Place) -> Vec<Finding> {
    let mut findings = Findings::default();
    if let Some(setup) = configuration(place, &mut findings) {
        folders(&setup, &mut findings);
        journal(&setup.journal_file(), &mut findings).await;
        secrets(&setup.config, &setup.base, &mut findings);
        channels(&setup.config, &mut findings).await;
        agents(&setup.config, &setup.base, &mut findings).await;
        speech(&setup.config, &mut findings).await;
        assembly(setup, &mut findings).await;
    }
    findings.0
}

fn configuration(place: &Place, findings: &mut Findings) -> Option<Setup> {
    let about = "configuration";
    match place.setup() {
        Ok(setup) => {
            match place.config() {
                Some(path) => findings.fine(about, path.display().to_string()),
                None => findings.fine(about, "the embedded default; there is no file"),
            }
            Some(setup)
        }
        Err(Stop::Wrong(message)) => {
            let todo = "mend it; `foldback schema config` has all keys";
            findings.wrong(about, message, todo);
            None
        }
        Err(Stop::Closed) => None,
    }
}

fn folders(setup: &Setup, findings: &mut Findings) {
    let send_dir = setup.base.join(&setup.config.files.send_dir);
    for (about, folder) in [("data folder", &setup.data), ("files.send_dir", &send_dir)] {
        match writable(folder) {
            Ok(()) => findings.fine(about, folder.display().to_string()),
            Err(error) => findings.wrong(
                about,
                format!("{} cannot be written: {error}", folder.display()),
                "make it a folder that this user may write, or name another",
            ),
        }
    }
}

/// Whether files can be made in a folder, which is made if need be: a start would make it, too.
fn writable(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}

/// Whether a start could write a journal there: the file, if it exists, and beside it.
fn opens(path: &Path) -> io::Result<()> {
    writable(path.parent().unwrap_or(Path::new(".")))?;
    if path.exists() {
        fs::OpenOptions::new().append(true).open(path)?;
    }
    Ok(())
}

async fn journal(path: &Path, findings: &mut Findings) {
    let about = "journal";
    if let Err(error) = opens(path) {
        let found = format!("{} cannot be written: {error}", path.display());
        let todo = "mend the rights, or choose another file with --db or store.file";
        return findings.wrong(about, found, todo);
    }
    if !path.exists() {
        return findings.fine(about, format!("{} will be begun", path.display()));
    }
    match SqliteJournal::open_read_only(path).await {
        Ok(journal) => {
            let open = journal.outbox().await.map_or(0, |outbox| outbox.len());
            let found = format!(
                "{}, {} events, {open} operations open",
                path.display(),
                journal.head()
            );
            findings.fine(about, found);
        }
        Err(error) => findings.wrong(
            about,
            error.to_string(),
            "choose another file with --db or store.file",
        ),
    }
}

/// Every secret, by the key that names it.
fn secrets(config: &Config, base: &Path, findings: &mut Findings) {
    let mut named: Vec<(String, &Secret)> = Vec::new();
    for (backend, endpoint) in endpoints(config) {
        if let Some(secret) = &endpoint.api_key {
            named.push((format!("agent.{backend}.api_key"), secret));
        }
    }
    if used(config).contains("acp") {
        named.extend(config.agent.acp.secrets());
    }
    let speech = [
        ("speech.api_key", &config.speech.api_key),
        ("transcription.api_key", &config.transcription.api_key),
    ];
    for (about, secret) in speech {
        named.extend(secret.as_ref().map(|secret| (about.to_owned(), secret)));
    }
    for (id, channel) in &config.channels {
        let of_channel = channel.secrets();
        named.extend(of_channel.map(|(key, secret)| (format!("channels.{id}.{key}"), secret)));
    }
    for (about, secret) in named {
        match secret.resolve(base) {
            Ok(_) => findings.fine(about, "there is one; it is not shown"),
            Err(error) => findings.wrong(about, error.to_string(), "put it there, or name another place"),
        }
    }
}

/// The backends that some channel uses.
fn used(config: &Config) -> BTreeSet<&'static str> {
    let of_channels = config.channels.keys().map(|id| config.backend_of(id));
    let steps_in = config.agent.fallback.iter().map(|other| other.backend);
    let used = of_channels.chain([config.agent.backend]).chain(steps_in);
    used.map(config::Backend::code).collect()
}

/// The HTTP backends that some channel uses.
fn endpoints(config: &Config) -> Vec<(&'static str, &EndpointConfig)> {
    let used = used(config);
    let agent = &config.agent;
    let all = [
        ("openai", &agent.openai),
        ("anthropic", &agent.anthropic),
        ("letta", &agent.letta),
    ];
    all.into_iter().filter(|(name, _)| used.contains(name)).collect()
}

async fn channels(config: &Config, findings: &mut Findings) {
    for (id, channel) in &config.channels {
        let about = format!("channels.{id}");
        let ChannelConfig { enabled, armed, .. } = channel;
        let state = match (enabled, armed) {
            (false, _) => "switched off",
            (true, true) => "on and armed",
            (true, false) => "on, dry run",
        };
        let closed = channel.closed(id.as_str());
        if closed.is_empty() {
            findings.fine(&about, state);
        }
        for closed in closed {
            let (key, what) = closed.split_once(" is empty: ").unwrap_or((&closed, ""));
            let todo = format!("name people in {key}; \"*\" lets everybody in");
            findings.note(&about, format!("{state}; {what}"), &todo);
        }
        listening(id, channel, findings).await;
    }
}

/// Whether what a channel connects to listens: a simulated platform in another process, the daemon of signal-cli.
async fn listening(id: &ChannelId, channel: &ChannelConfig, findings: &mut Findings) {
    let root = channel
        .api_root
        .as_ref()
        .and_then(|root| root.strip_prefix("tcp://"));
    let Some(address) = root else { return };
    let about = format!("channels.{id}.api_root");
    match reach(address).await {
        Ok(()) => findings.fine(about, format!("{address} answers")),
        Err(error) => findings.wrong(about, error, "start what listens there, or mend the address"),
    }
}

async fn agents(config: &Config, base: &Path, findings: &mut Findings) {
    if used(config).contains("acp") {
        let about = "agent.acp.command";
        match config.agent.acp.program(base) {
            Ok(program) => findings.fine(about, program.display().to_string()),
            Err(error) => findings.wrong(about, error.to_string(), "install the agent, or name its program"),
        }
    }
    for (backend, endpoint) in endpoints(config) {
        let about = format!("agent.{backend}.base_url");
        let default = (backend == "anthropic").then_some(config::ANTHROPIC);
        match endpoint.base_url.as_deref().or(default) {
            None => findings.wrong(about, "is not set", "name the server's address"),
            Some(url) => match reach_url(url).await {
                Ok(()) => findings.fine(about, format!("{url} answers")),
                Err(error) => findings.wrong(about, error, "start the server, or mend the address"),
            },
        }
        let about = format!("agent.{backend}.model");
        match &endpoint.model {
            Some(model) => findings.fine(about, model.clone()),
            None if names_models(config, backend) => {}
            None => findings.wrong(
                about,
                "is not set",
                "name a model that the server has; for letta, an agent",
            ),
        }
        if backend == "letta" {
            let todo = "let only chats in that may know of each other";
            findings.note("agent.letta", "all chats share the memory of its agent", todo);
        }
        if backend == "anthropic" && endpoint.api_key.is_none() {
            let todo = "name its place in agent.anthropic.api_key, unless a gateway adds one";
            findings.note(format!("agent.{backend}.api_key"), "is not set", todo);
        }
    }
}

/// Whether a backend is used only as one that steps in, each time with a model of its own.
fn names_models(config: &Config, backend: &str) -> bool {
    let is = |used: config::Backend| used.code() == backend;
    let mut channels = config.channels.keys().map(|id| config.backend_of(id));
    let mut fallback = config.agent.fallback.iter();
    !is(config.agent.backend)
        && !channels.any(is)
        && fallback.all(|alternative| !is(alternative.backend) || alternative.model.is_some())
}

/// Whether what speaks and what listens can be reached.
async fn speech(config: &Config, findings: &mut Findings) {
    let SpeechConfig { backend, .. } = config.speech;
    match backend {
        SpeechBackend::None | SpeechBackend::Openai | SpeechBackend::Elevenlabs => {}
        SpeechBackend::Tone => findings.note(
            "speech.backend",
            "tone: voice notes are tones, not words",
            "name a backend that speaks: openai, elevenlabs or command",
        ),
        SpeechBackend::Command => {
            let program = config
                .speech
                .command
                .first()
                .map_or(DEFAULT_COMMAND[0], String::as_str);
            if is_program(program) {
                findings.fine("speech.command", format!("{program} is there"));
            } else {
                let todo = "install it (Debian: apt-get install espeak-ng), or name another program";
                findings.wrong("speech.command", format!("{program} is not there"), todo);
            }
        }
    }
    let urls = [
        ("speech.base_url", &config.speech.base_url),
        ("transcription.base_url", &config.transcription.base_url),
    ];
    for (about, url) in urls {
        let Some(url) = url else { continue };
        match reach_url(url).await {
            Ok(()) => findings.fine(about, format!("{url} answers")),
            Err(error) => findings.wrong(about, error, "start the service, or mend the address"),
        }
    }
}

/// Whether a program can be started: by its path, or by its name on `PATH`.
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

/// Puts the bot together as a start would, with every channel off and a journal that is thrown away.
async fn assembly(mut setup: Setup, findings: &mut Findings) {
    let about = "the bot";
    for channel in setup.config.channels.values_mut() {
        channel.enabled = false;
    }
    setup.demo = false;
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    let started = match Backend::open(setup).await {
        Ok(backend) => backend.shutdown().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match started {
        Ok(()) => findings.fine(about, "can start"),
        Err(error) => findings.wrong(about, error, "mend the configuration"),
    }
}
