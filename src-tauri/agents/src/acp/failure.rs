//! What goes wrong with a process and its protocol.

use crate::{Secret, status::fault_of_status};
use agent_client_protocol::v1::schema::{Error, ErrorCode};
use foldback_wire::AgentFault;

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
                .map_or(AgentFault::Rejected, |refused| refused.fault),
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

/// The fault of the API behind the agent, where an error of its own passes that API's status on: in a field of its data
/// (codex-acp), or in its words, as Claude Code writes them ("API Error: 429 …"). gemini-cli has it as the error's code.
fn passed_on(error: &Error) -> Option<AgentFault> {
    let field = |name: &&str| error.data.as_ref()?.get(name)?.as_u64();
    let in_data = [
        "status",
        "statusCode",
        "httpStatusCode",
        "http_status_code",
        "code",
    ];
    let words = words(error);
    let in_words = || {
        let (_, after) = words.split_once("API Error: ")?;
        after
            .split(|letter: char| !letter.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    };
    let status = in_data.iter().find_map(field).or_else(in_words)?;
    let refused = fault_of_status(u16::try_from(status).ok()?, &words)?;
    Some(refused.fault)
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
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_status_of_the_api_behind_the_agent_is_told_apart() {
        use AgentFault::{Internal, NoModel, Overloaded, RateLimited, Rejected, Unauthorized};
        for (error, fault) in [
            (json!({"code": 401, "message": "API key not valid"}), Unauthorized),
            (
                json!({"code": 404, "message": "models/gemini-x is not found"}),
                NoModel,
            ),
            (json!({"code": 429, "message": "Resource exhausted"}), RateLimited),
            (json!({"code": 500, "message": "An internal error"}), Internal),
            (
                json!({"code": 503, "message": "The model is overloaded"}),
                Overloaded,
            ),
            (
                json!({"code": -32000, "message": "Authentication required"}),
                Unauthorized,
            ),
            (json!({"code": -32603, "message": "Internal error"}), Internal),
            (
                json!({"code": -32603, "message": "Internal error: API Error: 429 {\"type\":\"error\"}"}),
                RateLimited,
            ),
            (
                json!({"code": -32603, "message": "Internal error", "data": {"http_status_code": 401}}),
                Unauthorized,
            ),
            (json!({"code": -32602, "message": "Invalid params"}), Rejected),
            (json!({"code": -32050, "message": "something new"}), Rejected),
        ] {
            let read: Error = serde_json::from_value(error.clone()).expect("an error");
            assert_eq!(Failure::refused("session/prompt", &read).fault, fault, "{error}");
        }
    }
}
