//! Fixtures and recordings through the whole pipeline, on a virtual clock: what the user ends up with, and
//! whether that is what was expected.

mod batch;
mod case;
mod clock;
mod compare;
pub mod coverage;
mod deliveries;
mod ends;
pub mod fixture;
pub mod import;
mod judge;
mod keep;
mod lines;
pub mod recording;
mod replace;
pub mod report;
mod run;
mod scripted_terminal;
mod stage;
pub mod transcript;
mod update;

pub use batch::{Job, run_all};
pub use case::{Case, CaseTurn};
pub use clock::Speed;
pub use deliveries::{Run, fold};
pub use ends::{End, Thing, ends};
pub use judge::Played;
pub use keep::keep;
pub use replace::{Replacement, replace};
pub use run::{Options, run};
pub use stage::Mutation;
pub use update::{Came, updated};
