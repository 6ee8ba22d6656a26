//! Receiving: <https://core.telegram.org/api/updates>. Each change has a count; what was missed is asked for by the last count
//! that was had, and that one is written down once everything up to it is durable here.

use super::TelegramUser;
use super::link::Link;
use super::peers::Chat;
use super::refusal::{CallEffect, is_signed_out, says};
use super::update::{Author, Companions, author, inbound, message};
use crate::{Arrival, Connection, ConnectionEnd, Refusal, Signal};
use foldback_wire::{ChannelState, Inbound, RefusalCode};
use grammers_client::sender::{UpdatesConfiguration, UpdatesReceiver};
use grammers_client::session::updates::UpdatesLike;
use grammers_client::{InvocationError, tl};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::mpsc;

/// Time after which Telegram is asked whether it is still there. The library asks, too, and does not wait for the answer.
const INTERVAL: Duration = Duration::from_mins(2);
/// Most updates between the connection and who reads them.
const WAITING: usize = 64;

/// A message on its way.
type TelegramMessage = tl::types::Message;

impl TelegramUser {
    /// Receives until something goes wrong.
    pub(super) async fn receive(&self, connection: &Connection) -> ConnectionEnd {
        let to = format!("connecting to Telegram as {}", self.app.phone);
        connection.report(ChannelState::Connecting, &to).await;
        let Err(refusal) = Box::pin(self.listen(connection)).await;
        if is_signed_out(&refusal) {
            return ConnectionEnd::Refused(Refusal {
                code: RefusalCode::Unauthorized,
                detail: self.sign_in_again(&format!("the Telegram session was ended: {}", refusal.detail)),
                ..refusal
            });
        }
        if refusal.unsent && refusal.code.is_denied() {
            // There is no session.
            return ConnectionEnd::Refused(refusal);
        }
        ConnectionEnd::Lost(if refusal.unsent {
            self.unreached(refusal)
        } else {
            refusal
        })
    }

    async fn listen(&self, connection: &Connection) -> Result<Infallible, Refusal> {
        let (link, told) = self.link_anew(connection.is_first()).await?;
        let me = link.me().await?;
        let why = match &me.username {
            Some(name) => format!("connected as @{name}"),
            None => format!("connected as {}", self.app.phone),
        };
        let (pass, passed) = mpsc::channel(WAITING);
        let mut updates = UpdatesReceiver::create(
            link.handle.thin.clone(),
            link.handle.session.clone(),
            passed,
            UpdatesConfiguration { catch_up: true },
        )
        .await
        .map_err(|error| Refusal::new(RefusalCode::Transient, error.to_string()))?;
        connection.report(ChannelState::Up, &why).await;
        let reading = async {
            let mut is_told = false;
            loop {
                let batch = updates.next().await.map_err(|error| lost(error, &link))?;
                connection.confirm();
                self.hand_over(batch, me.id, &link, connection).await?;
                let kept = updates.sync_update_state().await;
                kept.map_err(|error| Refusal::new(RefusalCode::Transient, error.to_string()))?;
                if let Err(error) = link.session.save()
                    && !is_told
                {
                    is_told = true;
                    let path = link.session.path().display();
                    let why = format!("The session cannot be written to {path}: {error}.");
                    // A closed sink ends the run.
                    let _ = connection.sink().send(Signal::Warned(why)).await;
                }
            }
        };
        tokio::select! {
            end = reading => end,
            refusal = pass_on(told, pass) => Err(refusal),
            refusal = self.ask_again_and_again(&link) => Err(refusal),
        }
    }

    /// Asks whether Telegram is still there, until it is not.
    async fn ask_again_and_again(&self, link: &Link) -> Refusal {
        loop {
            self.clock.sleep_until(self.clock.now().plus(INTERVAL)).await;
            let ping = tl::functions::Ping { ping_id: 1 };
            if let Err(refusal) = link.call(&ping, CallEffect::Nothing).await {
                return refusal;
            }
        }
    }

    /// Hands the messages of some updates over, and waits until they are durable.
    async fn hand_over(
        &self,
        (updates, users, chats): (
            Vec<(tl::enums::Update, grammers_client::session::updates::State)>,
            Vec<tl::enums::User>,
            Vec<tl::enums::Chat>,
        ),
        own: i64,
        link: &Link,
        connection: &Connection,
    ) -> Result<(), Refusal> {
        let beside = Companions::read(&users, &chats, &link.session);
        for (id, author) in &beside.authors {
            self.authors.note(id, author.clone());
        }
        let mut waiting = Vec::new();
        for (update, _) in updates {
            let Some(written) = message(update) else { continue };
            let Some(from) = author(&written, own) else {
                continue;
            };
            let known = self.author(from, &written, link).await?;
            let id = written.id;
            let Some(inbound) = inbound(written, &self.channel, own, from, known, &beside) else {
                continue;
            };
            let Some(kept) = deliver(inbound, connection).await else {
                // The run is over, and nothing behind it counts as had.
                return Err(Refusal::new(
                    RefusalCode::Transient,
                    "nobody takes messages any more",
                ));
            };
            waiting.push((id, kept));
        }
        for (id, kept) in waiting {
            if kept.await.is_err() {
                let why = format!("message {id} was not kept; Telegram is asked for it again");
                return Err(Refusal::new(RefusalCode::Transient, why));
            }
        }
        Ok(())
    }

    /// Who wrote a message. A short update names nobody, so that the message is asked for by its id.
    async fn author(
        &self,
        from: i64,
        written: &TelegramMessage,
        link: &Link,
    ) -> Result<Option<Author>, Refusal> {
        if let Some(known) = self.authors.get(&from) {
            return Ok(Some(known));
        }
        let tl::enums::Peer::User(peer) = &written.peer_id else {
            return Ok(None);
        };
        let Some(chat) = Chat::of_number(peer.user_id) else {
            return Ok(None);
        };
        let found = link.messages(chat, written.id).await?;
        let beside = Companions::read(&found.users, &found.chats, &link.session);
        let author = beside.authors.get(&from).cloned();
        if let Some(author) = &author {
            self.authors.note(&from, author.clone());
        }
        Ok(author)
    }
}

/// Hands a message over; `None` where nobody takes it any more.
async fn deliver(inbound: Inbound, connection: &Connection) -> Option<tokio::sync::oneshot::Receiver<()>> {
    let (arrival, kept) = Arrival::until_kept(inbound);
    let signal = Signal::Message(Box::new(arrival));
    connection.sink().send(signal).await.ok().map(|()| kept)
}

/// Passes on what the connection is told, until it is closed: whoever reads would ask over another one at once.
async fn pass_on(mut told: mpsc::Receiver<UpdatesLike>, pass: mpsc::Sender<UpdatesLike>) -> Refusal {
    while let Some(update) = told.recv().await {
        if matches!(update, UpdatesLike::ConnectionClosed) || pass.send(update).await.is_err() {
            break;
        }
    }
    Refusal::new(RefusalCode::Transient, "the connection to Telegram broke")
}

/// The end of receiving. Counts that Telegram does not know any more are of no use: the next attempt begins at those of its
/// moment. <https://core.telegram.org/method/updates.getDifference#possible-errors>
fn lost(error: InvocationError, link: &Link) -> Refusal {
    let refusal = super::refusal::refusal(error, CallEffect::Nothing);
    if says(&refusal, "PERSISTENT_TIMESTAMP_INVALID") || says(&refusal, "PERSISTENT_TIMESTAMP_EMPTY") {
        link.session.forget_updates();
    }
    refusal
}
