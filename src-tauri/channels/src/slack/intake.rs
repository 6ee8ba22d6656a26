//! Messages on their way in, each handed over once. Slack repeats what it has seen no confirmation of, and tells of a
//! message that mentions the bot twice, as `message` and as `app_mention`: channel and time stamp tell that it is one
//! (<https://docs.slack.dev/reference/events/app_mention>).

use super::command;
use super::event::{self, Bot};
use super::names::UserNames;
use crate::unread::Reader;
use crate::{Arrival, Connection, MenuCommand, Signal};
use foldback_wire::{ChannelId, ChatId, Clock, Inbound, MessageId};
use futures::FutureExt;
use futures::future::Shared;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

/// How long a message may take to become durable before Slack is left without its confirmation. It wants one within
/// three seconds (<https://docs.slack.dev/apis/events-api#responding>); a message that takes longer is sent
/// again, and recognised.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// Messages remembered. Slack repeats an event for about six minutes, and tells an app of at most 30,000 an hour.
const REMEMBERED: usize = 5_000;

/// Tells when a message is durable, or that it will never be.
type Kept = Shared<oneshot::Receiver<()>>;

/// The messages handed over, with what tells that each is durable. It outlives a run: who holds a message of a run that
/// has ended goes on keeping it, and Slack's repetition of it is known.
#[derive(Debug, Default)]
pub(super) struct Seen(Mutex<VecDeque<(Id, Kept)>>);

type Id = (ChatId, MessageId);

impl Seen {
    fn get(&self, id: &Id) -> Option<Kept> {
        let mut seen = self.lock();
        let at = seen.iter().rposition(|(known, _)| known == id)?;
        let kept = seen.get(at)?.1.clone();
        // It was given up: as if it had never come.
        if let Some(Err(_)) = kept.clone().now_or_never() {
            seen.remove(at);
            return None;
        }
        Some(kept)
    }

    fn add(&self, id: Id, kept: Kept) {
        let mut seen = self.lock();
        if seen.len() == REMEMBERED {
            seen.pop_front();
        }
        seen.push_back((id, kept));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Id, Kept)>> {
        // Whole after every change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where events go.
pub(super) struct Intake<'a> {
    pub(super) channel: &'a ChannelId,
    pub(super) bot: Bot,
    pub(super) connection: &'a Connection,
    pub(super) seen: &'a Seen,
    pub(super) names: &'a UserNames,
    pub(super) menu: &'a [MenuCommand],
    pub(super) clock: &'a dyn Clock,
}

impl Intake<'_> {
    /// The message an event tells of, where it tells of one that can be read, with the name of who wrote it, where Slack
    /// tells that soon.
    pub(super) async fn message(&self, event: &Value) -> Option<Inbound> {
        let mut reader = Reader::default();
        let message = event::message(event, self.channel, &self.bot, &mut reader);
        reader.report(self.connection.sink()).await;
        Some(self.named(message?).await)
    }

    /// The slash command that somebody used, as a message.
    pub(super) async fn command(&self, payload: &Value) -> Option<Inbound> {
        let mut reader = Reader::default();
        let message = command::message(payload, self.channel, self.menu, self.clock.now(), &mut reader);
        reader.report(self.connection.sink()).await;
        Some(self.named(message?).await)
    }

    /// A message with the name of who wrote it.
    async fn named(&self, mut message: Inbound) -> Inbound {
        let sender = &mut message.sender;
        if sender.display_name == sender.id.as_str() {
            let name = self.names.of(sender.id.as_str()).await;
            if let Some(account) = name.account {
                sender.name = account;
            }
            if let Some(shown) = name.shown {
                sender.display_name = shown;
            }
        }
        message
    }

    /// Hands a message over in the place that was kept for it, which is free again if the message came before.
    pub(super) fn hand_over(&self, message: Inbound, place: mpsc::Permit<'_, Signal>) -> Kept {
        let id = (message.chat.clone(), message.message.clone());
        if let Some(kept) = self.seen.get(&id) {
            return kept;
        }
        let (arrival, kept) = Arrival::until_kept(message);
        let kept = kept.shared();
        self.seen.add(id, kept.clone());
        place.send(Signal::Message(Box::new(arrival)));
        kept
    }

    /// Waits for a place and hands a message over. Whether it is durable, in time for its confirmation.
    pub(super) async fn keep(&self, message: Inbound, due: Instant) -> bool {
        in_time(due, async {
            let place = self.connection.sink().reserve().await.ok()?;
            self.hand_over(message, place).await.ok()
        })
        .await
    }
}

/// Until when a message that came now has to be confirmed.
pub(super) fn due() -> Instant {
    Instant::now() + PATIENCE
}

/// Whether a message is durable in time for its confirmation.
pub(super) async fn in_time(due: Instant, kept: impl Future<Output = Option<()>>) -> bool {
    matches!(timeout_at(due, kept).await, Ok(Some(())))
}
