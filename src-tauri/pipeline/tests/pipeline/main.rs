//! Whole turns on loopback channels in virtual time.

mod answers;
mod bot;
mod directives;
mod flow;
mod preview;
