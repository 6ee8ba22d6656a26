//! The sender's own text, read in this order: stop words, directives, commands. What is left is for the agent.

use super::{
    agent_text::{AgentText, NewSession},
    beside::{bracketed_whole, command_lines, first_line, with_commands_beside},
    custom::{CustomMeaning, custom_command},
};
use crate::{
    config::Config,
    rules::{Rule, Rules},
    session_settings::levels_of,
    stages::{
        abort::{is_mention_token, is_stop_word},
        addressed::{AddressedText, without_last},
        command_access::CommandAccess,
        commands::{Action, COMMANDS, CommandRow, Recognised, recognise},
        inline_directives::{Inline, InlineContext, read_directives},
    },
};
use foldback_agents::Agent;
use foldback_directives::{Span, inbound::Directives};
use foldback_wire::{ChatType, DirectiveScope, Inbound, InlineDirective, InlineDirectives};
use std::{borrow::Cow, collections::BTreeMap};

/// The meaning of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextMeaning {
    /// Words for the agent.
    ForAgent(AgentText),
    /// Foldback answers it.
    Answered(OwnAnswerKind),
}

impl TextMeaning {
    /// True for what belongs to the conversation: words for the agent, and what sets something for it. A question to the
    /// bot itself, such as `/status`, does not.
    pub(super) fn is_said(&self) -> bool {
        match self {
            Self::ForAgent(_)
            | Self::Answered(OwnAnswerKind::Directives { .. } | OwnAnswerKind::BeginWith { .. }) => true,
            Self::Answered(
                OwnAnswerKind::InvalidDirectives { .. }
                | OwnAnswerKind::Program { .. }
                | OwnAnswerKind::Refused { .. },
            ) => false,
            Self::Answered(OwnAnswerKind::Command { row, arguments }) => row.action.sets_something(arguments),
        }
    }

    /// True for a command whose words are for the agent.
    pub(super) fn is_command_for_agent(&self) -> bool {
        matches!(self, Self::ForAgent(text) if text.is_command)
    }

    /// True for what begins a new session itself.
    pub(super) fn begins_anew(&self) -> bool {
        match self {
            Self::ForAgent(text) => text.reset.is_some(),
            Self::Answered(OwnAnswerKind::Command { row, .. } | OwnAnswerKind::BeginWith { row, .. }) => {
                row.action == Action::Reset
            }
            Self::Answered(_) => false,
        }
    }
}

/// A text that Foldback answers itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OwnAnswerKind {
    /// It is a command.
    Command {
        row: &'static CommandRow,
        arguments: String,
    },
    /// It is a command of the configuration that a program answers.
    Program {
        /// Its name in the configuration.
        name: String,
        arguments: String,
    },
    /// It is a command that its sender may not use, and the configuration has refusals told.
    Refused { name: String, arguments: String },
    /// It is directives for the session, and nothing else.
    Directives {
        directives: Box<Directives>,
        read: InlineDirectives,
    },
    /// It begins a new session, and is directives for that and nothing else.
    BeginWith {
        row: &'static CommandRow,
        session: NewSession,
        directives: Box<Directives>,
        read: InlineDirectives,
    },
    /// It is directives, and one of them cannot be carried out.
    InvalidDirectives { read: InlineDirectives },
}

impl OwnAnswerKind {
    /// True for what stops the run and drops what waits.
    pub(crate) fn stops(&self) -> bool {
        matches!(self, Self::Command { row, .. } if row.action == Action::Stop)
    }
}

/// What a text is read with.
pub(super) struct TextContext<'a> {
    pub(super) rules: Rules,
    pub(super) config: &'a Config,
    pub(super) agent: &'a dyn Agent,
    pub(super) access: &'a CommandAccess,
}

impl TextContext<'_> {
    /// Reads a message. One that is passed on is another person's word, and never acts; neither does a text beside files,
    /// which is about the files, as a stop word or a command.
    pub(super) fn read(&self, message: &Inbound) -> TextMeaning {
        let config = &self.config.commands;
        if !config.enabled || message.forwarded && self.rules.holds(Rule::InlineForwarded) {
            return TextMeaning::ForAgent(AgentText::default());
        }
        if let Some(command) = self.command(message) {
            return command;
        }
        if let Some(refusal) = self.told_refusal(message) {
            return TextMeaning::Answered(refusal);
        }
        let mut lines = Vec::new();
        if self.access.is_allowed && message.files.is_empty() && self.rules.holds(Rule::CommandFirst) {
            lines.extend(first_line(&message.text));
            if config.inline {
                lines.extend(command_lines(&message.text));
            }
        }
        let beside = |text| TextMeaning::ForAgent(with_commands_beside(&message.text, lines, text));
        let addressed = self.addressed(message);
        match self.read_inline(message, &addressed) {
            Inline::None => beside(AgentText {
                read: self.refused_command(message),
                ..AgentText::default()
            }),
            Inline::Refused(read) => TextMeaning::ForAgent(AgentText {
                read: Some(read),
                ..AgentText::default()
            }),
            Inline::Invalid(read) => TextMeaning::Answered(OwnAnswerKind::InvalidDirectives { read }),
            Inline::Turn {
                text,
                overrides,
                kept,
                read,
            } => beside(AgentText {
                text: Some(text),
                overrides,
                read: Some(read),
                kept,
                ..AgentText::default()
            }),
            Inline::Session { directives, read } => {
                TextMeaning::Answered(OwnAnswerKind::Directives { directives, read })
            }
        }
    }

    /// The directives of a message, whose text `addressed` is.
    pub(super) fn read_inline(&self, message: &Inbound, addressed: &AddressedText) -> Inline {
        let context = InlineContext {
            rules: self.rules,
            access: self.access,
            aliases: self.config.agent.models.keys().cloned().collect(),
            unsupported: &|directives| unsupported(self.agent, &self.config.agent.models, directives),
        };
        read_directives(&context, message, addressed)
    }

    /// The command that a message is, whoever wrote it; a stop word and a word that begins a new session are one, too.
    fn recognise(&self, message: &Inbound) -> Option<Recognised> {
        if !message.files.is_empty() || !self.rules.holds(Rule::CommandFirst) {
            return None;
        }
        let named = |action| {
            let row = COMMANDS.iter().find(|row| row.action == action)?;
            Some(Recognised {
                row,
                arguments: String::new(),
                rest: String::new(),
            })
        };
        if is_stop_word(self.rules, &message.text, |word| self.names_bot(message, word)) {
            return named(Action::Stop);
        }
        let text = self.command_text(message);
        if self.config.session.is_reset_word(&text) && self.rules.holds(Rule::SessionWord) {
            return named(Action::Reset);
        }
        // `/status@another` is a command of another bot, which this one hears where it hears everything.
        let word = text.split([':', ' ', '\t', '\n']).next().unwrap_or_default();
        let is_anothers = message.chat_type == ChatType::Group
            && word
                .find('@')
                .is_some_and(|at| !self.names_bot(message, &word[at..]));
        if is_anothers { None } else { recognise(&text) }
    }

    /// Whether a word of a group's message only names the bot. Where the platform tells of no mention of it, an operator's
    /// pattern has to match the word: it may name a person, or another bot.
    fn names_bot(&self, message: &Inbound, word: &str) -> bool {
        if message.chat_type != ChatType::Group || !is_mention_token(word) {
            return false;
        }
        let channel = self.config.channels.get(&message.channel);
        let mut patterns = channel.iter().flat_map(|channel| &channel.mention_patterns);
        message.mentioned || patterns.any(|pattern| pattern.names(word))
    }

    /// The text of a message without what names the bot, as platforms and people write it to tell it from others.
    fn addressed(&self, message: &Inbound) -> AddressedText {
        let is_direct = message.chat_type == ChatType::Direct;
        let is_mention = |word: &str| self.names_bot(message, word);
        AddressedText::read(&message.text, is_mention, |word| is_direct || is_mention(word))
    }

    /// The text of a message that may be a command: without the word at its start or its end that names the bot, and without the
    /// brackets of a command that stands alone in them.
    pub(super) fn command_text<'m>(&self, message: &'m Inbound) -> Cow<'m, str> {
        let text = self.without_mention(message);
        let whole = Some(text)
            .filter(|_| self.config.commands.inline)
            .and_then(bracketed_whole);
        whole.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The text of a message without the word at its start, or else at its end, that names the bot.
    fn without_mention<'m>(&self, message: &'m Inbound) -> &'m str {
        let text = message.text.trim();
        let is_mention = |word: &str| self.names_bot(message, word);
        match text.split_once(char::is_whitespace) {
            Some((first, rest)) if is_mention(first) => rest.trim_start(),
            // `/command@bot` names it already.
            Some((first, _)) if first.contains('@') => text,
            _ => without_last(text, is_mention).unwrap_or(text),
        }
    }

    /// The answer to a command of a sender who may use them.
    fn command(&self, message: &Inbound) -> Option<TextMeaning> {
        if !self.access.is_allowed {
            return None;
        }
        let Some(Recognised { row, arguments, .. }) = self.recognise(message) else {
            return self.custom(message);
        };
        if row.action == Action::Reset {
            return Some(self.new_session(message, row, arguments));
        }
        Some(TextMeaning::Answered(OwnAnswerKind::Command { row, arguments }))
    }

    /// The record of a command of a sender who may not use them; its text goes to the agent.
    fn refused_command(&self, message: &Inbound) -> Option<InlineDirectives> {
        if self.access.is_allowed {
            return None;
        }
        let (name, arguments) = self.command_name(message)?;
        let text = self.without_mention(message);
        let line = text.lines().next().unwrap_or_default();
        let start = message.text.find(text).unwrap_or_default();
        Some(InlineDirectives {
            directives: vec![InlineDirective {
                name,
                value: arguments,
            }],
            spans: vec![Span::new(start, start + line.len())],
            scope: DirectiveScope::Refused,
            findings: vec![self.access.why.clone()],
            setting: Some(self.access.setting.clone()),
            decided_by: None,
        })
    }

    /// The refusal of a command of a sender who may not use them, where the configuration has it told. A stop word, or a
    /// word that begins a new session, is text of such a sender.
    fn told_refusal(&self, message: &Inbound) -> Option<OwnAnswerKind> {
        let is_told = !self.access.is_allowed && self.config.commands.tell_refused;
        if !is_told || !self.command_text(message).starts_with('/') {
            return None;
        }
        let (name, arguments) = self.command_name(message)?;
        Some(OwnAnswerKind::Refused { name, arguments })
    }

    /// The name of the command that a message is, and what is behind it.
    fn command_name(&self, message: &Inbound) -> Option<(String, String)> {
        match self.recognise(message) {
            Some(Recognised { row, arguments, .. }) => Some((row.name.to_owned(), arguments)),
            None => self.custom_name(message),
        }
    }

    /// The name of a command of the configuration, and what is behind it.
    fn custom_name(&self, message: &Inbound) -> Option<(String, String)> {
        match self.custom(message)? {
            TextMeaning::Answered(OwnAnswerKind::Program { name, arguments }) => Some((name, arguments)),
            TextMeaning::ForAgent(AgentText { read: Some(read), .. }) => {
                let written = read.directives.into_iter().next()?;
                Some((written.name, written.value))
            }
            _ => None,
        }
    }

    /// What a command of the configuration comes to.
    fn custom(&self, message: &Inbound) -> Option<TextMeaning> {
        if !message.files.is_empty() || !self.rules.holds(Rule::CommandFirst) {
            return None;
        }
        let text = self.command_text(message);
        let sender = message.sender.readable_name();
        Some(match custom_command(&self.config.commands, &text, sender)? {
            CustomMeaning::Program { name, arguments } => {
                TextMeaning::Answered(OwnAnswerKind::Program { name, arguments })
            }
            CustomMeaning::Prompt { text, mut read } => {
                read.spans = vec![Span::new(0, message.text.len())];
                TextMeaning::ForAgent(AgentText {
                    text: Some(text),
                    read: Some(read),
                    is_command: true,
                    ..AgentText::default()
                })
            }
        })
    }
}

/// The reason for which directives cannot be carried out: one by the backend's name, or a value that is none.
fn unsupported(
    agent: &dyn Agent,
    names: &BTreeMap<String, String>,
    directives: &Directives,
) -> Option<String> {
    let levels = levels_of(directives, names);
    let (_, refusals) = agent.level_supports(&levels).divide(&levels);
    let mut reasons: Vec<_> = refusals.into_iter().map(|refusal| refusal.why).collect();
    let exec = directives.exec.as_ref();
    let is_about_consent = directives.elevated.is_some_and(|level| level.level.is_some())
        || exec.is_some_and(|exec| exec.security.is_some() || exec.ask.is_some());
    if is_about_consent && !agent.asks_for_consent() {
        let backend = agent.backend();
        reasons.push(format!(
            "{backend} never asks before it uses a tool, so there is nothing to allow or deny"
        ));
    }
    reasons.extend(unknown_number(directives, names));
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The reason for which a number stands for no model of `/models`.
fn unknown_number(directives: &Directives, names: &BTreeMap<String, String>) -> Option<String> {
    let written = directives.model.as_ref()?.model.as_deref()?;
    let number: usize = written.parse().ok()?;
    let is_listed = names.contains_key(written) || (1..=names.len()).contains(&number);
    (!is_listed).then(|| match names.len() {
        0 => format!("there is no list of models that {number} could stand in"),
        1 => format!("there is no model {number}: /models lists one"),
        many => format!("there is no model {number}: /models lists {many}"),
    })
}

#[cfg(test)]
mod tests;
