//! Channels: who is let in, and what a channel connects to.

use super::{
    check::{Answer, Check},
    daemon, platforms,
    subject::Subject,
};
use foldback_pipeline::config::ChannelConfig;
use foldback_wire::ChannelId;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let channels = subject.config.channels.iter();
    channels
        .flat_map(|(id, channel)| {
            let mut checks = lists(id, channel);
            checks.extend(daemon::check(id, channel));
            checks.extend(platforms::checks(subject, id, channel));
            checks
        })
        .collect()
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
