//! One text for every diagnostic, in which it is found: for documents and rule lists, and for the tests that
//! keep them true.

use crate::{Code, Diagnostic, SettingError, Settings, inbound, lint::unread_actions, parse};
use std::borrow::Cow;

/// Words that stand in an example for many bytes, and how many these are.
const LONG: [(&str, usize); 2] = [("(65,536 spaces)", 65_536), ("(9,000 spaces)", 9_000)];

/// What has to be known, beside the text, for a finding to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: `foldback lint` finds it.
    Nothing,
    /// A setting other than the default, as [`Settings::set_pair`] takes it.
    Setting(&'static str),
    /// The user's message that is answered.
    Inbound(&'static str),
    /// The text is itself a user's message, which [`inbound::parse`] reads.
    UserMessage,
    /// What the operator allows; found when the directive is to be executed.
    Policy,
    /// Which files lie in the folder for outgoing files; found when the directive is to be executed.
    Files,
    /// What the channel can do; found when the directive is to be executed.
    Channel,
    /// The actions of the bot, in these circumstances, in words.
    Actions(&'static str),
}

/// A text in which exactly one finding is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The text as it is printed; [`Example::raw`] is the text as it is read.
    pub text: &'static str,
    /// What else has to be known.
    pub needs: Needs,
}

impl Example {
    /// The text as it is read: the same, unless it is too long to print.
    pub fn raw(&self) -> Cow<'static, str> {
        let mut long = LONG.into_iter();
        match long.find(|(words, _)| self.text.contains(words)) {
            Some((words, bytes)) => self.text.replace(words, &" ".repeat(bytes)).into(),
            None => self.text.into(),
        }
    }

    /// The findings in it; none where only the channel, the operator's policy or the bot's actions can tell.
    ///
    /// # Errors
    /// When the setting it needs is none.
    pub fn findings(&self) -> Result<Vec<Diagnostic>, SettingError> {
        let (mut settings, mut message) = (Settings::default(), None);
        match self.needs {
            Needs::Setting(pair) => settings.set_pair(pair)?,
            Needs::Inbound(text) => message = Some(text),
            Needs::UserMessage => {
                let settings = inbound::Settings::authorized();
                return Ok(inbound::parse(&self.raw(), &settings).diagnostics);
            }
            Needs::Nothing | Needs::Policy | Needs::Files | Needs::Channel | Needs::Actions(_) => {}
        }
        let mut found = parse(&self.raw(), &settings, message).diagnostics;
        if !matches!(self.needs, Needs::Actions(_)) {
            found.extend(unread_actions(&self.raw(), &settings, message));
        }
        Ok(found)
    }
}

impl Code {
    /// A text in which it is found, and nothing else.
    pub const fn example(self) -> Example {
        let (text, needs) = match self {
            Self::MalformedDirective => (
                "<actions>\n  <react emoji=\"eyes\" = />\n</actions>\nHello",
                Needs::Nothing,
            ),
            Self::UnclosedBlock => ("<actions>\n  <react emoji=\"eyes\" />\nHello", Needs::Nothing),
            Self::UnclosedDirective => ("<actions>\n  <voice>Good evening\n</actions>", Needs::Nothing),
            Self::BlockTooLarge => ("<actions>(65,536 spaces)</actions>\nHello", Needs::Nothing),
            Self::MissingAttribute => ("<actions>\n  <react />\n</actions>\nHello", Needs::Nothing),
            Self::NotAllowed => (
                "<actions>\n  <send-message channel=\"slack\" chat=\"C1\">Done</send-message>\n</actions>\nHello",
                Needs::Policy,
            ),
            Self::MissingFile => (
                "<actions>\n  <send-file path=\"report.pdf\" />\n</actions>\nHello",
                Needs::Files,
            ),
            Self::UnknownDirective => (
                "<actions>\n  <raect emoji=\"eyes\" />\n</actions>\nHello",
                Needs::Nothing,
            ),
            Self::UnknownKey => ("[[reply-to: 4]]\nHello", Needs::Nothing),
            Self::InvalidValue => (
                "<actions>\n  <send-file path=\"route.svg\" kind=\"picture\" />\n</actions>\nHello",
                Needs::Nothing,
            ),
            Self::DuplicateAttribute => (
                "<actions>\n  <react emoji=\"eyes\" emoji=\"tada\" />\n</actions>\nHello",
                Needs::Nothing,
            ),
            Self::DuplicateDirective => ("/think low /think high explain this", Needs::UserMessage),
            Self::TextInBlock => (
                "<actions>\n  <react emoji=\"eyes\" />\n  Hello\n</actions>",
                Needs::Nothing,
            ),
            Self::StrayClose => ("Hello </actions>", Needs::Nothing),
            Self::MisplacedBlock => (
                "Hello\n<actions>\n  <react emoji=\"eyes\" />\n</actions>",
                Needs::Setting("output.placement=start"),
            ),
            Self::BareDirective => ("<react emoji=\"eyes\" />\nHello", Needs::Nothing),
            Self::MarkerNotAlone => ("Hello NO_REPLY", Needs::Nothing),
            Self::LeakGuard => ("<think>The user greets me.</think>\nHello", Needs::Nothing),
            Self::EchoedFromInput => (
                "<actions>\n  <react emoji=\"eyes\" />\n</actions>\nHello",
                Needs::Inbound("What does <react emoji=\"eyes\" /> do?"),
            ),
            Self::UnsupportedOnChannel => (
                "<actions>\n  <react emoji=\"eyes\" />\n</actions>\nHello",
                Needs::Channel,
            ),
            Self::UnknownAction => (
                r#"{"type":"bsah","payload":{"command":"df -h"}}"#,
                Needs::Actions("where `bash` is on"),
            ),
            Self::ActionOff => (
                r#"{"type":"terminal","payload":{"command":"df -h"}}"#,
                Needs::Actions("where `terminal` is off"),
            ),
            Self::PayloadTooLarge => (
                r#"{"type":"event_list","payload":{(9,000 spaces)}}"#,
                Needs::Actions("where reminders are on"),
            ),
            Self::InvalidPayload => (
                r#"{"type":"event_cancel","payload":{"id":"3"}}"#,
                Needs::Actions("where reminders are on"),
            ),
            Self::TooManyActions => (
                "{\"actions\":[\n\
                 {\"type\":\"event_cancel\",\"payload\":{\"id\":1}},{\"type\":\"event_cancel\",\"payload\":{\"id\":2}},\n\
                 {\"type\":\"event_cancel\",\"payload\":{\"id\":3}},{\"type\":\"event_cancel\",\"payload\":{\"id\":4}},\n\
                 {\"type\":\"event_cancel\",\"payload\":{\"id\":5}},{\"type\":\"event_cancel\",\"payload\":{\"id\":6}},\n\
                 {\"type\":\"event_cancel\",\"payload\":{\"id\":7}},{\"type\":\"event_cancel\",\"payload\":{\"id\":8}},\n\
                 {\"type\":\"event_list\",\"payload\":{}}]}",
                Needs::Actions("where reminders are on"),
            ),
            Self::ActionDenied => (
                r#"{"type":"bash","payload":{"command":"shutdown now"}}"#,
                Needs::Actions("where `bash` is on and `actions.bash.deny` has `shutdown`"),
            ),
            Self::ActionNotPermitted => (
                r#"{"type":"bash","payload":{"command":"df -h"}}"#,
                Needs::Actions("where `bash` is on and the sender is no owner of the bot"),
            ),
            Self::ActionsNotRead => (
                r#"{"actions":[{"type":"bash","payload":{"command":"df -h"}}]}"#,
                Needs::Nothing,
            ),
            Self::ActionConfirmed => (
                r#"{"type":"bash","payload":{"command":"df -h"}}"#,
                Needs::Actions("where `bash` is on and the sender is an owner of the bot"),
            ),
        };
        Example { text, needs }
    }
}
