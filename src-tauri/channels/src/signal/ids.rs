//! What people, groups and messages are called.

use super::envelope::Me;
use crate::Refusal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use foldback_wire::{ChatId, MessageId, RefusalCode};
use serde_json::{Map, Value, json};

/// What begins the id of a group.
const GROUP: &str = "group:";

/// A chat. The id of a group is `group:` and its id in base64; that of a person is what
/// <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc#description> calls a recipient: a phone
/// number, an ACI, `PNI:` and a PNI, or `u:` and a user name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chat<'a> {
    Group(&'a str),
    Person(&'a str),
}

impl<'a> Chat<'a> {
    pub(super) fn of(id: &'a ChatId) -> Result<Self, Refusal> {
        let name = id.as_str();
        match name.strip_prefix(GROUP) {
            Some(group) if is_group(group) => Ok(Self::Group(group)),
            None if is_person(name) => Ok(Self::Person(name)),
            _ => Err(Refusal::new(
                RefusalCode::ChatGone,
                format!("{id} is no chat of Signal"),
            )),
        }
    }

    /// Writes where a call goes.
    pub(super) fn place(self, params: &mut Map<String, Value>) {
        match self {
            Self::Group(group) => params.insert("groupId".into(), json!([group])),
            Self::Person(person) => params.insert("recipient".into(), json!([person])),
        };
    }
}

/// The id of a group's chat.
pub(super) fn group_chat(group: &str) -> ChatId {
    ChatId::new(format!("{GROUP}{group}"))
}

/// A message: when it was sent, in milliseconds, and by whom. Signal knows it by nothing else. The id is
/// `time:author`, and `time` alone for the account's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub(super) sent: i64,
    /// `None`: the account itself.
    pub(super) author: Option<&'a str>,
}

impl<'a> Message<'a> {
    pub(super) fn of(id: &'a MessageId) -> Result<Self, Refusal> {
        let name = id.as_str();
        let (sent, author) = match name.split_once(':') {
            Some((sent, author)) => (sent, Some(author)),
            None => (name, None),
        };
        // A sign would be read as part of a number.
        let digits = !sent.is_empty() && sent.bytes().all(|byte| byte.is_ascii_digit());
        match sent.parse() {
            Ok(sent @ 1..) if digits && author.is_none_or(is_person) => Ok(Self { sent, author }),
            _ => Err(Refusal::new(
                RefusalCode::Gone,
                format!("{id} is no message of Signal"),
            )),
        }
    }

    pub(super) fn id(self) -> MessageId {
        match self.author {
            Some(author) => MessageId::new(format!("{}:{author}", self.sent)),
            None => MessageId::new(self.sent.to_string()),
        }
    }

    /// Who wrote it, as signal-cli must be told.
    pub(super) fn author<'m>(self, me: &'m Me) -> Result<&'m str, Refusal>
    where
        'a: 'm,
    {
        self.author.or(me.account()).ok_or_else(|| {
            let why = "signal-cli must be told who wrote the message; set the channel's account to the bot's number";
            Refusal::new(RefusalCode::Rejected, why)
        })
    }
}

fn is_group(id: &str) -> bool {
    STANDARD
        .decode(id)
        .is_ok_and(|bytes| matches!(bytes.len(), 16 | 32))
}

fn is_person(name: &str) -> bool {
    if let Some(user) = name.strip_prefix("u:") {
        return user.split_once('.').is_some_and(|(nick, number)| {
            !nick.is_empty()
                && nick
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && is_digits(number, 2..=9)
        });
    }
    name.strip_prefix('+')
        .is_some_and(|number| is_digits(number, 5..=15))
        || is_uuid(name.strip_prefix("PNI:").unwrap_or(name))
}

fn is_digits(text: &str, long: std::ops::RangeInclusive<usize>) -> bool {
    long.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').map(|part| (part.len(), is_hex(part))).collect();
    parts == [(8, true), (4, true), (4, true), (4, true), (12, true)]
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACI: &str = "7ccae375-cd51-4c82-8b1e-7be3280aa485";

    #[test]
    fn chats_are_people_and_groups() {
        let pni = format!("PNI:{ACI}");
        for (id, fine) in [
            ("+33123456789", true),
            (ACI, true),
            (&pni, true),
            ("u:test.000", true),
            ("group:Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=", true),
            ("group:AAAAAAAAAAAAAAAAAAAAAA==", true),
            ("", false),
            ("+", false),
            ("33123456789", false),
            ("+33 123", false),
            ("+３３１２３４５", false),
            ("group:", false),
            ("group:AAAA", false),
            ("group:../../etc/passwd", false),
            ("Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI=", false),
            ("u:test", false),
            ("u:.00", false),
            ("PNI:+33123456789", false),
            ("7ccae375-cd51-4c82-8b1e-7be3280aa48g", false),
            ("--config=/tmp", false),
        ] {
            assert_eq!(Chat::of(&id.into()).is_ok(), fine, "{id:?}");
        }
    }

    #[test]
    fn a_message_is_its_time_and_author_to_the_last_digit() {
        for id in [
            "1631458508784",
            "1631458508784:+33123456789",
            "9007199254740993:u:a_b.01",
        ] {
            assert_eq!(Message::of(&id.into()).unwrap().id(), MessageId::from(id));
        }
        for id in [
            "",
            "0",
            "-1",
            "+1",
            "1.0",
            "1e3",
            "1:",
            ":+33123456789",
            "1:ana",
            "9223372036854775808",
            "１",
            " 1",
        ] {
            assert!(Message::of(&id.into()).is_err(), "{id:?}");
        }
    }
}
