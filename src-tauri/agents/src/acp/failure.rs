//! What goes wrong with a process and its protocol.

use crate::{
    Secret,
    status::{fault_of_status, names_bad_key},
};
use agent_client_protocol::v1::schema::{Error, ErrorCode};
use foldback_wire::AgentFault;
use serde_json::Value;

/// Longest detail in bytes.
const DETAIL_BYTES: usize = 400;

/// A failure, its words not yet free of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) fault: AgentFault,
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn new(fault: AgentFault, detail: impl Into<String>) -> Self {
        Self {
            fault,
            detail: detail.into(),
        }
    }

    /// The answer to a request is an error. `asked` is the request's method.
    pub(super) fn refused(asked: &str, error: &Error) -> Self {
        let fault = match error.code {
            ErrorCode::AuthRequired => AgentFault::Unauthorized,
            ErrorCode::InternalError => passed_on(error).unwrap_or(AgentFault::Internal),
            ErrorCode::Other(code) => u16::try_from(code)
                .ok()
                .and_then(|status| fault_of_status(status, &words(error)))
                .map(|refused| refused.fault)
                .or_else(|| passed_on(error))
                .unwrap_or(AgentFault::Rejected),
            _ => AgentFault::Rejected,
        };
        let data = match &error.data {
            None => String::new(),
            Some(data) => format!(" {data}"),
        };
        let code = i32::from(error.code);
        Self::new(fault, format!("{asked}: {} ({code}){data}", error.message))
    }
}

/// The fault of the API behind the agent, where an error of its own passes it on: as a word or a status somewhere in its
/// data (codex-acp, claude-agent-acp), or in its words, as Claude Code writes them ("API Error: 429 …"). gemini-cli has
/// the status as the error's code.
fn passed_on(error: &Error) -> Option<AgentFault> {
    let words = words(error);
    let of_status = |status: u64| Some(fault_of_status(u16::try_from(status).ok()?, &words)?.fault);
    let named = |name: &str, value: &Value| {
        let word = value.as_str().filter(|_| NAMES.contains(&name))?;
        fault_of_word(word)
    };
    let numbered = |name: &str, value: &Value| {
        let status = value.as_u64().filter(|_| STATUSES.contains(&name))?;
        of_status(status)
    };
    let in_words = || {
        let (_, after) = words.split_once("API Error: ")?;
        let status = after.split(|letter: char| !letter.is_ascii_digit()).next()?;
        of_status(status.parse().ok()?)
    };
    let data = error.data.as_ref();
    data.and_then(|data| find_field(data, &named))
        .or_else(|| find_field(data?, &numbered))
        .or_else(in_words)
        .or_else(|| fault_of_sentence(&words))
}

/// Fields that name a fault: codex-acp's and claude-agent-acp's.
const NAMES: [&str; 2] = ["codex_error_info", "errorKind"];
/// Fields that hold the status of the API behind an agent.
const STATUSES: [&str; 5] = [
    "status",
    "statusCode",
    "httpStatusCode",
    "http_status_code",
    "code",
];

/// Reads the first field that can be read, at whatever depth, the outer ones first.
fn find_field<T>(data: &Value, read: &dyn Fn(&str, &Value) -> Option<T>) -> Option<T> {
    match data {
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, value)| read(name, value))
            .or_else(|| fields.values().find_map(|value| find_field(value, read))),
        Value::Array(items) => items.iter().find_map(|item| find_field(item, read)),
        _ => None,
    }
}

/// The fault that an agent names in a word.
fn fault_of_word(word: &str) -> Option<AgentFault> {
    Some(match word {
        "unauthorized" | "authentication_failed" => AgentFault::Unauthorized,
        "usage_limit_exceeded" | "rate_limit" => AgentFault::RateLimited,
        "server_overloaded" | "overloaded" => AgentFault::Overloaded,
        "billing_error" => AgentFault::Rejected,
        _ => return None,
    })
}

/// The fault that an agent tells in a sentence alone, as Claude Code does where no account is signed in, or where the
/// limit of a plan is reached.
fn fault_of_sentence(words: &str) -> Option<AgentFault> {
    let told = words.to_ascii_lowercase().replace('’', "'");
    let says = |words: &[&str]| words.iter().any(|words| told.contains(words));
    if names_bad_key(&told) || says(&["invalid api key", "please run /login"]) {
        Some(AgentFault::Unauthorized)
    } else if says(&["hit your limit", "hit your usage limit"]) {
        Some(AgentFault::RateLimited)
    } else {
        None
    }
}

/// Everything that an error says.
fn words(error: &Error) -> String {
    let data = error.data.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{} {data}", error.message)
}

/// `words` on one line and shortened.
pub(super) fn one_line(words: &str) -> String {
    let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > DETAIL_BYTES {
        line.truncate(line.floor_char_boundary(DETAIL_BYTES));
        line.push('…');
    }
    line
}

/// `words` with none of the secrets in them.
pub(super) fn without(secrets: &[Secret], words: &str) -> String {
    secrets
        .iter()
        .fold(words.to_owned(), |words, secret| secret.hide_in(&words))
}

#[cfg(test)]
mod tests;
