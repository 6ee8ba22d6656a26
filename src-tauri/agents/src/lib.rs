//! Agent backends: each turns a request into a stream of steps.

mod acp;
mod action;
mod agent;
mod anthropic;
pub mod demo;
mod description;
pub mod documents;
mod emitter;
mod fallback;
mod faulty;
mod history;
mod http;
mod joiner;
mod letta;
mod levels;
pub mod links;
mod openai;
mod page;
mod script;
pub mod speech;
mod status;
#[cfg(feature = "strict-server")]
pub mod strict_server;

pub use acp::{AcpAgent, AcpConfig, AcpLimits};
pub use action::{ActionAnswer, ActionCall, MOST_ROUNDS, OfferedAction};
pub use agent::{
    Accepts, Agent, AgentEvent, AgentFile, PictureLimits, Steer, SteerInput, Step, StepSink, TurnRequest,
};
pub use description::{Description, DescriptionError, DescriptionOrder};
pub use fallback::Fallback;
pub use faulty::Faulty;
pub use foldback_wire::Secret;
pub use history::{
    Compaction, CompactionError, CompactionOrder, ConversationSize, History, HistoryEntry, estimated_tokens,
};
pub use http::{Api, ConfigError, HistoryLimits, HttpAgent, HttpConfig, Memory, Timeouts, is_sent_openly};
pub use levels::{LevelRefusal, LevelSupport, LevelSupports};
pub use script::{
    Act, PermissionStep, Rule, RuleError, ScriptAgent, ScriptStep, SessionStep, SteeredStep, ToolStep, When,
};
pub use status::names_bad_key;
