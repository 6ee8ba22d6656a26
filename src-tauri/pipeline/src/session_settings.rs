//! Settings of sessions: what directives make of them, and which value counts for a turn.

mod turn_overrides;

pub(crate) use turn_overrides::TurnOverrides;

use crate::{
    config::{CarriedSetting, PermissionPolicy, PermissionsConfig, ReasoningDisplay, ToolDisplay, ToolKind},
    level_settings::ConfiguredLevels,
};
use foldback_agents::Agent;
use foldback_directives::inbound::{
    Directives, Elevated, Exec, ExecAsk, ExecHost, ExecSecurity, Model, Queue, Reasoning, Think, Verbose,
};
use foldback_store::SessionSettings;
use foldback_wire::{
    EffectiveSetting, ModelOverride, RunLevels, SettingSource, SpeechMode, ThinkLevel, UsageLine,
};
use std::collections::BTreeMap;

/// The longest wait for quiet that a chat may set: in a conversation that several share, everybody waits.
const LONGEST_DEBOUNCE_MS: u64 = 60_000;

/// Most messages that a chat may have wait: each is in memory. The configuration may allow more.
const MOST_CAP: u64 = 200;

/// The model's name that clears what was chosen.
const DEFAULT_MODEL: &str = "default";

/// The settings of a session in a group, with what counts there for everybody.
pub(crate) fn in_group(own: SessionSettings, group: &SessionSettings) -> SessionSettings {
    SessionSettings {
        send: own.send.or(group.send),
        activation: group.activation,
        ..own
    }
}

/// Stores what directives set. A question changes nothing.
pub(crate) fn apply(settings: &mut SessionSettings, directives: &Directives) {
    if let Some(level) = directives.think.and_then(|think| think.level) {
        settings.think = (level != Think::Default).then_some(level);
    }
    if let Some(level) = directives.verbose.and_then(|verbose| verbose.level) {
        settings.verbose = Some(level);
    }
    if let Some(level) = directives.reasoning.and_then(|reasoning| reasoning.level) {
        settings.reasoning = Some(level);
    }
    if let Some(level) = directives.elevated.and_then(|elevated| elevated.level) {
        settings.elevated = Some(level);
    }
    if let Some(exec) = &directives.exec {
        settings.exec.host = exec.host.or(settings.exec.host);
        settings.exec.security = exec.security.or(settings.exec.security);
        settings.exec.ask = exec.ask.or(settings.exec.ask);
        settings.exec.node = exec.node.clone().or_else(|| settings.exec.node.take());
    }
    if let Some(model) = directives.model.as_ref().filter(|model| model.model.is_some()) {
        let cleared = model.model.as_deref() == Some(DEFAULT_MODEL);
        settings.model = (!cleared).then(|| {
            let mut model = model.clone();
            model.session = false;
            model
        });
    }
    if let Some(queue) = &directives.queue {
        if queue.reset {
            settings.queue = Queue::default();
        } else {
            settings.queue.mode = queue.mode.or(settings.queue.mode);
            let debounce = queue.debounce_ms.map(|ms| ms.min(LONGEST_DEBOUNCE_MS));
            settings.queue.debounce_ms = debounce.or(settings.queue.debounce_ms);
            settings.queue.cap = queue.cap.map(|cap| cap.min(MOST_CAP)).or(settings.queue.cap);
            settings.queue.drop = queue.drop.or(settings.queue.drop);
        }
    }
}

/// The settings of a conversation that begins anew: of those before, the ones that are carried over, and no others.
pub(crate) fn carried_over(before: &SessionSettings, carried: &[CarriedSetting]) -> SessionSettings {
    let mut settings = SessionSettings::default();
    for setting in carried {
        match setting {
            CarriedSetting::Think => settings.think = before.think,
            CarriedSetting::Verbose => settings.verbose = before.verbose,
            CarriedSetting::Reasoning => settings.reasoning = before.reasoning,
            CarriedSetting::Elevated => settings.elevated = before.elevated,
            CarriedSetting::Exec => settings.exec = before.exec.clone(),
            CarriedSetting::Model => settings.model.clone_from(&before.model),
            CarriedSetting::Queue => settings.queue = before.queue.clone(),
            CarriedSetting::Send => settings.send = before.send,
            CarriedSetting::Activation => settings.activation = before.activation,
            CarriedSetting::Usage => settings.usage = before.usage,
            CarriedSetting::Speech => settings.speech = before.speech,
        }
    }
    settings
}

/// What holds the agent back stays, where whoever begins the conversation anew is no owner: each of these is the strictest
/// value of its setting.
pub(crate) fn keep_restrictions(before: &SessionSettings, settings: &mut SessionSettings) {
    fn strictest<T: PartialEq + Copy>(before: Option<T>, strictest: T, now: &mut Option<T>) {
        if before == Some(strictest) {
            *now = before;
        }
    }
    strictest(before.elevated, Elevated::Off, &mut settings.elevated);
    strictest(before.exec.host, ExecHost::Sandbox, &mut settings.exec.host);
    strictest(
        before.exec.security,
        ExecSecurity::Deny,
        &mut settings.exec.security,
    );
    strictest(before.exec.ask, ExecAsk::Always, &mut settings.exec.ask);
}

/// True where directives may let the agent do more than it may without them, whatever is stored: only the strictest value
/// of each setting never does.
pub(crate) fn may_loosen(directives: &Directives) -> bool {
    let elevated = directives.elevated.and_then(|level| level.level);
    elevated.is_some_and(|level| level != Elevated::Off)
        || directives.exec.as_ref().is_some_and(|exec| {
            exec.security
                .is_some_and(|security| security != ExecSecurity::Deny)
                || exec.ask.is_some_and(|ask| ask != ExecAsk::Always)
                || exec.host.is_some_and(|host| host != ExecHost::Sandbox)
                || exec.node.is_some()
        })
}

/// A model that is chosen by its name.
pub(crate) fn chosen_model(name: String) -> Model {
    Model {
        model: Some(name),
        ..Model::default()
    }
}

/// The levels that directives ask for, as an agent is asked.
pub(crate) fn levels_of(directives: &Directives, names: &BTreeMap<String, String>) -> RunLevels {
    RunLevels {
        think: think_level(directives.think.and_then(|think| think.level)),
        model: directives
            .model
            .as_ref()
            .and_then(|model| model_override(model, names)),
        host: directives.exec.as_ref().and_then(host_of),
        node: directives.exec.as_ref().and_then(|exec| exec.node.clone()),
    }
}

/// The place where commands are to run; where they run anyway asks for nothing.
fn host_of(exec: &Exec) -> Option<String> {
    let host = exec.host.filter(|host| *host != ExecHost::Auto);
    host.map(|host| host.code().to_owned())
}

fn think_level(level: Option<Think>) -> Option<ThinkLevel> {
    ThinkLevel::from_code(level?.code())
}

/// The model that has a short name, in any case.
pub(crate) fn model_of_name<'n>(names: &'n BTreeMap<String, String>, written: &str) -> Option<&'n String> {
    let mut named = names.iter();
    let (_, model) = named.find(|(name, _)| name.eq_ignore_ascii_case(written))?;
    Some(model)
}

/// The model that the first word behind `/new` chooses, and the words behind it: one with a short name, a number of
/// `/models` alone on its line, or a name of a provider that the configuration or the agent has. Any other word is text.
pub(crate) fn leading_model<'t>(
    names: &BTreeMap<String, String>,
    agent: &dyn Agent,
    words: &'t str,
) -> (Option<String>, &'t str) {
    let first = words.split_whitespace().next().unwrap_or_default();
    let rest = words[first.len()..].trim_start();
    let numbered = || {
        let number: usize = first.parse().ok()?;
        names.values().nth(number.checked_sub(1)?)
    };
    let listed = model_of_name(names, first).or_else(|| numbered().filter(|_| rest.is_empty()));
    let model = listed.cloned().or_else(|| {
        let (provider, _) = first.split_once('/')?;
        let is_provider = |model: &str| {
            let known = model.split_once('/').map(|(known, _)| known);
            known.is_some_and(|known| known.eq_ignore_ascii_case(provider))
        };
        let is_known = provider.eq_ignore_ascii_case(agent.backend())
            || agent.model().is_some_and(is_provider)
            || names.values().any(|model| is_provider(model));
        (is_known && ModelOverride::parse(first).is_some()).then(|| first.to_owned())
    });
    match model {
        Some(model) => (Some(model), rest),
        None => (None, words),
    }
}

/// A model by its short name, by its number in the list of `/models`, or by its own name.
fn model_override(model: &Model, names: &BTreeMap<String, String>) -> Option<ModelOverride> {
    let written = model.model.as_deref().filter(|name| *name != DEFAULT_MODEL)?;
    let numbered = || {
        let number: usize = written.parse().ok()?;
        names.values().nth(number.checked_sub(1)?)
    };
    let name = model_of_name(names, written)
        .or_else(numbered)
        .map_or(written, String::as_str);
    let mut chosen = ModelOverride::parse(name)?;
    chosen.profile = model.profile.clone().or(chosen.profile);
    Some(chosen)
}

/// The settings of a turn: those of its message before those of its session, and levels of the configuration behind both.
/// What none of them sets, the channel and the configuration decide where it is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TurnSettings {
    pub(crate) message: SessionSettings,
    /// The place that what its message sets comes from; none for the message itself.
    pub(crate) set_by: Option<SettingSource>,
    pub(crate) session: SessionSettings,
    pub(crate) configured: ConfiguredLevels,
}

impl TurnSettings {
    /// The settings that count and are set by the message, by the session or for all of them (`agent.defaults`), each with
    /// where it comes from.
    pub(crate) fn effective(&self) -> Vec<EffectiveSetting> {
        let inline = self.message.written();
        let is_inline = |name: &str| inline.iter().any(|(known, _)| *known == name);
        let stored = self.session.written();
        let stored = stored.into_iter().filter(|(name, _)| !is_inline(name));
        let told = |source: SettingSource| {
            move |(setting, value): (&'static str, String)| EffectiveSetting {
                setting: setting.to_owned(),
                value,
                source,
            }
        };
        let own = self.set_by.unwrap_or(SettingSource::Inline);
        let told_inline = inline.iter().cloned().map(told(own));
        let mut effective: Vec<_> = told_inline
            .chain(stored.map(told(SettingSource::Session)))
            .collect();
        for level in self.configured.effective() {
            if effective.iter().all(|known| known.setting != level.setting) {
                effective.push(level);
            }
        }
        effective
    }

    /// The levels that the agent is asked for.
    pub(crate) fn levels(&self, names: &BTreeMap<String, String>) -> RunLevels {
        let model = self.message.model.as_ref().or(self.session.model.as_ref());
        let (message, session) = (&self.message.exec, &self.session.exec);
        let exec_of_host = if message.host.is_some() { message } else { session };
        let node = message.node.as_ref().or(session.node.as_ref());
        RunLevels {
            think: think_level(self.message.think.or(self.session.think)).or(self.configured.defaults.think),
            model: model.and_then(|model| model_override(model, names)),
            host: host_of(exec_of_host),
            node: node.cloned(),
        }
    }

    /// Display of tool calls in the chat, where it is set.
    pub(crate) fn tools(&self) -> Option<ToolDisplay> {
        let level = self.verbose()?;
        Some(match level {
            Verbose::Off => ToolDisplay::None,
            Verbose::On => ToolDisplay::Compact,
            Verbose::Full => ToolDisplay::Full,
        })
    }

    /// True where people, or the configuration for all of them, want to be told what the agent does.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose().is_some_and(|level| level != Verbose::Off)
    }

    fn verbose(&self) -> Option<Verbose> {
        let chosen = self.message.verbose.or(self.session.verbose);
        chosen.or(self.configured.verbose())
    }

    /// The line about tokens under the answer, where it is set.
    pub(crate) fn usage(&self) -> Option<UsageLine> {
        self.message.usage.or(self.session.usage)
    }

    /// The answers that are spoken, where it is set.
    pub(crate) fn speech(&self) -> Option<SpeechMode> {
        self.message.speech.or(self.session.speech)
    }

    /// Display of reasoning in the chat, where it is set.
    pub(crate) fn reasoning(&self) -> Option<ReasoningDisplay> {
        let chosen = self.message.reasoning.or(self.session.reasoning);
        let level = chosen.or(self.configured.reasoning())?;
        Some(match level {
            Reasoning::Off => ReasoningDisplay::Hide,
            Reasoning::On => ReasoningDisplay::Show,
            Reasoning::Stream => ReasoningDisplay::Stream,
        })
    }

    /// What becomes of the agent's requests for permission. What the configuration rejects by its kind stays rejected,
    /// whatever is set here, and a question takes the place of a consent, never of a refusal.
    pub(crate) fn permissions(&self, configured: &PermissionsConfig) -> PermissionsConfig {
        let mut config = configured.clone();
        match self.message.elevated.or(self.session.elevated) {
            None => {}
            Some(Elevated::Off) => {
                config.policy = PermissionPolicy::Reject;
                config.allow_once.clear();
            }
            Some(Elevated::On | Elevated::Ask) => {
                config.policy = PermissionPolicy::Ask;
                config.allow_once.clear();
            }
            Some(Elevated::Full) => config.policy = PermissionPolicy::AllowOnce,
        }
        let ask = self.message.exec.ask.or(self.session.exec.ask);
        let security = self.message.exec.security.or(self.session.exec.security);
        let runs = ToolKind::Execute;
        if security == Some(ExecSecurity::Full) || ask == Some(ExecAsk::Off) {
            config.allow_once.push(runs);
        }
        if security == Some(ExecSecurity::Deny) {
            config.reject.push(runs);
        }
        if ask == Some(ExecAsk::Always) && config.about(runs.code()).0 != PermissionPolicy::Reject {
            config.ask.push(runs);
        }
        config
    }
}

#[cfg(test)]
mod tests;
