//! The server: <https://www.reddit.com/dev/api>, <https://github.com/reddit-archive/reddit/wiki/OAuth2>.

use super::app::RedditApp;
use super::route::answer;
use super::state::{Closed, Posted, State, lock};
use crate::{Fault, Mishap, Rule};
use axum::Router;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// Reddit for one bot, on loopback, until it is dropped.
#[derive(Debug)]
pub struct RedditServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    _serving: AbortOnDropHandle<()>,
}

impl RedditServer {
    /// Serves an app.
    pub async fn start(app: RedditApp) -> io::Result<Self> {
        let state = Arc::new(Mutex::new(State::new(app)));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new().fallback(answer).with_state(Arc::clone(&state));
        let serving = tokio::spawn(async move {
            // It ends only with the runtime.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            address,
            state,
            _serving: AbortOnDropHandle::new(serving),
        })
    }

    /// Its address.
    pub fn root(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes a post.
    pub fn open_post(&self, name: &str, title: &str) {
        self.state().posts.insert(name.to_owned(), title.to_owned());
    }

    /// Makes a person who takes messages.
    pub fn open_person(&self, name: &str) {
        self.state().people.insert(name.to_owned());
    }

    /// Closes a post, a comment, or, as `u/NAME`, a person.
    pub fn close(&self, name: &str, why: Closed) {
        self.state().closed.insert(name.to_owned(), why);
    }

    /// The next write is one too many: the words, and the seconds where Reddit tells them.
    pub fn limit_writes(&self, words: &str, seconds: Option<f64>) {
        self.state().too_often = Some((words.to_owned(), seconds));
    }

    /// All access tokens end now.
    pub fn expire(&self) {
        self.state().tokens.clear();
    }

    /// Somebody comments below something, and mentions or answers the bot. Gives the fullname.
    pub fn comment(&self, author: &str, parent: &str, text: &str) -> String {
        let mut state = self.state();
        let posted = Posted {
            text: text.to_owned(),
            parent: parent.to_owned(),
            ..Posted::default()
        };
        let name = state.keep("t1", posted);
        state.authors.insert(name.clone(), author.to_owned());
        let post = state.post_of(&name).unwrap_or_default().to_owned();
        let (id, title) = (post.trim_start_matches("t3_"), state.posts.get(&post).cloned());
        let item = json!({"kind": "t1", "data": {
            "name": name, "author": author, "body": text, "created_utc": 1_700_000_000.0, "parent_id": parent,
            "type": "username_mention", "was_comment": true, "new": true, "subject": "username mention",
            "subreddit": "rust", "link_title": title,
            "context": format!("/r/rust/comments/{id}/title/{}/?context=3", name.trim_start_matches("t1_")),
        }});
        state.unread.push((name.clone(), item));
        name
    }

    /// Somebody writes privately. Gives the fullname.
    pub fn message(&self, author: &str, text: &str) -> String {
        let mut state = self.state();
        let posted = Posted {
            text: text.to_owned(),
            parent: format!("u/{author}"),
            ..Posted::default()
        };
        let name = state.keep("t4", posted);
        let item = json!({"kind": "t4", "data": {
            "name": name, "author": author, "body": text, "created_utc": 1_700_000_000.0, "type": "unknown",
            "was_comment": false, "new": true, "subject": "Hi", "subreddit": null, "context": "",
        }});
        state.unread.push((name.clone(), item));
        name
    }

    /// Puts an item into the inbox as it is.
    pub fn put(&self, name: &str, item: Value) {
        self.state().unread.push((name.to_owned(), item));
    }

    /// Plans a mishap.
    pub fn plan(&self, call: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: call.to_owned(),
            mishap,
        });
    }

    /// The texts below a post at any depth, or those to a person (`u/NAME`), in the order in which they were written.
    pub fn messages(&self, place: &str) -> Vec<(String, Posted)> {
        let state = self.state();
        let is_there = |posted: &Posted| {
            let mut at = posted.parent.as_str();
            while let Some(above) = state.things.get(at) {
                at = &above.parent;
            }
            at == place
        };
        let mut found: Vec<_> = state
            .things
            .iter()
            .filter(|(_, posted)| is_there(posted))
            .collect();
        found.sort_by_key(|(name, _)| (name.len(), (*name).clone()));
        found
            .into_iter()
            .map(|(name, posted)| (name.clone(), posted.clone()))
            .collect()
    }

    /// Items of the inbox that are not read.
    pub fn unread(&self) -> usize {
        self.state().unread.len()
    }

    /// Number of calls that asked for the inbox.
    pub fn polls(&self) -> u64 {
        self.state().polls
    }

    /// Access tokens that were given out.
    pub fn given(&self) -> u64 {
        self.state().given
    }

    /// Calls that have arrived.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// The rules that were broken so far.
    pub fn broken(&self) -> Vec<Rule> {
        self.state().broken.rules().copied().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
