//! The output grammar, tested as it is written: vectors, invariants, linear work, single rules.

mod common;
mod invariants;
mod linear;
#[cfg(feature = "mutants")]
mod mutants;
mod vectors;
