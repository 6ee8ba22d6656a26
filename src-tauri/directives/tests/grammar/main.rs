//! The output grammar, tested as it is written: vectors, invariants, linear work, single rules.

mod checks;
mod common;
mod coverage;
mod fixes;
mod holds;
mod inbound;
mod invariants;
mod linear;
mod lint;
#[cfg(feature = "mutants")]
mod mutants;
mod silence;
mod texts;
mod vectors;
