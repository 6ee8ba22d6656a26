//! Windows over a large journal, measured in events read.

mod durations;
mod flags;
mod large;
mod searches;
mod windows;
