//! The commands, one row each: recognising them, `/help`, `/commands`, the reference page, the menus of the platforms and
//! Compose's completion read this table.

use crate::speech_request::SpeechRequest;

/// Rights that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Everybody who may use commands.
    Allowed,
    /// Owners of the bot.
    Owner,
}

/// The text that a command takes behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// None: with more text it is no command.
    None,
    /// Words on its line, which stand in the usage like this.
    Written(&'static str),
    /// Words that may take several lines.
    Lines(&'static str),
    /// Words and then text for the agent.
    Text(&'static str),
}

impl Arguments {
    /// The words as the usage has them; empty where there are none.
    pub(crate) const fn form(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Written(form) | Self::Lines(form) | Self::Text(form) => form,
        }
    }
}

/// What answers a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Names the commands that people use most.
    Help,
    /// Lists all commands and directives.
    Commands,
    /// Tells the state of the session.
    Status,
    /// Tells the sender's ids and rights.
    WhoAmI,
    /// Stops the run and drops what waits.
    Stop,
    /// Begins a new session.
    Reset,
    /// Lists the models by their short names.
    Models,
    /// Sets which messages of a group are for the bot.
    Activation,
    /// Sets whether the agent runs at all.
    Send,
    /// Tells what the latest prompt was made of.
    Context,
    /// Tells the tokens of the session, and sets the line about them.
    Usage,
    /// Tells what this session is.
    Session,
    /// Sends the conversation as a file.
    Export,
    /// Has the model summarise the conversation.
    Compact,
    /// Tells and sets which answers are spoken, and says a text aloud.
    Tts,
    /// Tells who may write here, and decides about those who asked.
    Allowlist,
    /// Tells and cancels reminders.
    Reminders,
    /// Shows the configuration.
    Config,
    /// Tells what goes on in the bot.
    Debug,
    /// Ends the process, and has it start again.
    Restart,
    /// Tells of the agents that the agent has at work.
    Subagents,
    /// Runs a line in a shell.
    Bash,
    /// Answers a request for permission; that stage comes first, so that this only lists it.
    Permission,
}

impl Action {
    /// True where it sets something for the session, or begins a new one; others only ask, or act on what runs.
    pub(crate) fn sets_something(self, arguments: &str) -> bool {
        match self {
            Self::Reset | Self::Activation | Self::Send => true,
            Self::Usage => !arguments.is_empty(),
            Self::Tts => matches!(SpeechRequest::read(arguments), SpeechRequest::Mode(_)),
            _ => false,
        }
    }

    /// True where it only tells something, so that it can be answered beside a text that goes to the agent.
    pub(crate) const fn only_tells(self, arguments: &str) -> bool {
        match self {
            Self::Help
            | Self::Commands
            | Self::Status
            | Self::WhoAmI
            | Self::Models
            | Self::Context
            | Self::Session
            | Self::Subagents => true,
            Self::Usage | Self::Reminders => arguments.is_empty(),
            _ => false,
        }
    }

    /// True where it does something outside of the bot: it is carried out at most once, also over a crash.
    pub(crate) const fn acts_outside(self) -> bool {
        matches!(self, Self::Bash | Self::Restart)
    }
}

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandRow {
    /// Its name, without the slash.
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) arguments: Arguments,
    /// What it does, in a sentence.
    pub(crate) about: &'static str,
    pub(crate) rights: Rights,
    pub(crate) action: Action,
}

impl CommandRow {
    /// Its name and its aliases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether `name` means this command, in any case.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.names().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The form in which it is written, such as `/send on | off | inherit`.
    pub(crate) fn usage(&self) -> String {
        format!("/{} {}", self.name, self.arguments.form())
            .trim_end()
            .to_owned()
    }
}

/// Every command, in the order of `/commands`.
pub(crate) const COMMANDS: &[CommandRow] = &[
    CommandRow {
        name: "help",
        aliases: &[],
        arguments: Arguments::None,
        about: "Names the commands that people use most.",
        rights: Rights::Allowed,
        action: Action::Help,
    },
    CommandRow {
        name: "commands",
        aliases: &[],
        arguments: Arguments::None,
        about: "Lists all commands and directives.",
        rights: Rights::Allowed,
        action: Action::Commands,
    },
    CommandRow {
        name: "status",
        aliases: &[],
        arguments: Arguments::None,
        about: "Tells the state of the conversation.",
        rights: Rights::Allowed,
        action: Action::Status,
    },
    CommandRow {
        name: "whoami",
        aliases: &["id"],
        arguments: Arguments::None,
        about: "Tells who you are to the bot.",
        rights: Rights::Allowed,
        action: Action::WhoAmI,
    },
    CommandRow {
        name: "stop",
        aliases: &[],
        arguments: Arguments::None,
        about: "Stops the answer that is being written and drops the messages that wait.",
        rights: Rights::Allowed,
        action: Action::Stop,
    },
    CommandRow {
        name: "new",
        aliases: &["reset"],
        arguments: Arguments::Text("[model] [text]"),
        about: "Begins a new conversation, with a model and a first message where they are given.",
        rights: Rights::Allowed,
        action: Action::Reset,
    },
    CommandRow {
        name: "models",
        aliases: &[],
        arguments: Arguments::None,
        about: "Lists the models that can be chosen.",
        rights: Rights::Allowed,
        action: Action::Models,
    },
    CommandRow {
        name: "activation",
        aliases: &[],
        arguments: Arguments::Written("mention | always | default"),
        about: "Sets which messages of a group the bot answers.",
        rights: Rights::Allowed,
        action: Action::Activation,
    },
    CommandRow {
        name: "send",
        aliases: &[],
        arguments: Arguments::Written("on | off | default"),
        about: "Sets whether the agent answers here at all.",
        rights: Rights::Owner,
        action: Action::Send,
    },
    CommandRow {
        name: "context",
        aliases: &[],
        arguments: Arguments::None,
        about: "Tells what the agent was given last, and how much.",
        rights: Rights::Allowed,
        action: Action::Context,
    },
    CommandRow {
        name: "usage",
        aliases: &[],
        arguments: Arguments::Written("[off | tokens | full | default]"),
        about: "Tells the tokens of the conversation, and sets the line about them under each answer.",
        rights: Rights::Allowed,
        action: Action::Usage,
    },
    CommandRow {
        name: "session",
        aliases: &[],
        arguments: Arguments::None,
        about: "Tells what this conversation is, until when it goes on, and what is set.",
        rights: Rights::Allowed,
        action: Action::Session,
    },
    CommandRow {
        name: "export",
        aliases: &[],
        arguments: Arguments::None,
        about: "Sends the conversation as a file; of one that several chats share, only to owners.",
        rights: Rights::Allowed,
        action: Action::Export,
    },
    CommandRow {
        name: "compact",
        aliases: &[],
        arguments: Arguments::Lines("[what matters]"),
        about: "Has the agent summarise the conversation, all but the last answers.",
        rights: Rights::Allowed,
        action: Action::Compact,
    },
    CommandRow {
        name: "subagents",
        aliases: &[],
        arguments: Arguments::None,
        about: "Tells of the agents that the agent has at work.",
        rights: Rights::Allowed,
        action: Action::Subagents,
    },
    CommandRow {
        name: "tts",
        aliases: &[],
        arguments: Arguments::Lines(
            "[off | tagged | inbound | always | default | status | audio TEXT | TEXT]",
        ),
        about: "Tells or sets which answers are spoken here, or says a text aloud.",
        rights: Rights::Allowed,
        action: Action::Tts,
    },
    CommandRow {
        name: "reminders",
        aliases: &["reminder"],
        arguments: Arguments::Written("[cancel NUMBER | all]"),
        about: "Tells your reminders of this chat, in a direct chat all of yours, and cancels one.",
        rights: Rights::Allowed,
        action: Action::Reminders,
    },
    CommandRow {
        name: "allowlist",
        aliases: &[],
        arguments: Arguments::Written("[approve CODE | refuse CODE | remove ID]"),
        about: "Tells who may write here, and decides about those who asked.",
        rights: Rights::Owner,
        action: Action::Allowlist,
    },
    CommandRow {
        name: "config",
        aliases: &[],
        arguments: Arguments::Written("[show KEY]"),
        about: "Shows the configuration, or one key of it.",
        rights: Rights::Owner,
        action: Action::Config,
    },
    CommandRow {
        name: "debug",
        aliases: &[],
        arguments: Arguments::None,
        about: "Tells what goes on in the bot.",
        rights: Rights::Owner,
        action: Action::Debug,
    },
    CommandRow {
        name: "bash",
        aliases: &[],
        arguments: Arguments::Lines("LINE"),
        about: "Runs a line in a shell on the bot's machine, where that is switched on.",
        rights: Rights::Owner,
        action: Action::Bash,
    },
    CommandRow {
        name: "restart",
        aliases: &[],
        arguments: Arguments::None,
        about: "Ends the bot in order and starts it again, where that is switched on.",
        rights: Rights::Owner,
        action: Action::Restart,
    },
    CommandRow {
        name: "approve",
        aliases: &[],
        arguments: Arguments::Written("[number]"),
        about: "Allows what the agent asked to do.",
        rights: Rights::Allowed,
        action: Action::Permission,
    },
    CommandRow {
        name: "deny",
        aliases: &[],
        arguments: Arguments::Written("[number]"),
        about: "Rejects what the agent asked to do.",
        rights: Rights::Allowed,
        action: Action::Permission,
    },
];
