//! Words for the agent, as the gates pass them on.

use crate::session_settings::TurnOverrides;
use foldback_store::SessionSettings;
use foldback_wire::InlineDirectives;

/// Words for the agent, with what the text said beside them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AgentText {
    /// The words, where directives or a command were taken out of the text.
    pub(super) text: Option<String>,
    /// The settings of the turn alone.
    pub(super) overrides: Box<TurnOverrides>,
    /// The directives that were read.
    pub(super) read: Option<InlineDirectives>,
    /// Settings to be stored on the session.
    pub(super) kept: Option<Box<SessionSettings>>,
    /// A new session begins with these words.
    pub(super) reset: Option<NewSession>,
    /// They were written as a command: nothing that comes later of their sender is put together with them.
    pub(super) is_command: bool,
    /// Commands that are answered beside them, each as a message of its own would have it.
    pub(super) beside: Vec<String>,
}

/// A session that begins anew.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NewSession {
    /// The model that is named; the configured one where none is.
    pub(crate) model: Option<String>,
    /// Its author owns the bot.
    pub(crate) by_owner: bool,
}
