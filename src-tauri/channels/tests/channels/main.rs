//! Channels as the pipeline sees them.

mod contract;
mod desk;
mod loopback;
mod remote;
mod stage;
mod supervision;
mod switchboard;
mod toggles;
