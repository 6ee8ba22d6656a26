//! From decisions about text to acknowledged operations on a platform.

mod arrival;
mod asides;
mod begun;
pub(crate) mod bubble;
mod confirm;
pub(crate) mod delivery;
pub(crate) mod delivery_queue;
pub(crate) mod desk;
pub(crate) mod directives;
pub(crate) mod finish;
pub(crate) mod operation;
pub(crate) mod operation_sender;
pub(crate) mod parts;
pub(crate) mod reply;
mod rest;
pub(crate) mod tally;
pub(crate) mod typing;
pub(crate) mod unfinished;
mod voice;
