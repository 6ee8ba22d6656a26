//! A start-up screen after some events.

mod alarms;
mod errors;
mod feed;
mod figures;
mod unknown;
