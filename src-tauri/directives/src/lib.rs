//! The output grammar of chat agents.
//!
//! One scanner reads everything an agent writes, chunk by chunk, and decides for every byte: show, hold,
//! strip or drop. Pure text in, decisions out: no I/O, no clock, no runtime.

mod closed;
mod diagnostic;
mod directive;
mod hold;
mod outcome;
mod span;

pub use diagnostic::{Code, Diagnostic, Fix, Severity};
pub use directive::{Directive, FileKind, Header, JsonAction};
pub use hold::HoldReason;
pub use outcome::{Fate, Parsed, Range, RangeReason, Suppression};
pub use span::Span;
