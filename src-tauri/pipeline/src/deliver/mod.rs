//! From decisions about text to acknowledged operations on a platform.
//!
//! Each line below uses the ones under it, and none above:
//!
//! ```text
//! turn_delivery       takes output events, and says the last word
//! preview  asides  directives      the answer; what stands beside it; what it asks for
//! turn_operations     what a turn sent, what of it is held, the count of both
//! operation_sender    into the outbox and the queue of a chat, and waits       typing
//! delivery_queue      one operation of a chat after the other, to its outcome
//! operation           what is wanted of a platform, and what follows from how it ends
//! ```
//!
//! An operation comes back up the same way as one [`OperationCompletion`](delivery_queue::OperationCompletion), or as a
//! [`PendingOperation`](delivery_queue::PendingOperation) for as long as it has not ended.

mod arrival;
mod asides;
mod begun;
mod blocks;
pub(crate) mod delivery_queue;
mod directives;
pub(crate) mod footer;
pub(crate) mod lead;
mod message_quota;
pub(crate) mod operation;
pub(crate) mod operation_sender;
mod preview;
pub(crate) mod reply;
mod rest;
pub(crate) mod tally;
pub(crate) mod text_parts;
pub(crate) mod turn_delivery;
mod turn_operations;
pub(crate) mod typing;
pub(crate) mod unfinished;
