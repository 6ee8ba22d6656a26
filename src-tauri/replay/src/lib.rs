//! Fixtures and recordings through the whole pipeline, on a virtual clock: what the user ends up with, and
//! whether that is what was expected.

pub mod case;
pub mod compare;
pub mod ends;
pub mod fixture;
pub mod report;
pub mod update;
