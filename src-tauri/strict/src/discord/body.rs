//! A call's body as it arrives, whichever way: JSON, or a form with files.

use super::answer::{Answer, refuse};
use super::chat::File;
use super::rules::{FILE, JSON};
use axum::body::Body as Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::header;
use serde_json::{Map, Value};

/// Most bytes of a body; more than files may have, so that those are refused by their own rule.
const MAX_BODY: usize = 30_000_000;

/// The name under which a body that is a list stands.
pub(super) const LIST: &str = "[]";

#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) words: Map<String, Value>,
    pub(super) files: Vec<File>,
}

impl Body {
    pub(super) async fn read(request: Request<Bytes>) -> Result<Self, Answer> {
        let content = request.headers().get(header::CONTENT_TYPE);
        let content = content.and_then(|value| value.to_str().ok()).unwrap_or_default();
        if content.starts_with("multipart/form-data") {
            return Self::form(request).await;
        }
        let json = content.starts_with("application/json");
        let body = axum::body::to_bytes(request.into_body(), MAX_BODY).await;
        let body = body.map_err(|_| refuse(JSON, 413, 40_005, "Request entity too large"))?;
        if body.is_empty() {
            return Ok(Self::default());
        }
        if !json {
            return Err(refuse(JSON, 415, 0, "415: Unsupported Media Type"));
        }
        Ok(Self {
            words: words(&body)?,
            files: Vec::new(),
        })
    }

    async fn form(request: Request<Bytes>) -> Result<Self, Answer> {
        let wrong = || refuse(JSON, 400, 50_109, "The form is cut off or is none.");
        let mut parts = Multipart::from_request(request, &()).await.map_err(|_| wrong())?;
        let mut body = Self::default();
        while let Some(part) = parts.next_field().await.map_err(|_| wrong())? {
            let field = part.name().unwrap_or_default().to_owned();
            let name = part.file_name().map(str::to_owned);
            let bytes = part.bytes().await.map_err(|_| wrong())?.to_vec();
            match name {
                Some(name) => body.files.push(File { field, name, bytes }),
                None if field == "payload_json" => body.words = words(&bytes)?,
                None => return Err(refuse(FILE, 400, 50_035, "words stand in payload_json")),
            }
        }
        Ok(body)
    }
}

fn words(json: &[u8]) -> Result<Map<String, Value>, Answer> {
    match serde_json::from_slice(json) {
        Ok(Value::Object(words)) => Ok(words),
        Ok(list @ Value::Array(_)) => Ok(Map::from_iter([(LIST.to_owned(), list)])),
        _ => Err(refuse(
            JSON,
            400,
            50_109,
            "The request body contains invalid JSON.",
        )),
    }
}
