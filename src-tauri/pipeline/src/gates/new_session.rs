//! What stands behind `/new`: a model, and words with directives of their own.

use super::{
    agent_text::{AgentText, NewSession},
    beside::with_commands_beside,
    sender_text::{OwnAnswerKind, TextContext, TextMeaning},
};
use crate::{
    session_settings::leading_model,
    stages::{addressed::AddressedText, commands::CommandRow, inline_directives::Inline},
};
use foldback_directives::Span;
use foldback_wire::{Inbound, InlineDirectives};

impl TextContext<'_> {
    /// A new session: answered where nothing else is said, else it begins with the rest of the text, whose directives count
    /// as in a message of its own.
    pub(super) fn new_session(
        &self,
        message: &Inbound,
        row: &'static CommandRow,
        arguments: String,
    ) -> TextMeaning {
        let text = self.command_text(message);
        let (model, words) = leading_model(&self.config.agent.models, self.agent, &arguments);
        // They end with the first line, where they are any.
        let line = text.lines().next().unwrap_or_default().trim_end();
        let below = text.split_once('\n').map_or("", |(_, below)| below.trim());
        let start = if words.is_empty() {
            text.trim_end().len() - below.len()
        } else {
            line.len() - words.len()
        };
        let words = text[start..].trim();
        if words.is_empty() {
            return TextMeaning::Answered(OwnAnswerKind::Command { row, arguments });
        }
        let begins = NewSession {
            model,
            by_owner: self.access.is_owner,
        };
        let said = Inbound {
            text: words.to_owned(),
            ..message.clone()
        };
        let addressed = AddressedText::read(words, |_| false, |_| false);
        let at = message.text.rfind(words).unwrap_or_default();
        let in_message = |mut read: InlineDirectives| {
            for span in &mut read.spans {
                *span = Span::new(at + span.start, at + span.end);
            }
            read
        };
        let mut agent_text = AgentText {
            text: Some(words.to_owned()),
            is_command: true,
            ..AgentText::default()
        };
        match self.read_inline(&said, &addressed) {
            Inline::Invalid(read) => {
                let read = in_message(read);
                return TextMeaning::Answered(OwnAnswerKind::InvalidDirectives { read });
            }
            Inline::Session { directives, read } => {
                return TextMeaning::Answered(OwnAnswerKind::BeginWith {
                    row,
                    session: begins,
                    directives,
                    read: in_message(read),
                });
            }
            Inline::None => {}
            Inline::Refused(read) => agent_text.read = Some(in_message(read)),
            Inline::Turn {
                text,
                overrides,
                kept,
                read,
            } => {
                agent_text = AgentText {
                    text: Some(text),
                    overrides,
                    kept,
                    read: Some(in_message(read)),
                    ..agent_text
                };
            }
        }
        agent_text.reset = Some(begins);
        TextMeaning::ForAgent(with_commands_beside(&message.text, Vec::new(), agent_text))
    }
}
