//! Requests and answers between a window (or another client) and the backend. The list of commands stands
//! in `foldback-api`; these are their words. Everything a client shows is computed here, in the backend,
//! from the journal: a client never derives a decision of its own.

mod action_chain;
mod book;
mod catalog;
mod channels;
mod compose;
mod deliver;
mod demo;
mod export;
mod faults;
mod filter;
mod fixtures;
mod hooks;
mod message_context;
mod moment;
mod pairing;
mod prepare;
mod push;
mod queue_lab;
mod reach;
mod reminders;
mod ruler;
mod schedules;
mod secrets;
mod session_detail;
mod sessions;
mod shells;
mod shown;
mod status;
mod trial;
mod turn;
mod view;
mod voice;
mod why;
mod workspaces;

pub use action_chain::{
    ActionChain, ChainAction, ChainActionEnd, ChainBeginning, ChainConfirmation, ChainMessage, ChainOrigin,
    ChainRefusal, ChainStep, ChainStepKind, ChainTurn, GivenData,
};
pub use book::{Book, BookLine, BookOf, Resend};
pub use catalog::{Catalog, CatalogAction, CatalogEntry, PayloadKey};
pub use channels::{ArmChannel, ChannelCard, ChannelError, Counters, Mute, ReleaseHeld, SwitchChannel};
pub use compose::{
    ActionPreview, ActionPreviewOutcome, Bubble, BubbleAttachment, BubbleFile, BubblePart, ChannelActions,
    ChannelPreview, Compose, ComposeFile, ComposeResult, ComposeSend, Lint, MaskedSecrets, Reaction,
    Rendering, SendResult,
};
pub use deliver::{
    BudgetUse, DeadTargetRef, DeliveryAnswer, DeliveryCall, DeliveryOrder, DeliveryState, RequesterBudget,
};
pub use demo::{DemoPhase, DemoPlay, DemoState, DemoStop, DemoTopic};
pub use export::{
    ExportFormat, ExportMask, ExportOf, ExportPreview, ExportResult, ExportScope, ExportTo, ReportFormat,
    ReportTo,
};
pub use faults::{FaultDeck, FaultMark, FaultPlace, FaultPlan, FaultRemove, PlannedFault};
pub use filter::{Completion, FilterCheck, FilterComplete, FilterError, FilterText};
pub use fixtures::{
    Comparison, FixtureAccept, FixtureCancel, FixtureCase, FixtureEntry, FixtureFromTurn, FixtureJunit,
    FixtureProgress, FixtureRead, FixtureRun, FixtureStarted, FixtureText, FixtureWrite, Mismatch, Verdict,
};
pub use hooks::{HookCall, HookLine};
pub use message_context::MessageContext;
pub use moment::{
    DecisionDetail, DecisionInput, DecisionRule, DeliveryWait, Moment, MomentAt, MomentMessage,
};
pub use pairing::{Approval, PairingCode, PairingRequest, PairingRevoke, Pairings, ReplacedRequest};
pub use prepare::{ComposePrepare, PreparedMessage, PromptOmission, StrippedPart};
pub use push::{Alarm, AlarmKind, LogLine, Push, Topic};
pub use queue_lab::{QueueLab, QueueLabMessage, QueueLabResult, QueueLabStep, QueueLabTurn};
pub use reach::{ChannelReach, ReachOf, ReachRate, ReachedChat, WaitingFate, WaitingOperation};
pub use reminders::{Calendar, CalendarDays, CalendarTime, ReminderOrder, ReminderRef};
pub use ruler::{CutPlace, RuledMessage, Ruler};
pub use schedules::{ScheduleOrder, SchedulePause, ScheduleRef};
pub use secrets::{SecretEntry, SecretSource, Secrets};
pub use session_detail::{
    MessageWait, OverrideChange, SessionDetail, SessionReorder, SessionUsage, WaitingMessage,
};
pub use sessions::{
    AgentSession, PendingPermission, PermissionDecide, PermissionRef, RunningTurn, SessionCancel,
    SessionDrop, SessionLine, SessionList, SessionQuery, SessionRef,
};
pub use shells::{ScreenRun, ShellCommand, ShellLine, ShellRef, ShellScreen, ShellState};
pub use shown::{Ink, InkStyle, RenderedBlock};
pub use status::Status;
pub use trial::{
    Aspect, BenchBase, BenchColumn, BenchResult, CutCount, CutFamily, DialectBench, DialectBenchResult,
    Recut, RecutCancel, RecutFailure, RecutFixture, RecutProgress, RecutResult, RecutStarted, Specimen,
};
pub use turn::{
    ActionCounts, Chunk, Decision, DecisionKind, DirectiveEntry, HoldEntry, Lane, LaneSpan, LaneStroke,
    LaneStrokes, LeakedBytes, LedgerEntry, LongestHold, MessageDetail, MessageProgress, ToolEntry,
    TurnDetail, TurnList, TurnRef, TurnSummary,
};
pub use view::{
    Ack, EventDetail, EventRow, Find, FindNext, FindNextResult, FindResult, FindTurn, FindTurnResult, Frame,
    OpenView, Pause, RowFlag, SeqRef, ViewOpened, ViewRef, ViewRows, Window,
};
pub use voice::{SpokenSound, VoiceOf, VoiceSound};
pub use why::{Why, WhyQuestion, WhyStep};
pub use workspaces::{
    DamagedPlace, EntryCount, ExampleFile, LeakingTurn, LinkText, OpenedFile, TurnLink, Workspace,
    WorkspaceClose, WorkspaceOpen, WorkspaceSource, WouldBeLeaks,
};

use serde::{Deserialize, Serialize};

/// A command without arguments, or an answer without content.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS,
)]
pub struct Nothing {}

/// The failure of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, ts_rs::TS)]
pub struct Failure {
    /// Stable name of the failure, such as `not_found`.
    pub code: String,
    /// The failure in words.
    pub message: String,
    /// The remedy, where something can be done.
    pub hint: Option<String>,
}
