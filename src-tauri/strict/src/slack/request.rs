//! A call as it arrives: its token and its arguments.

use super::answer::{Answer, refuse};
use super::rules::{ARGUMENT, POST};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, header};
use reqwest::Url;
use serde_json::Value;
use std::collections::BTreeMap;

const MAX_BODY: usize = 1_000_000;
/// Methods that take no JSON: <https://docs.slack.dev/apis/web-api/#post_bodies>.
const FORM_ONLY: &[&str] = &[
    "chat.getPermalink",
    "conversations.replies",
    "files.info",
    "files.getUploadURLExternal",
];

#[derive(Debug, Default)]
pub(super) struct Arguments(BTreeMap<String, String>);

impl Arguments {
    pub(super) async fn read(method: &str, request: Request<Body>) -> Result<Self, Answer> {
        if request.method() != Method::POST {
            return Err(refuse(POST, "invalid_http_method"));
        }
        let content = request.headers().get(header::CONTENT_TYPE);
        let content = content
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let body = axum::body::to_bytes(request.into_body(), MAX_BODY).await;
        let body = body.map_err(|_| refuse(POST, "request_timeout"))?;
        let kind = content.split(';').next().unwrap_or_default().trim();
        match kind {
            "application/x-www-form-urlencoded" => Self::form(&body),
            "application/json" if !FORM_ONLY.contains(&method) => Self::json(&body),
            "application/json" => Err(refuse(POST, "invalid_arguments")),
            "" if body.is_empty() => Ok(Self::default()),
            "" => Err(refuse(POST, "missing_post_type")),
            _ => Err(refuse(POST, "invalid_post_type")),
        }
    }

    fn form(body: &[u8]) -> Result<Self, Answer> {
        let wrong = || refuse(POST, "invalid_form_data");
        let text = std::str::from_utf8(body).map_err(|_| wrong())?;
        let url = Url::parse(&format!("http://form/?{text}")).map_err(|_| wrong())?;
        Ok(Self(url.query_pairs().into_owned().collect()))
    }

    fn json(body: &[u8]) -> Result<Self, Answer> {
        let Ok(values) = serde_json::from_slice::<BTreeMap<String, Value>>(body) else {
            return Err(refuse(POST, "invalid_json"));
        };
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Ok(Self(
            values
                .into_iter()
                .map(|(name, value)| (name, text(value)))
                .collect(),
        ))
    }

    /// Refuses arguments that the method does not have.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Answer> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(_) => Err(refuse(ARGUMENT, "invalid_arg_name")),
            None => Ok(()),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// An argument that has to be there.
    pub(super) fn need(&self, name: &str) -> Result<&str, Answer> {
        self.get(name)
            .ok_or_else(|| refuse(ARGUMENT, "invalid_arguments"))
    }
}
