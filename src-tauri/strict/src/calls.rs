//! Calls as they arrive at a server that takes forms, queries and JSON, and what several servers answer them with.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::collections::BTreeMap;
use std::io;
use tokio::io::{AsyncRead, ReadBuf};

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 1_000_000;

/// Fields of a form or of a query. One that comes twice is none: it has no meaning.
pub(crate) fn fields(text: &str) -> Option<BTreeMap<String, String>> {
    let url = reqwest::Url::parse(&format!("http://localhost/?{text}")).ok()?;
    let mut fields = BTreeMap::new();
    for (name, value) in url.query_pairs() {
        if fields.insert(name.into_owned(), value.into_owned()).is_some() {
            return None;
        }
    }
    Some(fields)
}

/// A header's text; empty where there is none.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name);
    value.and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The id and the secret of an app, from `Authorization: Basic`: <https://www.rfc-editor.org/rfc/rfc7617>.
pub(crate) fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let coded = header(headers, header::AUTHORIZATION.as_str()).strip_prefix("Basic ")?;
    let text = String::from_utf8(STANDARD.decode(coded).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}

/// The token of `Authorization: Bearer`: <https://www.rfc-editor.org/rfc/rfc6750>.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    header(headers, header::AUTHORIZATION.as_str()).strip_prefix("Bearer ")
}

/// An answer whose body breaks off, which ends the connection.
pub(crate) fn broken_off() -> Response {
    Response::new(Body::from_stream(tokio_util::io::ReaderStream::new(Breaks)))
}

/// A body that fails at once.
struct Breaks;

impl AsyncRead for Breaks {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
    }
}
