//! Calls of the Cloud API: <https://developers.facebook.com/documentation/business-messaging/whatsapp/reference>.

use super::WhatsAppNumber;
use super::failure::Failure;
use crate::download::{Hosts, download, sha256};
use crate::http::{self, Service};
use crate::{LimitScope, Refusal};
use foldback_wire::{Attachment, RefusalCode, Secret, Timestamp};
use reqwest::header::HeaderMap;
use reqwest::multipart::Form;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

/// How long a call may take; sending a large file takes longer than any other.
const PATIENCE: Duration = Duration::from_secs(30);
const FILE_PATIENCE: Duration = Duration::from_mins(10);

pub(super) struct Api {
    client: Client,
    /// With the version and the id of the phone number, which every call is about.
    number: String,
    token: Secret,
    hosts: Hosts,
}

/// Where files are:
/// <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#download-media>.
const FILES: &[&str] = &["lookaside.fbsbx.com"];

/// What is known of a phone number.
#[derive(Debug, Deserialize)]
pub(super) struct Profile {
    pub(super) display_phone_number: String,
    #[serde(default)]
    pub(super) verified_name: String,
}

/// The share of a limit that is used up.
#[derive(Debug, Deserialize)]
struct Usage {
    #[serde(default, rename = "estimated_time_to_regain_access")]
    minutes: u32,
}

#[derive(Debug, Deserialize)]
struct Refused {
    error: Failure,
}

/// Where a file is.
#[derive(Debug, Deserialize)]
struct Media {
    url: String,
    sha256: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Uploaded {
    id: String,
}

impl Api {
    pub(super) fn new(root: &str, number: &WhatsAppNumber) -> Result<Self, Refusal> {
        Ok(Self {
            client: http::client(root)?,
            number: format!("{}/{}", root.trim_end_matches('/'), number.id),
            token: number.token.clone(),
            hosts: Hosts::new(root, FILES),
        })
    }

    /// Asks for the phone number, which tells whether the token may use it.
    pub(super) async fn profile(&self) -> Result<Profile, Refusal> {
        let address = format!("{}?fields=display_phone_number,verified_name", self.number);
        let asked = self.client.get(address).timeout(PATIENCE);
        self.answer(asked, Failure::refusal)
            .await
            .map_err(Refusal::harmless)
    }

    /// Sends a message, or says that one was read. With the answer comes its own time, which is the only one that WhatsApp
    /// tells of a message at once.
    pub(super) async fn message(&self, message: &Value) -> Result<(Value, Option<Timestamp>), Refusal> {
        let address = format!("{}/messages", self.number);
        let sent = self.client.post(address).json(message).timeout(PATIENCE);
        let names_one = ["context", "reaction", "message_id"]
            .iter()
            .any(|field| message.get(field).is_some());
        let meaning = if names_one {
            Failure::refusal_about_message
        } else {
            Failure::refusal
        };
        self.dated_answer(sent, meaning).await
    }

    /// Hands a file over, and gives the id by which a message can show it.
    pub(super) async fn upload(&self, file: Form) -> Result<String, Refusal> {
        let address = format!("{}/media", self.number);
        let sent = self.client.post(address).multipart(file).timeout(FILE_PATIENCE);
        let uploaded: Result<Uploaded, _> = self.answer(sent, Failure::refusal).await;
        uploaded.map(|uploaded| uploaded.id).map_err(Refusal::harmless)
    }

    /// Fetches a file that somebody sent. Its address is asked for first, and is good for five minutes:
    /// <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#get-media-url>.
    pub(super) async fn download(&self, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let id = file.source.as_deref().ok_or_else(Refusal::no_handle)?;
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Refusal::new(RefusalCode::Rejected, "its id is none of WhatsApp"));
        }
        let (root, number) = self.number.rsplit_once('/').unwrap_or_default();
        let address = format!("{root}/{id}?phone_number_id={number}");
        let asked = self.client.get(address).timeout(PATIENCE);
        let found: Media = self
            .answer(asked, Failure::refusal_about_media)
            .await
            .map_err(Refusal::harmless)?;
        let url = self.hosts.allow(&found.url)?;
        let request = self.client.get(url).bearer_auth(self.token.expose());
        let bytes = download(request, &file.media_type, limit).await?;
        // Webhooks have it in base64; here it is written in hexadecimal digits, and nothing else is compared.
        let noted = found.sha256.filter(|told| told.len() == 64);
        if noted.is_some_and(|told| told != sha256(&bytes)) {
            let why = "other bytes came than WhatsApp has noted";
            return Err(Refusal::new(RefusalCode::Transient, why));
        }
        Ok(bytes)
    }

    async fn answer<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        meaning: fn(&Failure) -> Refusal,
    ) -> Result<T, Refusal> {
        self.dated_answer(request, meaning)
            .await
            .map(|(answer, _)| answer)
    }

    /// An answer, and when the server gave it.
    async fn dated_answer<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        meaning: fn(&Failure) -> Refusal,
    ) -> Result<(T, Option<Timestamp>), Refusal> {
        let request = request.bearer_auth(self.token.expose());
        let answer = SERVICE.send(request).await?;
        let (status, headers) = (answer.status, &answer.headers);
        if status.is_success() {
            let Ok(said) = serde_json::from_slice::<Value>(&answer.body) else {
                // A page of something in between, which may have let the call through.
                return Err(SERVICE.wordless(status, headers));
            };
            let said = serde_json::from_value(said).map_err(|error| SERVICE.strange(&error))?;
            return Ok((said, answer.date()));
        }
        let Ok(Refused { error }) = serde_json::from_slice::<Refused>(&answer.body) else {
            return Err(SERVICE.wordless(status, headers));
        };
        let hidden = |refusal: Refusal| Refusal {
            detail: self.token.hide_in(&refusal.detail),
            ..refusal
        };
        if status.is_server_error() && !error.is_refused_with_5xx() {
            return Err(SERVICE.complete(hidden(error.refusal_that_passes()), status, headers));
        }
        let mut refusal = hidden(match status {
            StatusCode::TOO_MANY_REQUESTS => error.refusal_with_429(meaning),
            _ => meaning(&error),
        });
        if refusal.code == RefusalCode::RateLimited {
            refusal.retry_after = SERVICE.limit_wait(headers).or(refusal.retry_after);
        }
        Err(refusal)
    }
}

/// What stands before the Graph API knows no conversations: every call of the number waits for it.
pub(super) const SERVICE: Service = Service {
    name: "WhatsApp",
    front_limit: LimitScope::Channel,
    limit_header: usage_over,
};

/// The wait until a limit is over, in minutes, the longest of them:
/// <https://developers.facebook.com/docs/graph-api/overview/rate-limiting#headers>.
fn usage_over(headers: &HeaderMap) -> Option<Duration> {
    let usage = headers.get("x-business-use-case-usage")?.as_bytes();
    let usage: HashMap<String, Vec<Usage>> = serde_json::from_slice(usage).ok()?;
    let minutes = usage.into_values().flatten().map(|usage| usage.minutes).max();
    minutes
        .filter(|minutes| *minutes > 0)
        .map(|minutes| Duration::from_mins(u64::from(minutes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wait_of_a_business_is_told_in_minutes() {
        let told = |usage: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-business-use-case-usage", usage.parse().unwrap());
            usage_over(&headers)
        };
        let business = |minutes| {
            format!(
                r#"{{"102": [{{"type": "whatsapp", "estimated_time_to_regain_access": {minutes}}}, {{}}]}}"#
            )
        };
        assert_eq!(told(&business(19)), Some(Duration::from_mins(19)));
        assert_eq!((told(&business(0)), told("{}"), told("busy")), (None, None, None));
    }
}
