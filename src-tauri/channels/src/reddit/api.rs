//! Calls of the API, and the access token that each needs: <https://github.com/reddit-archive/reddit/wiki/OAuth2>.

use super::refusal::{self, FormAnswer, Outcome};
use super::{REDDIT, RedditAccount, RedditLogin, TOKENS};
use crate::http::{self, HttpAnswer, Service};
use crate::oauth::{Access, Grant};
use crate::pauses::Pauses;
use crate::platform::reddit::is_name;
use crate::{LimitScope, Pause, Refusal};
use foldback_wire::{Clock, RefusalCode, Secret};
use reqwest::header::{HeaderMap, USER_AGENT};
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

/// Longest time of a call.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls are counted by app, whatever they are.
const SERVICE: Service = Service {
    name: "Reddit",
    front_limit: LimitScope::Channel,
    limit_header: reset,
};

pub(super) struct Api {
    client: Client,
    root: String,
    tokens: String,
    account: Arc<RedditAccount>,
    /// <https://github.com/reddit-archive/reddit/wiki/API#rules>: platform, app, version and a name to turn to.
    agent: String,
    access: Access,
    pauses: Pauses<()>,
}

impl Api {
    pub(super) fn new(root: &str, account: RedditAccount, clock: Arc<dyn Clock>) -> Result<Self, Refusal> {
        let client = http::client(root)?;
        let root = root.trim_end_matches('/');
        if !is_name(&account.name) {
            let why = format!(
                "account {:?} is no name on Reddit: it is written without u/",
                account.name
            );
            return Err(Refusal::new(RefusalCode::Rejected, why));
        }
        let agent = format!(
            "{}:foldback:v{} (by /u/{})",
            std::env::consts::OS,
            env!("CARGO_PKG_VERSION"),
            account.name
        );
        Ok(Self {
            client,
            tokens: if root == REDDIT { TOKENS } else { root }.to_owned(),
            root: root.to_owned(),
            account: Arc::new(account),
            agent,
            access: Access::new(clock),
            pauses: Pauses::default(),
        })
    }

    /// The bot's own name.
    pub(super) fn name(&self) -> &str {
        &self.account.name
    }

    /// Asks for something.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        let url = Url::parse_with_params(&format!("{}{path}", self.root), query)
            .map_err(|error| Refusal::new(RefusalCode::Rejected, error.to_string()))?;
        let answer = self.call(|| self.client.get(url.clone())).await?;
        SERVICE.read(&answer.body).map_err(Refusal::harmless)
    }

    /// Asks for something to be done, in the form whose answer is JSON: what came of it, and a pause that is wanted.
    pub(super) async fn post(
        &self,
        path: &str,
        form: &[(&str, &str)],
    ) -> Result<(FormAnswer, Option<Pause>), Refusal> {
        let url = format!("{}{path}", self.root);
        let answer = self.call(|| self.client.post(&url).form(form)).await?;
        let said: Outcome = SERVICE.read(&answer.body)?;
        let json = said.json.unwrap_or_default();
        if let Some(refusal) = refusal::of_errors(&json) {
            return Err(self.without_secrets(refusal));
        }
        Ok((json, pause(&answer.headers)))
    }

    /// The time for which no more calls are wanted.
    pub(super) fn pause_left(&self) -> Option<Duration> {
        self.pauses.left(&())
    }

    /// Makes a call with a valid token, and once more with a new one where it is refused.
    async fn call(&self, request: impl Fn() -> RequestBuilder) -> Result<HttpAnswer, Refusal> {
        let mut is_new = false;
        loop {
            let token = self.token().await?;
            let request = request()
                .bearer_auth(token.expose())
                .header(USER_AGENT, &self.agent);
            let answer = SERVICE.send(request.timeout(PATIENCE)).await?;
            let pause = pause(&answer.headers).map(|pause| pause.after);
            self.pauses.note((), pause);
            if answer.status == StatusCode::UNAUTHORIZED && !is_new {
                self.access.forget(&token).await;
                is_new = true;
                continue;
            }
            if answer.status.is_success() {
                return Ok(answer);
            }
            return Err(self.without_secrets(refused(&answer)));
        }
    }

    /// An access token. A refusal of it has done nothing to what the call is about.
    async fn token(&self) -> Result<Secret, Refusal> {
        let renew = || {
            let account = Arc::clone(&self.account);
            let request = self
                .client
                .post(format!("{}/api/v1/access_token", self.tokens))
                .basic_auth(&account.client_id, Some(account.client_secret.expose()))
                .header(USER_AGENT, &self.agent)
                .timeout(PATIENCE);
            grant(request, account)
        };
        let token = self.access.token(renew).await;
        token.map_err(|refusal| self.without_secrets(refusal.harmless()))
    }

    fn without_secrets(&self, refusal: Refusal) -> Refusal {
        let (RedditLogin::RefreshToken(login) | RedditLogin::Password(login)) = &self.account.login;
        Refusal {
            detail: login.hide_in(&self.account.client_secret.hide_in(&refusal.detail)),
            ..refusal
        }
    }
}

/// Asks for an access token.
async fn grant(request: RequestBuilder, account: Arc<RedditAccount>) -> Result<Grant, Refusal> {
    let form = match &account.login {
        RedditLogin::RefreshToken(token) => {
            vec![("grant_type", "refresh_token"), ("refresh_token", token.expose())]
        }
        RedditLogin::Password(password) => vec![
            ("grant_type", "password"),
            ("username", &*account.name),
            ("password", password.expose()),
        ],
    };
    let answer = SERVICE.send(request.form(&form)).await?;
    let said: Outcome = serde_json::from_slice(&answer.body).unwrap_or_default();
    let refused_with = said.error.as_ref().and_then(|error| error.as_str());
    // A wrong grant is refused with 200 and a word, or with 400; a wrong app with 401.
    let is_refused = matches!(answer.status, StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED);
    if refused_with.is_some() || is_refused && said.message.is_some() {
        let words = refused_with.or(said.message.as_deref()).unwrap_or_default();
        let what = match account.login {
            _ if answer.status == StatusCode::UNAUTHORIZED => "client_id or client_secret",
            RedditLogin::RefreshToken(_) => "the refresh token",
            RedditLogin::Password(_) => "the name or the password",
        };
        let detail = format!("Reddit refuses {what}: {words}");
        return Err(Refusal::new(RefusalCode::Unauthorized, detail));
    }
    if !answer.status.is_success() {
        return Err(refused(&answer));
    }
    // Not what the answer says: it holds the token.
    serde_json::from_slice(&answer.body).map_err(|_| SERVICE.strange(&"no access token"))
}

/// The refusal of a call by its status, with Reddit's own words where it has some.
fn refused(answer: &HttpAnswer) -> Refusal {
    let said: Option<Outcome> = serde_json::from_slice(&answer.body).ok();
    match said
        .as_ref()
        .filter(|said| said.message.is_some() || said.reason.is_some())
    {
        Some(said) => {
            let refusal = refusal::of_status(answer.status, &answer.headers, said);
            SERVICE.complete(refusal, answer.status, &answer.headers)
        }
        None => SERVICE.wordless(answer.status, &answer.headers),
    }
}

/// Seconds until the limit of calls is whole again: <https://github.com/reddit-archive/reddit/wiki/API#rules>.
fn reset(headers: &HeaderMap) -> Option<Duration> {
    http::seconds(number(headers, "x-ratelimit-reset")?)
}

/// A pause that is wanted: this call was the last of the period.
fn pause(headers: &HeaderMap) -> Option<Pause> {
    let is_used_up = number(headers, "x-ratelimit-remaining")? < 1.0;
    let after = is_used_up.then(|| reset(headers)).flatten()?;
    Some(Pause {
        scope: LimitScope::Channel,
        after,
    })
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}
