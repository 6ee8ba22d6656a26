//! Reading `foldback.toml`. An error names the file, the line, the field, and what would be right.

use super::{
    ChannelConfig, Config, ListEntry, OutOfBounds, custom_command::unfit_command, hooks::unfit_hook,
    model_alias::unfit_alias, places::Places, plain_http::exposed_key, schedules::unfit_schedule,
};
use crate::id::ANYBODY;
use foldback_channels::platform::{self, IdOwner, misfit};
use foldback_wire::{ChannelId, Platform};
use std::path::{Path, PathBuf};

/// The reason for which a configuration cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: cannot be read: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{path}:{line}:{column}: {field}{message}", path = path.display(),
        field = field.as_ref().map(|f| format!("{f}: ")).unwrap_or_default())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The field's full name, where it is known.
        field: Option<String>,
        /// The mistake, and what would be right.
        message: String,
    },
}

/// Reads and checks a configuration file.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    let text = read(path)?;
    parse(&text, path)
}

/// Checks that every channel of a configuration can connect: that it has the keys of its kind.
///
/// # Errors
/// Names the first key that is missing, with the place of its table in the file.
pub fn check_connections(config: &Config, path: &Path) -> Result<(), ConfigError> {
    for (name, channel) in &config.channels {
        let Some((key, what)) = channel.missing_key(name) else {
            continue;
        };
        let text = read(path)?;
        let at = Places::read(&text).of_field(&["channels", name.as_str(), key.name()]);
        let message = format!("channels.{name}.{key} is missing; write {what}");
        return Err(invalid(&text, path, at, None, message));
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn invalid(text: &str, path: &Path, at: usize, field: Option<String>, message: String) -> ConfigError {
    let before = &text[..text.floor_char_boundary(at)];
    ConfigError::Invalid {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
        field,
        message,
    }
}

/// Reads and checks the text of a configuration file; `path` is for messages only.
pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
    let invalid = |at: usize, field: Option<String>, message: String| invalid(text, path, at, field, message);
    let invalid_field = |field: &str, message: String| {
        let names: Vec<&str> = field.split('.').collect();
        invalid(
            Places::read(text).of_field(&names),
            Some(field.to_owned()),
            message,
        )
    };
    let mut config: Config = toml::from_str(text).map_err(|e| {
        let field = e.span().and_then(|part| Places::read(text).field_at(&part));
        invalid(e.span().map_or(0, |part| part.start), field, explain(e.message()))
    })?;
    // What could be read as a configuration can be read as tables.
    if let Ok(tables) = toml::from_str::<serde_json::Value>(text) {
        config.written.add_tables(&tables);
    }
    if let Some(pattern) = &config.output.all_clear
        && let Err(error) = foldback_directives::Settings::default().set("all_clear", pattern)
    {
        return Err(invalid_field("output.all_clear", error.message));
    }
    if let Some(pattern) = &config.heartbeat.all_clear
        && let Err(error) = foldback_directives::Settings::default().set("all_clear", pattern)
    {
        return Err(invalid_field("heartbeat.all_clear", error.message));
    }
    if let Some((index, key, why)) = unfit_schedule(&config) {
        let at = Places::read(text).of_entry_field(&["schedule"], index, key);
        return Err(invalid(at, Some(format!("schedule.{key}")), why));
    }
    if let Some(table) = exposed_key(&config) {
        let message = format!(
            "the key would travel unencrypted to another machine; use https, or set {table}.allow_plain_http = true \
             where the network is trusted"
        );
        return Err(invalid_field(&format!("{table}.base_url"), message));
    }
    if let Some((index, why)) = unfit_hook(&config) {
        let at = Places::read(text).of_entry(&["hooks"], index);
        return Err(invalid(at, Some("hooks".to_owned()), why));
    }
    if let Some((name, why)) = unfit_alias(&config) {
        let at = Places::read(text).of_field(&["agent", "models", name]);
        return Err(invalid(at, Some(format!("agent.models.{name}")), why));
    }
    if let Some((name, key, why)) = unfit_command(&config) {
        let path: Vec<_> = ["commands", "custom", name].into_iter().chain(key).collect();
        let at = Places::read(text).of_field(&path);
        return Err(invalid(at, Some(path.join(".")), why));
    }
    for (name, channel) in &config.channels {
        let table = format!("channels.{name}");
        if channel.platform(name).is_none() {
            let at = Places::read(text).of_field(&["channels", name.as_str()]);
            let message = "nothing says which platform this is; set kind, or platform for a loopback channel";
            return Err(invalid(at, Some(table), message.to_owned()));
        }
        if let Some((key, kind)) = channel.useless_key(name) {
            let message = format!("a channel of the kind {kind} has no use for it");
            return Err(invalid_field(&format!("{table}.{key}"), message));
        }
        if !channel.blocks.fits() {
            let names = ["channels", name.as_str(), "blocks", "min"];
            let message = "must not be more than blocks.max".to_owned();
            let at = Places::read(text).of_field(&names);
            return Err(invalid(at, Some(format!("{table}.blocks.min")), message));
        }
        for (key, of, index, entry) in entries(channel) {
            if let Some(why) = unfit(&config, name, channel, of, entry) {
                let at = Places::read(text).of_entry(&["channels", name.as_str(), key], index);
                return Err(invalid(at, Some(format!("{table}.{key}")), why));
            }
        }
    }
    if let Err(OutOfBounds { field, message }) = config.check_bounds() {
        return Err(invalid_field(field, message));
    }
    Ok(config)
}

/// Every entry of a channel's lists, with its key, whose ids stand there, and its number in the list from 0.
fn entries(channel: &ChannelConfig) -> impl Iterator<Item = (&'static str, IdOwner, usize, &str)> {
    let none: &[String] = &[];
    let lists = [
        ("allow_from", IdOwner::Person, channel.allow_from.as_slice()),
        (
            "group_allow_from",
            IdOwner::Person,
            channel.group_allow_from.as_deref().unwrap_or(none),
        ),
        ("groups", IdOwner::Chat, channel.groups.as_deref().unwrap_or(none)),
    ];
    lists.into_iter().flat_map(|(key, of, list)| {
        let numbered = list.iter().enumerate();
        numbered.map(move |(index, entry)| (key, of, index, entry.as_str()))
    })
}

/// The reason for which an entry can name nobody: a provider that does not exist, or an id that its platform does not
/// give.
fn unfit(
    config: &Config,
    name: &ChannelId,
    channel: &ChannelConfig,
    of: IdOwner,
    entry: &str,
) -> Option<String> {
    let ListEntry { provider, id } = ListEntry::of(entry);
    let own = |provider: &str| {
        provider.eq_ignore_ascii_case(name.as_str())
            || channel
                .platform(name)
                .is_some_and(|platform| provider.eq_ignore_ascii_case(platform.code()))
    };
    if let Some(provider) = provider.filter(|provider| !own(provider)) {
        let mut known = platform::ALL.iter().map(Platform::code);
        let known = known.any(|known| provider.eq_ignore_ascii_case(known))
            || config
                .channels
                .keys()
                .any(|known| provider.eq_ignore_ascii_case(known.as_str()));
        return (!known)
            .then(|| format!("\"{entry}\": there is neither a platform nor a channel {provider}"));
    }
    // A simulated platform has whom one likes on it.
    if id == ANYBODY || channel.is_simulated(name) {
        return None;
    }
    misfit(channel.platform(name)?, of, id).map(|why| format!("\"{entry}\" is no id there: {why}"))
}

/// The parser's message, with a suggestion where a name is nearly one that exists.
fn explain(message: &str) -> String {
    let message = message.trim();
    let mut names = message.split('`').skip(1).step_by(2);
    let near = message.starts_with("unknown ").then(|| {
        let wrong = names.next()?;
        names
            .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
            .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
            .min()
    });
    match near.flatten() {
        // All the names that would do are no help to somebody who nearly had it.
        Some((_, name)) => {
            let wrong = message.split(", expected").next().unwrap_or(message);
            format!("{wrong}; did you mean `{name}`?")
        }
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests;
