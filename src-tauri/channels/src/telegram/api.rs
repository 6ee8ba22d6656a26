//! Calls of the Bot API: <https://core.telegram.org/bots/api#making-requests>.

use super::moved::MovedChats;
use crate::http::{self, Service};
use crate::{LimitScope, Refusal, download::download, limit::platform_wait};
use foldback_wire::{Attachment, RefusalCode, Secret};
use reqwest::header::HeaderMap;
use reqwest::multipart::Form;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// How long a call may take; sending a large file takes longer than any other.
const PATIENCE: Duration = Duration::from_secs(30);
const FILE_PATIENCE: Duration = Duration::from_mins(5);

/// A front end knows no chats, and asks every call to wait.
const SERVICE: Service = Service {
    name: "Telegram",
    front_limit: LimitScope::Channel,
    limit_header: |_| None,
};

pub(super) struct Api {
    client: Client,
    root: String,
    token: Secret,
    pub(super) moved: MovedChats,
}

/// What every call is answered with.
#[derive(Debug, Deserialize)]
struct Said {
    ok: bool,
    result: Option<Value>,
    description: Option<String>,
    error_code: Option<u16>,
    parameters: Option<Parameters>,
}

/// <https://core.telegram.org/bots/api#responseparameters>
#[derive(Debug, Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
}

/// <https://core.telegram.org/bots/api#file>
#[derive(Debug, Deserialize)]
struct File {
    file_path: Option<String>,
}

impl Api {
    pub(super) fn new(root: &str, token: Secret) -> Result<Self, Refusal> {
        Ok(Self {
            client: http::client(root)?,
            root: root.trim_end_matches('/').to_owned(),
            token,
            moved: MovedChats::default(),
        })
    }

    /// Calls a method, with its parameters as JSON.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &Value,
    ) -> Result<T, Refusal> {
        self.call_for(method, parameters, PATIENCE).await
    }

    /// The same, with more or less patience.
    pub(super) async fn call_for<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &Value,
        patience: Duration,
    ) -> Result<T, Refusal> {
        let send = |chat: Option<i64>| {
            let mut parameters = parameters.clone();
            if let Some(chat) = chat {
                parameters["chat_id"] = chat.into();
            }
            let request = self.client.post(self.address(method)).json(&parameters);
            self.answer(chat, request.timeout(patience))
        };
        self.in_current_chat(parameters, send).await
    }

    /// Calls a method that sends a file, with the form of its parameters; it is made anew for a chat that moved.
    pub(super) async fn upload<T: DeserializeOwned>(
        &self,
        method: &str,
        parameters: &Value,
        form: impl Fn(&Value) -> Result<Form, Refusal>,
    ) -> Result<T, Refusal> {
        let send = async |chat: Option<i64>| {
            let mut parameters = parameters.clone();
            if let Some(chat) = chat {
                parameters["chat_id"] = chat.into();
            }
            let request = self
                .client
                .post(self.address(method))
                .multipart(form(&parameters)?);
            self.answer(chat, request.timeout(FILE_PATIENCE)).await
        };
        self.in_current_chat(parameters, send).await
    }

    /// Makes a call with the id that its chat has now, and once more where that turns out to be another one.
    async fn in_current_chat<T, F>(
        &self,
        parameters: &Value,
        send: impl Fn(Option<i64>) -> F,
    ) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Refusal>>,
    {
        let named = parameters["chat_id"].as_i64();
        let known = named.map(|chat| self.moved.current(chat));
        let sent = send(known).await;
        let now = named.map(|chat| self.moved.current(chat));
        if sent.is_err() && now != known {
            return send(now).await;
        }
        sent
    }

    /// Fetches a file: <https://core.telegram.org/bots/api#getfile>. Larger ones than 20 MB are refused there.
    pub(super) async fn download(&self, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let id = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        let found: File = self
            .call("getFile", &json!({"file_id": id}))
            .await
            .map_err(about_file)?;
        let path = found.file_path.unwrap_or_default();
        // A server in local mode names a path of its own machine; anything else out of the ordinary is no path either.
        let strange = |part: &str| matches!(part, "" | "." | "..");
        if path.split('/').any(strange) {
            let why =
                "Telegram gave no path to fetch it from (a local Bot API server must run without --local)";
            return Err(Refusal::new(RefusalCode::Unsupported, why));
        }
        let mut url =
            Url::parse(&self.root).map_err(|e| Refusal::new(RefusalCode::Rejected, e.to_string()))?;
        // An address with a host, as this is one, has a path.
        if let Ok(mut parts) = url.path_segments_mut() {
            let bot = format!("bot{}", self.token.expose());
            parts
                .pop_if_empty()
                .extend(["file", &bot])
                .extend(path.split('/'));
        }
        download(self.client.get(url), &file.media_type, limit).await
    }

    fn address(&self, method: &str) -> String {
        format!("{}/bot{}/{method}", self.root, self.token.expose())
    }

    /// The answer to a call about this chat.
    async fn answer<T: DeserializeOwned>(
        &self,
        chat: Option<i64>,
        request: RequestBuilder,
    ) -> Result<T, Refusal> {
        let answer = SERVICE.send(request).await?;
        let Ok(said) = serde_json::from_slice::<Said>(&answer.body) else {
            return Err(SERVICE.wordless(answer.status, &answer.headers));
        };
        if !said.ok {
            let moved = said.parameters.as_ref();
            if let (Some(chat), Some(to)) = (chat, moved.and_then(|moved| moved.migrate_to_chat_id)) {
                self.moved.learn(chat, to);
            }
            return Err(self.refusal(answer.status, &answer.headers, said));
        }
        serde_json::from_value(said.result.unwrap_or_default()).map_err(|error| SERVICE.strange(&error))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, said: Said) -> Refusal {
        let code = said.error_code.unwrap_or(status.as_u16());
        let words = self.token.hide_in(&said.description.unwrap_or_default());
        let front_end = failed_before(code, &words).filter(|_| said.parameters.is_none());
        let retry_after = said.parameters.and_then(|parameters| parameters.retry_after);
        let refusal = Refusal {
            retry_after: retry_after.map(|seconds| platform_wait(Duration::from_secs(seconds))),
            ..Refusal::new(kind(code, &words), words)
        };
        match front_end {
            Some(status) => http::of_front_end(refusal, status, http::retry_after(headers)),
            None => SERVICE.complete(refusal, StatusCode::from_u16(code).unwrap_or(status), headers),
        }
    }
}

/// A file that is unknown or has expired has a wrong id.
fn about_file(refusal: Refusal) -> Refusal {
    let said = refusal.detail.to_ascii_lowercase();
    let gone = said.contains("invalid file_id") || said.contains("wrong file");
    let code = if gone { RefusalCode::Gone } else { refusal.code };
    Refusal {
        code,
        ..refusal.harmless()
    }
}

/// The status of a server's failure whose description is its reason phrase and nothing else: what stands before the Bot
/// API answers in the form of that, and has no other words.
fn failed_before(code: u16, said: &str) -> Option<StatusCode> {
    let status = StatusCode::from_u16(code).ok()?;
    let reason = status.canonical_reason()?;
    (status.is_server_error() && said.eq_ignore_ascii_case(reason)).then_some(status)
}

/// The kind of a refusal. The Bot API has no codes of its own below those of HTTP, so its words decide.
fn kind(code: u16, said: &str) -> RefusalCode {
    let said = said.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    match code {
        429 => RefusalCode::RateLimited,
        // <https://core.telegram.org/api/errors#401-unauthorized>; 403 is about the chat.
        401 => RefusalCode::Unauthorized,
        403 => RefusalCode::Forbidden,
        // No such bot, where the token is none at all.
        404 if said == "not found" => RefusalCode::Unauthorized,
        413 => RefusalCode::TooLong,
        // 409: another program polls with the same token.
        409 | 500.. => RefusalCode::Transient,
        _ if says(&[
            "is too long",
            "message_too_long",
            "file is too big",
            "photo_invalid_dimensions",
        ]) =>
        {
            RefusalCode::TooLong
        }
        _ if says(&[
            "chat not found",
            "thread not found",
            "upgraded to a supergroup",
            "thread_closed",
            "topic_closed",
        ]) =>
        {
            RefusalCode::ChatGone
        }
        _ if says(&[
            "not found",
            "message_id_invalid",
            "message can't be edited",
            "message can't be deleted",
        ]) =>
        {
            RefusalCode::Gone
        }
        _ if says(&[
            "not enough rights",
            "have no rights",
            "chat_write_forbidden",
            "need administrator",
        ]) =>
        {
            RefusalCode::Forbidden
        }
        _ if says(&["reaction_invalid", "voice_messages_forbidden"]) => RefusalCode::Unsupported,
        _ => RefusalCode::Rejected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_of_any_number_of_seconds_is_bounded() {
        let api = Api::new("http://127.0.0.1:1", Secret::new("1:AAtoken")).unwrap();
        let body = json!({
            "ok": false,
            "error_code": 429,
            "description": "Too Many Requests",
            "parameters": {"retry_after": u64::MAX},
        });
        let said = serde_json::from_value(body).unwrap();
        let refusal = api.refusal(StatusCode::TOO_MANY_REQUESTS, &HeaderMap::new(), said);
        assert_eq!(
            (refusal.code, refusal.retry_after),
            (RefusalCode::RateLimited, Some(Duration::from_hours(720)))
        );
    }

    #[test]
    fn a_token_that_is_refused_is_told_from_a_chat_that_is_closed() {
        for (code, said, refusal) in [
            (401, "Unauthorized", RefusalCode::Unauthorized),
            (404, "Not Found", RefusalCode::Unauthorized),
            (
                403,
                "Forbidden: bot was blocked by the user",
                RefusalCode::Forbidden,
            ),
            (
                400,
                "Bad Request: not enough rights to send text messages to the chat",
                RefusalCode::Forbidden,
            ),
            (400, "Bad Request: chat not found", RefusalCode::ChatGone),
        ] {
            assert_eq!(kind(code, said), refusal, "{said}");
        }
    }

    #[test]
    fn nothing_but_the_reason_phrase_of_502_503_or_504_is_a_front_end() {
        let api = Api::new("http://127.0.0.1:1", Secret::new("1:AAtoken")).unwrap();
        for (code, description, parameters, by_front_end) in [
            (502, "Bad Gateway", None, true),
            (502, "bad gateway", None, true),
            (503, "Service Unavailable", None, true),
            (504, "Gateway Timeout", None, true),
            (502, "Service Unavailable", None, false),
            (502, "Bad Gateway: the chat's server restarts", None, false),
            (502, "", None, false),
            (502, "Bad Gateway", Some(json!({"retry_after": 3})), false),
            (502, "Bad Gateway", Some(json!({})), false),
            (500, "Internal Server Error", None, false),
        ] {
            let mut body = json!({"ok": false, "error_code": code, "description": description});
            if let Some(parameters) = parameters {
                body["parameters"] = parameters;
            }
            let said = serde_json::from_value(body.clone()).unwrap();
            let status = StatusCode::from_u16(code).unwrap();
            let refusal = api.refusal(status, &HeaderMap::new(), said);
            assert_eq!(
                (refusal.code, refusal.maybe_done, refusal.by_front_end),
                (RefusalCode::Transient, true, by_front_end),
                "{body}"
            );
        }
    }
}
