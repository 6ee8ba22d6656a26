//! Channels: who is let in, and whether what a channel connects to listens.

use super::{
    check::{Answer, Check},
    reach::reach,
    subject::Subject,
};
use foldback_pipeline::config::ChannelConfig;
use foldback_wire::ChannelId;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let channels = subject.config.channels.iter();
    channels
        .flat_map(|(id, channel)| lists(id, channel).into_iter().chain(listening(id, channel)))
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

/// A simulated platform in another process, the daemon of signal-cli.
fn listening(id: &ChannelId, channel: &ChannelConfig) -> Option<Check> {
    let root = channel.api_root.as_ref()?;
    let address = root.strip_prefix("tcp://")?.to_owned();
    let about = format!("channels.{id}.api_root");
    Some(Check::new(
        about,
        format!("{root} for a connection"),
        async move {
            match reach(&address).await {
                Ok(()) => Answer::fine(format!("{address} answers")),
                Err(error) => Answer::wrong(error, "start what listens there, or mend the address"),
            }
        },
    ))
}
