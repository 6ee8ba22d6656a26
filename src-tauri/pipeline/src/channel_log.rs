//! Changes of channels in the app's own log, for the operator of a bot without a window.

use foldback_wire::{ChannelId, ChannelState, Draft, Kind};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};
use tracing::Level;

/// Logs that a channel connects, is connected, fails and why: each state once. A channel that tries to connect again
/// and again fails once in the log for each reason; a rate limit is no failure, and the journal has them all.
#[derive(Debug, Default)]
pub(crate) struct ChannelLog {
    /// The latest line about each channel: its state and why.
    latest: Mutex<BTreeMap<ChannelId, (ChannelState, String)>>,
}

impl ChannelLog {
    /// Logs what an event says of a channel. Its secrets are masked already.
    pub(crate) fn log(&self, draft: &Draft) {
        match self.line(draft) {
            Some((Level::WARN, line)) => tracing::warn!("{line}"),
            Some((_, line)) => tracing::info!("{line}"),
            None => {}
        }
    }

    fn line(&self, draft: &Draft) -> Option<(Level, String)> {
        let (Some(channel), Kind::ChannelState { to, by, why, .. }) = (&draft.channel, &draft.kind) else {
            return None;
        };
        // Whole after every change, so that a panic elsewhere does not matter here.
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let before = latest.get(channel);
        if *to == ChannelState::RateLimited || before.is_some_and(|before| is_known(before, *to, why)) {
            return None;
        }
        latest.insert(channel.clone(), (*to, why.clone()));
        let (level, state) = match to {
            ChannelState::Connecting => (Level::INFO, "is connecting"),
            ChannelState::Down => (Level::WARN, "is not connected"),
            ChannelState::Degraded => (Level::WARN, "has trouble"),
            ChannelState::Up => return Some((Level::INFO, format!("channel {channel} is connected"))),
            ChannelState::Off | ChannelState::RateLimited => (Level::INFO, "is off"),
        };
        let by = if by.is_person() {
            format!(", by {by:#}")
        } else {
            String::new()
        };
        Some((level, format!("channel {channel} {state}: {why}{by}")))
    }
}

/// True where the latest line about a channel tells this already. A try to connect again ends as the one before it, or
/// tells something new.
fn is_known((state, known): &(ChannelState, String), to: ChannelState, why: &str) -> bool {
    match (state, to) {
        (ChannelState::Down, ChannelState::Connecting) => true,
        (ChannelState::Down, ChannelState::Down) => known == why,
        _ => *state == to,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ChannelState::{Connecting, Degraded, Down, Off, RateLimited, Up};
    use foldback_wire::{Actor, Timestamp};

    fn lines(changes: &[(ChannelState, Actor, &str)]) -> Vec<String> {
        let log = ChannelLog::default();
        let draft = |(to, by, why): &(ChannelState, Actor, &str)| Draft {
            at: Timestamp(0),
            turn: None,
            session: None,
            channel: Some(ChannelId::new("telegram")),
            kind: Kind::ChannelState {
                from: Off,
                to: *to,
                by: by.clone(),
                why: (*why).to_owned(),
            },
        };
        let lines = changes.iter().filter_map(|change| log.line(&draft(change)));
        lines.map(|(level, line)| format!("{level} {line}")).collect()
    }

    #[test]
    fn each_state_is_logged_once_and_a_retry_only_with_another_reason() {
        let by = Actor::Adapter;
        let retry = (Connecting, by.clone(), "trying again");
        let changes = [
            (Connecting, Actor::Config, "enabled in the configuration"),
            (Down, by.clone(), "no route to api.telegram.org"),
            retry.clone(),
            (Down, by.clone(), "no route to api.telegram.org"),
            retry.clone(),
            (Down, by.clone(), "HTTP 401: Unauthorized"),
            retry,
            (Up, by.clone(), "connected"),
            (RateLimited, by.clone(), "asked to wait for 3s"),
            (Up, by.clone(), "the wait is over"),
            (Degraded, by.clone(), "HTTP 500"),
            (Up, by, "it answers again"),
            (Off, Actor::Cli, "switched"),
        ];
        assert_eq!(
            lines(&changes),
            [
                "INFO channel telegram is connecting: enabled in the configuration",
                "WARN channel telegram is not connected: no route to api.telegram.org",
                "WARN channel telegram is not connected: HTTP 401: Unauthorized",
                "INFO channel telegram is connected",
                "WARN channel telegram has trouble: HTTP 500",
                "INFO channel telegram is connected",
                "INFO channel telegram is off: switched, by a person at the command line",
            ]
        );
    }
}
