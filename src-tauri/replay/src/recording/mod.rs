//! Recordings: a part of a journal, to be played again. The first line says so, then comes an event a line.

mod answers;
mod faults;
mod play;
mod scene;
mod script;
mod sent;
mod story;
mod understood;

pub use answers::{Answer, answers};
pub use faults::faults;
pub use play::play;
pub use scene::simulated_channel;
pub use script::script;

use crate::fixture::{Unreadable, open};
use foldback_pipeline::config::{Config, LogConfig, SpeechConfig, StoreConfig, TranscriptionConfig};
use foldback_wire::{ChannelId, Event};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
};

/// The version of recordings that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// The first line of a recording. What a later version adds is not looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// What the file is.
    pub foldback: Is,
    /// Its version, from 1.
    pub version: u32,
    /// The configuration it was made under, without everything that names a secret or an address; the
    /// embedded default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Box<Config>>,
    /// Events behind this line, where whoever wrote it knew: one that is cut off between two lines has fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Is {
    /// A recording.
    Recording,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            foldback: Is::Recording,
            version: VERSION,
            config: None,
            events: None,
        }
    }
}

impl Head {
    /// The head of a recording made under this configuration.
    pub fn of(config: &Config) -> Self {
        let mut config = config.clone();
        // The agent is not asked again; of it only the limit of silence has a part in what happens.
        // A replay calls no service: whose it was is nobody's business.
        config.speech = SpeechConfig {
            backend: config.speech.backend,
            max_chars: config.speech.max_chars,
            timeout: config.speech.timeout,
            ..SpeechConfig::default()
        };
        config.transcription = TranscriptionConfig {
            backend: config.transcription.backend,
            ..TranscriptionConfig::default()
        };
        config.agent = foldback_pipeline::config::AgentConfig {
            idle_timeout: config.agent.idle_timeout,
            ..Default::default()
        };
        config.store = StoreConfig::default();
        config.log = LogConfig::default();
        for channel in config.channels.values_mut() {
            *channel = std::mem::take(channel).without_place();
            channel.backend = None;
        }
        Self {
            config: Some(Box::new(config)),
            ..Self::default()
        }
    }
}

/// A recording, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Its first line.
    pub head: Head,
    /// The events, in their order.
    pub events: Vec<Event>,
}

impl Recording {
    /// The channels on which something came in, by name.
    pub fn channels(&self) -> BTreeSet<&ChannelId> {
        let received = |event: &&Event| matches!(event.kind, foldback_wire::Kind::Received { .. });
        self.events
            .iter()
            .filter(received)
            .filter_map(|event| event.channel.as_ref())
            .collect()
    }
}

/// Reads a recording. Errors name the line.
pub fn read(path: &Path) -> Result<Recording, Unreadable> {
    let unreadable = |place: Option<(u64, u64)>, detail: String| Unreadable {
        path: path.to_owned(),
        place,
        detail,
    };
    let file = open(path).map_err(|error| unreadable(None, error.to_string()))?;
    let mut head = None;
    let mut events: Vec<Event> = Vec::new();
    for (number, line) in (1_u64..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(|error| unreadable(Some((number, 1)), error.to_string()))?;
        let wrong = |error: serde_json::Error| {
            let what = if number == 1 {
                "this is no recording"
            } else {
                "this is no event"
            };
            unreadable(Some((number, error.column() as u64)), format!("{what}: {error}"))
        };
        if line.trim().is_empty() {
            continue;
        }
        if head.is_some() {
            let event: Event = serde_json::from_str(&line).map_err(wrong)?;
            if events.last().is_some_and(|last| last.seq >= event.seq) {
                let detail = format!("event {} is out of order", event.seq);
                return Err(unreadable(Some((number, 1)), detail));
            }
            events.push(event);
        } else {
            let first: Head = serde_json::from_str(&line).map_err(wrong)?;
            if first.version > VERSION {
                let detail = format!(
                    "the recording has version {}, and this program knows {VERSION}; use a newer Foldback",
                    first.version
                );
                return Err(unreadable(Some((number, 1)), detail));
            }
            head = Some(first);
        }
    }
    let head = head.ok_or_else(|| unreadable(None, "the file is empty".to_owned()))?;
    if let Some(wanted) = head.events.filter(|wanted| *wanted != events.len() as u64) {
        let detail = format!(
            "the recording is cut off, it has {} of {wanted} events; export it again",
            events.len()
        );
        return Err(unreadable(None, detail));
    }
    let recording = Recording { head, events };
    if recording.channels().is_empty() {
        let detail = "nothing came in in this recording, so there is nothing to play".to_owned();
        return Err(unreadable(None, detail));
    }
    Ok(recording)
}
