//! Requests as a browser sends them, for a page at an address.

use super::cookies::Cookies;
use super::events::EventStream;
use super::rules;
use crate::{Broken, Rule, client::client};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::multipart::Form;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An answer of the page's server.
#[derive(Debug, Clone)]
pub struct PageResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Vec<u8>,
}

impl PageResponse {
    /// A header's text; empty where it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A browser with a page open, and cookies of its own.
pub struct StrictBrowser {
    client: Client,
    /// Where requests go.
    address: String,
    /// The page's own origin, as the browser knows it.
    origin: String,
    headers: HeaderMap,
    cookies: Mutex<Cookies>,
    broken: Arc<Mutex<Broken>>,
}

impl StrictBrowser {
    /// Opens the page at an address such as `http://127.0.0.1:8095`.
    ///
    /// # Errors
    /// Where no client can be made.
    pub fn visit(address: &str) -> reqwest::Result<Self> {
        Ok(Self {
            client: client()?,
            address: address.to_owned(),
            origin: address.to_owned(),
            headers: HeaderMap::new(),
            cookies: Mutex::default(),
            broken: Arc::default(),
        })
    }

    /// The same page through a proxy that serves it as another origin, and names the address of the visitor.
    #[must_use]
    pub fn through_proxy(mut self, origin: &str, visitor: &str) -> Self {
        origin.clone_into(&mut self.origin);
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        self.with("host", host).with("x-forwarded-for", visitor)
    }

    /// The same with a header on every request.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The rules that answers have broken.
    pub fn broken(&self) -> Vec<Rule> {
        self.lock().rules().copied().collect()
    }

    /// The cookies, as a request has them.
    pub fn cookies(&self) -> Option<String> {
        self.jar().header()
    }

    /// Forgets the cookies, as a person can.
    pub fn forget(&self) {
        self.jar().clear();
    }

    /// Begins a session.
    ///
    /// # Errors
    /// Where there is no answer, as with all that follow.
    pub async fn begin(&self) -> reqwest::Result<PageResponse> {
        self.ask(Method::POST, "/session", |request| request).await
    }

    /// Loads something of the page.
    pub async fn load(&self, path: &str) -> reqwest::Result<PageResponse> {
        self.ask(Method::GET, path, |request| request).await
    }

    /// Loads a part of a file.
    pub async fn load_part(&self, path: &str, range: &str) -> reqwest::Result<PageResponse> {
        self.ask(Method::GET, path, |request| request.header("range", range))
            .await
    }

    /// Sends a message of words.
    pub async fn say(&self, key: &str, text: &str) -> reqwest::Result<PageResponse> {
        self.post("/messages", &json!({"key": key, "text": text})).await
    }

    /// Posts JSON.
    pub async fn post(&self, path: &str, body: &Value) -> reqwest::Result<PageResponse> {
        self.ask(Method::POST, path, |request| request.json(body)).await
    }

    /// Posts a form.
    pub async fn post_form(&self, form: Form) -> reqwest::Result<PageResponse> {
        self.ask(Method::POST, "/messages", |request| request.multipart(form))
            .await
    }

    /// Opens the stream of events, behind one that was seen.
    ///
    /// # Errors
    /// The outer one where there is no answer, the inner one where it is no stream.
    pub async fn events(&self, last: Option<&str>) -> reqwest::Result<Result<EventStream, PageResponse>> {
        let request = self.request(Method::GET, "/events");
        let request = match last {
            Some(last) => request.header("last-event-id", last),
            None => request,
        };
        let response = request.send().await?;
        if response.status() != StatusCode::OK {
            return self.whole("/events", response).await.map(Err);
        }
        self.look("/events", response.status().as_u16(), response.headers());
        let media_type = response.headers().get("content-type");
        if media_type.is_none_or(|value| value != "text/event-stream") {
            self.lock().note(rules::EVENT_TYPE);
        }
        Ok(Ok(EventStream::new(response, Arc::clone(&self.broken))))
    }

    /// Any request of the page.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        with: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> reqwest::Result<PageResponse> {
        let response = with(self.request(method, path)).send().await?;
        self.whole(path, response).await
    }

    /// A request with what a browser adds: <https://fetch.spec.whatwg.org/#append-a-request-origin-header>.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut headers = HeaderMap::new();
        let mut set = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        };
        if method != Method::GET {
            set("origin", &self.origin);
        }
        set("sec-fetch-site", "same-origin");
        if let Some(cookies) = self.cookies() {
            set("cookie", &cookies);
        }
        headers.extend(self.headers.clone());
        self.client
            .request(method, format!("{}{path}", self.address))
            .headers(headers)
    }

    async fn whole(&self, path: &str, response: Response) -> reqwest::Result<PageResponse> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await?.to_vec();
        self.look(path, status, &headers);
        Ok(PageResponse {
            status,
            headers,
            body,
        })
    }

    /// Takes the cookies, and looks at what every answer must have.
    fn look(&self, path: &str, status: u16, headers: &HeaderMap) {
        let is_private = self.origin.starts_with("https://");
        let mut broken = self.lock();
        for cookie in headers.get_all("set-cookie") {
            self.jar()
                .set(cookie.to_str().unwrap_or_default(), is_private, &mut broken);
        }
        let text = |name: &str| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
        };
        let policy = text("content-security-policy");
        let is_open = path == "/foldback.js";
        let kept = [
            (rules::NOSNIFF, text("x-content-type-options") == "nosniff"),
            (rules::TYPE, !text("content-type").is_empty()),
            (
                rules::POLICY,
                policy.contains("default-src 'none'") && !policy.contains("unsafe"),
            ),
            (
                rules::ANCESTORS,
                path != "/" || policy.contains("frame-ancestors 'self'"),
            ),
            (
                rules::NOT_SHARED,
                !headers.contains_key("access-control-allow-origin"),
            ),
            (
                rules::SAME_ORIGIN,
                is_open || text("cross-origin-resource-policy") == "same-origin",
            ),
            (rules::ALLOW, status != 405 || !text("allow").is_empty()),
            (
                rules::RETRY_AFTER,
                ![429, 503].contains(&status) || text("retry-after").parse::<u32>().is_ok(),
            ),
            (
                rules::CHALLENGE,
                status != 401 || !text("www-authenticate").is_empty(),
            ),
            (
                rules::PART,
                ![206, 416].contains(&status) || text("content-range").starts_with("bytes "),
            ),
        ];
        for (rule, is_kept) in kept {
            if !is_kept {
                broken.note(rule);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Broken> {
        self.broken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn jar(&self) -> MutexGuard<'_, Cookies> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
