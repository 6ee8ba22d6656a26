//! The journal, sessions and the outbox, and windows over the journal.

mod journal;
mod kind;
mod ledger;
mod memory;
mod row;
mod scene;
mod selection;
mod sqlite;

pub use journal::{Journal, Numbers, OutboxEntry, Resumed, SessionRecord, StoreError};
pub use kind::{KINDS, KindWord};
pub use memory::MemoryJournal;
pub use row::{one_line, row};
pub use scene::Scene;
pub use selection::Selection;
pub use sqlite::{Limits, SqliteJournal};
