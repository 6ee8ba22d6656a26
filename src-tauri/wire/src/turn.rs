//! Stages, gates and the ends of a turn.

use crate::{TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The stages of a message's way, in order; module names in the pipeline.
    pub enum Stage {
        Finalize = "finalize": "Brings the message into its normal form.",
        Dedupe = "dedupe": "Recognises a message that was seen already.",
        Debounce = "debounce": "Waits for more parts of a message.",
        Authorize = "authorize": "Decides who may talk to the bot.",
        Activation = "activation": "Decides whether the bot was meant.",
        Session = "session": "Finds the conversation's session.",
        InlineDirectives = "inline_directives": "Takes directives such as /think out of the text.",
        Commands = "commands": "Answers commands.",
        SendPolicy = "send_policy": "Decides whether the agent runs in this session at all.",
        Queue = "queue": "Waits for the running turn.",
        Prepare = "prepare": "Writes what the agent is given.",
        Run = "run": "Runs the agent.",
        Scan = "scan": "Decides for every byte of the answer.",
        Preview = "preview": "Keeps the displayed message up to date and splits it.",
        Dispatch = "dispatch": "Puts deliveries in order, one conversation at a time.",
        Deliver = "deliver": "Performs operations and records their outcomes.",
    }
}

closed_set! {
    /// The reason for which a stage stopped a message. Every stop has one of these in the journal.
    pub enum Gate {
        EmptyMessage = "empty_message": "There was nothing in it.",
        Duplicate = "duplicate": "The same message was seen already.",
        TooOld = "too_old": "It was written before everything that is remembered, so it may have been answered already.",
        InvalidId = "invalid_id": "The sender or the chat has an id that no platform gives.",
        ChannelClosed = "channel_closed": "The channel's allow list is empty, so it is closed to everybody.",
        SenderNotAllowed = "sender_not_allowed": "The sender is not on the channel's allow list.",
        DirectDisabled = "direct_disabled": "The channel takes no direct messages.",
        Unpaired = "unpaired" or "pairing_full": "The sender is unknown; an operator has to approve them first.",
        GroupsDisabled = "groups_disabled": "The channel takes no messages in groups.",
        ChatNotAllowed = "chat_not_allowed": "The group is not one of the channel's groups.",
        BotNotAllowed = "bot_not_allowed": "Another bot wrote it, and bots may not talk here.",
        OwnMessage = "own_message": "The bot wrote it itself.",
        NotMentioned = "not_mentioned": "A group message that did not mention the bot.",
        BotTurnLimit = "bot_turn_limit": "Bots have answered each other too often without a person.",
        QueueFull = "queue_full": "Too many messages wait already.",
        SenderLimit = "sender_limit": "The sender wrote too many messages within a minute.",
        Dropped = "dropped": "A person dropped it while it waited.",
        Displaced = "displaced": "A newer message took its place in the queue, which was full.",
        NotTheAsker = "not_the_asker": "It answers a request for permission that is somebody else's.",
        NothingAsked = "nothing_asked": "It answers a request for permission, and none waits under this number.",
        WhichAsked = "which_asked": "It answers a request for permission without a number, and several wait, or it allows one that the chat shows only a part of.",
        SendDenied = "send_denied": "The session is closed to messages for the agent.",
        DeadTarget = "dead_target": "The platform takes nothing more for the chat that the answer would go to.",
        ShuttingDown = "shutting_down": "The process is ending.",
    }
}

/// The end of an accepted message. Exactly one per message; an invariant over the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Terminal {
    /// The user got an answer, or at least what the channel could do of it.
    Replied,
    /// Nothing was to be said.
    Silent {
        /// The reason.
        reason: SilentReason,
    },
    /// A command answered.
    Command {
        /// Its name.
        name: String,
    },
    /// Inline directives were stored and acknowledged.
    DirectiveAck,
    /// It waited and was dropped from the queue.
    Dropped,
    /// It waited and went into a summary, as the queue was full.
    Summarised {
        /// The turn whose agent was given the summary.
        into: TurnId,
    },
    /// It waited and was answered together with others.
    Collected {
        /// The turn whose agent was given all of them.
        into: TurnId,
    },
    /// It went into the running turn.
    Steered {
        /// That turn.
        into: TurnId,
    },
    /// It was seen already.
    Duplicate,
    /// A gate said no.
    Blocked {
        /// The gate.
        gate: Gate,
    },
    /// It failed.
    Failed {
        /// The reason, in words.
        detail: String,
    },
    /// Nobody knows whether all of its answer arrived.
    Unknown {
        /// The reason, in words.
        detail: String,
    },
}

closed_set! {
    /// The reason for which an answered message shows no text.
    pub enum SilentReason {
        NoReply = "no_reply": "The agent wrote <no-reply/>.",
        SilentToken = "silent_token": "The agent wrote NO_REPLY.",
        HeartbeatAck = "heartbeat_ack": "The agent acknowledged a heartbeat.",
        DirectivesOnly = "directives_only": "The answer has no text: directives or actions only.",
    }
}

closed_set! {
    /// The way in which a message came into the run of another turn.
    pub enum JoinKind {
        Steered = "steered": "Into the agent while it ran.",
        SteeredToo = "steered_too": "Into the agent while it ran; it waits for a run of its own, too.",
        Collected = "collected": "With all others that waited, as one run.",
        Summarised = "summarised": "In a summary, as the queue was full.",
    }
}

impl JoinKind {
    /// The end of a message that came into this turn; `None` for one that has a run of its own, too.
    pub const fn terminal(self, into: TurnId) -> Option<Terminal> {
        match self {
            Self::Steered => Some(Terminal::Steered { into }),
            Self::SteeredToo => None,
            Self::Collected => Some(Terminal::Collected { into }),
            Self::Summarised => Some(Terminal::Summarised { into }),
        }
    }
}

impl std::fmt::Display for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Replied => f.write_str("replied"),
            Self::Silent { reason } => write!(f, "silent({reason})"),
            Self::Command { name } => write!(f, "command({name})"),
            Self::DirectiveAck => f.write_str("directive_ack"),
            Self::Dropped => f.write_str("dropped"),
            Self::Summarised { .. } => f.write_str("summarised"),
            Self::Collected { .. } => f.write_str("collected"),
            Self::Steered { .. } => f.write_str("steered"),
            Self::Duplicate => f.write_str("duplicate"),
            Self::Blocked { gate } => write!(f, "blocked({gate})"),
            Self::Failed { detail } => write!(f, "failed({detail})"),
            Self::Unknown { detail } => write!(f, "unknown({detail})"),
        }
    }
}
