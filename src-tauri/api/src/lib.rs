//! The command contract and what answers it: one list that desktop, command line and server share.

mod contract;
mod failure;
pub mod typescript;

pub use contract::{COMMANDS, Commands, Signature, Signatures, call, signatures};
