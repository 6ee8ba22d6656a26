//! Long polling: <https://core.telegram.org/bots/api#getupdates>. An update is confirmed by asking for the next
//! one, so each is confirmed only once it is durable here; until then Telegram keeps it, for a day.

use super::Telegram;
use super::update::{Update, User};
use crate::unread::Reader;
use crate::{Arrival, Connection, ConnectionEnd, Refusal, Signal, SignalSink};
use foldback_wire::{ChannelState, RefusalCode};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::Duration;

/// How long Telegram holds a poll open when there is nothing; at most 50 seconds are kept to.
const POLL: Duration = Duration::from_secs(50);
/// What a poll may take beyond that.
const GRACE: Duration = Duration::from_secs(15);
/// A poll that brings nothing in less than this was not held open: some servers of others answer at once. The next one
/// waits until then.
const PAUSE: Duration = Duration::from_secs(1);

/// Time without a conflict after which no other program receives any more: one that is told of it tries again within a
/// minute, as this one does.
const UNDISTURBED: Duration = Duration::from_mins(2);

impl Telegram {
    /// Receives until something goes wrong.
    pub(super) async fn receive(&self, connection: &Connection) -> ConnectionEnd {
        connection
            .report(ChannelState::Connecting, "connecting to Telegram")
            .await;
        let Err(refusal) = self.poll(connection).await;
        match ConnectionEnd::unless_denied(refusal, "Telegram refuses the token") {
            ConnectionEnd::Lost(refusal) => ConnectionEnd::Lost(Refusal {
                detail: explain(&refusal),
                ..refusal
            }),
            refused @ ConnectionEnd::Refused(_) => refused,
        }
    }

    /// Polls until something goes wrong.
    async fn poll(&self, connection: &Connection) -> Result<Infallible, Refusal> {
        let bot: User = self.api.call("getMe", &json!({})).await?;
        let name = bot.username.clone().unwrap_or_default();
        let why = format!("connected as @{name}");
        connection.report(ChannelState::Up, &why).await;
        self.set_menu().await;
        let mut next = None;
        // When another program was in the way last, by the monotonic clock.
        let mut conflict = None;
        loop {
            let body = json!({
                "offset": next,
                "timeout": POLL.as_secs(),
                "allowed_updates": ["message"],
            });
            let began = self.clock.monotonic();
            let polled = self.api.call_for("getUpdates", &body, POLL + GRACE).await;
            let updates: Vec<Value> = match polled {
                // Sending works, and between two conflicts so does receiving: it is one trouble, told once.
                Err(refusal) if is_conflict(&refusal) => {
                    if conflict.replace(self.clock.monotonic()).is_none() {
                        connection
                            .report(ChannelState::Degraded, &explain(&refusal))
                            .await;
                    }
                    let wait = connection.next_wait();
                    self.clock.sleep_until(self.clock.now().plus(wait)).await;
                    continue;
                }
                polled => polled?,
            };
            match conflict {
                Some(last) if self.clock.monotonic().saturating_sub(last) < UNDISTURBED => {}
                Some(_) => {
                    conflict = None;
                    let why = "no other program receives any more";
                    connection.report(ChannelState::Up, why).await;
                }
                None => connection.confirm(),
            }
            let confirmed = self.hand_over(&updates, next, &bot, connection.sink()).await?;
            let rest = (began + PAUSE).saturating_sub(self.clock.monotonic());
            if confirmed == next && !rest.is_zero() {
                self.clock.sleep_until(self.clock.now().plus(rest)).await;
            }
            next = confirmed;
        }
    }

    /// Hands updates over and waits until they are durable: the first one that is not.
    async fn hand_over(
        &self,
        updates: &[Value],
        mut next: Option<i64>,
        bot: &User,
        sink: &SignalSink,
    ) -> Result<Option<i64>, Refusal> {
        let mut waiting = Vec::new();
        for update in updates {
            let mut reader = Reader::default();
            let update = reader.read::<Update>("update", update);
            let id = update.as_ref().map(|update| update.update_id);
            if let Some((group, supergroup)) = update.as_ref().and_then(Update::moved)
                && self.api.moved.learn_to_tell(group, supergroup)
            {
                // A closed sink ends the run.
                let _ = sink.send(self.warning_of_move(group, supergroup)).await;
            }
            let message = update.and_then(|update| update.inbound(&self.channel, bot, &mut reader));
            reader.report(sink).await;
            // One without a number cannot be confirmed; the next one confirms it.
            let Some(id) = id else { continue };
            let kept = match message {
                None => None,
                Some(message) => {
                    let (arrival, kept) = Arrival::until_kept(message);
                    let signal = Signal::Message(Box::new(arrival));
                    // A closed sink ends the run.
                    if sink.send(signal).await.is_err() {
                        break;
                    }
                    Some(kept)
                }
            };
            waiting.push((id, kept));
        }
        for (id, kept) in waiting {
            if let Some(kept) = kept
                && kept.await.is_err()
            {
                let why = format!("update {id} was not kept; Telegram is asked for it again");
                return Err(Refusal::new(RefusalCode::Transient, why));
            }
            next = Some(id + 1);
        }
        Ok(next)
    }

    /// The warning about a group that has another id from now on: a configuration that names the old one lets none of its
    /// messages in, and its conversation begins anew.
    fn warning_of_move(&self, group: i64, supergroup: i64) -> Signal {
        let channel = &self.channel;
        Signal::Warned(format!(
            "Group {group} became a supergroup with the id {supergroup}, and its conversation begins anew. Where \
             channels.{channel}.groups has {group}, add {supergroup}."
        ))
    }
}

/// Another program, or a webhook, receives with the token: <https://core.telegram.org/bots/api#getupdates>.
fn is_conflict(refusal: &Refusal) -> bool {
    refusal.detail.starts_with("Conflict: ")
}

/// What a person can do about it, where that is known.
fn explain(refusal: &Refusal) -> String {
    let said = &refusal.detail;
    if said.contains("terminated by other getUpdates") {
        return format!("another program receives with this token, stop one of them: {said}");
    }
    if said.contains("webhook is active") {
        return format!("the bot has a webhook, remove it with deleteWebhook: {said}");
    }
    said.clone()
}
