//! Long polling: <https://core.telegram.org/bots/api#getupdates>. An update is confirmed by asking for the next
//! one, so each is confirmed only once it is durable here; until then Telegram keeps it, for a day.

use super::Telegram;
use super::update::{Update, User};
use crate::backoff::Backoff;
use crate::loopback::report;
use crate::unread::Reader;
use crate::{Arrival, Refusal, Signal, SignalSink};
use foldback_wire::{ChannelState, RefusalCode};
use serde_json::{Value, json};
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
    /// Receives until the token turns out to be refused.
    pub(super) async fn receive(&self, sink: &SignalSink) -> Refusal {
        let mut backoff = Backoff::default();
        loop {
            report(sink, ChannelState::Connecting, "connecting to Telegram").await;
            let Err(refusal) = self.poll(sink, &mut backoff).await;
            if refusal.code == RefusalCode::Forbidden {
                let why = format!("Telegram refuses the token: {}", refusal.detail);
                report(sink, ChannelState::Down, &why).await;
                return Refusal {
                    detail: why,
                    ..refusal
                };
            }
            let state = match refusal.code {
                RefusalCode::RateLimited => ChannelState::RateLimited,
                _ => ChannelState::Down,
            };
            let wait = refusal
                .retry_after
                .unwrap_or_else(|| backoff.next(self.rng.as_ref()));
            report(sink, state, &explain(&refusal)).await;
            self.clock.sleep_until(self.clock.now().plus(wait)).await;
        }
    }

    /// Polls until something goes wrong.
    async fn poll(
        &self,
        sink: &SignalSink,
        backoff: &mut Backoff,
    ) -> Result<std::convert::Infallible, Refusal> {
        let bot: User = self.api.call("getMe", &json!({})).await?;
        let name = bot.username.clone().unwrap_or_default();
        report(sink, ChannelState::Up, &format!("connected as @{name}")).await;
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
                        report(sink, ChannelState::Degraded, &explain(&refusal)).await;
                    }
                    let wait = backoff.next(self.rng.as_ref());
                    self.clock.sleep_until(self.clock.now().plus(wait)).await;
                    continue;
                }
                polled => polled?,
            };
            match conflict {
                Some(last) if self.clock.monotonic().saturating_sub(last) < UNDISTURBED => {}
                Some(_) => {
                    conflict = None;
                    report(sink, ChannelState::Up, "no other program receives any more").await;
                }
                None => backoff.reset(),
            }
            let confirmed = self.hand_over(&updates, next, &bot, sink).await?;
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
