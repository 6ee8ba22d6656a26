//! Refusals in Telegram's own words: <https://core.telegram.org/api/errors>. Each method's page lists its own.

use crate::limit::platform_wait;
use crate::{LimitScope, Refusal};
use foldback_wire::RefusalCode;
use grammers_client::InvocationError;
use grammers_client::sender::RpcError;
use std::io::ErrorKind;
use std::time::Duration;

/// What a call does on Telegram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallEffect {
    /// It changes something, which may have happened where no answer came.
    Change,
    /// It changes nothing that anybody sees.
    Nothing,
}

impl CallEffect {
    /// The refusal of such a call that may have been done.
    pub(super) fn refused(self, refusal: Refusal) -> Refusal {
        match self {
            Self::Change => refusal.or_done(),
            Self::Nothing => refusal,
        }
    }
}

/// The refusal of a call.
pub(super) fn refusal(error: InvocationError, doing: CallEffect) -> Refusal {
    let transient = |why: String| Refusal::new(RefusalCode::Transient, why);
    match error {
        InvocationError::Rpc(error) => of_word(&error, doing),
        // Only an attempt to connect meets this one.
        InvocationError::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
            transient(error.to_string()).never_sent()
        }
        InvocationError::Io(error) => {
            doing.refused(transient(format!("the connection to Telegram broke: {error}")))
        }
        InvocationError::InvalidDc => {
            Refusal::new(RefusalCode::Rejected, "Telegram named no such data centre")
        }
        error @ (InvocationError::Session(_) | InvocationError::Authentication(_)) => {
            transient(error.to_string()).never_sent()
        }
        error => doing.refused(transient(format!("Telegram's answer cannot be read: {error}"))),
    }
}

/// The refusal of an error that Telegram answered with.
fn of_word(error: &RpcError, doing: CallEffect) -> Refusal {
    let word = error.name.as_str();
    // 420: FLOOD_WAIT, SLOWMODE_WAIT, FLOOD_PREMIUM_WAIT, each with seconds.
    if let (420, Some(seconds)) = (error.code, error.value) {
        let scope = match word {
            "SLOWMODE_WAIT" => LimitScope::Chat,
            // "The maximum allowed number of attempts to invoke the given method with the given input parameters".
            _ => LimitScope::Route,
        };
        return Refusal {
            retry_after: Some(platform_wait(Duration::from_secs(u64::from(seconds)))),
            scope,
            ..Refusal::new(
                RefusalCode::RateLimited,
                format!("{word}: wait {seconds} seconds"),
            )
        };
    }
    let detail = match word {
        _ if error.code == 303 => format!("{word} {}", error.value.unwrap_or_default()),
        "PEER_FLOOD" => format!("{word}: Telegram takes the account for a sender of spam"),
        _ => format!("{word} ({})", error.code),
    };
    let refusal = Refusal::new(code(error.code, word), detail);
    match refusal.code {
        RefusalCode::Transient => doing.refused(refusal),
        _ => refusal,
    }
}

fn code(code: i32, word: &str) -> RefusalCode {
    match word {
        "MESSAGE_TOO_LONG" | "MEDIA_CAPTION_TOO_LONG" | "FILE_PARTS_INVALID" => RefusalCode::TooLong,
        "PEER_ID_INVALID"
        | "CHAT_ID_INVALID"
        | "CHANNEL_INVALID"
        | "CHANNEL_PRIVATE"
        | "USER_ID_INVALID"
        | "INPUT_USER_DEACTIVATED"
        | "USER_DELETED" => RefusalCode::ChatGone,
        "MESSAGE_ID_INVALID"
        | "MSG_ID_INVALID"
        | "REPLY_MESSAGE_ID_INVALID"
        | "REPLY_TO_INVALID"
        | "MESSAGE_DELETE_FORBIDDEN" => RefusalCode::Gone,
        "USER_IS_BLOCKED"
        | "YOU_BLOCKED_USER"
        | "USER_BANNED_IN_CHANNEL"
        | "USER_PRIVACY_RESTRICTED"
        | "PRIVACY_PREMIUM_REQUIRED"
        | "MESSAGE_AUTHOR_REQUIRED"
        | "MESSAGE_EDIT_TIME_EXPIRED" => RefusalCode::Forbidden,
        // Of the account, whomever it writes to; the key was used from two places.
        "PEER_FLOOD" | "AUTH_KEY_DUPLICATED" => RefusalCode::Unauthorized,
        "REACTION_INVALID" | "REACTIONS_TOO_MANY" => RefusalCode::Unsupported,
        _ => match code {
            // 401: the session is not signed in, or was ended. 403: the account may not. 406: as 403, and shown otherwise.
            401 => RefusalCode::Unauthorized,
            403 | 406 => RefusalCode::Forbidden,
            500.. | ..=-1 => RefusalCode::Transient,
            _ => RefusalCode::Rejected,
        },
    }
}

/// True of a refusal by which Telegram says that the session is none any more.
pub(super) fn is_signed_out(refusal: &Refusal) -> bool {
    let words = [
        "AUTH_KEY_UNREGISTERED",
        "AUTH_KEY_INVALID",
        "AUTH_KEY_DUPLICATED",
        "SESSION_REVOKED",
        "SESSION_EXPIRED",
        "USER_DEACTIVATED_BAN",
        "USER_DEACTIVATED ",
    ];
    words.iter().any(|word| refusal.detail.starts_with(word))
}

/// True of a refusal whose word is this one.
pub(super) fn says(refusal: &Refusal, word: &str) -> bool {
    refusal.detail.split(' ').next() == Some(word)
}

/// The data centre that a refusal of another one names: <https://core.telegram.org/api/errors#303-see-other>.
pub(super) fn moved_to(refusal: &Refusal) -> Option<i32> {
    let (word, centre) = refusal.detail.split_once(' ')?;
    word.ends_with("_MIGRATE").then(|| centre.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammers_client::tl;

    fn refused(error_code: i32, word: &str) -> Refusal {
        let error = tl::types::RpcError {
            error_code,
            error_message: word.into(),
        };
        refusal(InvocationError::Rpc(error.into()), CallEffect::Change)
    }

    #[test]
    fn waits_stand_in_the_word_and_say_whom_they_are_for() {
        for (word, seconds, scope) in [
            ("FLOOD_WAIT_17", 17, LimitScope::Route),
            ("SLOWMODE_WAIT_3", 3, LimitScope::Chat),
            ("FLOOD_PREMIUM_WAIT_9", 9, LimitScope::Route),
        ] {
            let refusal = refused(420, word);
            assert_eq!(refusal.code, RefusalCode::RateLimited);
            assert_eq!(refusal.retry_after, Some(Duration::from_secs(seconds)), "{word}");
            assert_eq!((refusal.scope, refusal.maybe_done), (scope, false), "{word}");
        }
    }

    #[test]
    fn only_a_failure_of_the_server_may_have_been_done() {
        for (code, word, kind, maybe) in [
            (400, "PEER_ID_INVALID", RefusalCode::ChatGone, false),
            (400, "USER_IS_BLOCKED", RefusalCode::Forbidden, false),
            (403, "CHAT_WRITE_FORBIDDEN", RefusalCode::Forbidden, false),
            (401, "SESSION_REVOKED", RefusalCode::Unauthorized, false),
            (406, "AUTH_KEY_DUPLICATED", RefusalCode::Unauthorized, false),
            (400, "PEER_FLOOD", RefusalCode::Unauthorized, false),
            // The account's own end is that of no chat.
            (401, "USER_DEACTIVATED", RefusalCode::Unauthorized, false),
            (400, "MESSAGE_TOO_LONG", RefusalCode::TooLong, false),
            (400, "SOMETHING_NEW", RefusalCode::Rejected, false),
            (500, "RPC_CALL_FAIL", RefusalCode::Transient, true),
            (-503, "Timeout", RefusalCode::Transient, true),
        ] {
            let refusal = refused(code, word);
            assert_eq!((refusal.code, refusal.maybe_done), (kind, maybe), "{word}");
        }
        assert!(is_signed_out(&refused(401, "SESSION_REVOKED")));
        assert!(is_signed_out(&refused(401, "USER_DEACTIVATED")));
        assert!(!is_signed_out(&refused(400, "PEER_ID_INVALID")));
    }
}
