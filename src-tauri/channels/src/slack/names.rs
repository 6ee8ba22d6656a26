//! Names of the people who write. A `message` event has only the id of its user, so that the name is asked for with
//! [users.info](https://docs.slack.dev/reference/methods/users.info), which wants the scope `users:read`.
//!
//! A name is worth little, and the message much: it waits for a name at most [`PATIENCE`], and after one wait in vain no
//! message waits for the next [`QUIET`]; the answer that comes later serves the person's next message. Each person is asked
//! for once at a time, however many of their messages come, and once in [`FRESH`]. While Slack refuses because of a limit
//! or a missing scope, nobody is asked for. Without a name a person is called by their id.

use super::api::Api;
use crate::Refusal;
use foldback_wire::{Clock, RefusalCode};
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// Most time that a message waits for the name of who wrote it.
const PATIENCE: Duration = Duration::from_millis(500);

/// Time in which no message waits, after one has waited in vain.
const QUIET: Duration = Duration::from_secs(30);

/// Time after which a name is asked for again.
const FRESH: Duration = Duration::from_hours(12);

/// Time for which nobody is asked for after the app was refused, as it lacks the scope: somebody may add it.
const REFUSED: Duration = Duration::from_mins(10);

/// People whose names are remembered; who was asked for first goes first.
const REMEMBERED: usize = 5_000;

/// Names of a person, where Slack knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UserName {
    /// Name of the account, such as `ana`.
    pub(super) account: Option<String>,
    /// Name as Slack's client shows it.
    pub(super) shown: Option<String>,
}

/// <https://docs.slack.dev/reference/methods/users.info>
#[derive(Debug, Deserialize)]
struct Found {
    user: User,
}

/// <https://docs.slack.dev/reference/objects/user-object>
#[derive(Debug, Deserialize)]
struct User {
    name: Option<String>,
    real_name: Option<String>,
    #[serde(default)]
    profile: Profile,
}

#[derive(Debug, Default, Deserialize)]
struct Profile {
    display_name: Option<String>,
    real_name: Option<String>,
}

impl User {
    fn into_name(self) -> UserName {
        let shown = [self.profile.display_name, self.profile.real_name, self.real_name];
        let is_some = |name: &String| !name.trim().is_empty();
        UserName {
            account: self.name.filter(is_some),
            shown: shown.into_iter().flatten().find(is_some),
        }
    }
}

/// A question under way, which several messages may wait for.
type Asking = Shared<BoxFuture<'static, UserName>>;

enum Lookup {
    Asking(Asking),
    /// Known since this moment of the clock's monotonic time; to be asked for again where there is none.
    Known(UserName, Option<Duration>),
}

#[derive(Default)]
struct Book {
    people: HashMap<String, Lookup>,
    /// In the order in which they were asked for first.
    order: VecDeque<String>,
    /// Until when nobody is asked for, in the clock's monotonic time.
    refused_until: Option<Duration>,
    /// Until when no message waits.
    quiet_until: Option<Duration>,
    /// That the scope is missing was logged.
    told: bool,
}

/// Names of the people of a workspace. It outlives a run.
pub(super) struct UserNames {
    api: Arc<Api>,
    clock: Arc<dyn Clock>,
    book: Arc<Mutex<Book>>,
}

impl UserNames {
    pub(super) fn new(api: Arc<Api>, clock: Arc<dyn Clock>) -> Self {
        Self {
            api,
            clock,
            book: Arc::default(),
        }
    }

    /// The name of a user, as far as it is known within [`PATIENCE`].
    pub(super) async fn of(&self, user: &str) -> UserName {
        let now = self.clock.monotonic();
        let (asking, waits) = {
            let mut book = lock(&self.book);
            let waits = book.quiet_until.is_none_or(|until| until <= now);
            match book.people.get(user) {
                Some(Lookup::Known(name, Some(since))) if now.saturating_sub(*since) < FRESH => {
                    return name.clone();
                }
                Some(Lookup::Asking(asking)) => (asking.clone(), waits),
                known => {
                    let old = match known {
                        Some(Lookup::Known(name, _)) => name.clone(),
                        _ => UserName::default(),
                    };
                    if book.refused_until.is_some_and(|until| now < until) {
                        return old;
                    }
                    let asking = self.ask(user.to_owned(), old).boxed().shared();
                    book.add(user, Lookup::Asking(asking.clone()));
                    // It goes on where nobody waits any more.
                    tokio::spawn(asking.clone());
                    (asking, waits)
                }
            }
        };
        if !waits {
            return asking.now_or_never().unwrap_or_default();
        }
        if let Ok(name) = timeout(PATIENCE, asking).await {
            return name;
        }
        lock(&self.book).quiet_until = Some(self.clock.monotonic() + QUIET);
        UserName::default()
    }

    /// Asks Slack for a name. Until it is refused, `old` is the name.
    fn ask(&self, user: String, old: UserName) -> impl Future<Output = UserName> + Send + use<> {
        let (api, clock, book) = (
            Arc::clone(&self.api),
            Arc::clone(&self.clock),
            Arc::clone(&self.book),
        );
        async move {
            let answer = api.call::<Found>("users.info", &[("user", &user)]).await;
            let now = clock.monotonic();
            let mut book = lock(&book);
            let (name, since) = match answer {
                Ok(found) => (found.user.into_name(), Some(now)),
                // Slack does not know them, or does not tell.
                Err(refusal) if refusal.code == RefusalCode::Rejected => (old, Some(now)),
                Err(refusal) => {
                    book.refused(&refusal, now);
                    (old, None)
                }
            };
            if let Some(lookup) = book.people.get_mut(&user) {
                *lookup = Lookup::Known(name.clone(), since);
            }
            name
        }
    }
}

impl Book {
    fn add(&mut self, user: &str, lookup: Lookup) {
        if self.people.insert(user.to_owned(), lookup).is_some() {
            return;
        }
        self.order.push_back(user.to_owned());
        if self.order.len() > REMEMBERED
            && let Some(first) = self.order.pop_front()
        {
            self.people.remove(&first);
        }
    }

    /// Has nobody asked for as long as Slack is likely to refuse again.
    fn refused(&mut self, refusal: &Refusal, now: Duration) {
        let usual = if refusal.code.is_denied() { REFUSED } else { QUIET };
        self.refused_until = Some(now.saturating_add(refusal.retry_after.unwrap_or(usual)));
        if refusal.code.is_denied() && !std::mem::replace(&mut self.told, true) {
            let why = &refusal.detail;
            tracing::warn!(
                "people on Slack are called by their ids, as their names cannot be asked for: {why}"
            );
        }
    }
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    // Whole after every change.
    book.lock().unwrap_or_else(PoisonError::into_inner)
}
