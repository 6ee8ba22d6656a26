//! Channel adapters: how messages come in from a platform and how operations reach it.

mod adapter;

pub use adapter::{Ack, Call, ChannelAdapter, Refusal, Signal, SignalSink};
