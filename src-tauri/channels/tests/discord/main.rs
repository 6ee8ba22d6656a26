//! The Discord adapter against a strict server of the gateway and the REST interface.

mod adapter;
mod gateway;
mod place;
mod receive;
mod refusals;
mod run;
mod server;
mod stops;
