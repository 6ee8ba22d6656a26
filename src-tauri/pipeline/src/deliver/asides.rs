//! What a chat sees beside the answer: the agent's tool calls, and what it thinks, as far as the settings say. All of
//! it is the bot's own words: it is no part of the answer, is never scanned, and counts as nothing that was said.

use super::{
    arrival::arrived, bubble::LIVE_FAILURES, delivery_queue::OperationCompletion, desk::Desk,
    operation::OutgoingOperation,
};
use crate::{
    config::{ReasoningDisplay, ToolDisplay},
    permissions::Question,
    rules::Rule,
    split::{Limit, split},
    user_text::UserText,
};
use foldback_store::StoreError;
use foldback_wire::{
    MessageId, OutcomeCode, PermissionId, RefusalCode, SteadyTime, ToolCall, ToolId, ToolStatus,
};
use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _, time::Duration};

/// Calls that a line names; those before are counted.
const NAMED: usize = 6;
/// Longest name of a tool, in characters.
const NAME: usize = 40;
/// Longest arguments and longest result that are shown, in characters, where the channel takes as much. The journal has
/// them whole.
const ARGUMENTS: usize = 300;
const RESULT: usize = 600;
/// Most reasoning that is shown, in characters: its end.
const REASONING: usize = 1_200;
/// Bytes of reasoning that are kept to be shown: many times as much, so that what is masked as a secret is whole there.
const KEPT: usize = 65_536;

/// What is shown beside the answer, and what of it stands on the screen.
#[derive(Debug, Default)]
pub(crate) struct Asides {
    calls: Vec<Known>,
    reasoning: String,
    line: Line,
    thought: Line,
    /// There is more reasoning than `thought` wants to show.
    thinks_on: bool,
    /// Questions that stand in the chat.
    asked: BTreeMap<PermissionId, MessageId>,
}

/// A tool call as far as it is known.
#[derive(Debug)]
struct Known {
    id: ToolId,
    name: String,
    status: ToolStatus,
    since: SteadyTime,
    took: Option<Duration>,
}

/// A message that is edited in place.
#[derive(Debug, Default)]
struct Line {
    wanted: String,
    /// Its text is empty where nobody knows which of two it shows.
    shown: Option<(MessageId, String)>,
    /// When it may be edited again.
    due: SteadyTime,
    /// Frames that failed in a row.
    failures: u32,
    /// It is counted among the messages of the turn.
    counted: bool,
    /// The platform will never take it, or it may stand where nobody can edit it: it is left as it is.
    given_up: bool,
}

impl Line {
    fn is_dirty(&self) -> bool {
        let shown = self.shown.as_ref().map(|(_, text)| text.as_str());
        !self.given_up && !self.wanted.is_empty() && shown != Some(self.wanted.as_str())
    }

    /// Whether more frames of it are shown while the run goes on. What it says in the end is shown all the same.
    const fn is_live(&self) -> bool {
        !self.given_up && self.failures < LIVE_FAILURES
    }

    /// Shows it as it is wanted now. What it says in the end goes out like any message: it is tried again, and held
    /// where its channel is closed. Nothing is lost with a frame before that.
    async fn show(&mut self, desk: &mut Desk, at_the_end: bool) -> Result<(), StoreError> {
        self.counted = self.counted || desk.takes_message();
        if !self.counted {
            self.given_up = true;
            return desk.leave_out();
        }
        let interval = desk
            .can
            .edit_interval_ms
            .map_or(Duration::ZERO, Duration::from_millis);
        let outgoing = match &self.shown {
            Some((id, _)) => OutgoingOperation::aside_edit(id.clone(), &self.wanted),
            None => OutgoingOperation::aside(&self.wanted),
        };
        let sent = desk.post(outgoing.live(!at_the_end)).await?;
        let Some(OperationCompletion {
            outcome, retry_after, ..
        }) = sent
        else {
            self.due = desk.now().plus(interval);
            return Ok(());
        };
        self.due = desk.now().plus(retry_after.unwrap_or(interval));
        if arrived(&outcome) {
            let before = self.shown.take().map(|(id, _)| id);
            let id = outcome.message.or(before);
            self.shown = id.map(|id| (id, self.wanted.clone()));
            self.given_up = self.shown.is_none();
            self.failures = 0;
            return Ok(());
        }
        self.failures += 1;
        let is_unknown = outcome.code == OutcomeCode::Unknown;
        match &mut self.shown {
            Some((_, text)) if is_unknown => text.clear(),
            shown => self.given_up |= is_unknown && shown.is_none(),
        }
        self.given_up |= matches!(
            outcome.refusal,
            Some(RefusalCode::Gone | RefusalCode::Forbidden | RefusalCode::Unsupported)
        );
        Ok(())
    }
}

impl Desk {
    /// Posts a message beside the answer; leaves it out where the chat has as many of the turn as it may have.
    pub(super) async fn post_aside(
        &mut self,
        outgoing: OutgoingOperation,
    ) -> Result<Option<OperationCompletion>, StoreError> {
        if !self.takes_message() {
            self.leave_out()?;
            return Ok(None);
        }
        self.post(outgoing).await
    }

    /// The sender is asked for a permission, unless it is decided before the question goes out.
    pub(crate) async fn ask(&mut self, question: Question) -> Result<(), StoreError> {
        let Question { id, text, delivery } = question;
        let sent = self
            .post_aside(OutgoingOperation::question(&text, delivery))
            .await?;
        let sent = sent.filter(|sent| arrived(&sent.outcome));
        let message = sent.and_then(|sent| sent.outcome.message);
        self.asides.asked.extend(message.map(|message| (id, message)));
        Ok(())
    }

    /// It is decided: where the channel can edit, the question asks nothing any more.
    pub(crate) async fn decided(&mut self, id: &PermissionId, words: &str) -> Result<(), StoreError> {
        match self.asides.asked.remove(id) {
            Some(message) if self.can.edit => self
                .post(OutgoingOperation::aside_edit(message, words))
                .await
                .map(drop),
            _ => Ok(()),
        }
    }

    /// A tool call began or changed.
    pub(crate) async fn tool(&mut self, call: ToolCall) -> Result<(), StoreError> {
        let now = self.now();
        let calls = &mut self.asides.calls;
        let at = calls
            .iter()
            .rposition(|known| known.id == call.id)
            .unwrap_or_else(|| {
                calls.push(Known {
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
        match self.output.tools {
            ToolDisplay::Full if ends && self.rules.holds(Rule::AsideTools) => {
                let text = whole(&self.asides.calls[at], &call, |text| {
                    self.sender.recorder.words(text)
                });
                let text = fitting(text, Limit::of(&self.can));
                self.post_aside(OutgoingOperation::aside(&text)).await.map(drop)
            }
            ToolDisplay::Compact if self.can.edit && self.rules.holds(Rule::AsideTools) => {
                self.want_line("…");
                Ok(())
            }
            ToolDisplay::None | ToolDisplay::Full | ToolDisplay::Compact => Ok(()),
        }
    }

    /// The line of all calls, with this sign for those that are not over.
    fn want_line(&mut self, open: &str) {
        let text = line(&self.asides.calls, open);
        let text = self.sender.recorder.words(&text).into_owned();
        self.asides.line.wanted = fitting(text, Limit::of(&self.can));
    }

    /// The run is over: calls without an end will never have one, or nobody will tell.
    async fn end_calls(&mut self) -> Result<(), StoreError> {
        let open = self.asides.calls.iter().filter(|call| !call.status.is_over());
        let open: Vec<String> = open.map(|call| call.name.clone()).collect();
        if open.is_empty() || !self.rules.holds(Rule::AsideTools) {
            return Ok(());
        }
        match self.output.tools {
            ToolDisplay::Compact if self.can.edit => self.want_line(" –"),
            ToolDisplay::Full => {
                for name in open {
                    let text = UserText::ToolUnfinished { name: &name }.to_string();
                    let text = self.sender.recorder.words(&text).into_owned();
                    self.post_aside(OutgoingOperation::aside(&text)).await?;
                }
            }
            ToolDisplay::None | ToolDisplay::Compact => {}
        }
        Ok(())
    }

    /// The agent thinks.
    pub(crate) fn think(&mut self, text: &str) {
        if self.output.reasoning != ReasoningDisplay::Hide && self.rules.holds(Rule::AsideReasoning) {
            keep_end(&mut self.asides.reasoning, text);
            self.asides.thinks_on |= self.output.reasoning == ReasoningDisplay::Stream && self.can.edit;
        }
    }

    /// It has thought so far; what it thinks next is a message of its own.
    pub(crate) async fn end_thought(&mut self) -> Result<(), StoreError> {
        if self.asides.reasoning.trim().is_empty() {
            return Ok(());
        }
        let text = self.thought();
        self.asides.reasoning.clear();
        self.asides.thinks_on = false;
        let mut line = std::mem::take(&mut self.asides.thought);
        if line.shown.is_some() {
            line.wanted = text;
            if line.is_dirty() {
                line.show(self, true).await?;
            }
            return Ok(());
        }
        if line.counted {
            // The message that no frame of it became.
            self.give_message_back();
        }
        self.post_aside(OutgoingOperation::aside(&text)).await.map(drop)
    }

    /// When what is shown in place may be brought up to date, if it is not.
    pub(crate) fn asides_due(&self) -> Option<SteadyTime> {
        let Asides {
            line,
            thought,
            thinks_on,
            ..
        } = &self.asides;
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
    pub(crate) async fn show_asides(&mut self, at_the_end: bool) -> Result<(), StoreError> {
        if at_the_end {
            self.end_calls().await?;
        } else if !self.is_open() {
            return Ok(());
        }
        let now = self.now();
        // Put together only for a frame that goes out: what a model thinks comes in thousands of pieces.
        if self.asides.thinks_on && (at_the_end || self.asides.thought.due <= now) {
            self.asides.thinks_on = false;
            self.asides.thought.wanted = self.thought();
        }
        let mut asides = std::mem::take(&mut self.asides);
        for line in [&mut asides.thought, &mut asides.line] {
            if line.is_dirty() && (at_the_end || line.is_live() && line.due <= now) {
                line.show(self, at_the_end).await?;
            }
        }
        self.asides = asides;
        Ok(())
    }

    fn thought(&self) -> String {
        let text = self.sender.recorder.words(self.asides.reasoning.trim());
        end_of(&text, Limit::of(&self.can))
    }
}

/// Adds to what was thought; what is not shown any more is given up.
fn keep_end(thought: &mut String, more: &str) {
    thought.push_str(more);
    if thought.len() > 2 * KEPT {
        thought.drain(..thought.ceil_char_boundary(thought.len() - KEPT));
    }
}

/// The end of what was thought, as much of it as is shown and fits into one message.
fn end_of(thought: &str, limit: Limit) -> String {
    let skipped = thought.chars().count().saturating_sub(REASONING);
    let mut from = thought.char_indices().nth(skipped).map_or(0, |(at, _)| at);
    loop {
        let cut = if from > 0 { "…" } else { "" };
        let shown = format!("💭 {cut}{}", &thought[from..]);
        let over = limit.length(&shown).saturating_sub(limit.max);
        if over == 0 || from == thought.len() {
            return shown;
        }
        // A sign that is escaped is several when it is sent: little by little, so that not too much is left out.
        from = thought.ceil_char_boundary(from + over.div_ceil(8));
    }
}

/// A text as one message: its beginning, where it is longer than the channel takes.
fn fitting(text: String, limit: Limit) -> String {
    const MORE: &str = "\n…";
    if limit.length(&text) <= limit.max {
        return text;
    }
    let room = Limit {
        max: limit.max.saturating_sub(limit.length(MORE)),
        ..limit
    };
    let first = split(&text, room).first().map(|piece| piece.text(&text));
    first.unwrap_or_default() + MORE
}

/// All calls of the run in one line, the latest last, with this sign for those that are not over.
fn line(calls: &[Known], open: &str) -> String {
    let earlier = calls.len().saturating_sub(NAMED);
    let mut text = "🔧 ".to_owned();
    if earlier > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, "{earlier} more · ");
    }
    let named = calls[earlier..].iter().map(|call| {
        let sign = match call.status {
            ToolStatus::Pending | ToolStatus::Running => open,
            ToolStatus::Completed => " ✓",
            ToolStatus::Failed => " ✗",
            ToolStatus::Unfinished => " –",
        };
        format!("`{}`{sign}", call.name)
    });
    text + &named.collect::<Vec<_>>().join(" · ")
}

/// A call that is over, with what it was given and what came of it.
fn whole<'a>(known: &Known, call: &'a ToolCall, masked: impl Fn(&'a str) -> Cow<'a, str>) -> String {
    let ended = UserText::ToolEnded {
        name: &known.name,
        failed: known.status == ToolStatus::Failed,
        ms: known.took.unwrap_or_default().as_millis(),
    };
    let mut text = ended.to_string();
    for (part, most) in [(&call.arguments, ARGUMENTS), (&call.result, RESULT)] {
        if let Some(part) = part.as_deref().filter(|part| !part.trim().is_empty()) {
            let part = masked(part).replace("```", "'''");
            let shown: String = part.chars().take(most).collect();
            let _ = write!(text, "\n```\n{}\n```", shown.trim_end());
            if shown.len() < part.len() {
                let excerpt = UserText::Excerpt {
                    shown: shown.len(),
                    whole: part.len(),
                };
                let _ = write!(text, "\n{excerpt}");
            }
        }
    }
    text
}

/// A name that can neither be markup nor fill the chat.
fn named(name: &str) -> String {
    let plain = name
        .chars()
        .map(|c| if c == '`' || c.is_control() { '\'' } else { c });
    plain.take(NAME).collect()
}

#[cfg(test)]
mod tests;
