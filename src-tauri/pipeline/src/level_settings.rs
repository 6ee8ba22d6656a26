//! Levels of the configuration, which count where neither a message nor its session sets one: `agent.defaults`, and before
//! it what a channel says itself.

use crate::config::{Config, LevelDefaults, ReasoningDisplay, ToolDisplay};
use foldback_directives::inbound::{Reasoning, Verbose};
use foldback_wire::{ChannelId, EffectiveSetting, SettingSource};

/// The levels of the configuration for one channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ConfiguredLevels {
    pub(crate) defaults: LevelDefaults,
    /// The channel's own `tools`, as a level.
    tools: Option<Verbose>,
    /// The channel's own `reasoning`, as a level.
    reasoning: Option<Reasoning>,
}

impl ConfiguredLevels {
    /// Those of this channel.
    pub(crate) fn of(config: &Config, channel: &ChannelId) -> Self {
        let own = config.channels.get(channel);
        Self {
            defaults: config.agent.defaults,
            tools: own.and_then(|own| own.tools).map(verbose_of),
            reasoning: own.and_then(|own| own.reasoning).map(reasoning_of),
        }
    }

    /// The display of tool calls that `agent.defaults` asks for; `None` where it says nothing, or the channel says it.
    pub(crate) fn verbose(self) -> Option<Verbose> {
        self.defaults.verbose.filter(|_| self.tools.is_none())
    }

    /// The display of reasoning that `agent.defaults` asks for; `None` where it says nothing, or the channel says it.
    pub(crate) fn reasoning(self) -> Option<Reasoning> {
        self.defaults.reasoning.filter(|_| self.reasoning.is_none())
    }

    /// Each level that `agent.defaults` sets, as it counts here, with where that comes from.
    pub(crate) fn effective(self) -> Vec<EffectiveSetting> {
        let LevelDefaults {
            think,
            verbose,
            reasoning,
        } = self.defaults;
        let levels = [
            ("think", think.map(|level| (level.code(), SettingSource::Global))),
            (
                "verbose",
                verbose.map(|level| sourced(self.tools, level, Verbose::code)),
            ),
            (
                "reasoning",
                reasoning.map(|level| sourced(self.reasoning, level, Reasoning::code)),
            ),
        ];
        let set = levels.into_iter();
        set.filter_map(|(setting, level)| {
            let (value, source) = level?;
            Some(EffectiveSetting {
                setting: setting.to_owned(),
                value: value.to_owned(),
                source,
            })
        })
        .collect()
    }
}

/// The channel's level before the one for all.
fn sourced<T>(own: Option<T>, global: T, code: fn(T) -> &'static str) -> (&'static str, SettingSource) {
    match own {
        Some(own) => (code(own), SettingSource::Channel),
        None => (code(global), SettingSource::Global),
    }
}

/// The level that shows as much of tool calls.
pub(crate) const fn verbose_of(tools: ToolDisplay) -> Verbose {
    match tools {
        ToolDisplay::None => Verbose::Off,
        ToolDisplay::Compact => Verbose::On,
        ToolDisplay::Full => Verbose::Full,
    }
}

/// The level that shows as much of the reasoning.
pub(crate) const fn reasoning_of(display: ReasoningDisplay) -> Reasoning {
    match display {
        ReasoningDisplay::Hide => Reasoning::Off,
        ReasoningDisplay::Show => Reasoning::On,
        ReasoningDisplay::Stream => Reasoning::Stream,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use std::path::Path;

    fn told(channel: &str) -> Vec<String> {
        let text = "[agent.defaults]\nthink = \"high\"\nverbose = \"on\"\nreasoning = \"stream\"\n\
                    [channels.slack]\ntools = \"full\"\n[channels.signal]\nreasoning = \"hide\"\n";
        let config = parse(text, Path::new("f")).unwrap();
        let levels = ConfiguredLevels::of(&config, &channel.into()).effective();
        let set = levels.into_iter();
        set.map(|set| format!("{} {} ({})", set.setting, set.value, set.source))
            .collect()
    }

    #[test]
    fn what_a_channel_says_itself_comes_before_the_level_for_all() {
        assert_eq!(
            told("slack"),
            [
                "think high (global)",
                "verbose full (channel)",
                "reasoning stream (global)"
            ]
        );
        assert_eq!(
            told("signal"),
            [
                "think high (global)",
                "verbose on (global)",
                "reasoning off (channel)"
            ]
        );
        assert_eq!(ConfiguredLevels::default().effective(), []);
    }

    #[test]
    fn a_level_that_is_none_is_refused_with_its_line() {
        for (key, value) in [("think", "very"), ("verbose", "loud"), ("reasoning", "yes")] {
            let text = format!("[agent.defaults]\n{key} = \"{value}\"\n");
            let error = parse(&text, Path::new("f")).unwrap_err().to_string();
            let at = format!("f:2:{}: agent.defaults.{key}: ", key.len() + 4);
            assert!(error.starts_with(&at), "{error}");
        }
        let error = parse("[agent.defaults]\nthink = \"default\"\n", Path::new("f"));
        assert!(error.is_err(), "it is the default already");
    }
}
