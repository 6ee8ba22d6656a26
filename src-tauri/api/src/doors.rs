//! What keeps the channels from sending: who shut which, why and since when, as the journal tells it.

use foldback_store::{Journal, Selection, StoreError};
use foldback_wire::{Actor, ChannelId, ChannelState, Event, Kind, Seq, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Changes of the channels that are looked at, the latest ones. One that tries to connect all night makes some
/// hundreds.
const CHANGES: usize = 1_000;

/// Starts and mutings that are looked at, the latest ones.
const TURNINGS: usize = 100;

/// The doors as they are after the events read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doors {
    /// When the process began; unknown where that was not among the events.
    began: Option<Timestamp>,
    muted: Option<Shut>,
    channels: BTreeMap<ChannelId, Door>,
}

/// What is shut.
#[derive(Debug, Clone)]
struct Shut {
    by: Actor,
    since: Timestamp,
    why: String,
}

#[derive(Debug, Clone)]
struct Door {
    kind: Doorway,
    shut: Shut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doorway {
    Off,
    Unconnected,
    Open,
}

impl Doorway {
    const fn of(state: ChannelState) -> Self {
        match state {
            ChannelState::Off => Self::Off,
            ChannelState::Connecting | ChannelState::Down => Self::Unconnected,
            ChannelState::Up | ChannelState::Degraded | ChannelState::RateLimited => Self::Open,
        }
    }
}

/// Why something waits, in words that follow "waits: ", and the setting that would change it.
pub(crate) struct Kept {
    pub(crate) text: String,
    pub(crate) setting: Option<String>,
}

impl Doors {
    /// The doors of these channels, as they are now.
    pub(crate) async fn read(
        journal: &dyn Journal,
        channels: BTreeSet<ChannelId>,
    ) -> Result<Self, StoreError> {
        let turnings = Selection::kinds(["started", "muted"]);
        let changes = Selection {
            channels: Some(channels),
            ..Selection::kinds(["channel_state"])
        };
        let mut wanted = Vec::new();
        for (selection, most) in [(turnings, TURNINGS), (changes, CHANGES)] {
            let places = journal
                .places(&selection, Seq(0), journal.head(), usize::MAX)
                .await?;
            wanted.extend_from_slice(&places[places.len().saturating_sub(most)..]);
        }
        let mut doors = Self::default();
        for event in journal.pick(&wanted).await? {
            doors.push(&event);
        }
        Ok(doors)
    }

    fn push(&mut self, event: &Event) {
        match (&event.kind, &event.channel) {
            (Kind::Started { .. }, _) => {
                *self = Self {
                    began: Some(event.at),
                    ..Self::default()
                };
            }
            (Kind::Muted { muted, by }, _) => {
                self.muted = muted.then(|| Shut {
                    by: by.clone(),
                    since: event.at,
                    why: String::new(),
                });
            }
            (Kind::ChannelState { to, by, why, .. }, Some(channel)) => {
                let kind = Doorway::of(*to);
                let mut shut = Shut {
                    by: by.clone(),
                    since: event.at,
                    why: why.clone(),
                };
                if let Some(before) = self.channels.get(channel).filter(|before| before.kind == kind) {
                    shut.since = before.shut.since;
                    if *to == ChannelState::Connecting {
                        // Why it is not connected is what ended the last try.
                        shut.why.clone_from(&before.shut.why);
                    }
                }
                self.channels.insert(channel.clone(), Door { kind, shut });
            }
            _ => {}
        }
    }

    /// What keeps a channel from sending; `None` where the events do not tell. What waits although its door is open
    /// waits for a person.
    pub(crate) fn keep(&self, channel: &ChannelId) -> Option<Kept> {
        let door = self.channels.get(channel);
        let kept = |text, setting| Some(Kept { text, setting });
        match (door, &self.muted) {
            (
                Some(Door {
                    kind: Doorway::Off,
                    shut: Shut { by, since, why },
                }),
                _,
            ) => {
                let next = if matches!(by, Actor::Pipeline) {
                    "it goes out at the next start"
                } else {
                    "switch it on, and it goes out"
                };
                let since = moment(*since);
                kept(
                    format!("{channel} is off since {since}, by {by} ({why}); {next}"),
                    None,
                )
            }
            (None, _) if self.began.is_some() => kept(
                format!("{channel} is off since the start, by the configuration; switch it on, and it goes out"),
                Some(format!("channels.{channel}.enabled")),
            ),
            (_, Some(Shut { by, since, .. })) => {
                let since = moment(*since);
                let text = format!(
                    "all outbound is muted since {since}, by {by}; unmute it, and what waits goes out"
                );
                kept(text, None)
            }
            (
                Some(Door {
                    kind: Doorway::Unconnected,
                    shut: Shut { since, why, .. },
                }),
                None,
            ) => {
                let since = moment(*since);
                kept(
                    format!(
                        "{channel} is not connected since {since} ({why}); it goes out as soon as it is connected"
                    ),
                    None,
                )
            }
            (
                Some(Door {
                    kind: Doorway::Open, ..
                }),
                None,
            ) => kept(
                "it was held for longer than outbox.max_age; only a person lets it go out, or gives it up, on the \
                 channel's card"
                    .to_owned(),
                Some("outbox.max_age".to_owned()),
            ),
            (None, None) => None,
        }
    }
}

/// A time as people read it, in UTC and to the second.
fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((day, time)) => format!("{day} {} UTC", time.get(..8).unwrap_or(time)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64, channel: Option<&str>, kind: Kind) -> Event {
        Event {
            seq: Seq(second as u64),
            at: Timestamp(second * 1_000),
            turn: None,
            session: None,
            channel: channel.map(ChannelId::new),
            kind,
        }
    }

    fn change(second: i64, from: ChannelState, to: ChannelState, by: Actor, why: &str) -> Event {
        let why = why.to_owned();
        at(second, Some("slack"), Kind::ChannelState { from, to, by, why })
    }

    fn keep(events: &[Event]) -> (String, Option<String>) {
        let mut doors = Doors::default();
        for event in events {
            doors.push(event);
        }
        let kept = doors.keep(&"slack".into()).unwrap();
        (kept.text, kept.setting)
    }

    #[test]
    fn off_muted_and_not_connected_are_three_answers() {
        use ChannelState::{Connecting, Down, Off, Up};
        let start = at(
            0,
            None,
            Kind::Started {
                version: String::new(),
                replayed: false,
            },
        );
        let on = change(1, Off, Connecting, Actor::Config, "enabled");
        let up = change(2, Connecting, Up, Actor::Adapter, "connected");
        let mute = |second, muted| {
            at(
                second,
                None,
                Kind::Muted {
                    muted,
                    by: Actor::Cli,
                },
            )
        };
        let off = change(3, Up, Off, Actor::Console, "switched off by hand");
        assert_eq!(
            keep(&[start.clone(), on.clone(), up.clone(), off, mute(4, true)]),
            (
                "slack is off since 1970-01-01 00:00:03 UTC, by the console (switched off by hand); switch it on, and \
                 it goes out"
                    .to_owned(),
                None
            )
        );
        assert_eq!(
            keep(&[start.clone(), on.clone(), up.clone(), mute(4, true)]).0,
            "all outbound is muted since 1970-01-01 00:00:04 UTC, by the command line; unmute it, and what waits goes \
             out"
        );
        let tries = [
            change(5, Up, Down, Actor::Adapter, "refused"),
            change(6, Down, Connecting, Actor::Adapter, "trying again"),
            change(7, Connecting, Down, Actor::Adapter, "refused again"),
            change(8, Down, Connecting, Actor::Adapter, "trying again"),
        ];
        let events = [
            start.clone(),
            on.clone(),
            up.clone(),
            mute(3, true),
            mute(4, false),
        ];
        let events: Vec<_> = events.into_iter().chain(tries).collect();
        assert_eq!(
            keep(&events).0,
            "slack is not connected since 1970-01-01 00:00:05 UTC (refused again); it goes out as soon as it is \
             connected"
        );
        assert_eq!(
            keep(std::slice::from_ref(&start)).1.as_deref(),
            Some("channels.slack.enabled")
        );
        assert_eq!(keep(&[start, on, up]).1.as_deref(), Some("outbox.max_age"));
    }
}
