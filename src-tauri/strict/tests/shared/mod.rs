//! What the tests of every adapter share.

pub(crate) mod calls;
pub(crate) mod chance;
pub(crate) mod run;
pub(crate) mod sent;
pub(crate) mod suite;
pub(crate) mod time;
pub(crate) mod wrong;
