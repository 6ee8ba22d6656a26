//! What goes on now: sums over the events since the start, frames of views, and what subscribers are told.

mod digest;
mod frames;
mod listing;
mod subscription;
mod trouble;
mod unknown;

pub(crate) use digest::Digest;
pub(crate) use frames::{Desk, Frames, SummaryReader};
pub(crate) use listing::Listing;
pub use subscription::Subscription;
pub(crate) use unknown::UnknownOutcomes;
