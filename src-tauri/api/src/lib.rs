//! The command contract and what answers it: one list that desktop, command line and server share.
//!
//! [`Commands`] is the contract: a host implements every command or does not compile, and [`call`] performs
//! them by name with JSON. [`Backend`] is the host: configuration, journal, channels, agents and pipeline, put
//! together. What it answers about a turn is a fold over the turn's events: [`TurnFold`], [`why()`].

mod action_chain;
mod backend;
mod catalog;
mod contract;
mod deliver;
mod delivery_call;
mod doors;
#[cfg(target_os = "linux")]
mod engine_environment;
pub mod export;
mod failure;
mod fold;
mod gate_decision;
mod graphics;
mod live;
mod log;
mod output;
mod pairing;
mod permission;
pub mod places;
mod queue;
pub mod recut;
mod reminders;
mod schedules;
mod shelf;
mod shown;
mod signals;
mod step_decision;
pub mod typescript;
mod why;
mod window_start;
mod written_actions;

pub use action_chain::read_action_chain;
pub use backend::{
    Backend, DemoStart, Exposed, OpenError, ProgramRequest, ReplayedFiles, Setup, SetupError, TRAY_ITEMS,
    TrayItem, WindowOrder, check_send_dir, explain, order_window, prepare_message, run_queue_lab,
};
pub use contract::{COMMANDS, Commands, Signature, Signatures, call, signatures};
pub use deliver::order_delivery;
pub use delivery_call::{UnreadableCall, read_delivery};
#[cfg(target_os = "linux")]
pub use engine_environment::begin_with_engine_environment;
pub(crate) use fold::OutlinedLine;
pub use fold::TurnFold;
/// Becomes the guard of a program where this process was started as one; to be asked first in `main`.
pub use foldback_programs::guard::run_if_asked as guard_if_asked;
pub use graphics::draws_by_processor;
pub use live::Subscription;
pub use log::{KEPT as LOG_LINES, LogBook, LogError, LogLayer};
pub use output::{Output, mask};
pub use pairing::{PairingOrder, pair};
pub use permission::{PermissionOrder, order_permission};
pub use queue::{HeldOnChannel, QueueOrder, order_queue};
pub use reminders::order_reminders;
pub use schedules::order_schedules;
pub use shelf::Shelf;
pub use signals::EndSignals;
pub use why::why;
pub use window_start::{WindowStart, absolute_target, end_started};

/// Tells nothing to another engine.
#[cfg(not(target_os = "linux"))]
pub fn begin_with_engine_environment() {}
