//! Channels as the pipeline sees them.

mod contract;
mod loopback;
mod remote;
mod stage;
mod switchboard;
mod toggles;
