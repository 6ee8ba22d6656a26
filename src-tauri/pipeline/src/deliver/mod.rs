//! From decisions about text to acknowledged operations on a platform.

mod asides;
mod backoff;
pub(crate) mod bubble;
pub(crate) mod carry;
mod clearance;
mod consent;
pub(crate) mod courier;
pub(crate) mod delivery;
pub(crate) mod desk;
pub(crate) mod directives;
pub(crate) mod fallback;
pub(crate) mod finish;
pub(crate) mod intent;
pub(crate) mod job;
pub(crate) mod judge;
pub(crate) mod lanes;
pub(crate) mod pace;
pub(crate) mod parts;
pub(crate) mod reply;
mod rest;
mod settle;
mod supervised;
pub(crate) mod tally;
pub(crate) mod typing;
pub(crate) mod unfinished;
mod voice;
mod wording;
