//! The command line as its users call it: scripts, CI jobs and people.

mod floors;
mod foldback;
mod lint;
mod parse;
mod vectors;
