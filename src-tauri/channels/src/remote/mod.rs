//! A simulated platform in a process of its own, so that killing Foldback does not kill the evidence: the
//! server (`foldback-platform`) and the adapter on it. They speak newline JSON over TCP.

mod adapter;
mod protocol;
mod server;

pub use adapter::RemoteLoopback;
pub use server::{ServeError, read_log, serve};
