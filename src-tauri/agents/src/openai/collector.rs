//! From the chunks of one answer to steps.

use super::{
    chunk::{Bytes, Chunk, Delta},
    failure::Failure,
    tools::Tools,
};
use crate::{Step, joiner::Joiner};
use foldback_wire::{AgentFault, StopReason, Usage};

/// One answer as far as it has come.
pub(crate) struct Collector {
    message: Option<String>,
    content: Joiner,
    reasoning: Joiner,
    tools: Tools,
    usage: Option<Usage>,
    finish: Option<StopReason>,
    refused: bool,
    bytes: usize,
    max_bytes: usize,
}

impl Collector {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            message: None,
            content: Joiner::default(),
            reasoning: Joiner::default(),
            tools: Tools::default(),
            usage: None,
            finish: None,
            refused: false,
            bytes: 0,
            max_bytes,
        }
    }

    /// Why the model stopped, once it has said so.
    pub(crate) fn finished(&self) -> Option<StopReason> {
        self.finish
    }

    /// Takes a chunk and appends what it says.
    pub(crate) fn take(&mut self, chunk: Chunk, steps: &mut Vec<Step>) -> Result<(), Failure> {
        if let Some(error) = chunk.error {
            return Err(Failure::of_stream(&error));
        }
        if self.message.is_none() {
            // The first id only: some gateways give every chunk its own, and a new id means a new message.
            self.message = chunk.id.map(|id| id.0).filter(|id| !id.is_empty());
        }
        if let Some(tokens) = chunk.usage {
            // Some endpoints count up with every chunk: the last one is the sum.
            self.usage = Some(Usage {
                input: tokens.prompt_tokens,
                output: tokens.completion_tokens,
            });
        }
        for choice in chunk.choices.unwrap_or_default() {
            if choice.index.unwrap_or(0) != 0 {
                // Only one answer was asked for; a second one is not for the same reader.
                continue;
            }
            if let Some(delta) = choice.delta.or(choice.message) {
                self.take_delta(delta, steps)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.take_finish(&reason, steps)?;
            }
        }
        Ok(())
    }

    /// The end: what was still open, and the tokens.
    pub(crate) fn close(&mut self, steps: &mut Vec<Step>) {
        self.flush(steps);
        steps.extend(self.usage.take().map(Step::Usage));
    }

    fn take_delta(&mut self, delta: Delta, steps: &mut Vec<Step>) -> Result<(), Failure> {
        let Delta {
            content,
            reasoning_content,
            reasoning,
            refusal,
            tool_calls,
        } = delta;
        // Endpoints that send both names send the same text twice.
        if let Some(Bytes(bytes)) = reasoning_content.or(reasoning) {
            self.count(bytes.len())?;
            let text = self.reasoning.push(&bytes);
            if !text.is_empty() {
                steps.push(Step::Reasoning(text));
            }
        }
        if let Some(Bytes(bytes)) = content {
            self.say(&bytes, steps)?;
        }
        if let Some(Bytes(bytes)) = refusal
            && !bytes.is_empty()
        {
            self.refused = true;
            self.say(&bytes, steps)?;
        }
        for call in tool_calls.unwrap_or_default() {
            self.flush_text(steps);
            let arguments = call
                .function
                .as_ref()
                .and_then(|function| function.arguments.as_ref());
            self.count(arguments.map_or(0, |Bytes(bytes)| bytes.len()))?;
            steps.extend(self.tools.take(call).map(Step::Tool));
        }
        Ok(())
    }

    fn take_finish(&mut self, reason: &str, steps: &mut Vec<Step>) -> Result<(), Failure> {
        self.flush(steps);
        let stop = match reason {
            "" => return Ok(()),
            "error" => {
                return Err(Failure::passing(
                    AgentFault::Internal,
                    "the backend stopped with an error",
                ));
            }
            "length" | "max_tokens" => StopReason::Length,
            "content_filter" | "refusal" => StopReason::Refusal,
            _ if self.refused => StopReason::Refusal,
            // `stop`, `tool_calls`, and what endpoints invent: the model has ended.
            _ => StopReason::End,
        };
        self.finish = Some(stop);
        Ok(())
    }

    fn say(&mut self, bytes: &[u8], steps: &mut Vec<Step>) -> Result<(), Failure> {
        self.count(bytes.len())?;
        let text = self.content.push(bytes);
        if !text.is_empty() {
            steps.extend(self.tools.finish().map(Step::Tool));
            steps.push(self.text(text));
        }
        Ok(())
    }

    fn text(&self, text: String) -> Step {
        Step::Text {
            message: self.message.clone(),
            text,
        }
    }

    fn flush_text(&mut self, steps: &mut Vec<Step>) {
        let open = self.reasoning.finish();
        if !open.is_empty() {
            steps.push(Step::Reasoning(open.to_owned()));
        }
        let open = self.content.finish();
        if !open.is_empty() {
            steps.push(self.text(open.to_owned()));
        }
    }

    fn flush(&mut self, steps: &mut Vec<Step>) {
        self.flush_text(steps);
        steps.extend(self.tools.finish().map(Step::Tool));
    }

    fn count(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.max_bytes {
            let limit = self.max_bytes;
            return Err(Failure::lasting(
                AgentFault::TooLarge,
                format!("the answer is longer than {limit} bytes"),
            ));
        }
        Ok(())
    }
}
