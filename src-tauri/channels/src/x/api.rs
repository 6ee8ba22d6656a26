//! Calls of the API: <https://docs.x.com/x-api/fundamentals/response-codes-and-errors>,
//! <https://docs.x.com/x-api/fundamentals/rate-limits>.

use super::XApp;
use super::refresh::RefreshToken;
use super::service::{SERVICE, refused, used_up};
use crate::http::{self, HttpAnswer};
use crate::kept::KeptFile;
use crate::oauth::Access;
use crate::pauses::Pauses;
use crate::{LimitScope, Pause, Refusal};
use foldback_wire::{Clock, RefusalCode, Secret};
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Longest time of a call.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Api {
    client: Client,
    root: String,
    app: XApp,
    refresh: Arc<RefreshToken>,
    access: Access,
    pauses: Pauses<&'static str>,
}

impl Api {
    pub(super) fn new(
        root: &str,
        app: XApp,
        token: KeptFile,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            client: http::client(root)?,
            root: root.trim_end_matches('/').to_owned(),
            refresh: Arc::new(RefreshToken::new(&app, token)),
            app,
            access: Access::new(clock),
            pauses: Pauses::default(),
        })
    }

    /// Asks for something; `route` names the call, for its limit.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        route: &'static str,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        let url = Url::parse_with_params(&format!("{}{path}", self.root), query)
            .map_err(|error| Refusal::new(RefusalCode::Rejected, error.to_string()))?;
        let answer = self.call(route, || self.client.get(url.clone())).await?;
        SERVICE.read(&answer.body).map_err(Refusal::harmless)
    }

    /// Asks for something to be done: what came of it, and a pause that is wanted.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        route: &'static str,
        path: &str,
        body: &Value,
    ) -> Result<(T, Option<Pause>), Refusal> {
        let url = format!("{}{path}", self.root);
        let answer = self.call(route, || self.client.post(&url).json(body)).await?;
        let after = used_up(&answer.headers);
        let pause = after.map(|after| Pause {
            scope: LimitScope::Route,
            after,
        });
        Ok((SERVICE.read(&answer.body)?, pause))
    }

    /// The time for which this call is not wanted.
    pub(super) fn pause_left(&self, route: &'static str) -> Option<Duration> {
        self.pauses.left(&route)
    }

    /// Words for a person about the file of the refresh token.
    pub(super) fn take_trouble(&self) -> Option<String> {
        self.refresh.take_trouble()
    }

    /// Makes a call with a valid token, and once more with a new one where it is refused.
    async fn call(
        &self,
        route: &'static str,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<HttpAnswer, Refusal> {
        let mut is_new = false;
        loop {
            let token = self.token().await?;
            let request = request().bearer_auth(token.expose()).timeout(PATIENCE);
            let answer = SERVICE.send(request).await?;
            self.pauses.note(route, used_up(&answer.headers));
            if answer.status == StatusCode::UNAUTHORIZED && !is_new {
                self.access.forget(&token).await;
                is_new = true;
                continue;
            }
            if answer.status.is_success() {
                return Ok(answer);
            }
            return Err(refused(&answer));
        }
    }

    /// An access token. A refusal of it has done nothing to what the call is about.
    async fn token(&self) -> Result<Secret, Refusal> {
        let renew = || {
            let mut request = self
                .client
                .post(format!("{}/2/oauth2/token", self.root))
                .timeout(PATIENCE);
            // <https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token>, confidential clients.
            if let Some(secret) = &self.app.client_secret {
                request = request.basic_auth(&self.app.client_id, Some(secret.expose()));
            }
            let (refresh, id) = (Arc::clone(&self.refresh), self.app.client_id.clone());
            async move { refresh.renew(request, &id).await }
        };
        self.access.token(renew).await.map_err(Refusal::harmless)
    }
}
