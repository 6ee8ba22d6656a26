//! The words of Foldback: what every crate, the journal, the command line and the window say to each other.
//! Types and two small traits, no behaviour that needs I/O.

mod action;
mod agent;
mod channel;
mod clock_trust;
mod closed;
mod counted;
mod deck;
mod delivery;
mod delivery_answer;
mod delivery_request;
mod draft;
mod duration;
mod event;
mod fault;
mod flags;
mod hold;
mod hook;
mod ids;
mod inbound;
mod inbound_context;
mod inline;
mod levels;
mod link;
mod pairing;
mod permission;
mod platform;
pub mod redact;
mod reminder;
pub mod rpc;
mod schedule;
mod secret;
mod session;
mod spoken;
mod time;
mod turn;
mod understood;
mod unreadable;
mod visible;
mod weight;

pub use action::{
    ActionAccess, ActionAnswered, ActionConfirmation, ActionEnded, ActionRefusal, ActionRefusalCode,
    ActionStarted, PayloadFinding, TurnKind,
};
pub use agent::{AgentFault, Answerer, RunActivity, SessionStart, StopReason, ToolCall, ToolStatus, Usage};
pub use channel::{
    Actor, Capabilities, ChannelState, EmojiForm, LengthUnit, Markup, OpKind, ReplyForm, VoiceForm,
};
pub use clock_trust::ClockTrust;
pub use counted::{messages, messages_wait};
pub use deck::{Deck, DeckFault};
pub use delivery::{
    Body, CleanPlace, Delivery, DirectiveRef, FileIdentity, Intent, Operation, Outcome, OutcomeCode, Receipt,
    RefusalCode, Target,
};
pub use delivery_answer::{DeadTarget, DeliveryAccepted, DeliveryRefusal, DeliveryRefused};
pub use delivery_request::{
    DELIVERY_DEPTH, DeliveryLimits, DeliveryOutcome, DeliveryRequest, PerformedAction, ReplyAddress,
    ResultItem,
};
pub use draft::{Draft, Event};
pub use duration::duration_in_words;
pub use event::Kind;
pub use fault::{CallFailure, CallFault, ChunkCut, Fault, LONGEST_FAULT_MS, PLANNED, RunFault};
pub use flags::{MessageFlag, MessageFlags};
pub use foldback_directives::{
    Code, Diagnostic, Directive, Fate, FileKind, Fix, Header, HoldReason, JsonAction, Parsed, Range,
    RangeReason, ReplyToForm, Severity, Span, Suppression,
};
pub use hold::Hold;
pub use hook::HookEnd;
pub use ids::{
    ChannelId, ChatId, DeliveryRequestId, MessageId, OpId, PermissionId, ReminderId, RunId, Seq, SessionId,
    ThreadId, ToolId, TurnId, UserId,
};
pub use inbound::{Attachment, ChatType, FileFate, Inbound, OmittedContent, Sender};
pub use inbound_context::{
    GroupInfo, GroupMessage, InboundContext, Location, QuotedMessage, ReadThread, SenderIds, ThreadContext,
};
pub use inline::{
    DecidingSetting, DirectiveScope, EffectiveSetting, GroupActivation, InlineDirective, InlineDirectives,
    SendPolicy, SettingChange, SettingSource, SpeechMode, UsageLine,
};
pub use levels::{ModelOverride, RunLevel, RunLevels, ThinkLevel};
pub use link::{LINK_SCHEME, LinkError};
pub use pairing::PairingStep;
pub use permission::{CallPreview, FileChange, PermissionKind, PermissionOption, PermissionRequest};
pub use platform::Platform;
pub use reminder::{
    REMINDER_CHARACTERS, Reminder, ReminderCancelled, ReminderDue, ReminderLine, ReminderRepeat, ReminderRun,
    ReminderWait,
};
pub use schedule::{
    ScheduleDue, ScheduleLine, SchedulePaused, ScheduleRun, ScheduleSet, ScheduleSkip, ScheduleSkipped,
};
pub use secret::Secret;
pub use session::{ExpiryRule, KeptSetting, SessionExpiry};
pub use spoken::SpokenDirective;
pub use time::{Clock, Rng, Sleep, SteadyTime, Timestamp};
pub use turn::{Gate, JoinKind, SilentReason, Stage, Terminal};
pub use understood::{Understanding, UnderstoodFile};
pub use unreadable::UnreadablePart;
pub use visible::{
    is_invisible, is_of_joining_script, is_pictograph, is_skin_tone, visible, visible_json, visible_line,
};
