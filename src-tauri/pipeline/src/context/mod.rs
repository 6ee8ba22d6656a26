//! What a turn works with. It stands below the stages and delivery, which are given what they need of it.

mod runs;

pub(crate) use runs::{RunHandle, RunState, Runs};
