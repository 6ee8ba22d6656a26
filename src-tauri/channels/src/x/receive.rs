//! Polling the mentions: <https://docs.x.com/x-api/users/get-mentions>. They come the newest first, in pages; those behind the
//! last one that was read are all fetched, and handed over the oldest first.

use super::X;
use super::post::{Post, ToldBeside, User};
use crate::unread::Reader;
use crate::{Arrival, Connection, ConnectionEnd, Refusal, Signal};
use foldback_wire::{ChannelState, RefusalCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::convert::Infallible;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// Time between two questions. X publishes no rule for it, and charges for what an answer holds
/// (<https://docs.x.com/x-api/getting-started/pricing>).
const INTERVAL: Duration = Duration::from_mins(1);
/// Most posts of a page, and of the first one, of which only the newest number matters.
const PAGE: &str = "100";
const FIRST_PAGE: &str = "5";
/// Most pages at once: no more than 800 mentions can be read at all.
const PAGES: usize = 8;
/// Name of the call, for its limit.
const MENTIONS: &str = "GET /2/users/:id/mentions";

/// Mentions behind the last one that was read, as far as their pages are fetched.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The state of reading that they stand behind.
    behind: Option<Read>,
    /// The pages they come from, and the token of the one that follows.
    pages: usize,
    next: Option<String>,
    /// The oldest first.
    posts: Vec<Post>,
    beside: ToldBeside,
    /// The newest one, whether it can be read or not.
    newest: Option<u64>,
}

/// The mentions of an account up to which all are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Read {
    /// The account.
    user: String,
    /// The last one; `None` where there was none yet.
    last: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Me {
    data: User,
}

#[derive(Debug, Default, Deserialize)]
struct Page {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    includes: Value,
    #[serde(default)]
    meta: Meta,
}

#[derive(Debug, Default, Deserialize)]
struct Meta {
    newest_id: Option<String>,
    next_token: Option<String>,
}

impl Meta {
    fn newest(&self) -> Option<u64> {
        self.newest_id.as_deref()?.parse().ok()
    }
}

impl X {
    /// Receives until something goes wrong.
    pub(super) async fn receive(&self, connection: &Connection) -> ConnectionEnd {
        connection
            .report(ChannelState::Connecting, "connecting to X")
            .await;
        let Err(refusal) = self.poll(connection).await;
        ConnectionEnd::unless_denied(refusal, "the account cannot be used")
    }

    async fn poll(&self, connection: &Connection) -> Result<Infallible, Refusal> {
        let me: Me = self.api.get("GET /2/users/me", "/2/users/me", &[]).await?;
        let me = me.data;
        let mut read = self.begin(&me, connection).await?;
        let why = format!("connected as @{}", me.username);
        connection.report(ChannelState::Up, &why).await;
        loop {
            if let Some(trouble) = self.api.take_trouble() {
                // A closed sink ends the run.
                let _ = connection.sink().send(Signal::Warned(trouble)).await;
            }
            let found = self.mentions(&read, connection).await?;
            connection.confirm();
            self.hand_over(&found, &me, &mut read, connection).await?;
            self.clock.sleep_until(self.clock.now().plus(INTERVAL)).await;
        }
    }

    /// The place at which the last process left; else behind what there is already.
    async fn begin(&self, me: &User, connection: &Connection) -> Result<Read, Refusal> {
        match self.read.read::<Read>() {
            Ok(Some(read)) if read.user == me.id => return Ok(read),
            Ok(_) => {}
            Err(error) => {
                let what = format!("What was read of X is not known, and begins anew: {error}.");
                let _ = connection.sink().send(Signal::Warned(what)).await;
            }
        }
        self.wait_for_limit().await;
        let path = format!("/2/users/{}/mentions", me.id);
        let page: Page = self
            .api
            .get(MENTIONS, &path, &[("max_results", FIRST_PAGE)])
            .await?;
        let read = Read {
            user: me.id.clone(),
            last: page.meta.newest(),
        };
        self.note_read(&read, connection).await;
        Ok(read)
    }

    /// Waits until X takes the question again, where an answer told that none is left.
    async fn wait_for_limit(&self) {
        if let Some(left) = self.api.pause_left(MENTIONS) {
            // By the clock that pauses are counted by.
            tokio::time::sleep(left).await;
        }
    }

    /// The mentions behind the last one that was read.
    async fn mentions(&self, read: &Read, connection: &Connection) -> Result<Found, Refusal> {
        let path = format!("/2/users/{}/mentions", read.user);
        let mut found = self.take_found(read);
        let since = read.last.map(|last| last.to_string());
        while found.pages < PAGES {
            let mut query = vec![
                ("max_results", PAGE),
                (
                    "tweet.fields",
                    "author_id,conversation_id,created_at,note_tweet,referenced_tweets",
                ),
                (
                    "expansions",
                    "author_id,referenced_tweets.id,referenced_tweets.id.author_id",
                ),
                ("user.fields", "name,username"),
            ];
            query.extend(since.as_deref().map(|since| ("since_id", since)));
            query.extend(found.next.as_deref().map(|next| ("pagination_token", next)));
            self.wait_for_limit().await;
            let page: Page = match self.api.get(MENTIONS, &path, &query).await {
                Ok(page) => page,
                Err(refusal) => {
                    // The next attempt goes on with the page that was refused. Any other refusal may be of its token.
                    if refusal.code == RefusalCode::RateLimited {
                        *self.found() = Some(found);
                    }
                    return Err(refusal);
                }
            };
            found.pages += 1;
            let mut reader = Reader::default();
            found.posts.extend(reader.read_all::<Post>("post", &page.data));
            found
                .beside
                .users
                .extend(reader.read_all::<User>("user", &page.includes["users"]));
            found
                .beside
                .posts
                .extend(reader.read_all::<Post>("post", &page.includes["tweets"]));
            reader.report(connection.sink()).await;
            found.newest = found.newest.max(page.meta.newest());
            found.next = page.meta.next_token;
            if found.next.is_none() {
                break;
            }
        }
        found.posts.retain(|post| post.number() > read.last);
        found.posts.sort_by_key(Post::number);
        found.posts.dedup_by_key(|post| post.number());
        if found.next.is_some()
            && let Some(oldest) = found.posts.first()
        {
            let what = format!(
                "X hands over {} mentions at most: those before the post {} that were not read yet are not answered.",
                found.posts.len(),
                oldest.id
            );
            let _ = connection.sink().send(Signal::Warned(what)).await;
        }
        Ok(found)
    }

    /// The pages that were fetched before X wanted a pause, where they stand behind the same mention; else none.
    fn take_found(&self, read: &Read) -> Found {
        let kept = self.found().take();
        kept.filter(|found| found.behind.as_ref() == Some(read))
            .unwrap_or_else(|| Found {
                behind: Some(read.clone()),
                ..Found::default()
            })
    }

    fn found(&self) -> MutexGuard<'_, Option<Found>> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands posts over, and waits until they are durable: up to the first one that is not they are read.
    async fn hand_over(
        &self,
        found: &Found,
        me: &User,
        read: &mut Read,
        connection: &Connection,
    ) -> Result<(), Refusal> {
        let (mut waiting, mut is_whole) = (Vec::new(), true);
        for post in &found.posts {
            let kept = match post.inbound(&self.channel, me, &found.beside) {
                None => None,
                Some(message) => {
                    let (arrival, kept) = Arrival::until_kept(message);
                    let signal = Signal::Message(Box::new(arrival));
                    // A closed sink ends the run.
                    if connection.sink().send(signal).await.is_err() {
                        is_whole = false;
                        break;
                    }
                    Some(kept)
                }
            };
            waiting.push((post.number(), kept));
        }
        let before = read.last;
        let mut lost = None;
        for (number, kept) in waiting {
            let is_kept = match kept {
                Some(kept) => kept.await.is_ok(),
                None => true,
            };
            if !is_kept {
                lost = number;
                break;
            }
            read.last = number;
        }
        if is_whole && lost.is_none() {
            read.last = read.last.max(found.newest);
        }
        if read.last != before {
            self.note_read(read, connection).await;
        }
        match lost {
            None => Ok(()),
            Some(number) => {
                let why = format!("post {number} was not kept; X is asked for it again");
                Err(Refusal::new(RefusalCode::Transient, why))
            }
        }
    }

    async fn note_read(&self, read: &Read, connection: &Connection) {
        if let Err(error) = self.read.write(read) {
            let path = self.read.path().display();
            let what = format!("How far the mentions on X are read cannot be written to {path}: {error}.");
            let _ = connection.sink().send(Signal::Warned(what)).await;
        }
    }
}
