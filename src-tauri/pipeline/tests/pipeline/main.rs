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
mod flow;
mod follow;
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
mod trouble;
