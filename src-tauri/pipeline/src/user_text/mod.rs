//! Foldback's own sentences to the people in a chat, all of them in one table.
//!
//! A person in a chat cannot change the configuration and need not know that there is one: no sentence here names a
//! setting. The journal, the window and the command line say in their own words which one it was. What an agent wrote,
//! and the texts that the configuration itself holds (`output.empty_text`, `output.placeholder`), are no sentences of
//! ours. An [`OutgoingOperation`](crate::deliver) with words of our own can be made of a [`UserText`] only.

mod question;
#[cfg(test)]
mod tests;

pub(crate) use question::{Decider, line, shows_all};

use crate::config::Interval;
use foldback_wire::{AgentFault, Answerer, PermissionOption, PermissionRequest, duration_in_words};
use std::{fmt, time::Duration};

/// A sentence to the people in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UserText<'a> {
    /// The run failed. Never the backend's own words: they may hold paths and secrets.
    RunFailed(AgentFault),
    /// The model refused and said nothing else.
    Refused,
    /// The model reached its limit of length before it said anything.
    AtLimit,
    /// Something that the agent wanted to do was not done, and the agent does not say so itself.
    ActionNotDone,
    /// A person stopped the run.
    Stopped,
    /// The end of the process cut the answer off.
    Interrupted,
    /// The chat gets no more messages of a long answer.
    AnswerTooLong {
        /// The run was stopped for it: nobody knows what else the agent would have said.
        stopped: bool,
        /// The text beyond those messages.
        beyond: RestDelivery,
    },
    /// The file with the rest of a long answer did not arrive.
    RestFailed,
    /// The file with the conversation did not arrive.
    ExportFailed,
    /// The agent lost the earlier conversation.
    SessionLost,
    /// An unknown sender gets a code to show to the operator.
    UnknownSender {
        /// The code.
        code: &'a str,
    },
    /// An agent asks for permission.
    PermissionAsked {
        /// Its request.
        request: &'a PermissionRequest,
        /// The request's number for people, such as `12-1`.
        number: &'a str,
        /// The time that its asker has.
        timeout: Interval,
    },
    /// A request that was asked in the chat is decided.
    PermissionDecided {
        /// The call as it was asked about.
        title: &'a str,
        /// The decision; `None` where the request is cancelled.
        option: Option<&'a PermissionOption>,
        /// Its author.
        by: Decider<'a>,
    },
    /// A tool call is over; its arguments and result may follow.
    ToolEnded {
        /// The tool.
        name: &'a str,
        /// Its call failed.
        failed: bool,
        /// Milliseconds that the call took.
        ms: u128,
    },
    /// A tool call whose run ended without an end of the call.
    ToolUnfinished {
        /// The tool.
        name: &'a str,
    },
    /// The answer of a command, or the acknowledgement of directives.
    CommandAnswer {
        /// Its words, from `commands`.
        text: &'a str,
    },
    /// The tokens that an answer took.
    TokensUsed {
        /// Tokens read.
        input: u64,
        /// Tokens written.
        output: u64,
        /// The session, where it is to be named.
        session: Option<&'a str>,
    },
    /// Another backend or model answers than the one that was asked first.
    AnsweredBy(Answerer),
    /// The earlier part of the conversation was summarised.
    Compacted {
        /// Tokens before.
        before: u64,
        /// Tokens afterwards.
        after: u64,
    },
    /// The beginning of a text stands above.
    Excerpt {
        /// Bytes that are shown.
        shown: usize,
        /// Bytes of the whole.
        whole: usize,
    },
}

/// The text of an answer beyond the messages that its chat gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestDelivery {
    /// It follows as a file.
    InFile,
    /// It is not sent.
    NotSent,
    /// There is none.
    Nothing,
}

/// The reason for which no person decided a request for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoDecision {
    /// Its time was over.
    TimedOut(Interval),
    /// As many requests of the run wait already.
    TooMany {
        /// The number of those.
        waiting: usize,
    },
    /// The run ended.
    RunEnded,
    /// The run was cancelled.
    RunCancelled,
    /// The agent does not wait for the answer any more.
    CallGivenUp,
}

impl NoDecision {
    /// The setting behind it, where there is one.
    pub(crate) const fn setting(self) -> Option<&'static str> {
        match self {
            Self::TimedOut(_) => Some("agent.permissions.timeout"),
            Self::TooMany { .. } | Self::RunEnded | Self::RunCancelled | Self::CallGivenUp => None,
        }
    }

    /// The reason as the operator reads it in the journal.
    pub(crate) fn for_operator(self) -> String {
        match self {
            Self::TimedOut(within) => format!(
                "no answer came within {} (agent.permissions.timeout)",
                duration_in_words(within.0)
            ),
            Self::TooMany { waiting } => {
                format!("{waiting} requests of this run wait for a person already")
            }
            Self::RunEnded => "the run ended".to_owned(),
            Self::RunCancelled => "the run was cancelled".to_owned(),
            Self::CallGivenUp => "the agent gave its call up".to_owned(),
        }
    }
}

/// The sentence that a person reads where an action was not carried out and its agent says nothing of that.
pub const ACTION_NOT_DONE: &str = "⚠️ Something that the agent wanted to do was not done.";

impl fmt::Display for UserText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RunFailed(fault) => f.write_str(run_failed(fault)),
            Self::Refused => f.write_str("⚠️ The model refused to answer this."),
            Self::AtLimit => f.write_str("⚠️ The model reached its limit before it wrote an answer."),
            Self::ActionNotDone => f.write_str(ACTION_NOT_DONE),
            Self::Stopped => f.write_str("⏹️ Stopped."),
            Self::Interrupted => f.write_str("⚠️ A restart cut this answer off. Please ask again."),
            Self::AnswerTooLong { stopped, beyond } => f.write_str(too_long(stopped, beyond)),
            Self::RestFailed => f.write_str("⚠️ The file with the rest of the answer could not be sent."),
            Self::ExportFailed => f.write_str("⚠️ The file with the conversation could not be sent."),
            Self::SessionLost => {
                f.write_str("ℹ️ A new conversation begins: the agent does not have the earlier one any more.")
            }
            Self::UnknownSender { code } => write!(
                f,
                "I don't know you yet. Show this code to whoever runs this bot: {code}\nIt is valid for one hour. \
                 Write again once you have been let in."
            ),
            Self::PermissionAsked {
                request,
                number,
                timeout,
            } => f.write_str(&question::question(request, number, timeout)),
            Self::PermissionDecided { title, option, by } => {
                f.write_str(&question::decided(title, option, by))
            }
            Self::ToolEnded { name, failed, ms } => {
                let ended = if failed { "failed" } else { "done" };
                write!(f, "🔧 `{name}` {ended} in {}", Took(ms))
            }
            Self::ToolUnfinished { name } => write!(f, "🔧 `{name}` not finished"),
            Self::CommandAnswer { text } => f.write_str(text),
            Self::TokensUsed {
                input,
                output,
                session,
            } => {
                write!(f, "Tokens: {input} read, {output} written")?;
                session.map_or(Ok(()), |session| write!(f, " · {session}"))
            }
            Self::Compacted { before, after } => write!(
                f,
                "🧹 Earlier messages are summarised now: {before} tokens became {after}."
            ),
            Self::AnsweredBy(ref answerer) => write!(f, "↪️ The answer comes from {answerer}."),
            Self::Excerpt { shown, whole } => write!(f, "{shown} of {whole} bytes"),
        }
    }
}

/// The time that a call took, in milliseconds: as they are where they are few.
struct Took(u128);

impl fmt::Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match u64::try_from(self.0) {
            Ok(ms) if ms >= 10_000 => f.write_str(&duration_in_words(Duration::from_secs(
                Duration::from_millis(ms).as_secs(),
            ))),
            _ => write!(f, "{} ms", self.0),
        }
    }
}

const fn too_long(stopped: bool, beyond: RestDelivery) -> &'static str {
    match (stopped, beyond) {
        (false, RestDelivery::InFile) => "⚠️ The answer is too long for a chat. The rest is in the file.",
        (false, RestDelivery::NotSent) => "⚠️ The answer is too long for a chat. The rest was not sent.",
        (true, RestDelivery::InFile) => {
            "⚠️ The answer is too long for a chat, so it was stopped. What else it said until then is in the file."
        }
        (true, RestDelivery::NotSent) => {
            "⚠️ The answer is too long for a chat, so it was stopped. What else it said until then was not sent."
        }
        (_, RestDelivery::Nothing) => "⚠️ The answer is too long for a chat, so it was stopped here.",
    }
}

const fn run_failed(fault: AgentFault) -> &'static str {
    match fault {
        AgentFault::Overloaded => "⚠️ The agent is overloaded. Please try again later.",
        AgentFault::RateLimited => "⚠️ The agent has to wait. Please try again later.",
        AgentFault::Unauthorized => "⚠️ The agent has no access to its model. Please tell the operator.",
        AgentFault::NoModel => "⚠️ The agent's model is not there. Please tell the operator.",
        AgentFault::Unreachable => "⚠️ The agent cannot be reached. Please try again later.",
        AgentFault::Disconnected => "⚠️ The connection to the agent broke before it was done.",
        AgentFault::Timeout => "⚠️ The agent did not answer in time.",
        AgentFault::TooLarge => "⚠️ The answer was too long and was cut off.",
        AgentFault::Malformed | AgentFault::Rejected | AgentFault::Internal => {
            "⚠️ The agent failed before it was done."
        }
    }
}
