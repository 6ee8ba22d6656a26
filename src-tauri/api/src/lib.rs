//! The command contract and what answers it: one list that desktop, command line and server share.

mod contract;
mod failure;
mod fold;
pub mod typescript;
mod why;

pub use contract::{COMMANDS, Commands, Signature, Signatures, call, signatures};
pub use fold::TurnFold;
pub use why::why;
