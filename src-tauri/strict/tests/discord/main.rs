//! The Discord adapter against a strict server of the gateway and the REST interface.

mod adapter;
mod bench;
mod commands;
mod context;
#[path = "../shared/elsewhere.rs"]
mod elsewhere;
mod fetch;
#[path = "../shared/flagged.rs"]
mod flagged;
#[path = "../shared/front.rs"]
mod front;
mod gateway;
mod heart;
mod place;
mod receive;
mod refusals;
mod run;
mod server;
#[path = "../shared/mod.rs"]
mod shared;
mod stops;
#[path = "../shared/thread.rs"]
mod thread;
