//! Channels: who is let in, and what a channel connects to.

use super::{
    check::{Answer, Check},
    daemon, grants, pages, platforms, sessions,
    subject::Subject,
    webhooks,
};
use foldback_pipeline::config::ChannelConfig;
use foldback_wire::ChannelId;
use std::collections::BTreeMap;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let channels = &subject.config.channels;
    let mut checks: Vec<_> = none_is_on(channels).into_iter().collect();
    checks.extend(no_owner(subject));
    checks.extend(channels.iter().flat_map(|(id, channel)| {
        let mut checks = lists(id, channel);
        checks.extend(commands(subject, id));
        checks.extend(daemon::check(id, channel));
        checks.extend(pages::check(id, channel));
        checks.extend(sessions::check(subject, id, channel));
        checks.extend(platforms::checks(subject, id, channel));
        checks.extend(grants::checks(subject, id, channel));
        checks.extend(webhooks::checks(subject, id, channel));
        checks
    }));
    checks
}

/// A bot without a channel starts, and nobody reaches it.
fn none_is_on(channels: &BTreeMap<ChannelId, ChannelConfig>) -> Option<Check> {
    let found = if channels.is_empty() {
        "there is none, so that no message reaches the bot"
    } else if channels.values().all(|channel| !channel.enabled) {
        "all are switched off, so that no message reaches the bot"
    } else {
        return None;
    };
    let todo = "add a table such as [channels.telegram], with enabled = true";
    let asked = "the configuration for channels";
    Some(Check::answered("channels", asked, Answer::note(found, todo)))
}

/// A bot without an owner: what only owners may do, nobody may.
fn no_owner(subject: &Subject) -> Option<Check> {
    let commands = &subject.config.commands;
    let is_open = commands.enabled && commands.owner_allow_from.is_empty();
    is_open.then(|| {
        let found = "the list of owners is empty: commands for owners and what loosens the agent's rights are closed, \
                     and whoever may write may use the other commands";
        let todo = "name yourself in commands.owner_allow_from, such as \"telegram:42\"";
        let asked = "the configuration who owns the bot";
        Check::answered("commands", asked, Answer::note(found, todo))
    })
}

/// Lists that let nobody use commands.
fn commands(subject: &Subject, id: &ChannelId) -> Option<Check> {
    let (key, what) = subject.config.commands_closed(id)?;
    let todo = if key == "commands.enabled" {
        "leave it so where users need no commands".to_owned()
    } else {
        format!("name people of this channel in {key}")
    };
    let asked = "the configuration who may use commands";
    let about = format!("channels.{id}");
    Some(Check::answered(about, asked, Answer::note(what, &todo)))
}

/// Lists that are empty let nobody in.
fn lists(id: &ChannelId, channel: &ChannelConfig) -> Vec<Check> {
    let about = format!("channels.{id}");
    let asked = "the configuration who may write";
    let ChannelConfig { enabled, armed, .. } = channel;
    let state = match (enabled, armed) {
        (false, _) => "switched off",
        (true, true) => "on and armed",
        (true, false) => "on, dry run",
    };
    let closed = channel.closed(id.as_str());
    if closed.is_empty() {
        return vec![Check::answered(about, asked, Answer::fine(state))];
    }
    let note = |closed: String| {
        let (key, what) = closed.split_once(" is empty: ").unwrap_or((&closed, ""));
        let todo = format!("name people in {key}; \"*\" lets everybody in");
        Check::answered(&about, asked, Answer::note(format!("{state}; {what}"), &todo))
    };
    closed.into_iter().map(note).collect()
}
