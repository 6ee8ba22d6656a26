//! Whole turns on loopback channels in virtual time.

mod across;
mod answers;
mod asides;
mod attachments;
mod backend;
mod bot;
mod clock;
mod crash;
mod day;
mod directives;
mod disk;
mod doubt;
mod faults;
mod files;
mod finish;
mod follow;
mod front_ends;
mod holds;
mod hour;
mod late;
mod late_edits;
#[cfg(feature = "mutants")]
mod leaks;
mod limited;
mod limits;
mod lost;
mod most;
#[cfg(feature = "mutants")]
mod mutants;
mod overtaken;
mod pairing;
mod panics;
mod parts;
mod permissions;
mod preview;
mod receipts;
mod redact;
mod redelivery;
mod repeats;
mod restart;
mod sessions;
mod shutdown;
mod speech;
mod transcripts;
mod trouble;
mod turns;
