//! Windows over the journal, filters, status and the reasons behind a silence.

use super::{
    ChannelCard, DemoState, FaultDeck, FixtureProgress, Pairings, PendingPermission, RecutProgress,
    TurnSummary,
};
use crate::{ChannelId, Event, SessionId, Span, Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// What marks a row.
    pub enum RowFlag {
        Error = "error": "Something failed.",
        Warning = "warning": "Something a person should know.",
        Held = "held": "Something is held back.",
        Leaked = "leaked": "A directive byte reached a channel.",
        Live = "live": "It happened on an armed channel.",
        DryRun = "dry_run": "It happened in dry run.",
        Replayed = "replayed": "It comes from a replay.",
    }
}

/// One row of the event grid. A gap row stands for events that a live view could not keep up with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct EventRow {
    /// Place in the journal; the first missing one for a gap.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Which turn.
    pub turn: Option<TurnId>,
    /// Which channel.
    pub channel: Option<ChannelId>,
    /// Which session.
    pub session: Option<SessionId>,
    /// The stage, or `channel` or `process` where no stage acts.
    pub stage: String,
    /// The event's type.
    pub kind: String,
    /// One line of words.
    pub summary: String,
    /// How many bytes it is about.
    pub bytes: Option<u64>,
    /// Milliseconds that lasted what it began (a hold, a wait) or ended; `None` while that goes on.
    pub lasted_ms: Option<u64>,
    /// Marks.
    pub flags: Vec<RowFlag>,
    /// How many events are missing here; `None` for an ordinary row.
    pub gap: Option<u64>,
}

closed_set! {
    /// What the rows of a view are.
    pub enum ViewRows {
        Events = "events": "The events that pass the filter, in the order of the journal.",
        Turns = "turns": "The turns of which an event passes the filter, in the order of their numbers.",
    }
}

impl ViewRows {
    const fn events() -> Self {
        Self::Events
    }
}

/// `view_open`: a window over the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct OpenView {
    /// In the filter language; empty for everything.
    pub filter: String,
    /// What its rows are; `events` where it is not given.
    #[serde(default = "ViewRows::events")]
    #[ts(as = "Option<ViewRows>", optional)]
    pub rows: ViewRows,
}

/// Answer of `view_open`. Subscribe to `Topic::View` to get frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ViewOpened {
    /// The view.
    pub view: u32,
}

/// `view_close`: the view is no longer needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct ViewRef {
    /// The view.
    pub view: u32,
}

/// `view_window`: which rows are on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Window {
    /// The view.
    pub view: u32,
    /// Index of the first row; ignored while following.
    pub first: u64,
    /// How many rows, at most 500.
    pub count: u32,
    /// Whether to stay at the end.
    pub follow: bool,
}

/// `view_ack`: a frame was drawn. At most two frames are unacknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Ack {
    /// The view.
    pub view: u32,
    /// The frame.
    pub serial: u64,
}

/// `view_pause`: stop or resume the frames; capture goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Pause {
    /// The view.
    pub view: u32,
    /// Whether it stands still.
    pub paused: bool,
}

/// `view_find`: where a place of the journal stands in a view of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Find {
    /// The view.
    pub view: u32,
    /// The place.
    pub seq: u64,
}

/// Answer of `view_find`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Found {
    /// Row index of the event, or of the next one after it; `None` when the view ends before.
    pub index: Option<u64>,
}

/// `view_find_turn`: where a turn stands in a view of turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FindTurn {
    /// The view.
    pub view: u32,
    /// The turn.
    pub turn: TurnId,
}

/// Answer of `view_find_turn`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FoundTurn {
    /// Row index of the turn; `None` when it is not listed.
    pub index: Option<u64>,
    /// Whether the journal has the turn: one that it has and that is not listed is hidden by the filter.
    pub exists: bool,
}

/// What a view shows now; at most one per 16–33 ms, of turns one per 100 ms, and at most two unacknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Frame {
    /// The view.
    pub view: u32,
    /// Number of this frame, to acknowledge.
    pub serial: u64,
    /// Last place of the journal.
    pub head: u64,
    /// Rows in the view.
    pub length: u64,
    /// Rows that a view without a filter has.
    pub total: u64,
    /// Rows that came while the view was paused.
    pub behind: u64,
    /// Events this view could not show, in total.
    pub dropped: u64,
    /// Whether older events are still being filtered.
    pub scanning: bool,
    /// Index of the first row below.
    pub first: u64,
    /// The rows of the window, in a view of events.
    pub rows: Vec<EventRow>,
    /// The rows of the window, in a view of turns.
    pub turns: Vec<TurnSummary>,
}

closed_set! {
    /// What cannot wait for a frame.
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
    /// What kind.
    pub kind: AlarmKind,
    /// In words.
    pub message: String,
    /// The event.
    pub seq: u64,
    /// The turn.
    pub turn: Option<TurnId>,
}

/// What one can subscribe to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[serde(tag = "topic", rename_all = "snake_case")]
pub enum Topic {
    /// Frames of a view.
    View {
        /// Which.
        view: u32,
    },
    /// The top bar's figures, alarms, channel cards, progress of fixtures and re-cuts, and the app's log: what every window wants.
    App,
}

/// What a subscriber gets.
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
        /// Who waits and who was let in now.
        pairings: Pairings,
    },
    /// An agent asked for permission, or a request was decided.
    Permissions {
        /// What waits now, the oldest first.
        permissions: Vec<PendingPermission>,
    },
    /// A fault was planned or removed, or met a call or a run.
    Faults {
        /// Every deck as it is now.
        decks: Vec<FaultDeck>,
    },
    /// A fixture run went on.
    Fixtures {
        /// How far.
        progress: FixtureProgress,
    },
    /// A run of the re-cut fuzzer went on.
    Recut {
        /// How far, and what came of it.
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
    /// When.
    pub at: Timestamp,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// Module.
    pub target: String,
    /// Words and fields.
    pub message: String,
}

/// The top bar's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Status {
    /// Name of the workspace.
    pub workspace: String,
    /// The configuration's file, an absolute path; `None` for the built-in configuration.
    pub configuration: Option<String>,
    /// Whether all of it comes from files that were opened: nothing happens any more, and nothing can be sent.
    pub replayed: bool,
    /// The backends that answer, with the program or model of each, in words.
    pub agents: String,
    /// Version of Foldback.
    pub version: String,
    /// Channels that send for real.
    pub armed: Vec<ChannelId>,
    /// Channels in all.
    pub channels: u32,
    /// Whether all outbound is muted.
    pub muted: bool,
    /// Events journalled in the last second.
    pub events_per_second: u32,
    /// Events live views could not show.
    pub dropped: u64,
    /// 95th percentile of the last 200 turns, from message to last outcome; `None` before the first.
    pub p95_turn_ms: Option<u64>,
    /// Turns running now.
    pub running: u32,
    /// Operations waiting in the outbox.
    pub waiting: u32,
    /// Operations whose outcome is unknown and which nobody has looked at.
    pub unknown: u32,
    /// The turns of those operations.
    pub unknown_turns: Vec<TurnId>,
    /// Times a byte of a directive reached a channel.
    pub leaks: u32,
    /// Stretches of answers that were masked as secrets.
    pub masked: u32,
    /// Planned faults that may still hit something.
    pub faults: u32,
    /// Since when everything here and on the cards of the channels is counted: the start of the process.
    pub since: Timestamp,
    /// Last place of the journal.
    pub head: u64,
    /// Why the journal takes nothing more, in words, once the disk has refused for good: what happens from
    /// then on is not journalled, and nothing is sent. `None` while all is well.
    pub stopped: Option<String>,
    /// The demo; `None` where a configuration has channels of its own.
    pub demo: Option<DemoState>,
}

/// `event`: one event in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct SeqRef {
    /// Its place.
    pub seq: u64,
}

/// Answer of `event`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct EventDetail {
    /// The event.
    pub event: Event,
    /// As a row.
    pub row: EventRow,
}

/// `filter_check`: is this a filter?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterText {
    /// The text.
    pub text: String,
}

/// What is wrong with a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterError {
    /// Bytes of the filter.
    pub span: Span,
    /// What is wrong, in words.
    pub message: String,
    /// What was probably meant, to put in place of the span.
    pub suggestion: Option<String>,
}

/// Answer of `filter_check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterCheck {
    /// What is wrong; `None` when nothing is.
    pub error: Option<FilterError>,
}

/// `filter_complete`: what could stand at the cursor?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FilterComplete {
    /// The text.
    pub text: String,
    /// Byte offset of the cursor.
    pub cursor: usize,
}

/// One proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Completion {
    /// Bytes to replace.
    pub span: Span,
    /// What to put there.
    pub text: String,
    /// What it means.
    pub about: String,
}

/// A value of a closed set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct CatalogEntry {
    /// Public name.
    pub code: String,
    /// In words.
    pub about: String,
}

/// The closed sets, as data; answer of `catalog`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Catalog {
    /// Hold reasons.
    pub hold_reasons: Vec<CatalogEntry>,
    /// Diagnostics.
    pub diagnostics: Vec<CatalogEntry>,
    /// Reasons of ranges.
    pub range_reasons: Vec<CatalogEntry>,
    /// Outcomes.
    pub outcomes: Vec<CatalogEntry>,
    /// Stages.
    pub stages: Vec<CatalogEntry>,
    /// Gates.
    pub gates: Vec<CatalogEntry>,
    /// Filter fields.
    pub filter_fields: Vec<CatalogEntry>,
    /// Ready-made directives to insert: the text as code, what it does.
    pub templates: Vec<CatalogEntry>,
}

/// `why`: why did my bot (not) say that?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WhyQuestion {
    /// A turn's number (`812`, `#812`) or a platform's message id.
    pub about: String,
}

/// One step on a message's way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct WhyStep {
    /// The event behind it.
    pub seq: u64,
    /// The stage.
    pub stage: String,
    /// Whether it said no.
    pub no: bool,
    /// In words.
    pub text: String,
    /// The setting that would change it.
    pub setting: Option<String>,
}

/// Answer of `why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Why {
    /// The turn.
    pub turn: TurnId,
    /// One sentence: what happened and the first gate that said no.
    pub answer: String,
    /// The way, in order.
    pub steps: Vec<WhyStep>,
}
