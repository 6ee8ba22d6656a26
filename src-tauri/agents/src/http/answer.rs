//! From what a protocol reads of one answer to steps.

use super::{
    failure::Failure,
    tools::{Piece, Tools, WholeCall, shortened},
};
use crate::{Step, joiner::Joiner};
use foldback_wire::{AgentFault, StopReason, ToolCall, ToolId, Usage};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Most tool calls that are open at once. Models make a handful.
const OPEN_CALLS: usize = 1024;

/// One answer as far as it has come.
pub(crate) struct Answer {
    steps: Vec<Step>,
    message: Option<String>,
    content: Joiner,
    reasoning: Joiner,
    tools: Tools,
    usage: Option<Usage>,
    run: Option<String>,
    /// The body that the server wants before it takes another question.
    owes: Option<Value>,
    end: Option<Result<StopReason, Failure>>,
    bytes: usize,
    max_bytes: usize,
    /// Something of it was of this protocol, whether it said anything or not.
    recognised: bool,
    /// The last event was of this protocol, and no part of an answer.
    aside: bool,
    /// The part of the answer that the model is told again, where its calls are answered.
    told_again: Option<ModelAnswer>,
}

/// An answer with calls, as the model is told it again together with their results.
#[derive(Debug, Default)]
pub(crate) struct ModelAnswer {
    /// Its text.
    pub(crate) text: String,
    /// Its calls of offered tools, whole, in order.
    pub(crate) calls: Vec<ToolCall>,
    /// Fields of these calls that the protocol does not name, by id, where there are any.
    pub(crate) unknown: HashMap<ToolId, Map<String, Value>>,
    /// Its parts as the backend sent them, where the protocol wants them back as they were.
    pub(crate) parts: Vec<Value>,
}

impl Answer {
    /// An answer of at most `max_bytes`, reasoning and tools included.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            steps: Vec::new(),
            message: None,
            content: Joiner::default(),
            reasoning: Joiner::default(),
            tools: Tools::default(),
            usage: None,
            run: None,
            owes: None,
            end: None,
            bytes: 0,
            max_bytes,
            recognised: false,
            aside: false,
            told_again: None,
        }
    }

    /// The same for a request with tools, behind calls of its turn with these ids: what the model is told again is kept.
    pub(crate) fn with_tools(mut self, used: HashSet<ToolId>) -> Self {
        self.tools = Tools::behind(used);
        self.told_again = Some(ModelAnswer::default());
        self
    }

    /// True where the parts of the answer are kept as they come.
    pub(crate) const fn keeps_parts(&self) -> bool {
        self.told_again.is_some()
    }

    /// Keeps a part of the answer as the backend sent it.
    pub(crate) fn keep_part(&mut self, part: Value) {
        if let Some(told) = &mut self.told_again {
            told.parts.push(part);
        }
    }

    /// Takes what the model is told again.
    pub(crate) fn take_model_answer(&mut self) -> ModelAnswer {
        self.told_again.take().unwrap_or_default()
    }

    /// Takes what is to be told so far.
    pub(crate) fn steps(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.steps)
    }

    /// What the server calls the run; nothing where it does not say.
    pub(crate) fn is_called(&mut self, run: String) {
        self.run = Some(run).filter(|run| !run.is_empty());
    }

    /// What the server calls the run.
    pub(crate) fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// What the server has to be sent before it takes another question.
    pub(crate) fn owe(&mut self, body: Value) {
        self.owes = Some(body);
    }

    /// What the server still has to be sent.
    pub(crate) fn owes(&mut self) -> Option<Value> {
        self.owes.take()
    }

    /// Something of this protocol came, such as a ping or a text of no bytes.
    pub(crate) fn recognise(&mut self) {
        self.recognised = true;
    }

    /// Notes that an event of this protocol came and told nothing of the answer, such as the verdict of a filter.
    pub(crate) fn pass_over(&mut self) {
        self.aside = true;
    }

    /// True once for each event that says nothing of the answer.
    pub(crate) fn take_aside(&mut self) -> bool {
        std::mem::take(&mut self.aside)
    }

    /// Something of this protocol came. Neither tokens nor an end are enough: a stream of another kind has them too, and its
    /// words would be lost without a trace.
    pub(crate) fn is_recognised(&self) -> bool {
        self.recognised || self.bytes > 0
    }

    /// How it ended, once the backend has said so.
    pub(crate) fn ended(&self) -> Option<Result<StopReason, Failure>> {
        self.end.clone()
    }

    /// More text of a message. Bytes, because it may end inside a character.
    pub(crate) fn say(&mut self, message: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
        self.count(bytes.len())?;
        if self.message.as_deref() != message {
            self.flush_text();
            self.message = message.map(str::to_owned);
        }
        let text = self.content.push(bytes);
        if !text.is_empty() {
            self.push_text(text);
        }
        Ok(())
    }

    /// More reasoning.
    pub(crate) fn reason(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.count(bytes.len())?;
        let text = self.reasoning.push(bytes);
        if !text.is_empty() {
            self.steps.push(Step::Reasoning(text));
        }
        Ok(())
    }

    /// A piece of a tool call.
    pub(crate) fn tool(&mut self, piece: Piece) -> Result<(), Failure> {
        self.flush_text();
        self.count(piece.bytes())?;
        if self.tools.open_calls() > OPEN_CALLS {
            let detail = format!("more than {OPEN_CALLS} tool calls are open at once");
            return Err(Failure::lasting(AgentFault::TooLarge, detail));
        }
        let before = self.tools.bytes();
        self.steps.extend(self.tools.take(piece).map(Step::Tool));
        self.count(self.tools.bytes() - before)
    }

    /// One tool call is whole, by the index or the id that its pieces have.
    pub(crate) fn end_tool(&mut self, index: Option<u64>, id: Option<&str>) {
        let whole = self.tools.end(index, id);
        if let Some(whole) = whole {
            self.push_call(whole);
        }
    }

    /// The open tool calls are whole.
    pub(crate) fn end_tools(&mut self) {
        let whole = self.tools.finish();
        whole.for_each(|whole| self.push_call(whole));
    }

    fn push_call(&mut self, whole: WholeCall) {
        let WholeCall {
            call,
            is_foreign,
            unknown,
        } = whole;
        if let Some(told) = self.told_again.as_mut().filter(|_| !is_foreign) {
            told.calls.push(call.clone());
            if !unknown.is_empty() {
                told.unknown.insert(call.id.clone(), unknown);
            }
        }
        self.steps.push(Step::Tool(call));
    }

    fn push_text(&mut self, text: String) {
        if let Some(told) = &mut self.told_again {
            told.text.push_str(&text);
        }
        let message = self.message.clone();
        self.steps.push(Step::Text { message, text });
    }

    /// A tool call that the backend ran itself, as it is now.
    pub(crate) fn ran(&mut self, mut call: ToolCall) -> Result<(), Failure> {
        self.flush();
        self.count(call.id.as_str().len() + call.result.as_ref().map_or(0, String::len))?;
        call.name = shortened(call.name);
        self.steps.push(Step::Tool(call));
        Ok(())
    }

    /// The tokens so far. Some endpoints count up with every event: the last count is the sum.
    pub(crate) fn used(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// The model has said its last word, and why.
    pub(crate) fn stop(&mut self, reason: StopReason) {
        self.flush();
        self.end = Some(Ok(reason));
    }

    /// The backend said that it failed. A later event may tell more.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.flush();
        self.end = Some(Err(failure));
    }

    /// The end: what was still open, and the tokens.
    pub(crate) fn close(&mut self) {
        self.flush();
        self.steps.extend(self.usage.take().map(Step::Usage));
    }

    fn flush(&mut self) {
        self.flush_text();
        self.end_tools();
    }

    fn flush_text(&mut self) {
        let open = self.reasoning.finish();
        if !open.is_empty() {
            self.steps.push(Step::Reasoning(open.to_owned()));
        }
        let open = self.content.finish();
        if !open.is_empty() {
            self.push_text(open.to_owned());
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.max_bytes {
            return Err(Failure::too_large(self.max_bytes));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(id: Option<String>, name: Option<String>, index: u64) -> Piece {
        Piece {
            index: Some(index),
            id,
            name,
            arguments: None,
            is_foreign: false,
            unknown: Map::new(),
        }
    }

    #[test]
    fn every_part_of_a_tool_call_counts() {
        let long = || Some("x".repeat(2_000));
        for piece in [piece(long(), None, 0), piece(None, long(), 0)] {
            assert!(Answer::new(1_000).tool(piece).is_err());
        }
        let mut flood = Answer::new(10_000);
        let taken = (0..10_000).take_while(|index| flood.tool(piece(None, None, *index)).is_ok());
        assert!(taken.count() < 100, "a call without a word takes place too");
        let mut crowd = Answer::new(usize::MAX);
        let taken = (0..10_000).take_while(|index| crowd.tool(piece(None, None, *index)).is_ok());
        assert_eq!(taken.count(), OPEN_CALLS + 1);
    }
}
