//! A session with the gateway, and how far it has been followed. Discord numbers the events of a session and sends
//! again, when asked to resume, whatever came after a number:
//! <https://discord.com/developers/docs/events/gateway#resuming>. Events are sent once otherwise, so the number
//! asked for is that of the last event that needs no repetition.

use crate::Refusal;
use foldback_wire::{RefusalCode, SteadyTime};
use serde::{Deserialize, Serialize};
use serenity::model::id::{ChannelId, RoleId, UserId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tokio::sync::oneshot;

/// Channels that are remembered; then they are asked for anew.
const MAX_PLACES: usize = 10_000;

/// What outlives a connection.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// The session to resume, if there is one.
    open: Option<Open>,
    /// The last event that was dealt with.
    received: u64,
    /// Up to where the next process knows of it; `None` where it knows nothing of this session.
    marked: Option<u64>,
    /// Messages handed over that are not known to be durable.
    waiting: VecDeque<Waiting>,
    /// When a session was last begun: <https://discord.com/developers/docs/events/gateway#rate-limiting>.
    pub(super) begun: Option<SteadyTime>,
    /// What channels have turned out to be.
    places: BTreeMap<ChannelId, KnownPlace>,
}

/// What another process needs to go on with a session.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Progress {
    open: Open,
    /// The last event that needs no repetition.
    safe: u64,
}

/// As what, and where, a session goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) id: String,
    pub(super) url: String,
    pub(super) bot: Bot,
}

/// Who the bot is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Bot {
    pub(super) id: UserId,
    pub(super) name: String,
    /// The roles that servers keep for it alone: to mention one is to mention the bot.
    pub(super) roles: BTreeSet<RoleId>,
}

/// What a channel is: to Discord a thread is one too.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Chat,
    ThreadOf(ChannelId),
}

/// A channel that was looked at.
#[derive(Debug, Clone)]
pub(super) struct KnownPlace {
    pub(super) place: Place,
    /// Its name, where it has one.
    pub(super) name: Option<String>,
}

impl From<Place> for KnownPlace {
    fn from(place: Place) -> Self {
        Self { place, name: None }
    }
}

/// A message that may have to be asked for again.
#[derive(Debug)]
struct Waiting {
    /// Its number; `None` once its session is over, and it cannot be asked for any more.
    seq: Option<u64>,
    kept: oneshot::Receiver<()>,
}

impl Session {
    /// The session of an earlier process.
    pub(super) fn from_progress(progress: Progress) -> Self {
        Self {
            open: Some(progress.open),
            received: progress.safe,
            marked: Some(progress.safe),
            ..Self::default()
        }
    }

    /// How far it has come, to be told to the next process; `None` where that knows it, or there is no session.
    pub(super) fn unmarked(&mut self) -> Option<Progress> {
        let safe = self.safe().filter(|safe| self.marked != Some(*safe))?;
        let open = self.open.clone()?;
        self.marked = Some(safe);
        Some(Progress { open, safe })
    }

    pub(super) const fn open(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// The bot, as the session knows it.
    pub(super) fn bot(&mut self) -> Option<&mut Bot> {
        self.open.as_mut().map(|open| &mut open.bot)
    }

    /// A new session, whose first event this was.
    pub(super) fn begin(&mut self, open: Open, seq: u64) {
        self.end();
        self.open = Some(open);
        self.received = seq;
    }

    /// Discord has forgotten it. Messages that wait to become durable go on waiting.
    pub(super) fn end(&mut self) {
        self.open = None;
        self.received = 0;
        self.marked = None;
        for waiting in &mut self.waiting {
            waiting.seq = None;
        }
    }

    /// Whether an event is not one that was sent again without need.
    pub(super) const fn is_new(&self, seq: u64) -> bool {
        seq > self.received
    }

    /// An event was dealt with.
    pub(super) const fn received(&mut self, seq: u64) {
        self.received = seq;
    }

    /// An event was handed over, and is dealt with for good once it is durable.
    pub(super) fn handed_over(&mut self, seq: u64, kept: oneshot::Receiver<()>) {
        self.received = seq;
        self.waiting.push_back(Waiting { seq: Some(seq), kept });
    }

    /// The last event that needs no repetition; `None` before the first.
    pub(super) fn safe(&self) -> Option<u64> {
        let first = self.waiting.iter().find_map(|waiting| waiting.seq);
        let safe = first.map_or(self.received, |seq| seq.saturating_sub(1));
        (safe > 0).then_some(safe)
    }

    /// Waits until the oldest message handed over is durable; for ever where there is none. One that turns out not
    /// to be is an error: the session resumes before it.
    pub(super) async fn settle(&mut self) -> Result<(), Refusal> {
        let Some(oldest) = self.waiting.front_mut() else {
            return std::future::pending().await;
        };
        let kept = (&mut oldest.kept).await;
        let seq = oldest.seq;
        self.waiting.pop_front();
        match (kept, seq) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(seq)) => {
                self.received = seq.saturating_sub(1);
                self.waiting.retain(|waiting| waiting.seq.is_none());
                let why = format!("event {seq} was not kept; Discord is asked for it again");
                Err(Refusal::new(RefusalCode::Transient, why))
            }
            (Err(_), None) => {
                tracing::warn!("a message of an earlier session was not kept, and cannot be asked for again");
                Ok(())
            }
        }
    }

    /// What a channel is, where that is known.
    pub(super) fn place(&self, channel: ChannelId) -> Option<KnownPlace> {
        self.places.get(&channel).cloned()
    }

    /// Learns what a channel is; that never changes.
    pub(super) fn learn(&mut self, channel: ChannelId, place: KnownPlace) {
        if self.places.len() >= MAX_PLACES {
            self.places.clear();
        }
        self.places.insert(channel, place);
    }

    /// Learns the new name of a channel that is known.
    pub(super) fn rename(&mut self, channel: ChannelId, name: Option<String>) {
        if let Some(known) = self.places.get_mut(&channel) {
            known.name = name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let mut session = Session::default();
        let open = Open {
            id: "s".into(),
            url: "ws://localhost".into(),
            bot: Bot {
                id: UserId::new(1),
                name: "b".into(),
                roles: BTreeSet::new(),
            },
        };
        session.begin(open, 1);
        session
    }

    #[tokio::test]
    async fn it_is_safe_up_to_the_first_message_that_waits() {
        let mut session = session();
        session.received(2);
        let (first, kept) = oneshot::channel();
        session.handed_over(3, kept);
        let (second, kept) = oneshot::channel();
        session.handed_over(4, kept);
        assert_eq!((session.safe(), session.is_new(4)), (Some(2), false));
        second.send(()).unwrap();
        first.send(()).unwrap();
        session.settle().await.unwrap();
        assert_eq!(session.safe(), Some(3));
        session.settle().await.unwrap();
        assert_eq!(session.safe(), Some(4));
    }

    #[tokio::test]
    async fn what_was_not_kept_is_new_again_with_all_that_followed() {
        let mut session = session();
        let (first, kept) = oneshot::channel::<()>();
        session.handed_over(2, kept);
        let (_second, kept) = oneshot::channel();
        session.handed_over(3, kept);
        drop(first);
        let refusal = session.settle().await.unwrap_err();
        assert!(
            refusal.detail.contains("event 2 was not kept"),
            "{}",
            refusal.detail
        );
        assert_eq!((session.safe(), session.is_new(2)), (Some(1), true));
    }

    #[tokio::test]
    async fn messages_of_a_session_that_is_over_are_waited_for_all_the_same() {
        let mut session = session();
        let (waiting, kept) = oneshot::channel::<()>();
        session.handed_over(9, kept);
        session.end();
        assert_eq!((session.safe(), session.open().is_none()), (None, true));
        assert!(!waiting.is_closed(), "nobody gave it up");
        drop(waiting);
        session.settle().await.unwrap();
    }
}
