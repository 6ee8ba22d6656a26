//! The journal, sessions and the outbox, and windows over the journal.

mod journal;

pub use journal::{Journal, Numbers, OutboxEntry, SessionRecord, StoreError};
