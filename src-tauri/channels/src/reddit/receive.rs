//! Polling the inbox: <https://www.reddit.com/dev/api#GET_message_{where}>. Nothing that is unread is lost while nobody asks;
//! it is marked read (<https://www.reddit.com/dev/api#POST_api_read_message>) once it is durable here.

use super::Reddit;
use super::item::{InboxItem, Listing, Meaning};
use crate::unread::Reader;
use crate::{Arrival, Connection, ConnectionEnd, Refusal, Signal};
use foldback_wire::{ChannelState, ChatType, RefusalCode, visible_line};
use serde::Deserialize;
use std::convert::Infallible;
use std::time::Duration;

/// "Don't hit the same page more than once per 30 seconds."
/// <https://github.com/rouh4n/reddit/wiki/API/25d4c5d2d2f1a4b2655b9bb7c8ad5ffd72311a9b>, a copy of Reddit's rules of 2013; the
/// rules of today name no interval.
const INTERVAL: Duration = Duration::from_secs(30);
/// Most items of a page: <https://www.reddit.com/dev/api#listings>.
const PAGE: &str = "100";
/// Most items that are marked read at once:
/// <https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py> (`POST_read_message`).
const MARKED: usize = 25;

/// <https://www.reddit.com/dev/api#GET_api_v1_me>
#[derive(Debug, Deserialize)]
struct Me {
    name: String,
}

impl Reddit {
    /// Receives until something goes wrong.
    pub(super) async fn receive(&self, connection: &Connection) -> ConnectionEnd {
        connection
            .report(ChannelState::Connecting, "connecting to Reddit")
            .await;
        let Err(refusal) = self.poll(connection).await;
        ConnectionEnd::unless_denied(refusal, "the account cannot be used")
    }

    async fn poll(&self, connection: &Connection) -> Result<Infallible, Refusal> {
        self.wait_for_limit().await;
        let me: Me = self.api.get("/api/v1/me", &[("raw_json", "1")]).await?;
        if !me.name.eq_ignore_ascii_case(self.api.name()) {
            let why = format!("it belongs to {}, and account says {}", me.name, self.api.name());
            return Err(Refusal::new(RefusalCode::Unauthorized, why));
        }
        let why = format!("connected as u/{}", me.name);
        connection.report(ChannelState::Up, &why).await;
        loop {
            self.wait_for_limit().await;
            let query = [("limit", PAGE), ("mark", "false"), ("raw_json", "1")];
            let page: Listing = self.api.get("/message/unread", &query).await?;
            connection.confirm();
            self.hand_over(&page, connection).await?;
            self.clock.sleep_until(self.clock.now().plus(INTERVAL)).await;
        }
    }

    /// Waits until Reddit takes calls again, where an answer told that none is left.
    async fn wait_for_limit(&self) {
        if let Some(left) = self.api.pause_left() {
            // By the clock that pauses are counted by.
            tokio::time::sleep(left).await;
        }
    }

    /// Hands the items of a page over, the oldest first, waits until they are durable, and marks them read.
    async fn hand_over(&self, page: &Listing, connection: &Connection) -> Result<(), Refusal> {
        let mut waiting = Vec::new();
        for told in page.data.children.iter().rev() {
            let mut reader = Reader::default();
            let item = InboxItem::read(told, &self.channel, self.api.name(), &mut reader);
            reader.report(connection.sink()).await;
            let Some(item) = item else { continue };
            let kept = match item.what {
                Meaning::Nothing => None,
                Meaning::Notice(who, about) => {
                    let notice = Signal::Warned(format!(
                        "{who} wrote to the bot about \"{}\", and cannot be answered.",
                        visible_line(&about)
                    ));
                    // A closed sink ends the run.
                    let _ = connection.sink().send(notice).await;
                    None
                }
                Meaning::Message(message) => {
                    if message.chat_type == ChatType::Direct {
                        self.asked.note(&message.chat, message.message.clone());
                    }
                    let (arrival, kept) = Arrival::until_kept(*message);
                    let signal = Signal::Message(Box::new(arrival));
                    if connection.sink().send(signal).await.is_err() {
                        break;
                    }
                    Some(kept)
                }
            };
            waiting.push((item.name, kept));
        }
        let (mut read, mut lost) = (Vec::new(), None);
        for (name, kept) in waiting {
            let is_lost = match kept {
                Some(kept) => kept.await.is_err(),
                None => false,
            };
            if is_lost {
                lost = Some(name);
            } else {
                read.push(name);
            }
        }
        for names in read.chunks(MARKED) {
            self.wait_for_limit().await;
            self.api
                .post("/api/read_message", &[("id", &names.join(","))])
                .await?;
        }
        match lost {
            None => Ok(()),
            Some(name) => {
                let why = format!("{name} was not kept; Reddit is asked for it again");
                Err(Refusal::new(RefusalCode::Transient, why))
            }
        }
    }
}
