//! The blocks of a streamed message as they came, for the request that tells the model its own answer again.
//!
//! A block begins with `content_block_start`, grows with deltas, and the next one begins: they do not overlap. What cannot be
//! read exactly (half a character, a kind of delta that is new) makes the blocks unusable, and the answer is told again by
//! its text and its calls.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The blocks so far.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    started: Vec<Map<String, Value>>,
    /// The input of the last block, as JSON text.
    input: String,
    is_unusable: bool,
}

impl Blocks {
    /// A block begins.
    pub(super) fn start(&mut self, data: &[u8]) {
        #[derive(Deserialize)]
        struct Start {
            content_block: Map<String, Value>,
        }
        self.settle_input();
        match serde_json::from_slice(data) {
            Ok(Start { content_block }) => self.started.push(content_block),
            Err(_) => self.is_unusable = true,
        }
    }

    /// The last block grows.
    pub(super) fn add(&mut self, data: &[u8]) {
        #[derive(Deserialize)]
        struct Delta {
            delta: Map<String, Value>,
        }
        let delta = serde_json::from_slice::<Delta>(data).map(|Delta { delta }| delta);
        let (Ok(delta), Some(block)) = (delta, self.started.last_mut()) else {
            self.is_unusable = true;
            return;
        };
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text_delta" => append(block, "text", text("text")),
            "thinking_delta" => append(block, "thinking", text("thinking")),
            "signature_delta" => append(block, "signature", text("signature")),
            "input_json_delta" => self.input.push_str(text("partial_json")),
            "citations_delta" => {
                if let Some(citation) = delta.get("citation") {
                    let all = block
                        .entry("citations")
                        .or_insert_with(|| Value::Array(Vec::new()));
                    match all {
                        Value::Array(all) => all.push(citation.clone()),
                        other => *other = Value::Array(vec![citation.clone()]),
                    }
                }
            }
            _ => self.is_unusable = true,
        }
    }

    /// Takes the blocks, without those that say nothing, which the API refuses; none where they cannot be used.
    pub(super) fn end(&mut self) -> Vec<Value> {
        self.settle_input();
        let Self {
            started, is_unusable, ..
        } = std::mem::take(self);
        if is_unusable {
            return Vec::new();
        }
        let is_blank = |block: &Map<String, Value>| {
            let text = block.get("text").and_then(Value::as_str);
            text.is_some_and(|text| text.trim().is_empty())
        };
        let told = started.into_iter().filter(|block| !is_blank(block));
        told.map(Value::Object).collect()
    }

    /// Gives the last block its input. One that is no object is told as an empty one: its refusal says what was wrong.
    fn settle_input(&mut self) {
        let input = std::mem::take(&mut self.input);
        if let Some(block) = self.started.last_mut()
            && !input.is_empty()
        {
            let input = match serde_json::from_str(&input) {
                Ok(input @ Value::Object(_)) => input,
                _ => Value::Object(Map::new()),
            };
            block.insert("input".to_owned(), input);
        }
    }
}

fn append(block: &mut Map<String, Value>, field: &str, more: &str) {
    match block.get_mut(field) {
        Some(Value::String(text)) => text.push_str(more),
        _ => {
            block.insert(field.to_owned(), Value::from(more));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn start(blocks: &mut Blocks, block: &Value) {
        blocks.start(
            json!({"type": "content_block_start", "content_block": block})
                .to_string()
                .as_bytes(),
        );
    }

    fn add(blocks: &mut Blocks, delta: &Value) {
        blocks.add(
            json!({"type": "content_block_delta", "delta": delta})
                .to_string()
                .as_bytes(),
        );
    }

    #[test]
    fn what_was_thought_said_and_called_is_told_again_with_its_signature() {
        let mut blocks = Blocks::default();
        start(
            &mut blocks,
            &json!({"type": "thinking", "thinking": "", "signature": ""}),
        );
        add(
            &mut blocks,
            &json!({"type": "thinking_delta", "thinking": "The disk"}),
        );
        add(&mut blocks, &json!({"type": "thinking_delta", "thinking": "?"}));
        add(
            &mut blocks,
            &json!({"type": "signature_delta", "signature": "abc="}),
        );
        start(&mut blocks, &json!({"type": "text", "text": ""}));
        start(&mut blocks, &json!({"type": "text", "text": ""}));
        add(&mut blocks, &json!({"type": "text_delta", "text": "I look."}));
        start(
            &mut blocks,
            &json!({"type": "tool_use", "id": "t1", "name": "bash", "input": {}}),
        );
        add(
            &mut blocks,
            &json!({"type": "input_json_delta", "partial_json": "{\"command\":"}),
        );
        add(
            &mut blocks,
            &json!({"type": "input_json_delta", "partial_json": "\"df\"}"}),
        );
        assert_eq!(
            Value::from(blocks.end()),
            json!([
                {"type": "thinking", "thinking": "The disk?", "signature": "abc="},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "df"}},
            ])
        );
        assert_eq!(blocks.end(), Vec::<Value>::new(), "told once");
    }

    #[test]
    fn what_cannot_be_read_exactly_is_not_told_again_as_it_came() {
        let mut half = Blocks::default();
        start(&mut half, &json!({"type": "text", "text": ""}));
        half.add(br#"{"delta": {"type": "text_delta", "text": "\ud83d"}}"#);
        assert_eq!(half.end(), Vec::<Value>::new());
        let mut new = Blocks::default();
        start(&mut new, &json!({"type": "text", "text": "a"}));
        add(&mut new, &json!({"type": "hologram_delta"}));
        assert_eq!(new.end(), Vec::<Value>::new());
        let mut broken = Blocks::default();
        start(
            &mut broken,
            &json!({"type": "tool_use", "id": "t1", "name": "bash", "input": {}}),
        );
        add(
            &mut broken,
            &json!({"type": "input_json_delta", "partial_json": "{\"comm"}),
        );
        assert_eq!(broken.end()[0]["input"], json!({}));
    }
}
