//! Turns, put together from a stream of entries.

use crate::{PersonMessage, ToolUse, TranscriptTurn, TurnPart, TurnTrigger};
use foldback_wire::Timestamp;
use std::collections::HashMap;

/// Turns in the making: an entry that asks begins one, and what the agent does belongs to the latest.
#[derive(Default)]
pub(crate) struct Dialogue {
    pub(crate) turns: Vec<TranscriptTurn>,
    /// Tool calls by id: turn and part.
    calls: HashMap<String, (usize, usize)>,
}

impl Dialogue {
    /// Begins a turn.
    pub(crate) fn begin(
        &mut self,
        trigger: TurnTrigger,
        inbound: Option<PersonMessage>,
        at: Option<Timestamp>,
    ) -> &mut TranscriptTurn {
        let next = self.turns.len();
        self.turns.push(TranscriptTurn {
            id: None,
            trigger,
            at,
            ended: None,
            inbound,
            parts: Vec::new(),
            alternatives: Vec::new(),
            abandoned: false,
        });
        &mut self.turns[next]
    }

    /// Begins a turn with what a person wrote; a second message before any answer is a turn of its own.
    pub(crate) fn ask(&mut self, message: PersonMessage, at: Option<Timestamp>) -> &mut TranscriptTurn {
        self.begin(TurnTrigger::Message, Some(message), at)
    }

    /// The latest turn; one without a question, where there is none.
    pub(crate) fn latest(&mut self, at: Option<Timestamp>) -> &mut TranscriptTurn {
        if self.turns.is_empty() {
            self.begin(TurnTrigger::Unknown, None, at);
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }

    /// Adds what the agent did.
    pub(crate) fn add(&mut self, part: TurnPart) {
        let at = part.at();
        let turn = self.latest(at);
        if at.is_some() {
            turn.ended = turn.ended.max(at);
        }
        turn.parts.push(part);
    }

    /// Adds raw text; an empty one is none.
    pub(crate) fn say(&mut self, text: impl Into<String>, at: Option<Timestamp>) {
        let text = text.into();
        if !text.is_empty() {
            self.add(TurnPart::Raw { text, at });
        }
    }

    pub(crate) fn reason(&mut self, text: impl Into<String>, at: Option<Timestamp>) {
        let text = text.into();
        if !text.is_empty() {
            self.add(TurnPart::Reasoning { text, at });
        }
    }

    pub(crate) fn fail(&mut self, detail: impl Into<String>, at: Option<Timestamp>) {
        self.add(TurnPart::Failed {
            detail: detail.into(),
            at,
        });
    }

    /// Adds a tool call, or changes the one with this id.
    pub(crate) fn call(&mut self, id: &str, name: &str, arguments: Option<String>, at: Option<Timestamp>) {
        if let Some(tool) = self.tool(id) {
            if !name.is_empty() {
                name.clone_into(&mut tool.name);
            }
            tool.arguments = arguments.or(tool.arguments.take());
            return;
        }
        self.add(TurnPart::Tool(ToolUse {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments,
            result: None,
            failed: false,
            at,
        }));
        let turn = self.turns.len() - 1;
        self.calls
            .insert(id.to_owned(), (turn, self.turns[turn].parts.len() - 1));
    }

    /// Gives the result of a tool call; without a call of this id it stands for itself.
    pub(crate) fn result(&mut self, id: &str, text: String, failed: bool, at: Option<Timestamp>) {
        let ended = self.calls.get(id).copied();
        if let Some(tool) = self.tool(id) {
            tool.result = Some(text);
            tool.failed = failed;
            if let Some((turn, _)) = ended {
                let turn = &mut self.turns[turn];
                turn.ended = turn.ended.max(at);
            }
            return;
        }
        self.add(TurnPart::Tool(ToolUse {
            id: id.to_owned(),
            name: String::new(),
            arguments: None,
            result: Some(text),
            failed,
            at,
        }));
    }

    fn tool(&mut self, id: &str) -> Option<&mut ToolUse> {
        // Without an id nothing says which call a result belongs to: the latest without a result.
        let (turn, part) = *self.calls.get(id)?;
        match self.turns.get_mut(turn)?.parts.get_mut(part)? {
            TurnPart::Tool(tool) if !id.is_empty() || tool.result.is_none() => Some(tool),
            _ => None,
        }
    }
}
