//! What goes wrong with a process and its protocol.

use crate::Secret;
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
            ErrorCode::InternalError => AgentFault::Internal,
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
