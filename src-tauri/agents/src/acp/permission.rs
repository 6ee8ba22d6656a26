//! Reads a request for permission.
//!
//! Everything that is decided or shown comes from the request's own `toolCall`. The protocol lets an agent leave out
//! what it announced of the call before (<https://agentclientprotocol.com/protocol/tool-calls>), but how many
//! announcements are remembered is bounded, and an id may come again with another call: a kind from that memory would
//! let a call pass that the configuration rejects. What the request does not say is therefore unknown.

use super::failure::{one_line, without};
use crate::Secret;
use agent_client_protocol::v1::schema::{PermissionOptionKind, ToolCallUpdate, ToolKind};
use foldback_wire::{PermissionId, PermissionKind, PermissionOption, PermissionRequest, ToolId};
use serde::Deserialize as _;
use serde_json::Value;

/// The title of a request whose call is no object at all.
const UNREADABLE: &str = "something that cannot be read";
/// The title of a request that says nothing of what is to be done.
const UNTOLD: &str = "a tool call that the agent does not describe";

/// The request as the pipeline knows it. Parts that cannot be read are left out; the request itself never is, as an
/// answer that nobody gave would be a riddle.
pub(super) fn read(id: PermissionId, params: &Value, secrets: &[Secret]) -> PermissionRequest {
    let call = params.get("toolCall").filter(|call| call.is_object());
    let text = |field: &str| {
        call?
            .get(field)?
            .as_str()
            .map(str::trim)
            .filter(|text| !text.is_empty())
    };
    let does = text("kind").filter(|kind| is_known(kind)).unwrap_or_default();
    let title = match call {
        None => UNREADABLE,
        Some(_) => text("title").or(text("name")).unwrap_or(UNTOLD),
    };
    let arguments = call
        .and_then(|call| call.get("rawInput"))
        .filter(|input| !input.is_null());
    PermissionRequest {
        id,
        tool: text("toolCallId").map(ToolId::from),
        title: without(secrets, title),
        does: does.to_owned(),
        arguments: arguments.map(|input| without(secrets, &input.to_string())),
        options: options(params, secrets),
    }
}

/// The request's call as an update of one that was announced.
pub(super) fn update(params: &Value) -> Option<ToolCallUpdate> {
    ToolCallUpdate::deserialize(params.get("toolCall")?).ok()
}

/// True where the protocol has this kind. The schema reads every other word as `other`.
fn is_known(kind: &str) -> bool {
    let read = ToolKind::deserialize(Value::from(kind));
    read.is_ok_and(|read| read != ToolKind::Other) || kind == "other"
}

/// The options as the pipeline knows them, their names without secrets, on one line and shortened. One that cannot be
/// read, or is of a kind that we do not know, is not offered; the others are.
fn options(params: &Value, secrets: &[Secret]) -> Vec<PermissionOption> {
    let option = |option: &Value| {
        let id = option.get("optionId")?.as_str()?;
        let kind = match PermissionOptionKind::deserialize(option.get("kind")?).ok()? {
            PermissionOptionKind::AllowOnce => PermissionKind::AllowOnce,
            PermissionOptionKind::AllowAlways => PermissionKind::AllowAlways,
            PermissionOptionKind::RejectOnce => PermissionKind::RejectOnce,
            PermissionOptionKind::RejectAlways => PermissionKind::RejectAlways,
            _ => return None,
        };
        let name = option.get("name").and_then(Value::as_str).unwrap_or(id);
        Some(PermissionOption {
            id: id.to_owned(),
            name: one_line(&without(secrets, name)),
            kind,
        })
    };
    let options = params.get("options").and_then(Value::as_array);
    options.into_iter().flatten().filter_map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(call: &Value) -> PermissionRequest {
        read(PermissionId::from("1"), &json!({"toolCall": call}), &[])
    }

    #[test]
    fn a_kind_that_the_protocol_does_not_have_is_none() {
        let kind = |kind: Value| asked(&json!({"toolCallId": "a", "kind": kind})).does;
        assert_eq!(kind(json!("delete")), "delete");
        assert_eq!(kind(json!("other")), "other");
        for unreadable in [
            json!("Delete"),
            json!("erase"),
            json!(7),
            json!(null),
            json!(["delete"]),
        ] {
            assert_eq!(kind(unreadable.clone()), "", "{unreadable}");
        }
    }

    #[test]
    fn a_field_that_cannot_be_read_takes_no_other_with_it() {
        let request = asked(&json!({
            "toolCallId": 7, "title": "rm -rf build", "kind": "delete", "status": "perhaps", "content": 7,
            "locations": {}, "rawInput": {"command": "rm -rf build"},
        }));
        assert_eq!(
            (request.title.as_str(), request.does.as_str()),
            ("rm -rf build", "delete")
        );
        assert_eq!(
            request.arguments.as_deref(),
            Some("{\"command\":\"rm -rf build\"}")
        );
        assert_eq!(request.tool, None);
    }

    #[test]
    fn a_request_that_describes_nothing_says_so() {
        assert_eq!(asked(&json!({"toolCallId": "a", "title": " "})).title, UNTOLD);
        assert_eq!(asked(&json!(7)).title, UNREADABLE);
    }
}
