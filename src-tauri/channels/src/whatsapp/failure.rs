//! What the Cloud API says when it refuses, in an answer or later in a webhook:
//! <https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes>.

use crate::{LimitScope, Refusal};
use foldback_wire::RefusalCode;
use serde::Deserialize;
use std::time::Duration;

/// One message every six seconds to one person is always let through:
/// <https://developers.facebook.com/documentation/business-messaging/whatsapp/about-the-platform#pair-rate-limits>.
const PAIR_RATE: Duration = Duration::from_secs(6);

/// "Pair rate limit hit": too many messages from this number to this person.
const PAIR_LIMIT: i64 = 131_056;

/// "API Method": capability or permissions issue, documented with the status 500.
const API_METHOD: i64 = 3;

/// An error.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Failure {
    /// `None` where something in between answered in the form of the Graph API: that says nothing about the token.
    code: Option<i64>,
    /// In webhooks; in answers the message says it.
    #[serde(default)]
    title: String,
    #[serde(default)]
    message: String,
    error_data: Option<Data>,
    #[serde(default)]
    is_transient: bool,
}

#[derive(Debug, Deserialize)]
struct Data {
    #[serde(default)]
    details: String,
}

impl Failure {
    /// The error as every adapter reports it.
    pub(super) fn refusal(&self) -> Refusal {
        let (code, advice) = self.meaning();
        let mut refusal = Refusal::new(code, self.words(advice));
        // Every other limit is the number's, the account's or the app's.
        refusal.scope = LimitScope::Channel;
        if self.code == Some(PAIR_LIMIT) {
            refusal.retry_after = Some(PAIR_RATE);
            refusal.scope = LimitScope::Chat;
        }
        refusal
    }

    /// Whether a server that answers 5xx with this error refuses, and has done nothing: Meta documents 500 for what the
    /// token may not do. Of every other code a failing server says nothing certain.
    pub(super) const fn is_refused_with_5xx(&self) -> bool {
        matches!(self.code, Some(API_METHOD))
    }

    /// The same from a server that failed: whatever its code means otherwise, it passes.
    pub(super) fn refusal_that_passes(&self) -> Refusal {
        Refusal::new(RefusalCode::Transient, self.words(""))
    }

    /// The same where its status says that there were too many calls: a code without a meaning of its own, and one that
    /// passes, is that limit. Which calls it counts is not known, so that all of the number wait.
    pub(super) fn refusal_with_429(&self, meaning: fn(&Self) -> Refusal) -> Refusal {
        match self.known_meaning() {
            Some((code, _)) if code != RefusalCode::Transient => meaning(self),
            _ => Refusal {
                scope: LimitScope::Channel,
                ..Refusal::new(RefusalCode::RateLimited, self.words(""))
            },
        }
    }

    /// The same of a call that names a message: a wrong value is its id, then.
    pub(super) fn refusal_about_message(&self) -> Refusal {
        let refusal = self.refusal();
        match self.code {
            Some(131_009) => Refusal {
                code: RefusalCode::Gone,
                ..refusal
            },
            _ => refusal,
        }
    }

    /// The same of a call that names a file: an unknown id is one that has expired.
    pub(super) fn refusal_about_media(&self) -> Refusal {
        match self.code {
            Some(code @ (100 | 33 | 131_052)) => {
                let why = format!("(#{code}) the file is not there any more");
                Refusal::new(RefusalCode::Gone, why)
            }
            _ => self.refusal(),
        }
    }

    /// The kind of an error, and what a person can do about it. Meta wants the codes to be read, never the words.
    fn meaning(&self) -> (RefusalCode, &'static str) {
        let unknown = if self.is_transient {
            RefusalCode::Transient
        } else {
            RefusalCode::Rejected
        };
        self.known_meaning().unwrap_or((unknown, ""))
    }

    /// The same by its code; `None` where it has none, or one that Meta does not document.
    fn known_meaning(&self) -> Option<(RefusalCode, &'static str)> {
        use RefusalCode::{ChatGone, Forbidden, RateLimited, Rejected, Transient, Unauthorized, Unsupported};
        Some(match self.code? {
            190 => (
                Unauthorized,
                "the access token has expired or was withdrawn: make a new one, a permanent one of a system user",
            ),
            0 => (Unauthorized, "the access token is not taken: copy it again"),
            API_METHOD | 10 | 200..=299 | 131_005 => (
                Unauthorized,
                "the access token may not do this: it needs whatsapp_business_messaging and \
                 whatsapp_business_management, and access to the account of this number",
            ),
            368 | 131_031 => (
                Unauthorized,
                "Meta has restricted the account: see WhatsApp Manager",
            ),
            131_030 => (
                Forbidden,
                "a test number writes only to the numbers that were added to its list (API Setup, \"To\")",
            ),
            131_042 => (
                Unauthorized,
                "the account needs a way to pay: see Billing in WhatsApp Manager",
            ),
            131_047 => (
                Forbidden,
                "free-form messages are for 24 hours after a person last wrote; ask them to write again",
            ),
            131_048 => (
                Unauthorized,
                "too many messages of this number were blocked or called spam: see its quality in WhatsApp Manager",
            ),
            131_026 => (
                ChatGone,
                "the number is not on WhatsApp, or its app is too old or has not accepted the terms",
            ),
            // Of the app, the person, the page, by custom rules, of the account, of the number; the first five as in
            // https://developers.facebook.com/docs/graph-api/overview/rate-limiting.
            4 | 17 | 32 | 613 | 80_007 | 130_429 | 133_016 => (RateLimited, ""),
            PAIR_LIMIT => (RateLimited, "too many messages to this person in a short time"),
            131_051 => (Unsupported, ""),
            1 | 2 | 131_000 | 131_016 | 131_057 => (Transient, ""),
            33 | 133_010 => (
                Rejected,
                "there is no such phone number, or it is not registered for the Cloud API: check account",
            ),
            131_053 => (Rejected, "the file is not what its name says, or damaged"),
            _ => return None,
        })
    }

    fn words(&self, advice: &str) -> String {
        let mut words = String::new();
        if let Some(code) = self.code.filter(|_| !self.message.starts_with("(#")) {
            words = format!("(#{code}) ");
        }
        words += [&self.message, &self.title]
            .into_iter()
            .find(|said| !said.is_empty())
            .map_or("no reason was given", String::as_str);
        let details = self.error_data.as_ref().map_or("", |data| &data.details);
        if !details.is_empty() && !words.ends_with(details) {
            words = format!("{words}: {details}");
        }
        if advice.is_empty() {
            words
        } else {
            format!("{} ({advice})", words.trim_end_matches('.'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn refusal(error: Value) -> Refusal {
        serde_json::from_value::<Failure>(error).unwrap().refusal()
    }

    #[test]
    fn codes_tell_the_kind() {
        use RefusalCode::{ChatGone, Forbidden, RateLimited, Rejected, Transient, Unauthorized, Unsupported};
        for (kind, codes) in [
            (
                Unauthorized,
                &[0, 3, 10, 190, 200, 299, 368, 131_005, 131_031, 131_042, 131_048][..],
            ),
            (Forbidden, &[131_030, 131_047]),
            (ChatGone, &[131_026]),
            (RateLimited, &[4, 17, 32, 613, 80_007, 130_429, 131_056, 133_016]),
            (Transient, &[1, 2, 131_000, 131_016, 131_057]),
            (Unsupported, &[131_051]),
            (
                Rejected,
                &[
                    33, 100, 131_008, 131_009, 131_021, 131_049, 131_053, 133_010, 999_999,
                ],
            ),
        ] {
            for code in codes {
                assert_eq!(refusal(json!({"code": code})).code, kind, "{code}");
            }
        }
        assert_eq!(refusal(json!({"code": 7, "is_transient": true})).code, Transient);
        assert_eq!(refusal(json!({"is_transient": true})).code, Transient);
        let uncoded = refusal(json!({"message": "Invalid host"}));
        assert_eq!(
            (uncoded.code, uncoded.detail.as_str()),
            (Rejected, "Invalid host")
        );
    }

    #[test]
    fn it_says_what_meta_said_and_what_to_do() {
        let closed = refusal(json!({
            "message": "(#131047) Re-engagement message",
            "code": 131_047,
            "error_data": {"details": "More than 24 hours have passed since the customer last replied."},
        }));
        assert_eq!(
            closed.detail,
            "(#131047) Re-engagement message: More than 24 hours have passed since the customer last replied (\
             free-form messages are for 24 hours after a person last wrote; ask them to write again)"
        );
        let later = refusal(json!({"code": 131_049, "title": "Not delivered"}));
        assert_eq!(later.detail, "(#131049) Not delivered");
        assert_eq!(refusal(json!({"code": 5})).detail, "(#5) no reason was given");
    }

    #[test]
    fn the_wait_between_two_people_is_known() {
        let told = |code: i64| {
            let refusal = refusal(json!({"code": code}));
            (refusal.scope, refusal.retry_after)
        };
        assert_eq!(told(131_056), (LimitScope::Chat, Some(Duration::from_secs(6))));
        for code in [4, 80_007, 130_429] {
            assert_eq!(told(code), (LimitScope::Channel, None), "{code}");
        }
    }
}
