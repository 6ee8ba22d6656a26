//! The topics that one can subscribe to, and what is pushed about them.

use super::{
    ChannelCard, DeliveryState, FaultDeck, FixtureProgress, Frame, Pairings, PendingPermission,
    RecutProgress, ShellLine, Status,
};
use crate::{Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// The kind of an alarm, which cannot wait for a frame.
    pub enum AlarmKind {
        Leak = "leak": "A directive byte reached a channel.",
        Error = "error": "A turn or an operation failed.",
        ChannelDown = "channel_down": "A channel went down.",
        UnknownOutcome = "unknown_outcome": "An operation was in flight when the process ended.",
    }
}

/// Something that cannot wait for a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Alarm {
    /// The kind.
    pub kind: AlarmKind,
    /// In words.
    pub message: String,
    /// The event.
    pub seq: u64,
    /// The turn.
    pub turn: Option<TurnId>,
}

/// A topic that one can subscribe to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "topic", rename_all = "snake_case")]
pub enum Topic {
    /// Frames of a view.
    View {
        /// The view.
        view: u32,
    },
    /// The top bar's figures, alarms, channel cards, progress of fixtures and re-cuts, and the app's log: what every window wants.
    App,
}

/// A message to a subscriber.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "push", rename_all = "snake_case")]
pub enum Push {
    /// A view's frame.
    Frame {
        /// The frame.
        frame: Frame,
    },
    /// The top bar's figures; at most four a second.
    Status {
        /// The figures.
        status: Status,
    },
    /// An alarm.
    Alarm {
        /// The alarm.
        alarm: Alarm,
    },
    /// A channel's card changed.
    Channel {
        /// The card.
        card: Box<ChannelCard>,
    },
    /// Somebody asked to talk to the bot, or an operator decided about it.
    Pairings {
        /// The people who wait, and those who were let in now.
        pairings: Pairings,
    },
    /// A chat takes nothing more or something again, or the budgets of deliveries changed.
    Deliveries {
        /// As they are now.
        deliveries: DeliveryState,
    },
    /// An agent asked for permission, or a request was decided.
    Permissions {
        /// The requests that wait now, the oldest first.
        permissions: Vec<PendingPermission>,
    },
    /// A shell began or ended, a command did so in one, or a screen changed.
    Shells {
        /// The shells as they are now, the oldest first.
        shells: Vec<ShellLine>,
    },
    /// A fault was planned or removed, or met a call or a run.
    Faults {
        /// Every deck as it is now.
        decks: Vec<FaultDeck>,
    },
    /// A fixture run went on.
    Fixtures {
        /// The progress.
        progress: FixtureProgress,
    },
    /// A run of the re-cut fuzzer went on.
    Recut {
        /// The progress, and the result.
        progress: Box<RecutProgress>,
    },
    /// A person asked, outside of the window, that it opens something: at the command line, with a link, or in the tray.
    Open {
        /// Paths of files, and links; empty where the window is to ask what.
        targets: Vec<String>,
    },
    /// Lines of the app's own log.
    Log {
        /// The lines, oldest first.
        lines: Vec<LogLine>,
    },
}

/// A line of the app's own log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct LogLine {
    /// The time.
    pub at: Timestamp,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// Module.
    pub target: String,
    /// Words and fields.
    pub message: String,
}
