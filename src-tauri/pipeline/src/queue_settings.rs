//! The settings of the queue that count for a message, each with the place it comes from: the message, its session, its
//! channel, the configuration, or the default.

use crate::config::{ChannelQueueConfig, Config, Interval};
use foldback_directives::inbound::{Queue, QueueDrop, QueueMode};
use foldback_wire::{ChannelId, EffectiveSetting, SettingSource, duration_in_words};
use std::time::Duration;

/// How long it must be quiet where nothing says.
const DEBOUNCE: Duration = Duration::from_millis(500);
/// Most messages that wait in a conversation where nothing says.
const CAP: usize = 20;

/// A value with the place it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    pub(crate) source: SettingSource,
}

/// The settings of the queue for one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueueSettings {
    channel: ChannelId,
    pub(crate) mode: Sourced<QueueMode>,
    /// How long it must be quiet before the messages that were collected run.
    pub(crate) debounce: Sourced<Duration>,
    /// Most messages that wait, at least 1.
    pub(crate) cap: Sourced<usize>,
    pub(crate) drop: Sourced<QueueDrop>,
}

/// The first place that has a value, the nearest first.
fn nearest<T>(places: [Option<T>; 4], default: T) -> Sourced<T> {
    let sources = [
        SettingSource::Inline,
        SettingSource::Session,
        SettingSource::Channel,
        SettingSource::Global,
    ];
    let set = places.into_iter().zip(sources);
    let found = set.filter_map(|(value, source)| {
        Some(Sourced {
            value: value?,
            source,
        })
    });
    found.take(1).next().unwrap_or(Sourced {
        value: default,
        source: SettingSource::Default,
    })
}

impl QueueSettings {
    /// The settings of a message on this channel: its own before its session's, the channel's, the configuration's.
    pub(crate) fn resolve(config: &Config, channel: &ChannelId, session: &Queue, message: &Queue) -> Self {
        let global = &config.queue;
        let own = config.channels.get(channel).map(|channel| channel.queue);
        let own: ChannelQueueConfig = own.unwrap_or_default();
        let span = |ms: Option<u64>| ms.map(Duration::from_millis);
        let set = |interval: Option<Interval>| interval.map(|interval| interval.0);
        let count = |cap: Option<u64>| cap.map(|cap| usize::try_from(cap).unwrap_or(usize::MAX).max(1));
        let own_cap = own
            .cap
            .map(|cap| usize::try_from(cap.get()).unwrap_or(usize::MAX));
        Self {
            channel: channel.clone(),
            mode: nearest(
                [message.mode, session.mode, own.mode, global.mode],
                QueueMode::Steer,
            ),
            debounce: nearest(
                [
                    span(message.debounce_ms),
                    span(session.debounce_ms),
                    set(own.debounce),
                    set(global.debounce),
                ],
                DEBOUNCE,
            ),
            cap: nearest([count(message.cap), count(session.cap), own_cap, global.cap], CAP),
            drop: nearest(
                [message.drop, session.drop, own.drop, global.drop],
                QueueDrop::Summarize,
            ),
        }
    }

    /// The same for a turn that no message set anything for: what it has of its own comes from there.
    pub(crate) fn set_by(mut self, own: SettingSource) -> Self {
        for source in [
            &mut self.mode.source,
            &mut self.debounce.source,
            &mut self.cap.source,
            &mut self.drop.source,
        ] {
            if *source == SettingSource::Inline {
                *source = own;
            }
        }
        self
    }

    /// Each setting with its value and its place, in words.
    pub(crate) fn effective(&self) -> Vec<EffectiveSetting> {
        let of = |setting: &str, value: String, source| EffectiveSetting {
            setting: format!("queue.{setting}"),
            value,
            source,
        };
        let debounce = duration_in_words(self.debounce.value);
        vec![
            of("mode", self.mode.value.to_string(), self.mode.source),
            of("debounce", debounce, self.debounce.source),
            of("cap", self.cap.value.to_string(), self.cap.source),
            of("drop", self.drop.value.to_string(), self.drop.source),
        ]
    }

    /// All of them in one line, for the chat.
    pub(crate) fn in_words(&self) -> String {
        let told = self.effective().into_iter().map(|set| {
            let name = set.setting.trim_start_matches("queue.").to_owned();
            format!("{name} {} ({})", set.value, set.source)
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// The place at which the most that wait is set.
    pub(crate) fn cap_is_set_at(&self) -> String {
        self.is_set_at("cap", self.cap.source)
    }

    /// The place at which it is set which message goes.
    pub(crate) fn drop_is_set_at(&self) -> String {
        self.is_set_at("drop", self.drop.source)
    }

    fn is_set_at(&self, key: &str, source: SettingSource) -> String {
        match source {
            SettingSource::Inline
            | SettingSource::Schedule
            | SettingSource::Delivery
            | SettingSource::Session => {
                format!("/queue {key}")
            }
            SettingSource::Channel => format!("channels.{}.queue.{key}", self.channel),
            SettingSource::Global | SettingSource::Default => format!("queue.{key}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn the_nearest_place_counts_and_is_told() {
        let text = "[queue]\nmode = \"queue\"\ndebounce = \"2s\"\n[channels.slack.queue]\ncap = 3\nmode = \"collect\"\n";
        let config = parse(text, std::path::Path::new("foldback.toml")).unwrap();
        let session = Queue {
            drop: Some(QueueDrop::New),
            cap: Some(9),
            ..Queue::default()
        };
        let message = Queue {
            cap: Some(4),
            ..Queue::default()
        };
        let on = |channel: &str, session, message| {
            QueueSettings::resolve(&config, &channel.into(), session, message).in_words()
        };
        assert_eq!(
            on("slack", &session, &message),
            "mode collect (channel), debounce 2 seconds (global), cap 4 (inline), drop new (session)"
        );
        assert_eq!(
            on("signal", &Queue::default(), &Queue::default()),
            "mode steer (global), debounce 2 seconds (global), cap 20 (default), drop summarize (default)"
        );
        let settings = QueueSettings::resolve(&config, &"slack".into(), &Queue::default(), &Queue::default());
        assert_eq!(settings.cap_is_set_at(), "channels.slack.queue.cap");
        assert_eq!(settings.drop_is_set_at(), "queue.drop");
    }

    #[test]
    fn a_mode_that_is_none_is_refused_with_its_line() {
        let text = "[channels.slack.queue]\nmode = \"fifo\"\n";
        let error = parse(text, std::path::Path::new("foldback.toml"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("foldback.toml:2:8: channels.slack.queue.mode: "),
            "{error}"
        );
        assert!(error.contains("`followup`"), "{error}");
        let text = "[channels.slack.queue]\ncap = 0\n";
        let error = parse(text, std::path::Path::new("foldback.toml"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("foldback.toml:2:7: channels.slack.queue.cap"),
            "{error}"
        );
    }
}
