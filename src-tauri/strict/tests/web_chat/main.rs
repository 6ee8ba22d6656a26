//! The web chat against a strict browser.

mod adapter;
mod contract;
mod events;
mod files;
mod origins;
mod place;
mod receive;
// What concerns a server in the platform's place does not arise: the adapter is the server.
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "what the tests of every adapter share"
)]
#[path = "../shared/mod.rs"]
mod shared;
