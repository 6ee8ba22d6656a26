//! The Discord adapter against a strict server of the gateway and the REST interface.

mod adapter;
#[path = "../shared/chance.rs"]
mod chance;
#[path = "../shared/checked.rs"]
mod checked;
mod gateway;
mod place;
mod receive;
mod refusals;
mod run;
mod server;
mod stops;
#[path = "../shared/time.rs"]
mod time;
