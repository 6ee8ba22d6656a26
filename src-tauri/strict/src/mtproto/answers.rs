//! Answers to calls, and how they travel: <https://core.telegram.org/mtproto/service_messages#response-to-an-rpc-query>.

use crate::Rule;
use grammers_tl_types::{Serializable, enums, types};

/// <https://core.telegram.org/mtproto/service_messages#response-to-an-rpc-query>
const RESULT_ID: u32 = 0xf35c_6d01;

/// The refusal of a call: <https://core.telegram.org/api/errors>.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallRefusal {
    code: i32,
    word: String,
    /// The rule that the call broke.
    pub(super) broken: Option<Rule>,
}

/// What a call is answered with.
pub(super) type CallResult = Result<Vec<u8>, CallRefusal>;

impl CallRefusal {
    /// What travels.
    pub(super) fn result(to: i64, done: CallResult) -> Vec<u8> {
        let mut bytes = RESULT_ID.to_bytes();
        bytes.extend(to.to_le_bytes());
        bytes.extend(done.unwrap_or_else(|refused| {
            let error = types::RpcError {
                error_code: refused.code,
                error_message: refused.word,
            };
            enums::RpcError::Error(error).to_bytes()
        }));
        bytes
    }
}

/// An error that a client may meet without a mistake of its own.
pub(super) fn refused(code: i32, word: impl Into<String>) -> CallRefusal {
    CallRefusal {
        code,
        word: word.into(),
        broken: None,
    }
}

/// The error of a call that breaks a rule.
pub(super) fn wrong(rule: Rule, code: i32, word: &str) -> CallRefusal {
    CallRefusal {
        broken: Some(rule),
        ..refused(code, word)
    }
}

/// An answer as it is.
#[expect(
    clippy::unnecessary_wraps,
    reason = "it is the last word of calls that may be refused"
)]
pub(super) fn answered(what: &impl Serializable) -> CallResult {
    Ok(what.to_bytes())
}
