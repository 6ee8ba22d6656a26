//! A conversation in full, as an operator sees it.

use super::Engine;
use crate::{
    config::Config,
    level_settings::{ConfiguredLevels, reasoning_of, verbose_of},
    queue_settings::QueueSettings,
    session_settings::{carried_over, in_group},
    stages::session::group_of_session,
};
use foldback_directives::inbound::Queue;
use foldback_store::{Selection, SessionRecord, SessionSettings, StoreError, UsageTotals};
use foldback_wire::{
    Actor, ChannelId, EffectiveSetting, Event, KeptSetting, Kind, SendPolicy, Seq, SessionId, SettingSource,
    SpeechMode, TurnId,
    rpc::{OverrideChange, SessionDetail, SessionUsage},
};

/// Most changes that are told.
const MOST_CHANGES: usize = 50;

impl Engine {
    /// A conversation in full; `None` where there is none under this key.
    pub async fn session_detail(&self, id: &SessionId) -> Result<Option<SessionDetail>, StoreError> {
        let core = &self.core;
        let journal = &core.context.recorder.journal;
        let (Some(record), Some(line)) = (journal.session(id).await?, self.session(id).await?) else {
            return Ok(None);
        };
        let wanted = Selection {
            sessions: Some([id.clone()].into()),
            ..Selection::kinds(["settings_changed", "session_reset"])
        };
        let changes = journal
            .select(&wanted, Seq(0), journal.head(), usize::MAX >> 1)
            .await?;
        let config = &core.context.ports.config;
        let kept = carried_over(&record.settings, &config.session.carry_over);
        let keeps = listed(&kept);
        let mut clears = listed(&record.settings);
        clears.retain(|setting| !keeps.contains(setting));
        let UsageTotals {
            input,
            output,
            counted,
        } = journal.usage(id).await?;
        let of_group = match group_of_session(&config.session, id) {
            Some(group) => journal.session(&group).await?.map(|group| group.settings),
            None => None,
        };
        Ok(Some(SessionDetail {
            line,
            settings: self.effective(config, &record, of_group.as_ref()),
            history: changes
                .iter()
                .rev()
                .filter_map(change)
                .take(MOST_CHANGES)
                .collect(),
            waiting: core.control.messages_waiting(id),
            usage: SessionUsage {
                input,
                output,
                counted,
            },
            keeps,
            clears,
        }))
    }

    /// Puts what waits in a conversation into another order. The order is that of this process: a start takes up what waits
    /// in the order in which it came.
    pub async fn reorder_waiting(
        &self,
        session: &SessionId,
        turns: &[TurnId],
        by: Actor,
    ) -> Result<bool, StoreError> {
        self.core.control.reorder(session, turns, by).await
    }

    /// The settings that count for the next message of a conversation.
    fn effective(
        &self,
        config: &Config,
        record: &SessionRecord,
        of_group: Option<&SessionSettings>,
    ) -> Vec<EffectiveSetting> {
        let channel = &record.channel;
        let mut settings = record.settings.clone();
        if let Some(of_group) = of_group {
            settings = in_group(settings, of_group);
        }
        let own = config.channels.get(channel);
        if own.is_some_and(|own| !own.activation_command) {
            settings.activation = None;
        }
        let stored: Vec<_> = settings.written();
        let stored = stored
            .into_iter()
            .filter(|(name, _)| !name.starts_with("queue."))
            .map(|(name, value)| set(name, value, SettingSource::Session));
        let mut effective: Vec<_> = stored.collect();
        let configured = self.configured(config, channel);
        for setting in configured {
            if !effective.iter().any(|known| known.setting == setting.setting) {
                effective.push(setting);
            }
        }
        let queue = QueueSettings::resolve(config, channel, &settings.queue, &Queue::default());
        effective.extend(queue.effective());
        effective
    }

    /// What counts where nothing is stored on a conversation.
    fn configured(&self, config: &Config, channel: &ChannelId) -> Vec<EffectiveSetting> {
        let agent = self.core.context.agents.of(channel);
        let model_key = format!("agent.{}.model", agent.backend());
        let model = agent.model().unwrap_or("the agent's own").to_owned();
        let output = config.output_of(channel);
        let of_output = |key: &str| match config.source_of(&format!("channels.{channel}.{key}")) {
            SettingSource::Channel => SettingSource::Channel,
            _ => config.source_of(&format!("output.{key}")),
        };
        let verbose = verbose_of(output.tools).code().to_owned();
        let reasoning = reasoning_of(output.reasoning).code().to_owned();
        let levels = ConfiguredLevels::of(config, channel).effective();
        let own = config.channels.get(channel);
        let spoken = own.map_or(SpeechMode::Tagged, |own| own.speech_auto);
        let is_mention = config.channels.get(channel).is_none_or(|own| own.require_mention);
        let activation = if is_mention { "mention" } else { "always" };
        let mention_key = format!("channels.{channel}.require_mention");
        let behind = [
            set("model", model, config.source_of(&model_key)),
            set("think", "the agent's own".to_owned(), SettingSource::Default),
            set("verbose", verbose, of_output("tools")),
            set("reasoning", reasoning, of_output("reasoning")),
            set(
                "send",
                own.map_or(SendPolicy::Allow, |own| own.send_policy).to_string(),
                config.source_of(&format!("channels.{channel}.send_policy")),
            ),
            set(
                "speech",
                spoken.to_string(),
                config.source_of(&format!("channels.{channel}.speech_auto")),
            ),
            set(
                "activation",
                activation.to_owned(),
                config.source_of(&mention_key),
            ),
        ];
        let is_set = |setting: &str| levels.iter().any(|level| level.setting == setting);
        let behind: Vec<_> = behind.into_iter().filter(|set| !is_set(&set.setting)).collect();
        levels.into_iter().chain(behind).collect()
    }
}

fn set(setting: &str, value: String, source: SettingSource) -> EffectiveSetting {
    EffectiveSetting {
        setting: setting.to_owned(),
        value,
        source,
    }
}

fn listed(settings: &SessionSettings) -> Vec<KeptSetting> {
    let written = settings.written().into_iter();
    let setting = |(setting, value): (&str, String)| KeptSetting {
        setting: setting.to_owned(),
        value,
    };
    written.map(setting).collect()
}

fn change(event: &Event) -> Option<OverrideChange> {
    let (by, changes, kept) = match &event.kind {
        Kind::SettingsChanged { changes, by } => (by.clone(), changes.clone(), None),
        Kind::SessionReset { by, kept, .. } => (by.clone(), Vec::new(), Some(kept.clone())),
        _ => return None,
    };
    Some(OverrideChange {
        seq: event.seq.0,
        at: event.at,
        by,
        changes,
        kept,
    })
}
