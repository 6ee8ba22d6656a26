//! Contents of messages in the words of both APIs.

use crate::{
    json::{self, text},
    reading::Reading,
};
use serde_json::Value;

/// What stands in a content.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Texts, joined by line breaks where there are several.
    pub(super) text: String,
    pub(super) reasoning: Vec<String>,
    /// Tool calls: id, name, arguments.
    pub(super) calls: Vec<(String, String, Option<String>)>,
    /// Tool results: id of the call, text, whether it failed.
    pub(super) results: Vec<(String, String, bool)>,
    /// Pictures and other files.
    pub(super) files: u32,
}

impl Content {
    /// The content of a message: a string, or blocks.
    pub(super) fn of(content: &Value, reading: &mut Reading) -> Self {
        let mut found = Self::default();
        match content {
            Value::String(text) => found.text.clone_from(text),
            Value::Array(blocks) => {
                let mut texts = Vec::new();
                for block in blocks {
                    found.block(block, &mut texts, reading);
                }
                found.text = texts.join("\n");
            }
            _ => {}
        }
        found
    }

    fn block(&mut self, block: &Value, texts: &mut Vec<String>, reading: &mut Reading) {
        let said = |key: &str| text(block, key).unwrap_or_default().to_owned();
        match text(block, "type").unwrap_or_default() {
            "text" | "output_text" | "input_text" => texts.push(said("text")),
            "refusal" => texts.push(said("refusal")),
            "thinking" => self.reasoning.push(said("thinking")),
            "redacted_thinking" => reading.aside("block", "redacted_thinking"),
            "tool_use" => {
                let arguments = block.get("input").and_then(json::json_text);
                self.calls.push((said("id"), said("name"), arguments));
            }
            "tool_result" => {
                let content = block.get("content").unwrap_or(&Value::Null);
                let result = Self::of(content, reading);
                self.files += result.files;
                self.results
                    .push((said("tool_use_id"), result.text, json::flag(block, "is_error")));
            }
            "image" | "image_url" | "input_image" | "document" | "file" | "input_file" | "input_audio" => {
                self.files += 1;
            }
            other => reading.unknown("block", other),
        }
    }

    /// Tool calls beside the content, as chat completions have them.
    pub(super) fn with_calls_of(mut self, message: &Value) -> Self {
        for call in json::list(message, "tool_calls") {
            let function = call.get("function").unwrap_or(&Value::Null);
            self.calls.push((
                text(call, "id").unwrap_or_default().to_owned(),
                text(function, "name").unwrap_or_default().to_owned(),
                function.get("arguments").and_then(json::json_text),
            ));
        }
        if let Some(function) = message.get("function_call").filter(|call| call.is_object()) {
            let name = text(function, "name").unwrap_or_default().to_owned();
            self.calls.push((
                name.clone(),
                name,
                function.get("arguments").and_then(json::json_text),
            ));
        }
        for key in ["reasoning_content", "reasoning"] {
            self.reasoning.extend(text(message, key).map(str::to_owned));
        }
        if self.text.is_empty()
            && let Some(refusal) = text(message, "refusal")
        {
            refusal.clone_into(&mut self.text);
        }
        self
    }
}
