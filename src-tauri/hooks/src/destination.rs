//! What a hook is.

use foldback_programs::Program;
use foldback_store::Filter;
use foldback_wire::Secret;
use std::time::Duration;

/// A program or an address that is told of events.
#[derive(Debug, Clone)]
pub struct Hook {
    /// Its name in the configuration and in the journal.
    pub name: String,
    /// The events that it is told of.
    pub filter: Filter,
    /// Who is told.
    pub destination: Destination,
    /// Longest wait for the program to end, or for an answer.
    pub timeout: Duration,
}

/// Who is told of an event.
#[derive(Debug, Clone)]
pub enum Destination {
    /// A program; the event's JSON is its input, one line.
    Program(Program),
    /// An address; the event's JSON is the body of a `POST`.
    Url {
        /// The address.
        url: String,
        /// The key that the body is signed with; without one there is no signature.
        secret: Option<Secret>,
    },
}
