//! Windows over the journal.

use super::TurnSummary;
use crate::{ChannelId, Event, SessionId, Timestamp, TurnId, closed::closed_set};
use serde::{Deserialize, Serialize};

closed_set! {
    /// A mark of a row.
    pub enum RowFlag {
        Error = "error": "Something failed.",
        Warning = "warning": "Something a person should know.",
        Held = "held": "Something is held back.",
        Leaked = "leaked": "A directive byte reached a channel.",
        Refused = "refused": "An action that the agent asked for was refused.",
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
    /// The time.
    pub at: Timestamp,
    /// The turn.
    pub turn: Option<TurnId>,
    /// The channel.
    pub channel: Option<ChannelId>,
    /// The session.
    pub session: Option<SessionId>,
    /// The stage, or `channel` or `process` where no stage acts.
    pub stage: String,
    /// The event's type.
    pub kind: String,
    /// One line of words.
    pub summary: String,
    /// The number of bytes that it is about.
    pub bytes: Option<u64>,
    /// Milliseconds that lasted what it began (a hold, a wait) or ended; `None` while that goes on.
    pub lasted_ms: Option<u64>,
    /// Marks.
    pub flags: Vec<RowFlag>,
    /// The number of events that are missing here; `None` for an ordinary row.
    pub gap: Option<u64>,
}

closed_set! {
    /// The kind of a view's rows.
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
    /// The kind of its rows; `events` where it is not given.
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
    /// The number of rows, at most 500.
    pub count: u32,
    /// True to stay at the end.
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
    /// True where it stands still.
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
#[ts(rename = "Found")]
pub struct FindResult {
    /// Row index of the event, or of the next one after it; `None` when the view ends before.
    pub index: Option<u64>,
}

/// `view_find_next`: the nearest event of a view of events that passes one more condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct FindNext {
    /// The view. A search in it ends where another one begins.
    pub view: u32,
    /// The condition, in the filter language.
    pub condition: String,
    /// The place of the journal from which it is nearest; what stands there is not looked at.
    pub seq: u64,
    /// True where earlier events are looked at instead of later ones.
    pub back: bool,
}

/// Answer of `view_find_next`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
#[ts(rename = "FoundNext")]
pub struct FindNextResult {
    /// Row index of the event in the view; `None` when there is none.
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
#[ts(rename = "FoundTurn")]
pub struct FindTurnResult {
    /// Row index of the turn; `None` when it is not listed.
    pub index: Option<u64>,
    /// True where the journal has the turn: one that it has and that is not listed is hidden by the filter.
    pub exists: bool,
}

/// The rows that a view shows now; at most one per 16–33 ms, of turns one per 100 ms, and at most two unacknowledged.
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
    /// True where older events are still being filtered.
    pub scanning: bool,
    /// Index of the first row below.
    pub first: u64,
    /// The rows of the window, in a view of events.
    pub rows: Vec<EventRow>,
    /// The rows of the window, in a view of turns.
    pub turns: Vec<TurnSummary>,
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
