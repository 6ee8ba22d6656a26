//! The words before the first text of an answer, as `response_prefix` has them.

use crate::config::{Config, PrefixName, Template};
use foldback_wire::{Answerer, ChannelId, Event, Kind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The words before an answer, and what fills their names in.
pub(crate) struct Lead {
    template: Template,
    identity: String,
    think: String,
    /// Who answers; another one may step in before the first word.
    answerer: Mutex<Answerer>,
}

impl Lead {
    /// The words of this channel; `None` where it has none.
    pub(crate) fn of(
        config: &Config,
        channel: &ChannelId,
        answerer: Answerer,
        think: Option<String>,
    ) -> Option<Self> {
        let template = &config.channels.get(channel)?.response_prefix;
        let name = config.agent.name.as_deref().unwrap_or("Foldback");
        (!template.is_empty()).then(|| Self {
            template: template.clone(),
            identity: name.to_owned(),
            think: think.unwrap_or_else(|| "default".to_owned()),
            answerer: Mutex::new(answerer),
        })
    }

    /// The words of a turn that an earlier process began, out of its events.
    pub(crate) fn read(config: &Config, channel: &ChannelId, events: &[Event]) -> Option<Self> {
        let mut answerer = Answerer {
            backend: config.backend_of(channel).code().to_owned(),
            model: None,
        };
        let mut think = None;
        for event in events {
            match &event.kind {
                Kind::RunStarted { backend, model, .. } => {
                    answerer = Answerer {
                        backend: backend.clone(),
                        model: model.clone(),
                    };
                }
                Kind::Retrying { next: Some(next), .. } => answerer.clone_from(next),
                Kind::SettingsResolved { settings } => {
                    let set = settings.iter().find(|set| set.setting == "think");
                    think = set.map(|set| set.value.clone());
                }
                _ => {}
            }
        }
        Self::of(config, channel, answerer, think)
    }

    /// Another backend or model answers.
    pub(crate) fn answered_by(&self, answerer: &Answerer) {
        self.answerer().clone_from(answerer);
    }

    fn answerer(&self) -> MutexGuard<'_, Answerer> {
        self.answerer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The words.
    pub(crate) fn text(&self) -> String {
        let answerer = self.answerer();
        let Answerer { backend, model } = &*answerer;
        self.template.fill(|name| match name {
            PrefixName::Model => {
                let model = model.as_deref().unwrap_or(backend.as_str());
                let own = model.strip_prefix(backend.as_str());
                own.and_then(|own| own.strip_prefix('/'))
                    .unwrap_or(model)
                    .to_owned()
            }
            PrefixName::Provider => backend.clone(),
            PrefixName::Identity => self.identity.clone(),
            PrefixName::Think => self.think.clone(),
        })
    }
}
