//! Channels as the pipeline sees them.

mod loopback;
mod stage;
mod switchboard;
mod toggles;
