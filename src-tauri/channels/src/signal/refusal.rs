//! What the daemon's errors mean. Codes and results are those of
//! <https://github.com/AsamK/signal-cli/blob/master/src/main/java/org/asamk/signal/jsonrpc/SignalJsonRpcCommandHandler.java>
//! and of the exit codes in <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#exit-codes>.

use super::link::Fault;
use crate::{LimitScope, Refusal, limit::platform_wait};
use foldback_wire::RefusalCode;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Characters of an error that are quoted: one about a file would quote all of it.
const QUOTED: usize = 300;

pub(super) const PARSE_ERROR: i64 = -32_700;
pub(super) const INVALID_REQUEST: i64 = -32_600;
pub(super) const METHOD_NOT_FOUND: i64 = -32_601;
pub(super) const INVALID_PARAMS: i64 = -32_602;
pub(super) const USER_ERROR: i64 = -1;
pub(super) const IO_ERROR: i64 = -3;
pub(super) const UNTRUSTED_KEY: i64 = -4;
pub(super) const RATE_LIMIT: i64 = -5;

/// What a method that sends is answered with.
#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    pub(super) timestamp: i64,
    #[serde(default)]
    results: Vec<Outcome>,
}

/// How sending to one recipient went.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Outcome {
    recipient_address: Option<Address>,
    #[serde(rename = "type")]
    kind: String,
    token: Option<String>,
    retry_after_seconds: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Address {
    number: Option<String>,
    uuid: Option<String>,
    username: Option<String>,
}

impl Outcome {
    fn is_success(&self) -> bool {
        self.kind == "SUCCESS"
    }

    fn is_rate_limit(&self) -> bool {
        self.kind == "RATE_LIMIT_FAILURE" || self.token.is_some()
    }

    fn whom(&self) -> &str {
        let address = self.recipient_address.as_ref();
        let names = address.map(|a| [a.number.as_deref(), a.uuid.as_deref(), a.username.as_deref()]);
        names.into_iter().flatten().flatten().next().unwrap_or("somebody")
    }

    fn why(&self) -> &str {
        match self.kind.as_str() {
            "UNREGISTERED_FAILURE" => "is not on Signal",
            "IDENTITY_FAILURE" => "has a new safety number",
            "NETWORK_FAILURE" => "was not reached",
            "RATE_LIMIT_FAILURE" => "is rate limited",
            "INVALID_PRE_KEY_FAILURE" => "has keys that cannot be used",
            other => other,
        }
    }
}

impl Sent {
    /// Reads an answer. Sent to nobody is not sent; sent to some of a group is, with a warning.
    pub(super) fn read(answer: Value) -> Result<(Self, Option<String>), Refusal> {
        let sent: Self = serde_json::from_value(answer).map_err(|e| {
            let why = format!("signal-cli answered something else: {e}");
            Refusal::new(RefusalCode::Rejected, why).or_done()
        })?;
        let failed: Vec<_> = sent
            .results
            .iter()
            .filter(|outcome| !outcome.is_success())
            .collect();
        if failed.is_empty() {
            return Ok((sent, None));
        }
        if failed.len() == sent.results.len() {
            return Err(failure(&failed, None));
        }
        let who: Vec<_> = failed
            .iter()
            .map(|outcome| format!("{} {}", outcome.whom(), outcome.why()))
            .collect();
        let warning = quoted(&format!(
            "not sent to {} of {}: {}",
            failed.len(),
            sent.results.len(),
            who.join(", ")
        ));
        Ok((sent, Some(warning)))
    }
}

/// What an error of a method means.
pub(super) fn of(method: &str, fault: &Fault) -> Refusal {
    let said = quoted(&fault.message);
    let results = fault
        .data
        .pointer("/response/results")
        .cloned()
        .unwrap_or_default();
    let outcomes: Vec<Outcome> = serde_json::from_value(results).unwrap_or_default();
    let failed: Vec<_> = outcomes.iter().filter(|outcome| !outcome.is_success()).collect();
    if !failed.is_empty() {
        return failure(&failed, Some(&said));
    }
    match fault.code {
        INVALID_PARAMS if said.contains("account") => Refusal::new(
            RefusalCode::Unauthorized,
            format!("{said}; set the channel's account to a number that signal-cli has registered or linked"),
        ),
        PARSE_ERROR | INVALID_REQUEST | INVALID_PARAMS => Refusal::new(
            RefusalCode::Rejected,
            format!("signal-cli cannot read {method}: {said}"),
        ),
        METHOD_NOT_FOUND => Refusal::new(
            RefusalCode::Unsupported,
            format!("this signal-cli has no {method}; a newer one may: {said}"),
        ),
        USER_ERROR => Refusal::new(kind(&said), said),
        UNTRUSTED_KEY => untrusted(&said, "RECIPIENT"),
        RATE_LIMIT => rate_limited(&said, None, None),
        IO_ERROR => Refusal::new(RefusalCode::Transient, said).or_done(),
        // An unexpected error; only of a file is it sure that it came first.
        _ if said.contains("AttachmentInvalid") => Refusal::new(RefusalCode::Rejected, said),
        code => Refusal::new(RefusalCode::Transient, format!("{said} (error {code})")).or_done(),
    }
}

/// What an error means where a file was asked for, which changes nothing. signal-cli has no code of its own for one
/// that is not there.
pub(super) fn about_file(fault: &Fault) -> Refusal {
    let refusal = of("getAttachment", fault);
    let said = refusal.detail.to_ascii_lowercase();
    let gone = ["could not find attachment", "no such file", "reading attachment"];
    let code = if gone.iter().any(|words| said.contains(words)) {
        RefusalCode::Gone
    } else {
        refusal.code
    };
    Refusal {
        code,
        maybe_done: false,
        ..refusal
    }
}

/// Why nobody got it.
fn failure(failed: &[&Outcome], said: Option<&str>) -> Refusal {
    let first = failed
        .iter()
        .map(|outcome| format!("{} {}", outcome.whom(), outcome.why()));
    let words = said.map(str::to_owned).into_iter().chain(first);
    let said = quoted(&words.collect::<Vec<_>>().join("; "));
    if failed.iter().any(|outcome| outcome.is_rate_limit()) {
        let token = failed.iter().find_map(|outcome| outcome.token.as_deref());
        let seconds = failed
            .iter()
            .filter_map(|outcome| outcome.retry_after_seconds)
            .max();
        return rate_limited(&said, token, seconds);
    }
    let is = |kind: &str| failed.iter().any(|outcome| outcome.kind == kind);
    if let Some(changed) = failed.iter().find(|outcome| outcome.kind == "IDENTITY_FAILURE") {
        return untrusted(&said, changed.whom());
    }
    if is("NETWORK_FAILURE") {
        return Refusal::new(RefusalCode::Transient, said).or_done();
    }
    let code = if is("UNREGISTERED_FAILURE") {
        RefusalCode::ChatGone
    } else {
        RefusalCode::Rejected
    };
    Refusal::new(code, said)
}

/// <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#submitratelimitchallenge>
fn rate_limited(said: &str, token: Option<&str>, seconds: Option<u64>) -> Refusal {
    let way = match token {
        Some(token) => format!(
            "; wait, or solve https://signalcaptchas.org/challenge/generate.html, stop the daemon and run \
             signal-cli submitRateLimitChallenge --challenge {token} --captcha 'signalcaptcha://…'"
        ),
        None => String::new(),
    };
    // A challenge is the account's; without one a limit may be that of who is written to.
    let scope = if token.is_some() {
        LimitScope::Channel
    } else {
        LimitScope::Unstated
    };
    Refusal {
        retry_after: seconds.map(|seconds| platform_wait(Duration::from_secs(seconds))),
        scope,
        ..Refusal::new(RefusalCode::RateLimited, format!("{said}{way}"))
    }
}

/// <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#trust>
fn untrusted(said: &str, whom: &str) -> Refusal {
    let way = "compare the safety number with them (signal-cli listIdentities), then stop the daemon and run \
               signal-cli trust --verified-safety-number NUMBER";
    Refusal::new(RefusalCode::Forbidden, format!("{said}; {way} {whom}"))
}

/// The kind of what signal-cli calls an error of its user. It has no codes below that, so its words decide.
fn kind(said: &str) -> RefusalCode {
    let said = said.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if says(&["not a member", "not allowed"]) {
        RefusalCode::Forbidden
    } else if says(&["group not found", "groupid", "group id"]) {
        RefusalCode::ChatGone
    } else if says(&["not registered", "unregistered", "invalid phone number"]) {
        // The person may be the one whose message is answered, too.
        RefusalCode::Gone
    } else {
        RefusalCode::Rejected
    }
}

fn quoted(said: &str) -> String {
    match said.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &said[..end]),
        None => said.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_of_any_number_of_seconds_is_bounded() {
        let refusal = rate_limited("too many", None, Some(u64::MAX));
        assert_eq!(refusal.retry_after, Some(Duration::from_hours(720)));
    }
    use serde_json::json;

    #[test]
    fn a_message_for_some_of_a_group_is_sent_with_a_warning() {
        let results = json!([
            {"recipientAddress": {"number": "+33123456789"}, "type": "SUCCESS"},
            {"recipientAddress": {"uuid": "7cc"}, "type": "UNREGISTERED_FAILURE"},
        ]);
        let (sent, warning) =
            Sent::read(json!({"timestamp": 1_631_458_508_784_i64, "results": results})).unwrap();
        assert_eq!(sent.timestamp, 1_631_458_508_784);
        assert_eq!(warning.unwrap(), "not sent to 1 of 2: 7cc is not on Signal");
    }

    #[test]
    fn what_an_error_quotes_is_short() {
        let message = format!(
            "Failed to send message: data:{}: (AttachmentInvalidException)",
            "x".repeat(9_000)
        );
        let fault = Fault {
            code: -32_603,
            message,
            data: Value::Null,
        };
        let refusal = of("send", &fault);
        assert!(refusal.detail.chars().count() < 350, "{refusal}");
    }

    #[test]
    fn every_code_has_a_meaning() {
        for (code, message, kind, maybe_done) in [
            (-32_700, "Unrecognized token", RefusalCode::Rejected, false),
            (-32_600, "method field must be set", RefusalCode::Rejected, false),
            (-32_601, "Method not implemented", RefusalCode::Unsupported, false),
            (
                -32_602,
                "Specified account does not exist",
                RefusalCode::Unauthorized,
                false,
            ),
            (-32_602, "unknown parameter x", RefusalCode::Rejected, false),
            (-32_603, "Command execution failed", RefusalCode::Transient, true),
            (
                -32_603,
                "Failed to send message: x (AttachmentInvalidException)",
                RefusalCode::Rejected,
                false,
            ),
            (-1, "No recipients given", RefusalCode::Rejected, false),
            (-1, "Group not found: AAAA", RefusalCode::ChatGone, false),
            (-1, "The user +1 is not registered.", RefusalCode::Gone, false),
            (
                -1,
                "User is not a member in group: G (AAAA)",
                RefusalCode::Forbidden,
                false,
            ),
            (
                -1,
                "User is not allowed to send message to group: G (AAAA)",
                RefusalCode::Forbidden,
                false,
            ),
            (
                -3,
                "Failed to send message: timeout (IOException)",
                RefusalCode::Transient,
                true,
            ),
            (
                -4,
                "Failed to send message due to untrusted identities",
                RefusalCode::Forbidden,
                false,
            ),
            (
                -5,
                "Failed to send message due to rate limiting",
                RefusalCode::RateLimited,
                false,
            ),
            (-6, "something newer", RefusalCode::Transient, true),
        ] {
            let fault = Fault {
                code,
                message: message.to_owned(),
                data: Value::Null,
            };
            let refusal = of("send", &fault);
            assert_eq!(
                (refusal.code, refusal.maybe_done),
                (kind, maybe_done),
                "{code} {message}"
            );
            assert!(refusal.detail.contains(message), "{refusal}");
        }
    }

    #[test]
    fn why_nobody_got_it_is_in_the_results() {
        for (kind, code, maybe_done) in [
            ("UNREGISTERED_FAILURE", RefusalCode::ChatGone, false),
            ("IDENTITY_FAILURE", RefusalCode::Forbidden, false),
            ("NETWORK_FAILURE", RefusalCode::Transient, true),
            ("RATE_LIMIT_FAILURE", RefusalCode::RateLimited, false),
            ("INVALID_PRE_KEY_FAILURE", RefusalCode::Rejected, false),
            ("SOMETHING_NEWER", RefusalCode::Rejected, false),
        ] {
            let results = json!([{"recipientAddress": {"number": null, "uuid": "7cc"}, "type": kind}]);
            let fault = Fault {
                code: USER_ERROR,
                message: "Failed to send message".to_owned(),
                data: json!({"response": {"timestamp": 1, "results": results}}),
            };
            // Older versions answer so.
            let older =
                Sent::read(json!({"timestamp": 1, "results": results})).map(|(sent, _)| sent.timestamp);
            for refusal in [of("send", &fault), older.unwrap_err()] {
                assert_eq!((refusal.code, refusal.maybe_done), (code, maybe_done), "{kind}");
                assert!(refusal.detail.contains("7cc"), "{refusal}");
            }
        }
    }
}
