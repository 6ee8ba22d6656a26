//! Crowds on platforms that limit calls. Shared with the bench `limits`.

mod crowd;
mod platform;

pub(crate) use crowd::{Crowd, crowd};
pub(crate) use platform::{Conduct, Met};
