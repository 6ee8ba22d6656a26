//! Which call an address means.

use super::answer::{Answer, form, refuse};
use super::rules::{ID, ROUTE, VERSION};
use axum::http::Method;

/// A call, with what its path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    Gateway,
    Channel(u64),
    Create(u64),
    List(u64),
    Get(u64, u64),
    Me,
    Edit(u64, u64),
    Delete(u64, u64),
    React(u64, u64, String),
    Typing(u64),
    Application,
    Commands(u64),
    Answer(u64, String),
}

impl Route {
    pub(super) fn of(method: &Method, path: &str) -> Result<Self, Answer> {
        let mut parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        if parts.len() < 2 || parts[0] != "api" {
            return Err(refuse(ROUTE, 404, 0, "404: Not Found"));
        }
        if parts[1] != "v10" {
            return Err(refuse(VERSION, 400, 50_041, "Invalid API version provided"));
        }
        parts.drain(..2);
        let known = match parts.as_slice() {
            ["gateway", "bot"] => vec![("GET", Self::Gateway)],
            ["channels", channel] => vec![("GET", Self::Channel(id("channel_id", channel)?))],
            ["channels", channel, "messages"] => {
                let channel = id("channel_id", channel)?;
                vec![("POST", Self::Create(channel)), ("GET", Self::List(channel))]
            }
            ["users", "@me"] => vec![("GET", Self::Me)],
            ["channels", channel, "messages", message] => {
                let (channel, message) = (id("channel_id", channel)?, id("message_id", message)?);
                vec![
                    ("GET", Self::Get(channel, message)),
                    ("PATCH", Self::Edit(channel, message)),
                    ("DELETE", Self::Delete(channel, message)),
                ]
            }
            [
                "channels",
                channel,
                "messages",
                message,
                "reactions",
                emoji,
                "@me",
            ] => {
                let (channel, message) = (id("channel_id", channel)?, id("message_id", message)?);
                vec![("PUT", Self::React(channel, message, decoded(emoji)))]
            }
            ["channels", channel, "typing"] => vec![("POST", Self::Typing(id("channel_id", channel)?))],
            ["applications", "@me"] => vec![("GET", Self::Application)],
            ["applications", application, "commands"] => {
                vec![("PUT", Self::Commands(id("application_id", application)?))]
            }
            ["interactions", interaction, token, "callback"] => {
                let interaction = id("interaction_id", interaction)?;
                vec![("POST", Self::Answer(interaction, decoded(token)))]
            }
            _ => return Err(refuse(ROUTE, 404, 0, "404: Not Found")),
        };
        let found = known.into_iter().find(|(verb, _)| *verb == method.as_str());
        found
            .map(|(_, route)| route)
            .ok_or_else(|| refuse(ROUTE, 405, 0, "405: Method Not Allowed"))
    }

    /// What faults call it.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Gateway => "get_gateway",
            Self::Channel(_) => "get_channel",
            Self::Create(_) => "create_message",
            Self::List(_) => "get_messages",
            Self::Get(..) => "get_message",
            Self::Me => "get_me",
            Self::Edit(..) => "edit_message",
            Self::Delete(..) => "delete_message",
            Self::React(..) => "create_reaction",
            Self::Typing(_) => "typing",
            Self::Application => "get_application",
            Self::Commands(_) => "set_commands",
            Self::Answer(..) => "answer_interaction",
        }
    }
}

fn id(name: &str, text: &str) -> Result<u64, Answer> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().ok_or_else(|| {
        form(
            ID,
            name,
            "NUMBER_TYPE_COERCE",
            &format!("Value \"{text}\" is not snowflake."),
        )
    })
}

/// A part of a path, its escapes (`%F0`) resolved; one that is none stays as it is.
fn decoded(part: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), part.as_bytes());
    while let [first, after @ ..] = rest {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => {
                let digit = |b: u8| char::from(b).to_digit(16);
                digit(*high).zip(digit(*low)).map(|(high, low)| high * 16 + low)
            }
            _ => None,
        };
        rest = if escaped.is_some() { &after[2..] } else { after };
        bytes.push(escaped.map_or(*first, |byte| byte as u8));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_unescaped() {
        assert_eq!(decoded("%F0%9F%91%8D"), "👍");
        assert_eq!(decoded("a%2"), "a%2");
        assert_eq!(decoded("%zz"), "%zz");
    }
}
