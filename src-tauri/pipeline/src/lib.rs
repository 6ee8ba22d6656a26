//! One inbound message through its stages, to acknowledged deliveries.
//!
//! ```text
//! finalize ▸ dedupe ▸ authorize ▸ activation ▸ session ▸ inline directives ▸ commands ▸ send policy
//!          ▸ queue ▸ prepare ▸ run ▸ scan ▸ preview ▸ dispatch ▸ deliver
//! ```
//!
//! [`Engine`] is the running bot. Every decision it makes is an event in the journal; every operation on a
//! platform is in the outbox before the platform is called.

mod aged;
mod brief;
mod brief_actions;
mod channel_log;
mod command_reference;
mod command_table;
mod commands;
pub mod config;
mod context;
mod conversations;
mod crash;
mod dead_targets;
mod deadline;
mod deciding;
mod deliver;
mod delivery_budget;
mod delivery_orders;
mod enclosed;
mod engine;
mod files;
mod finish;
mod flow;
mod freshness;
mod gates;
mod group_history;
mod history;
mod id;
pub mod invariants;
mod late;
mod leaks;
mod level_settings;
mod output;
mod own_messages;
mod pairing;
mod pending;
mod permissions;
mod ports;
mod queue;
mod queue_settings;
mod readers;
mod recorder;
mod reminders;
mod repeats;
mod route;
mod rules;
mod schedule_history;
mod schedule_prompt;
mod schedule_times;
mod session_settings;
mod speech_request;
mod split;
mod stages;
mod steering;
mod supervise;
mod thread_reading;
mod time;
mod turn;
mod turn_cause;
mod turn_chain;
mod user_text;
mod voices;

#[cfg(test)]
mod testing;

pub use aged::AwaitingConsent;
pub use command_reference::{CommandReference, command_menu, command_references};
pub use context::Agents;
pub use crash::CrashPoint;
pub use deciding::{NamedSettings, failing_setting, suppressing_setting};
pub use deliver::reply::honoured_flags;
pub use engine::{
    Accepted, Engine, Footprint, NoSuchChannel, Parts, Rejected, RunAgainFault, ScheduleFault, StartError,
    Turn,
};
pub use files::{SendDir, Sendable, is_own_file};
pub use flow::{Flow, Stop};
pub use group_history::waiting_group_events;
pub use id::{delivery_origin, is_made_up};
pub use pairing::PairingFault;
pub use permissions::PermissionFault;
pub use readers::Readers;
pub use reminders::{ReminderFault, reminder_lines};
pub use rules::{Rule, Rules};
pub use schedule_history::schedule_lines;
pub use split::{BlockBreak, Limit, Piece, Repairs, Splitter, split};
pub use stages::{delivered::delivery_data, links::links_to_read, session::SessionKeys};
pub use time::{SeededRng, TokioClock};
pub use user_text::ACTION_NOT_DONE;
pub use voices::{Speech, VoiceOutput, Voices};
