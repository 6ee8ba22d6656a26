//! What the tests of every adapter share; `time.rs` beside it is for those that need no clock of their own.

pub(crate) mod calls;
pub(crate) mod chance;
pub(crate) mod run;
pub(crate) mod sent;
pub(crate) mod suite;
pub(crate) mod wrong;
