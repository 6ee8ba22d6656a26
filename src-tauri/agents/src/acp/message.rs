//! One line of JSON-RPC.

use crate::http::json::Bytes;
use agent_client_protocol::v1::schema::{Error, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// What an agent says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// The answer to a request of ours.
    Response {
        id: RequestId,
        result: Result<Value, Error>,
    },
    /// A request that wants an answer.
    Request {
        id: RequestId,
        method: String,
        params: Value,
    },
    /// A message without an answer.
    Notification {
        method: String,
        params: Value,
        /// The text of a chunk as it came, where it holds half a character: the other half may come with the next.
        cut: Option<Vec<u8>>,
    },
}

/// A line as it may come, its members in any order.
#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    id: Option<RequestId>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<Error>,
}

/// Why a line is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoMessage {
    /// Something else that the program prints, such as a line of its log.
    Noise,
    /// It began as a message and cannot be read: what it said is lost.
    Broken(String),
}

/// Reads a line. Programs print more than the protocol on their standard output, JSON too; that is no reason to give
/// up. What has the mark of the protocol and cannot be read is one, but half a character is none: an agent that cuts its
/// words into pieces cuts characters, too. Such a half is told apart from what can be read without it.
pub(super) fn read(line: &[u8]) -> Result<Message, NoMessage> {
    let text = String::from_utf8_lossy(line);
    let mut cut = matches!(text, Cow::Owned(_));
    let raw: Raw = match serde_json::from_str(&text) {
        Ok(raw) => raw,
        Err(_) if !has_mark(line) => return Err(NoMessage::Noise),
        Err(_) => {
            cut = true;
            serde_json::from_str(&whole_characters(&text))
                .map_err(|error| NoMessage::Broken(error.to_string()))?
        }
    };
    match raw {
        Raw {
            id: Some(id),
            method: Some(method),
            params,
            ..
        } => Ok(Message::Request { id, method, params }),
        Raw {
            method: Some(method),
            params,
            ..
        } => Ok(Message::Notification {
            method,
            params,
            cut: if cut { chunk_text(line) } else { None },
        }),
        Raw {
            id: Some(id),
            error: Some(error),
            ..
        } => Ok(Message::Response {
            id,
            result: Err(error),
        }),
        // A result of `null` is one, too.
        Raw {
            id: Some(id), result, ..
        } if has_mark(line) => Ok(Message::Response {
            id,
            result: Ok(result.unwrap_or_default()),
        }),
        _ => Err(NoMessage::Noise),
    }
}

/// The text of a chunk, byte by byte; half a surrogate pair is three of them.
fn chunk_text(line: &[u8]) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Line {
        params: Params,
    }
    #[derive(Deserialize)]
    struct Params {
        update: Update,
    }
    #[derive(Deserialize)]
    struct Update {
        content: Content,
    }
    #[derive(Deserialize)]
    struct Content {
        text: Bytes,
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    Some(line.params.update.content.text.0)
}

/// JSON in which every escaped half of a character (a surrogate without its other half, RFC 8259, section 8.2) stands as
/// U+FFFD.
fn whole_characters(json: &str) -> String {
    let unit = |at: &str| u16::from_str_radix(at.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let next = escape.get(6..).and_then(unit);
        let length = match (unit(escape), next) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                whole.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        let (kept, after) = escape.split_at(length);
        whole.push_str(kept);
        rest = after;
    }
    whole + rest
}

fn has_mark(line: &[u8]) -> bool {
    let start = line.trim_ascii_start();
    start.starts_with(b"{") && start.windows(9).any(|at| at == b"\"jsonrpc\"")
}

/// A request of ours.
pub(super) fn request(id: i64, method: &str, params: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A message of ours without an answer.
pub(super) fn notification(method: &str, params: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// Our answer to a request, under the very id it came with.
pub(super) fn response(id: &RequestId, result: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// Our refusal of a request.
pub(super) fn refusal(id: &RequestId, error: &Error) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_any_order_and_ids_are_numbers_or_text() {
        let zero = read(br#"{"jsonrpc":"2.0","result":{"a":1},"id":0}"#);
        assert_eq!(
            zero,
            Ok(Message::Response {
                id: RequestId::Number(0),
                result: Ok(json!({"a": 1}))
            })
        );
        let text = read(br#"{"params":{},"method":"m","id":"u-1","jsonrpc":"2.0"}"#);
        assert_eq!(
            text,
            Ok(Message::Request {
                id: RequestId::Str("u-1".to_owned()),
                method: "m".to_owned(),
                params: json!({})
            })
        );
        let nothing = read(br#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert!(
            matches!(
                nothing,
                Ok(Message::Response {
                    result: Ok(Value::Null),
                    ..
                })
            ),
            "{nothing:?}"
        );
    }

    #[test]
    fn noise_is_told_from_a_broken_message() {
        for noise in [
            "warning: old version",
            "",
            "[1]",
            r#"{"level":30,"msg":"up"}"#,
            "{ level: 'info' }",
        ] {
            assert_eq!(read(noise.as_bytes()), Err(NoMessage::Noise), "{noise}");
        }
        let broken = read(br#"{"jsonrpc":"2.0","method":"session/upd"#);
        assert!(matches!(broken, Err(NoMessage::Broken(_))), "{broken:?}");
    }

    #[test]
    fn half_a_character_costs_nothing_else() {
        for (said, heard) in [
            (&b"caf\xc3"[..], "caf\u{fffd}"),
            (b"a\xf0\x9f b", "a\u{fffd} b"),
            (br"a\ud83d b", "a\u{fffd} b"),
            (br"\ude00b\ud83d", "\u{fffd}b\u{fffd}"),
            (br"\ud83d\ud83d\ude00\u00e9", "\u{fffd}\u{1f600}\u{e9}"),
            (br"\ud83d\n\\ud83d\\", "\u{fffd}\n\\ud83d\\"),
        ] {
            let line = [
                &br#"{"jsonrpc":"2.0","method":"m","params":""#[..],
                said,
                br#""}"#,
            ]
            .concat();
            let expected = Message::Notification {
                method: "m".to_owned(),
                params: json!(heard),
                cut: None,
            };
            assert_eq!(read(&line), Ok(expected), "{}", said.escape_ascii());
        }
        let broken = read(br#"{"jsonrpc":"2.0","method":"m","params":"\ud83d\u12\"#);
        assert!(matches!(broken, Err(NoMessage::Broken(_))), "{broken:?}");
    }

    #[test]
    fn an_answer_keeps_the_id_it_was_asked_with() {
        let answer = |id| response(&id, &json!({}));
        assert!(answer(RequestId::Number(0)).contains(r#""id":0,"#));
        assert!(answer(RequestId::Str("0".to_owned())).contains(r#""id":"0","#));
    }
}
