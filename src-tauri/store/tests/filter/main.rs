//! The filter language: what it reads, what it refuses and what it lets pass.

mod events;
mod language;
mod passing;
