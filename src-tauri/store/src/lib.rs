//! The journal, sessions and the outbox, and windows over the journal.

mod journal;
mod ledger;
mod memory;

pub use journal::{Journal, Numbers, OutboxEntry, SessionRecord, StoreError};
pub use memory::MemoryJournal;
