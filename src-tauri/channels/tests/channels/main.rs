//! Channels as the pipeline sees them.

mod contract;
mod desk;
mod faults;
mod folder;
mod loopback;
mod remote;
mod rules;
mod stage;
mod supervision;
mod switchboard;
mod toggles;
mod troubles;
