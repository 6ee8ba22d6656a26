//! Calls of the Bot API: <https://core.telegram.org/bots/api#making-requests>.

use super::moved::MovedChats;
use crate::{LimitScope, Refusal, download::download, http};
use foldback_wire::{Attachment, RefusalCode, Secret};
use reqwest::multipart::Form;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// How long a call may take; sending a large file takes longer than any other.
const PATIENCE: Duration = Duration::from_secs(30);
const FILE_PATIENCE: Duration = Duration::from_mins(5);

pub(super) struct Api {
    client: Client,
    root: String,
    token: Secret,
    moved: MovedChats,
}

/// What every call is answered with.
#[derive(Debug, Deserialize)]
struct Answer {
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
        let response = request.send().await.map_err(http::unanswered)?;
        let (status, wait) = (response.status(), http::retry_after(response.headers()));
        let body = http::read_body(response).await?;
        let Ok(answer) = serde_json::from_slice::<Answer>(&body) else {
            return Err(unreadable(status, wait));
        };
        if !answer.ok {
            let moved = answer.parameters.as_ref();
            if let (Some(chat), Some(to)) = (chat, moved.and_then(|moved| moved.migrate_to_chat_id)) {
                self.moved.learn(chat, to);
            }
            return Err(self.refusal(status, wait, answer));
        }
        serde_json::from_value(answer.result.unwrap_or_default()).map_err(|e| {
            Refusal::new(
                RefusalCode::Rejected,
                format!("Telegram answered something else: {e}"),
            )
            .or_done()
        })
    }

    fn refusal(&self, status: StatusCode, wait: Option<Duration>, answer: Answer) -> Refusal {
        let code = answer.error_code.unwrap_or(status.as_u16());
        let said = self.token.hide_in(&answer.description.unwrap_or_default());
        let gateway = failed_before(code, &said).filter(|_| answer.parameters.is_none());
        let mut refusal = Refusal::new(kind(code, &said), said);
        let retry_after = answer.parameters.and_then(|parameters| parameters.retry_after);
        refusal.retry_after = retry_after.map(Duration::from_secs).or(wait);
        // A server that failed may have failed after it did what was asked.
        refusal.maybe_done = code >= 500;
        match gateway {
            Some(status) => http::wordless(refusal, status, wait),
            None => refusal,
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
        maybe_done: false,
        by_front_end: false,
        ..refusal
    }
}

/// The status of a server's failure whose description is its reason phrase and nothing else: what stands before the Bot
/// API answers in the form of that, and has no other words.
fn failed_before(code: u16, said: &str) -> Option<StatusCode> {
    let status = StatusCode::from_u16(code).ok()?;
    let reason = status.canonical_reason()?;
    (status.is_server_error() && said.eq_ignore_ascii_case(reason)).then_some(status)
}

/// Not the Bot API speaks, but what stands before it: it knows no chats, and asks every call to wait.
fn unreadable(status: StatusCode, wait: Option<Duration>) -> Refusal {
    let refusal = Refusal::new(
        RefusalCode::Transient,
        format!("Telegram answered {status} without a word"),
    );
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Refusal::new(RefusalCode::TooLong, "the file is too large for Telegram")
        }
        StatusCode::TOO_MANY_REQUESTS => Refusal {
            code: RefusalCode::RateLimited,
            retry_after: wait,
            scope: LimitScope::Channel,
            ..refusal
        },
        status if status.is_client_error() => refusal,
        _ => http::wordless(refusal, status, wait),
    }
}

/// The kind of a refusal. The Bot API has no codes of its own below those of HTTP, so its words decide.
fn kind(code: u16, said: &str) -> RefusalCode {
    let said = said.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    match code {
        429 => RefusalCode::RateLimited,
        401 | 403 => RefusalCode::Forbidden,
        // No such bot, where the token is none at all.
        404 if said == "not found" => RefusalCode::Forbidden,
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
            "not found",
            "message_id_invalid",
            "message can't be edited",
            "message can't be deleted",
            "upgraded to a supergroup",
            "thread_closed",
            "topic_closed",
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
            let answer = serde_json::from_value(body.clone()).unwrap();
            let status = StatusCode::from_u16(code).unwrap();
            let refusal = api.refusal(status, None, answer);
            assert_eq!(
                (refusal.code, refusal.maybe_done, refusal.by_front_end),
                (RefusalCode::Transient, true, by_front_end),
                "{body}"
            );
        }
    }
}
