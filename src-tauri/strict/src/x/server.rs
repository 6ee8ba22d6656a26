//! The server: <https://docs.x.com/x-api>.

use super::answer::{Answer, limited, problem, refuse};
use super::client::XClient;
use super::rules::{BEARER, BODY, LIMIT, METHOD, TOKEN_FORM};
use super::state::{Closed, Posted, State};
use crate::calls::{MAX_BODY, bearer, broken_off, fields, header};
use crate::fault::throttled;
use crate::{Fault, Mishap, Rule};
use axum::body::Body;
use axum::extract::{Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::{Json, Router};
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// X for one bot, on loopback, until it is dropped.
#[derive(Debug)]
pub struct XServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    _serving: AbortOnDropHandle<()>,
}

/// Seconds since 1970 at noon of the day that every answer bears.
const NOON: i64 = 1_795_435_200;
const DATE: &str = "Mon, 23 Nov 2026 12:00:00 GMT";

impl XServer {
    /// Serves an app.
    pub async fn start(client: XClient) -> io::Result<Self> {
        let mut state = State::new(client);
        state.users.insert(state.client.user, state.client.name.clone());
        let state = Arc::new(Mutex::new(state));
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

    /// Somebody joins.
    pub fn open_user(&self, id: u64, name: &str) {
        self.state().users.insert(id, name.to_owned());
    }

    /// Somebody posts something that mentions nobody. Gives its id.
    pub fn post(&self, author: u64, text: &str) -> u64 {
        let posted = Posted {
            author,
            text: text.to_owned(),
            parent: None,
        };
        self.state().keep(posted)
    }

    /// Somebody mentions the bot, in a post of their own or below another one. Gives its id.
    pub fn mention(&self, author: u64, text: &str, parent: Option<u64>) -> u64 {
        let mut state = self.state();
        let posted = Posted {
            author,
            text: text.to_owned(),
            parent,
        };
        let id = state.keep(posted);
        let told = state.told(id);
        state.mentions.insert(id, told);
        id
    }

    /// Changes what is told of a mention.
    pub fn tell(&self, id: u64, change: impl FnOnce(&mut Value)) {
        let mut state = self.state();
        let mut told = state.mentions.remove(&id).unwrap_or_default();
        change(&mut told);
        state.mentions.insert(id, told);
    }

    /// A post takes no reply any more.
    pub fn close(&self, id: u64, why: Closed) {
        self.state().closed.insert(id, why);
    }

    /// All access tokens end now.
    pub fn expire(&self) {
        self.state().tokens.clear();
    }

    /// Plans a mishap.
    pub fn plan(&self, call: &str, mishap: Mishap) {
        self.state().faults.plan(Fault {
            method: call.to_owned(),
            mishap,
        });
    }

    /// The posts of a conversation, in their order.
    pub fn messages(&self, conversation: u64) -> Vec<(u64, Posted)> {
        let state = self.state();
        let posts = state
            .posts
            .iter()
            .filter(|(id, _)| state.root_of(**id) == conversation);
        posts.map(|(id, posted)| (*id, posted.clone())).collect()
    }

    /// Number of calls that asked for the mentions.
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

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Plain data, whole after every change: a panic elsewhere spoils nothing.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of a call, for faults, and the method that it takes.
fn call_of(path: &str) -> Option<(&'static str, Method)> {
    Some(match path {
        "/2/oauth2/token" => ("token", Method::POST),
        "/2/users/me" => ("me", Method::GET),
        "/2/tweets" => ("tweets", Method::POST),
        _ if path.starts_with("/2/users/") && path.ends_with("/mentions") => ("mentions", Method::GET),
        _ => return None,
    })
}

async fn answer(Shared(state): Shared<Arc<Mutex<State>>>, request: Request<Body>) -> Response {
    let path = request.uri().path().to_owned();
    let call = call_of(&path).filter(|(_, method)| method == request.method());
    let (mishap, is_too_early) = {
        let mut state = lock(&state);
        state.calls += 1;
        let until = call.as_ref().and_then(|(name, _)| state.used_up.get(name));
        let is_too_early = until.is_some_and(|until| *until > Instant::now());
        let mishap = call.as_ref().and_then(|(name, _)| state.faults.next(name));
        if let (Some((name, Method::GET)), Some(Mishap::UsedUp(wait))) = (&call, mishap) {
            state.used_up.insert(name, Instant::now() + wait);
        }
        (mishap, is_too_early)
    };
    let (mut left, mut reset) = (99, Duration::from_mins(15));
    let done = match (&call, mishap) {
        (None, _) => Err(refuse(METHOD, 404, "there is no such call")),
        (Some(_), _) if is_too_early => Err(refuse(LIMIT, 429, "none is left")),
        (Some(_), Some(Mishap::RateLimited(wait))) => {
            (left, reset) = (0, wait);
            Err(limited())
        }
        (Some(_), Some(Mishap::Throttled(status, until))) => return throttled(status, until),
        (Some(_), Some(Mishap::Gateway(status, _))) => return page(status),
        (Some(_), Some(Mishap::Failed)) => Err(problem(500, "Something is broken.")),
        (Some(_), Some(Mishap::Broken)) => return broken_off(),
        (Some((name, _)), _) => carry_out(&state, name, &path, request).await,
    };
    if let Err(Answer { rule: Some(rule), .. }) = &done {
        lock(&state).broken.note(*rule);
    }
    match mishap {
        Some(Mishap::Lost) => return broken_off(),
        Some(Mishap::FailedAfter) => return page(502),
        Some(Mishap::UsedUp(wait)) => (left, reset) = (0, wait),
        Some(Mishap::Late(late)) => tokio::time::sleep(late).await,
        _ => {}
    }
    let mut response = match done {
        Ok(body) if body["data"]["edit_history_tweet_ids"].is_array() => {
            (StatusCode::CREATED, Json(body)).into_response()
        }
        Ok(body) => Json(body).into_response(),
        Err(answer) => answer.into_response(),
    };
    limits(response.headers_mut(), left, reset);
    response
}

/// <https://docs.x.com/x-api/fundamentals/rate-limits>
fn limits(headers: &mut HeaderMap, left: u32, reset: Duration) {
    let until = NOON + i64::try_from(reset.as_secs()).unwrap_or(i64::MAX - NOON);
    headers.insert("date", HeaderValue::from_static(DATE));
    headers.insert("x-rate-limit-limit", HeaderValue::from(100));
    headers.insert("x-rate-limit-remaining", HeaderValue::from(left));
    headers.insert("x-rate-limit-reset", HeaderValue::from(until));
}

fn page(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    (status, Html(format!("<html>{status}</html>"))).into_response()
}

async fn carry_out(
    state: &Mutex<State>,
    name: &str,
    path: &str,
    request: Request<Body>,
) -> Result<Value, Answer> {
    let (parts, body) = request.into_parts();
    let kind = header(&parts.headers, "content-type");
    let body = axum::body::to_bytes(body, MAX_BODY)
        .await
        .map_err(|_| refuse(BODY, 413, "it is too large"))?;
    let mut state = lock(state);
    if name == "token" {
        let text = std::str::from_utf8(&body).unwrap_or_default();
        let form = fields(text).filter(|_| kind.starts_with("application/x-www-form-urlencoded"));
        let form = form.ok_or_else(|| refuse(TOKEN_FORM, 400, "it is no form"))?;
        return state.give_token(&parts.headers, &form);
    }
    match bearer(&parts.headers) {
        None => return Err(refuse(BEARER, 401, "Unauthorized")),
        // Breaks no rule: it was valid once.
        Some(token) if !state.tokens.contains(token) => return Err(problem(401, "Unauthorized")),
        Some(_) => {}
    }
    let given = fields(parts.uri.query().unwrap_or_default()).unwrap_or_default();
    match name {
        "me" => state.me(&given),
        "mentions" => {
            let user = path.trim_start_matches("/2/users/").trim_end_matches("/mentions");
            state.list_mentions(user, &given)
        }
        _ => {
            let json = kind.starts_with("application/json");
            let body = json.then(|| serde_json::from_slice(&body).ok()).flatten();
            let body: Value = body.ok_or_else(|| refuse(BODY, 400, "it is no JSON"))?;
            state.create(&body)
        }
    }
}
