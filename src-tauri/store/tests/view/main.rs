//! Windows over a large journal, measured in events read.

mod durations;
mod flags;
mod large;
mod reasons;
mod searches;
mod windows;
