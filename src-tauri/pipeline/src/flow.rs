//! The answer of a stage.

use crate::{config::Config, recorder::Recorder};
use foldback_store::StoreError;
use foldback_wire::{Gate, Kind, SettingSource, Stage, Terminal};
use std::collections::BTreeMap;

/// A stage's answer: the message goes on as `T`, or it stops here for a recorded reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flow<T> {
    /// On to the next stage.
    Continue(T),
    /// Not further than here.
    Stop(Box<Stop>),
}

/// The reason for which a stage stopped a message, with everything that answers "why not?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The stage.
    pub stage: Stage,
    /// The gate.
    pub gate: Gate,
    /// The reason, in words.
    pub detail: String,
    /// The values that the decision was made from.
    pub inputs: BTreeMap<String, String>,
    /// The setting that would change it.
    pub setting: Option<String>,
    /// The place that the setting's value comes from; looked up in the configuration where a stage does not say.
    pub source: Option<SettingSource>,
}

impl Stop {
    /// A stop without inputs.
    pub fn new(stage: Stage, gate: Gate, detail: impl Into<String>) -> Self {
        Self {
            stage,
            gate,
            detail: detail.into(),
            inputs: BTreeMap::new(),
            setting: None,
            source: None,
        }
    }

    /// The same with one more input.
    #[must_use]
    pub fn given(mut self, name: &str, value: impl Into<String>) -> Self {
        self.inputs.insert(name.to_owned(), value.into());
        self
    }

    /// The same with the setting that would change it.
    #[must_use]
    pub fn changed_by(mut self, setting: impl Into<String>) -> Self {
        self.setting = Some(setting.into());
        self
    }

    /// The same with the place that the setting's value comes from.
    #[must_use]
    pub const fn set_by(mut self, source: SettingSource) -> Self {
        self.source = Some(source);
        self
    }

    /// Looks up the place that its setting's value comes from, where its stage did not say.
    pub(crate) fn locate_setting(&mut self, config: &Config) {
        let looked_up = self.setting.as_ref().map(|setting| config.source_of(setting));
        self.source = self.source.or(looked_up);
    }

    /// As a stage's answer.
    pub fn flow<T>(self) -> Flow<T> {
        Flow::Stop(Box::new(self))
    }
}

impl From<Stop> for Kind {
    fn from(stop: Stop) -> Self {
        let Stop {
            stage,
            gate,
            detail,
            inputs,
            setting,
            source,
        } = stop;
        Self::Stopping {
            stage,
            gate,
            detail,
            inputs,
            setting,
            source,
        }
    }
}

/// The end of a turn that a gate stopped.
pub(crate) const fn terminal_of_gate(gate: Gate) -> Terminal {
    match gate {
        Gate::Duplicate => Terminal::Duplicate,
        Gate::Dropped | Gate::Displaced => Terminal::Dropped,
        gate => Terminal::Blocked { gate },
    }
}

/// Writes a stop down, with the place that its setting's value comes from and the end it is.
pub(crate) fn record_stop(
    recorder: &Recorder,
    config: &Config,
    mut stop: Stop,
) -> Result<Terminal, StoreError> {
    stop.locate_setting(config);
    let Stop { stage, gate, .. } = stop;
    tracing::info!(%stage, %gate, "stopped");
    let terminal = terminal_of_gate(gate);
    recorder.note_all(vec![
        stop.into(),
        Kind::TurnEnded {
            terminal: terminal.clone(),
        },
    ])?;
    Ok(terminal)
}
