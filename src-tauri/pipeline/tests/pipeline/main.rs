//! Whole turns on loopback channels in virtual time.

mod across;
mod answers;
mod bot;
mod crash;
mod directives;
mod disk;
mod doubt;
mod faults;
mod files;
mod follow;
mod holds;
mod hour;
#[cfg(feature = "mutants")]
mod leaks;
mod lost;
#[cfg(feature = "mutants")]
mod mutants;
mod pairing;
mod preview;
mod redact;
mod redelivery;
mod repeats;
mod restart;
mod shutdown;
mod trouble;
mod turns;
