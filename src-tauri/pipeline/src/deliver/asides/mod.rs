//! Messages beside the answer: the agent's tool calls, and what it thinks, as far as the settings say. All of
//! it is the bot's own words: it is no part of the answer, is never scanned, and counts as nothing that was said.

mod edited_message;
mod words;

use super::{arrival::arrived, operation::OutgoingOperation, turn_operations::TurnOperations};
use crate::{
    config::{ReasoningDisplay, ToolDisplay},
    permissions::Question,
    rules::Rule,
    split::Limit,
    user_text::UserText,
};
use edited_message::EditedMessage;
use foldback_store::StoreError;
use foldback_wire::{MessageId, PermissionId, SteadyTime, ToolCall, ToolStatus};
use std::collections::BTreeMap;
use words::{KnownCall, end_of, fitting, keep_end, line, named, whole};

/// The messages beside the answer, and what of it stands on the screen.
#[derive(Debug, Default)]
pub(crate) struct Asides {
    calls: Vec<KnownCall>,
    reasoning: String,
    line: EditedMessage,
    thought: EditedMessage,
    /// There is more reasoning than `thought` wants to show.
    thinks_on: bool,
    /// Questions that stand in the chat.
    asked: BTreeMap<PermissionId, MessageId>,
}

impl Asides {
    /// The sender is asked for a permission, unless it is decided before the question goes out.
    pub(crate) async fn ask_question(
        &mut self,
        operations: &mut TurnOperations,
        question: Question,
    ) -> Result<(), StoreError> {
        let Question { id, text, delivery } = question;
        let completion = operations
            .send_aside(OutgoingOperation::question(&text, delivery))
            .await?;
        let completion = completion.filter(|completion| arrived(&completion.outcome));
        let message = completion.and_then(|completion| completion.outcome.message);
        self.asked.extend(message.map(|message| (id, message)));
        Ok(())
    }

    /// It is decided: where the channel can edit, the question asks nothing any more.
    pub(crate) async fn mark_decided(
        &mut self,
        operations: &mut TurnOperations,
        id: &PermissionId,
        words: &str,
    ) -> Result<(), StoreError> {
        match self.asked.remove(id) {
            Some(message) if operations.can.edit => operations
                .send_operation(OutgoingOperation::aside_edit(message, words))
                .await
                .map(drop),
            _ => Ok(()),
        }
    }

    /// A tool call began or changed.
    pub(crate) async fn show_tool(
        &mut self,
        operations: &mut TurnOperations,
        call: ToolCall,
    ) -> Result<(), StoreError> {
        let now = operations.now();
        let calls = &mut self.calls;
        let at = calls
            .iter()
            .rposition(|known| known.id == call.id)
            .unwrap_or_else(|| {
                calls.push(KnownCall {
                    id: call.id.clone(),
                    name: named(&call.name),
                    status: ToolStatus::Pending,
                    since: now,
                    took: None,
                });
                calls.len() - 1
            });
        let known = &mut calls[at];
        known.status = call.status;
        let ends = known.took.is_none() && call.status.is_over();
        if ends {
            known.took = Some(now.since(known.since));
        }
        match operations.output.tools {
            ToolDisplay::Full if ends && operations.rules.holds(Rule::AsideTools) => {
                let text = whole(&self.calls[at], &call, |text| {
                    operations.sender.recorder().words(text)
                });
                let text = fitting(text, Limit::of(&operations.can));
                operations
                    .send_aside(OutgoingOperation::aside(&text))
                    .await
                    .map(drop)
            }
            ToolDisplay::Compact if operations.can.edit && operations.rules.holds(Rule::AsideTools) => {
                self.want_line(operations, "…");
                Ok(())
            }
            ToolDisplay::Compact
                if ends && operations.tells_calls && operations.rules.holds(Rule::AsideTools) =>
            {
                let known = &self.calls[at];
                let ended = UserText::ToolEnded {
                    name: &known.name,
                    failed: known.status == ToolStatus::Failed,
                    ms: known.took.unwrap_or_default().as_millis(),
                };
                let text = ended.to_string();
                let text = operations.sender.recorder().words(&text).into_owned();
                operations
                    .send_aside(OutgoingOperation::aside(&text))
                    .await
                    .map(drop)
            }
            ToolDisplay::None | ToolDisplay::Full | ToolDisplay::Compact => Ok(()),
        }
    }

    /// The line of all calls, with this sign for those that are not over.
    fn want_line(&mut self, operations: &TurnOperations, open: &str) {
        let text = line(&self.calls, open);
        let text = operations.sender.recorder().words(&text).into_owned();
        self.line.wanted = fitting(text, Limit::of(&operations.can));
    }

    /// The run is over: calls without an end will never have one, or nobody will tell.
    async fn end_calls(&mut self, operations: &mut TurnOperations) -> Result<(), StoreError> {
        let open = self.calls.iter().filter(|call| !call.status.is_over());
        let open: Vec<String> = open.map(|call| call.name.clone()).collect();
        if open.is_empty() || !operations.rules.holds(Rule::AsideTools) {
            return Ok(());
        }
        match operations.output.tools {
            ToolDisplay::Compact if operations.can.edit => self.want_line(operations, " –"),
            ToolDisplay::Full => {
                for name in open {
                    let text = UserText::ToolUnfinished { name: &name }.to_string();
                    let text = operations.sender.recorder().words(&text).into_owned();
                    operations.send_aside(OutgoingOperation::aside(&text)).await?;
                }
            }
            ToolDisplay::None | ToolDisplay::Compact => {}
        }
        Ok(())
    }

    /// The agent thinks.
    pub(crate) fn think(&mut self, operations: &TurnOperations, text: &str) {
        if operations.output.reasoning != ReasoningDisplay::Hide
            && operations.rules.holds(Rule::AsideReasoning)
        {
            keep_end(&mut self.reasoning, text);
            self.thinks_on |= operations.output.reasoning == ReasoningDisplay::Stream && operations.can.edit;
        }
    }

    /// It has thought so far; what it thinks next is a message of its own.
    pub(crate) async fn end_thought(&mut self, operations: &mut TurnOperations) -> Result<(), StoreError> {
        if self.reasoning.trim().is_empty() {
            return Ok(());
        }
        let text = self.reasoning_end(operations);
        self.reasoning.clear();
        self.thinks_on = false;
        let mut line = std::mem::take(&mut self.thought);
        if line.shown.is_some() {
            line.wanted = text;
            if line.is_dirty() {
                line.show(operations, true).await?;
            }
            return Ok(());
        }
        if line.counted {
            // The message that no live edit of it became.
            operations.give_message_back();
        }
        operations
            .send_aside(OutgoingOperation::aside(&text))
            .await
            .map(drop)
    }

    /// The time at which what is shown in place may be brought up to date, if it is not.
    pub(crate) fn due(&self) -> Option<SteadyTime> {
        let Self {
            line,
            thought,
            thinks_on,
            ..
        } = self;
        let thinks = *thinks_on || thought.is_dirty();
        let dirty = [
            (line.is_live() && line.is_dirty(), line.due),
            (thought.is_live() && thinks, thought.due),
        ];
        dirty
            .into_iter()
            .filter_map(|(dirty, due)| dirty.then_some(due))
            .min()
    }

    /// Brings up to date what may be now; at the end of the run, everything.
    pub(crate) async fn refresh(
        &mut self,
        operations: &mut TurnOperations,
        at_the_end: bool,
    ) -> Result<(), StoreError> {
        if at_the_end {
            self.end_calls(operations).await?;
        } else if !operations.is_open() {
            return Ok(());
        }
        let now = operations.now();
        // Put together only for a live edit that goes out: what a model thinks comes in thousands of pieces.
        if self.thinks_on && (at_the_end || self.thought.due <= now) {
            self.thinks_on = false;
            self.thought.wanted = self.reasoning_end(operations);
        }
        for line in [&mut self.thought, &mut self.line] {
            if line.is_dirty() && (at_the_end || line.is_live() && line.due <= now) {
                line.show(operations, at_the_end).await?;
            }
        }
        Ok(())
    }

    fn reasoning_end(&self, operations: &TurnOperations) -> String {
        let text = operations.sender.recorder().words(self.reasoning.trim());
        end_of(&text, Limit::of(&operations.can))
    }
}
