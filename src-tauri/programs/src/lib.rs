//! Programs that Foldback starts. Whatever they start goes with them.
//!
//! Each runs behind a [`guard`], which also outlives Foldback. [`Program`] is one that a person configured: started, read
//! to a bound, ended. One that may do what its user likes (an agent, a command) runs on demand in a
//! [space of its own](Confinement) or on a [terminal of its own](PseudoTerminal).

mod confine;
pub mod descent;
mod environment;
pub mod guard;
mod guarded;
mod program;
mod pseudo_terminal;

pub use confine::{ConfinedProgram, Confinement};
pub use environment::PASSED_ON;
pub use guarded::Guarded;
pub use program::{Program, ProgramEnd};
pub use pseudo_terminal::PseudoTerminal;
