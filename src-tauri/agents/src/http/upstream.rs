//! A server that keeps the conversation, and the run that it makes of a question.
//!
//! Such a server goes on with a run when nobody listens any more, and takes no other question to the same agent
//! meanwhile. So whoever leaves a run before its end has it stopped there, and the questions of this process to one
//! agent are asked one after the other, in the order in which they came.

use super::{
    answer::Answer,
    body::{Body, Read},
    protocol::Protocol,
};
use foldback_wire::Clock;
use reqwest::{Client, StatusCode, Url};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};

/// How long a server may take to stop a run.
const STOP: Duration = Duration::from_secs(10);
/// How long a server may take with what it was owed.
const SETTLE: Duration = Duration::from_mins(1);
/// How often in a row it may want something.
const WANTS: usize = 5;
/// Bytes that are read of what it says then.
const HEARD_BYTES: usize = 4 * 1024 * 1024;

/// The agents that this process asks, by where they are asked. Several backends may ask the same one: that of a
/// channel, one in a fallback, one of a configuration before.
static AGENTS: LazyLock<Mutex<HashMap<Url, Weak<Semaphore>>>> = LazyLock::new(Mutex::default);

/// The one place of an agent.
fn place_of(agent: &Url) -> Arc<Semaphore> {
    let mut agents = AGENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = agents.get(agent).and_then(Weak::upgrade) {
        return place;
    }
    agents.retain(|_, place| place.strong_count() > 0);
    let place = Arc::new(Semaphore::new(1));
    agents.insert(agent.clone(), Arc::downgrade(&place));
    place
}

/// A server that keeps the conversation of an agent.
pub(crate) struct Server {
    protocol: &'static dyn Protocol,
    client: Client,
    ask_at: Url,
    stop_at: Url,
    clock: Arc<dyn Clock>,
    place: Arc<Semaphore>,
}

impl Server {
    pub(crate) fn new(
        protocol: &'static dyn Protocol,
        client: Client,
        ask_at: Url,
        stop_at: Url,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            protocol,
            client,
            place: place_of(&ask_at),
            ask_at,
            stop_at,
            clock,
        }
    }

    /// The place for a question, when nobody else asks.
    pub(crate) fn try_place(self: &Arc<Self>) -> Option<Upstream> {
        let place = Arc::clone(&self.place).try_acquire_owned().ok()?;
        Some(Upstream::new(self, place))
    }

    /// The place for a question, once everybody who came before has been answered.
    pub(crate) async fn place(self: &Arc<Self>) -> Option<Upstream> {
        let place = Arc::clone(&self.place).acquire_owned().await.ok()?;
        Some(Upstream::new(self, place))
    }

    /// Sends what the server wants before it takes another question, until it wants nothing any more. What the agent
    /// says to it reaches nobody.
    async fn settle(&self, mut owed: Value) {
        let late = self.clock.sleep_until(self.clock.now().plus(SETTLE));
        let mut run = None;
        let settling = async {
            for _ in 0..WANTS {
                let mut answer = Answer::new(HEARD_BYTES);
                let ended = self.hear(&owed, &mut answer).await;
                run = answer.run().map(str::to_owned);
                match answer.owes() {
                    Some(more) => owed = more,
                    None if ended => return true,
                    None => return false,
                }
            }
            false
        };
        let settled = tokio::select! {
            settled = settling => settled,
            () = late => false,
        };
        if !settled {
            self.stop(run.as_deref()).await;
        }
    }

    /// Asks, and hears the answer to its end. False when it goes on without us.
    async fn hear(&self, body: &Value, answer: &mut Answer) -> bool {
        let mut response = match self.client.post(self.ask_at.clone()).json(body).send().await {
            Ok(response) if response.status() == StatusCode::OK => response,
            Ok(response) => {
                tracing::warn!(status = %response.status(), "the server does not take what it wants");
                return true;
            }
            Err(_) => return false,
        };
        let mut reader = self.protocol.reader();
        let mut body = Body::new(HEARD_BYTES);
        while let Ok(Some(bytes)) = response.chunk().await {
            for read in body.push(&bytes) {
                let Ok(Read::Data(data)) = read else {
                    return true;
                };
                let done = reader.read(&data, answer);
                drop(answer.steps());
                if done.is_err() || answer.ended().is_some() {
                    return true;
                }
            }
        }
        false
    }

    /// Stops a run: the one that is named, or else the agent's own.
    async fn stop(&self, run: Option<&str>) {
        let body = self.protocol.stop(run);
        let late = self.clock.sleep_until(self.clock.now().plus(STOP));
        let answer = self.client.post(self.stop_at.clone()).json(&body).send();
        let refused = tokio::select! {
            answer = answer => match answer {
                Ok(answer) if answer.status().is_success() => return,
                Ok(answer) => answer.status().to_string(),
                Err(error) => error.without_url().to_string(),
            },
            () = late => "it does not answer".to_owned(),
        };
        tracing::warn!(
            refused,
            "the server may go on with a run that nobody wants any more"
        );
    }
}

/// The place of a question at a server, and the run that came of it. Dropped while the run is under way, it stops it;
/// dropped while the server wants something, it sends that. The place is kept until this is done.
pub(crate) struct Upstream {
    server: Arc<Server>,
    place: Option<OwnedSemaphorePermit>,
    under_way: bool,
    run: Option<String>,
    owed: Option<Value>,
}

impl Upstream {
    fn new(server: &Arc<Server>, place: OwnedSemaphorePermit) -> Self {
        Self {
            server: Arc::clone(server),
            place: Some(place),
            under_way: false,
            run: None,
            owed: None,
        }
    }

    /// The question is on its way.
    pub(crate) fn begins(&mut self) {
        self.under_way = true;
    }

    /// What the server calls the run.
    pub(crate) fn is_called(&mut self, run: &str) {
        if self.run.is_none() {
            self.run = Some(run.to_owned());
        }
    }

    /// The server wants this before it takes another question.
    pub(crate) fn owes(&mut self, body: Option<Value>) {
        self.owed = body;
    }

    /// The run has ended, or there was none.
    pub(crate) fn ends(&mut self) {
        self.under_way = false;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        // Without a runtime Foldback ends, and nobody can be told any more.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (server, place, run) = (Arc::clone(&self.server), self.place.take(), self.run.take());
        if let Some(owed) = self.owed.take() {
            runtime.spawn(async move {
                server.settle(owed).await;
                drop(place);
            });
        } else if self.under_way {
            runtime.spawn(async move {
                server.stop(run.as_deref()).await;
                drop(place);
            });
        }
    }
}
