//! The stage of one run: a bot on its loopback channels, with its own folder, clock and journal.

use crate::fixture::{
    CommandResult, FileContent, Fixture, FixtureStep, Taken, UserFile, check_bounds, fixture_config,
    other_platforms,
};
use crate::scripted_terminal::ScriptedTerminal;
use foldback_actions::ActionTable;
use foldback_agents::{
    Accepts, Act, Agent, Fallback, ScriptAgent, ScriptStep,
    links::LinkText,
    speech::{Speaker, ToneVoice, Transcriber},
};
use foldback_channels::{ChannelAdapter, Loopback};
use foldback_directives::{Directive, Settings, parse};
use foldback_pipeline::{
    Agents, Engine, Parts, Readers, Rules, SeededRng, Speech, StartError, VoiceOutput,
    config::{Config, SpeechBackend, TranscriptionBackend},
};
use foldback_store::MemoryJournal;
use foldback_wire::{Actor, CallFault, ChannelId, Clock, MessageId, Platform, ReadThread, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs,
    path::{Component, Path},
    sync::Arc,
};
use tempfile::TempDir;

/// Where every replay begins: a fixed moment, so that two runs are the same.
pub(crate) const EPOCH: Timestamp = Timestamp(1_767_225_600_000);

/// The folder below a run's own that stands for the configured `files.send_dir`, wherever that lies: a replay
/// neither reads, writes nor deletes a file of the machine.
const OUTBOUND: &str = "outbound";

/// Rules that are switched off, to prove that a fixture notices. None outside mutation tests.
#[derive(Debug, Clone, Default)]
pub struct Mutation {
    /// The pipeline's.
    pub rules: Rules,
    /// The grammar's, by id.
    pub grammar_off: Vec<String>,
}

/// Why a scenario cannot be staged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    #[error("config: {0}")]
    Config(String),
    #[error("the folder of the run cannot be written: {0}")]
    Folder(#[from] std::io::Error),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// The name of the model of whoever steps in.
const FALLBACK: &str = "fallback";

/// An answer of the script.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedAnswer {
    pub(crate) steps: Vec<ScriptStep>,
    /// The answer of the fallback.
    pub(crate) fallback: Option<Vec<ScriptStep>>,
}

/// A bot that runs.
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) channel: ChannelId,
    pub(crate) loopback: Arc<Loopback>,
    /// The channels beside that one.
    others: Vec<(Platform, Arc<Loopback>)>,
    pub(crate) agent: Arc<ScriptAgent>,
    /// Who steps in for the agent, where anybody does.
    pub(crate) fallback: Option<Arc<ScriptAgent>>,
    pub(crate) journal: Arc<MemoryJournal>,
    /// Kept for as long as the bot runs.
    _folder: TempDir,
}

/// What is on the stage.
pub(crate) struct Props {
    pub(crate) channel: ChannelId,
    pub(crate) platform: Platform,
    /// The platforms of further channels on the stage.
    pub(crate) others: BTreeSet<Platform>,
    /// Whether another agent steps in where the first one fails.
    pub(crate) has_fallback: bool,
    /// With these channels only.
    pub(crate) config: Config,
    /// Files that may be sent, by path.
    pub(crate) files: BTreeMap<String, FileContent>,
    pub(crate) faults: Vec<CallFault>,
    /// What the agent takes beside text.
    pub(crate) accepts: Accepts,
    /// Where runs were recorded: the messages that their agent took while it ran.
    pub(crate) recorded_inputs: Option<HashSet<MessageId>>,
    /// The words by which the agent describes pictures, by name; none where it cannot.
    pub(crate) descriptions: Vec<(String, String)>,
    /// What stands behind links, or the reason for which it was not read.
    pub(crate) links: BTreeMap<String, Result<LinkText, String>>,
    /// What the commands of the action `bash` come to; none where it is off.
    pub(crate) commands: Option<Vec<CommandResult>>,
    /// What was read of the threads of messages, where that is known; else the simulated platform tells.
    pub(crate) threads: Option<BTreeMap<MessageId, ReadThread>>,
}

impl Props {
    /// Those of a fixture on one platform's profile.
    pub(crate) fn of(fixture: &Fixture, platform: Platform) -> Result<Self, StageError> {
        let channel = ChannelId::from(platform.code());
        let config = fixture_config(fixture, &channel).map_err(StageError::Config)?;
        let mut others = other_platforms(fixture);
        others.remove(&platform);
        Ok(Self {
            others,
            has_fallback: fixture
                .steps
                .iter()
                .any(|step| matches!(step, FixtureStep::Fallback(_))),
            files: files(fixture, &config),
            faults: fixture.faults.clone(),
            accepts: accepts(fixture),
            recorded_inputs: None,
            descriptions: descriptions(fixture),
            links: links(fixture),
            commands: fixture.commands.clone(),
            threads: None,
            channel,
            platform,
            config,
        })
    }
}

impl Stage {
    /// Builds and starts a bot; fails where a setting is out of its bounds, whoever brought it.
    pub(crate) async fn set(
        props: Props,
        clock: Arc<dyn Clock>,
        mutation: &Mutation,
    ) -> Result<Self, StageError> {
        let Props {
            channel,
            platform,
            others,
            has_fallback,
            mut config,
            files,
            faults,
            accepts,
            recorded_inputs,
            descriptions,
            links,
            commands,
            threads,
        } = props;
        // Nothing of a replay acts on the machine.
        config.commands.without_programs = true;
        check_bounds(&config).map_err(StageError::Config)?;
        let actions = actions(&config, commands).map_err(StageError::Config)?;
        let folder = tempfile::tempdir()?;
        let send_dir = folder.path().join(OUTBOUND);
        fs::create_dir(&send_dir)?;
        write(&files, &config.files.send_dir, &send_dir)?;

        let loopback = |platform| {
            let capabilities = foldback_channels::profile(platform);
            let folder = Some(send_dir.clone());
            Arc::new(Loopback::new(capabilities, Arc::clone(&clock), folder))
        };
        let others: Vec<_> = others.into_iter().map(|other| (other, loopback(other))).collect();
        let loopback = loopback(platform);
        let mut channels = vec![(channel.clone(), Arc::clone(&loopback) as Arc<dyn ChannelAdapter>)];
        channels.extend(others.iter().map(|(platform, loopback)| {
            (
                ChannelId::from(platform.code()),
                Arc::clone(loopback) as Arc<dyn ChannelAdapter>,
            )
        }));
        let agent = ScriptAgent::new(Arc::clone(&clock)).with_accepts(accepts);
        let agent = if descriptions.is_empty() {
            agent
        } else {
            agent.with_descriptions(descriptions)
        };
        let agent = Arc::new(match recorded_inputs {
            Some(messages) => agent.with_recorded_inputs(messages),
            None => agent,
        });
        let fallback =
            has_fallback.then(|| Arc::new(ScriptAgent::new(Arc::clone(&clock)).with_model(FALLBACK)));
        let answers: Arc<dyn Agent> = match &fallback {
            Some(other) => Arc::new(Fallback::new(
                Arc::clone(&agent) as _,
                vec![Arc::clone(other) as _],
            )),
            None => Arc::clone(&agent) as _,
        };
        let journal = Arc::new(MemoryJournal::new());
        let speech = speech(&config, &clock);
        let engine = Engine::start(Parts {
            redaction: config.redaction(folder.path()),
            config: Arc::new(config),
            base: folder.path().to_owned(),
            send_dir: Some(send_dir),
            journal: Arc::clone(&journal) as _,
            channels,
            agents: Agents::one(answers),
            speech,
            actions,
            readers: Readers::Replayed { links, threads },
            clock,
            rng: Arc::new(SeededRng::new(0)),
            rules: mutation.rules,
            grammar_off: mutation.grammar_off.clone(),
        })
        .await?;
        if let Some(line) = engine.channels().channel(&channel) {
            for (number, fault) in (1..).zip(faults) {
                line.plan(number, fault, Actor::Config);
            }
        }
        Ok(Self {
            engine,
            channel,
            loopback,
            others,
            agent,
            fallback,
            journal,
            _folder: folder,
        })
    }

    /// The channel of this platform where it stands on the stage beside the run's own; else the run's own.
    pub(crate) fn channel_on(&self, platform: Option<Platform>) -> (ChannelId, &Loopback) {
        let other = self.others.iter().find(|(other, _)| Some(*other) == platform);
        match other {
            Some((platform, loopback)) => (ChannelId::from(platform.code()), loopback),
            None => (self.channel.clone(), &self.loopback),
        }
    }

    /// Queues an answer, used once, with that of the fallback for a run that fails.
    pub(crate) fn queue(&self, message: Option<&MessageId>, answer: ScriptedAnswer) {
        self.agent.queue(message.cloned(), answer.steps);
        if let (Some(fallback), Some(steps)) = (&self.fallback, answer.fallback) {
            fallback.queue(message.cloned(), steps);
        }
    }
}

fn accepts(fixture: &Fixture) -> Accepts {
    let takes = |what| fixture.accepts.as_ref().is_none_or(|taken| taken.contains(&what));
    Accepts {
        images: takes(Taken::Images),
        files: takes(Taken::Files),
        ..Accepts::default()
    }
}

/// The words for the pictures of a fixture, in the order in which they are sent.
fn descriptions(fixture: &Fixture) -> Vec<(String, String)> {
    let files = fixture.steps.iter().filter_map(|step| match step {
        FixtureStep::User(message) => Some(&message.files),
        _ => None,
    });
    files.flatten().filter_map(UserFile::description).collect()
}

/// What stands behind the links of a fixture.
fn links(fixture: &Fixture) -> BTreeMap<String, Result<LinkText, String>> {
    let read = |text: &String| {
        Ok(LinkText {
            text: text.clone(),
            bytes: text.len(),
        })
    };
    let links = fixture.links.iter();
    links.map(|(link, text)| (link.clone(), read(text))).collect()
}

/// Speech and transcription of a replay: where anything speaks, a tone; a transcriber takes the content of a file for its
/// words. No service is called and no program started, and the sound is
/// the same every time.
fn speech(config: &Config, clock: &Arc<dyn Clock>) -> Speech {
    let output = if config.speech.backend == SpeechBackend::None {
        VoiceOutput::Off
    } else {
        let (most, timeout) = (config.speech.max_chars, config.speech.timeout.0);
        VoiceOutput::Speaker(Speaker::new(
            Arc::new(ToneVoice),
            most,
            timeout,
            Arc::clone(clock),
        ))
    };
    let listens = config.transcription.backend != TranscriptionBackend::None;
    Speech {
        output,
        transcriber: listens.then(|| Arc::new(Transcriber::plain())),
        ..Speech::default()
    }
}

/// What the agent may ask for beside its words.
fn actions(config: &Config, commands: Option<Vec<CommandResult>>) -> Result<Arc<ActionTable>, String> {
    let Some(commands) = commands else {
        return Ok(Arc::default());
    };
    let terminal = ScriptedTerminal::new(&config.actions, commands).map_err(|error| error.to_string())?;
    let table = ActionTable::of(vec![Arc::new(terminal)]).map_err(|error| error.to_string())?;
    Ok(Arc::new(table))
}

/// The files that may be sent: those the fixture lists, else whatever its script names.
fn files(fixture: &Fixture, config: &Config) -> BTreeMap<String, FileContent> {
    let named = || {
        let settings = config.output.settings();
        let paths = answers(fixture)
            .into_iter()
            .flat_map(move |text| paths(&text, &settings));
        paths.map(|path| (path, some_file())).collect()
    };
    fixture.files.clone().unwrap_or_else(named)
}

/// Files that the directives of a text name, of which nothing is known but that they are there.
pub(crate) fn named_files(text: &str, settings: &Settings) -> Vec<(String, FileContent)> {
    let named = paths(text, settings).into_iter();
    named.map(|path| (path, some_file())).collect()
}

/// A file of which nothing is known but that it is there.
pub(crate) fn some_file() -> FileContent {
    FileContent::Text("foldback\n".to_owned())
}

/// Writes files; those whose path leads out of the folder are not there. An absolute path may name the folder
/// that this one stands for.
fn write(files: &BTreeMap<String, FileContent>, named: &Path, send_dir: &Path) -> std::io::Result<()> {
    for (path, content) in files {
        let path = Path::new(path);
        let path = if path.is_absolute() {
            path.strip_prefix(named).unwrap_or(path)
        } else {
            path
        };
        let inside = path
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || path.file_name().is_none() {
            continue;
        }
        let path = send_dir.join(path);
        fs::create_dir_all(path.parent().unwrap_or(send_dir))?;
        match content {
            FileContent::Text(text) => fs::write(path, text)?,
            FileContent::Size(size) => fs::File::create(path)?.set_len(*size)?,
        }
    }
    Ok(())
}

/// Each scripted answer as one text.
fn answers(fixture: &Fixture) -> Vec<String> {
    let text = |steps: &[ScriptStep]| {
        steps
            .iter()
            .filter_map(|step| {
                if let Act::Text(text) = &step.act {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect()
    };
    fixture
        .steps
        .iter()
        .filter_map(|step| {
            if let FixtureStep::Agent(steps) | FixtureStep::Fallback(steps) = step {
                Some(text(steps))
            } else {
                None
            }
        })
        .collect()
}

fn paths(text: &str, settings: &Settings) -> Vec<String> {
    let path = |directive| {
        if let Directive::SendFile { path, .. } = directive {
            Some(path)
        } else {
            None
        }
    };
    parse(text, settings, None)
        .directives
        .into_iter()
        .filter_map(path)
        .collect()
}
