//! Files and pictures of a prompt.

use serde_json::{Value, json};

/// The parts of a prompt beside its text, in short.
pub(super) fn given(prompt: &Value) -> String {
    let mut given = Vec::new();
    for block in prompt.as_array().into_iter().flatten().skip(1) {
        let uri = block["uri"].as_str().or(block["resource"]["uri"].as_str());
        let path = uri.and_then(|uri| uri.strip_prefix("file://"));
        given.push(json!({
            "type": block["type"],
            "mime": block["mimeType"],
            "data": block["data"],
            "text": block["resource"]["text"],
            "read": path.and_then(|path| std::fs::read_to_string(path).ok()),
            "lie": path.map(files_beside),
        }));
    }
    json!(given).to_string()
}

/// The number of files in the folder of a file.
fn files_beside(path: &str) -> usize {
    let folder = std::path::Path::new(path).parent();
    folder
        .and_then(|folder| folder.read_dir().ok())
        .map_or(0, Iterator::count)
}
