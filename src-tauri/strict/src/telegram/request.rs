//! A call as it arrives: its parameters, whichever way they came.

use super::chat::File;
use super::rules::{BOOLEAN, CHAT_INTEGER, FILE, JSON, PARAMETER, POST};
use super::server::{Answer, refuse};
use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{Method, header};
use serde_json::{Map, Value};

/// Most bytes of a call; the Bot API takes files of 50 MB.
const MAX_BODY: usize = 51_000_000;

#[derive(Debug, Default)]
pub(super) struct Parameters {
    values: Map<String, Value>,
    /// Whether values come as text, as in a form.
    as_text: bool,
    pub(super) files: Vec<File>,
}

impl Parameters {
    pub(super) async fn read(request: Request<Body>) -> Result<Self, Answer> {
        if request.method() != Method::POST && request.method() != Method::GET {
            return Err(refuse(POST, 405, "Method Not Allowed"));
        }
        let content = request.headers().get(header::CONTENT_TYPE);
        let content = content.and_then(|value| value.to_str().ok()).unwrap_or_default();
        if content.starts_with("multipart/form-data") {
            return Self::multipart(request).await;
        }
        if !content.is_empty() && !content.starts_with("application/json") {
            return Err(refuse(POST, 400, "Bad Request: unsupported content type"));
        }
        let body = axum::body::to_bytes(request.into_body(), MAX_BODY).await;
        let body = body.map_err(|_| refuse(JSON, 413, "Request Entity Too Large"))?;
        if body.is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_slice(&body) {
            Ok(Value::Object(values)) => Ok(Self {
                values,
                ..Self::default()
            }),
            _ => Err(refuse(JSON, 400, "Bad Request: can't parse JSON object")),
        }
    }

    async fn multipart(request: Request<Body>) -> Result<Self, Answer> {
        let wrong = || refuse(JSON, 400, "Bad Request: can't parse multipart body");
        let mut parts = Multipart::from_request(request, &()).await.map_err(|_| wrong())?;
        let mut parameters = Self {
            as_text: true,
            ..Self::default()
        };
        while let Some(part) = parts.next_field().await.map_err(|_| wrong())? {
            let field = part.name().unwrap_or_default().to_owned();
            let name = part.file_name().map(str::to_owned);
            let bytes = part.bytes().await.map_err(|_| wrong())?.to_vec();
            if let Some(name) = name {
                parameters.files.push(File { field, name, bytes });
            } else {
                let text = String::from_utf8(bytes).map_err(|_| wrong())?;
                parameters.values.insert(field, text.into());
            }
        }
        Ok(parameters)
    }

    /// Refuses parameters that the method does not have.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Answer> {
        let files = self.files.iter().map(|file| file.field.as_str());
        match self
            .values
            .keys()
            .map(String::as_str)
            .chain(files)
            .find(|name| !known.contains(name))
        {
            Some(name) => Err(refuse(
                PARAMETER,
                400,
                &format!("Bad Request: unknown parameter {name}"),
            )),
            None => Ok(()),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str)
    }

    /// A list, as JSON or as the text of it.
    pub(super) fn list(&self, name: &str) -> Option<Vec<Value>> {
        match self.values.get(name)? {
            Value::Array(list) => Some(list.clone()),
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }

    /// An integer; a fraction is none.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, Answer> {
        let wrong = || {
            refuse(
                CHAT_INTEGER,
                400,
                &format!("Bad Request: {name} must be an integer"),
            )
        };
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => number.as_i64().map(Some).ok_or_else(wrong),
            Some(Value::String(text)) => text.parse().map(Some).map_err(|_| wrong()),
            Some(_) => Err(wrong()),
        }
    }

    /// A truth value; without one it is not so.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Answer> {
        let wrong = || refuse(BOOLEAN, 400, &format!("Bad Request: {name} must be a Boolean"));
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) => text.parse().map_err(|_| wrong()),
            Some(_) => Err(wrong()),
        }
    }

    /// A value with parts; in a form it is JSON text.
    pub(super) fn object(&self, name: &str) -> Result<Option<Value>, Answer> {
        let wrong = || refuse(JSON, 400, &format!("Bad Request: can't parse {name} JSON object"));
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if self.as_text => {
                serde_json::from_str(text).map(Some).map_err(|_| wrong())
            }
            Some(value @ (Value::Object(_) | Value::Array(_))) => Ok(Some(value.clone())),
            Some(_) => Err(wrong()),
        }
    }

    /// The one file of a method, which must stand in its field.
    pub(super) fn file(&self, field: &str) -> Result<&File, Answer> {
        match self.files.as_slice() {
            [file] if file.field == field => Ok(file),
            _ => Err(refuse(
                FILE,
                400,
                &format!("Bad Request: there is no {field} in the request"),
            )),
        }
    }
}
