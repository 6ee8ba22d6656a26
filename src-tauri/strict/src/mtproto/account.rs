//! The account, and why a chat of it takes no messages.

use super::AuthKey;

/// A person's account, and the app that signs in to it.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its id.
    pub id: i64,
    /// Its phone number, in international format.
    pub phone: String,
    /// Its name, without an `@`.
    pub username: String,
    /// The app's id.
    pub api_id: i32,
    /// The app's secret.
    pub api_hash: String,
    /// The code that it is sent.
    pub code: String,
    /// Its password, where it has one.
    pub password: Option<String>,
    /// The key that its client agreed on.
    pub key: AuthKey,
    /// True of a key that is signed in already.
    pub is_signed_in: bool,
}

/// The reason for which a chat takes nothing: <https://core.telegram.org/method/messages.sendMessage#possible-errors>.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The person has blocked the account.
    Blocked,
    /// The person's account was deleted.
    Deleted,
    /// Nobody may write.
    ReadOnly,
    /// The account is no member, or was removed.
    Private,
    /// The account was taken for a sender of spam.
    Banned,
    /// The account may write to its contacts alone.
    Flood,
    /// So many seconds until the next message.
    Slow(u32),
}

impl Closed {
    /// Code and word of the error.
    pub(super) fn error(self) -> (i32, String) {
        let (code, word) = match self {
            Self::Blocked => (400, "USER_IS_BLOCKED"),
            Self::Deleted => (400, "INPUT_USER_DEACTIVATED"),
            Self::ReadOnly => (403, "CHAT_WRITE_FORBIDDEN"),
            Self::Private => (400, "CHANNEL_PRIVATE"),
            Self::Banned => (400, "USER_BANNED_IN_CHANNEL"),
            Self::Flood => (400, "PEER_FLOOD"),
            Self::Slow(seconds) => return (420, format!("SLOWMODE_WAIT_{seconds}")),
        };
        (code, word.to_owned())
    }
}
